"""Replays of texts and tables in this process, for tests."""

import json

from tidegate.assurance.replaying.comparing import Comparison, Task
from tidegate.assurance.replaying.judge import Judge
from tidegate.assurance.replaying.replay import replay
from tidegate.assurance.replaying.sources import source_of


def judge_of(folder, text, name="rules.toml"):
    """The judge by the rules of a text, whose `{root}` is the folder of examples."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return Judge(path, root="/srv/project", home="/home/dev")


def lines_of(*values):
    """JSON on lines."""
    return [json.dumps(value).encode() + b"\n" for value in values]


def replayed(new, old, lines, form=None, workers=1):
    """What a replay of these lines comes to."""
    source = source_of("calls.jsonl", 0, lines, form)
    task = Task(new, old, (source.name,), (source.form,))
    return replay(task, [source], workers, workers, lambda _: None)


def entries_of(lines, form=None, name="calls.jsonl"):
    """The entries of all lines, in order."""
    source = source_of(name, 0, lines, form)
    task = Task(None, None, (source.name,), (source.form,))
    return [entry for piece in source.pieces for entry in task.entries(piece)]


def compared(task, items):
    """What one process counts of these."""
    comparison = Comparison(task)
    comparison.take(items)
    return comparison.tally
