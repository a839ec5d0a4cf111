"""The packs that are shipped: each may be switched on as it is, alone and with all others."""

import re
import shlex
from pathlib import Path

import pytest

from tidegate.assurance.risks import check_maps
from tidegate.calls import call_of
from tidegate.compile.alone import Alone
from tidegate.compile.catalogue import check_tools
from tidegate.compile.compiler import compile_plan
from tidegate.compile.examples import Made, check_examples, made_of
from tidegate.compile.fields import ExampleFields
from tidegate.compile.sides import check_sides
from tidegate.compile.stage import HOME, ROOT, Stage, World
from tidegate.kernel.json_values import snapshot
from tidegate.kind import Guard, Phase
from tidegate.lang.layers import loads

TREE = Path(__file__).resolve().parents[1]
PACKS = sorted(path.stem for path in (TREE / "policies").glob("*.toml"))
ALL = (TREE / "tests/every_pack.toml").read_text(encoding="utf-8")

ANSWERED_ELSEWHERE = {
    # A rule, another one that answers a near miss of it, and why that is right.
    ("agent-config/settings", "baseline/agent-config"): "the baseline keeps the folders of agents whole",
    ("agent-config/settings", "filesystem/outside-the-project"): "a plan in the home folder is outside of the project",
    ("agent-config/settings-folders", "baseline/agent-config"): "the baseline keeps the folders of agents whole",
    ("cloud/cluster-objects", "cloud/cluster-changed"): "a pod may go, but a person should see which cluster that is",
    ("filesystem/system-folders", "filesystem/outside-the-project"): "`/usr/local` is no part of the system, nor ours",
    ("mcp/destructive-tools", "mcp/open-world-tools"): "a tool may be the one and not the other",
    ("mcp/open-world-tools", "mcp/destructive-tools"): "a tool may be the one and not the other",
}


def compiled(*packs, default="allow"):
    included = ", ".join(f'"pack:{pack}"' for pack in packs)
    return compile_plan(loads(f'version = 1\ndefault = "{default}"\ninclude = [{included}]\n'), now=0.0)


@pytest.fixture(scope="module")
def together():
    """All packs in one plan."""
    return compile_plan(loads(ALL.replace('default = "ask"', 'default = "allow"')), now=0.0)


@pytest.mark.parametrize("pack", PACKS)
def test_examples_of_a_pack_hold_on_both_sides(pack):
    """Every example is true, and each rule has one that it answers and a near miss."""
    outcome = compiled(pack)

    assert [*outcome.findings, *check_examples(outcome), *check_sides(outcome)] == []


@pytest.mark.parametrize("default", ["allow", "ask", "deny"])
def test_all_packs_load_together_without_a_finding(default):
    """They fit beside each other under any default; no risk that they name is unknown, and no tool."""
    loaded = loads(ALL.replace('default = "ask"', f'default = "{default}"'))
    outcome = compile_plan(loaded, now=0.0)

    assert [*outcome.findings, *check_tools(loaded.rule_sets, None), *check_maps(loaded.rule_sets)] == []
    assert outcome.plan is not None


def test_every_pack_is_there(together):
    """The file that `make check` looks at includes all of the folder."""
    assert sorted({subject.rule.id.partition("/")[0] for subject in together.subjects}) == PACKS


def test_packs_grant_nothing(together):
    """A pack that is switched on never lets anything run that would not have run without it."""
    granting = [
        subject.rule.id
        for subject in together.subjects
        if isinstance(subject.rule.part, Guard) and subject.rule.part.grants is not None
    ]

    assert granting == []


def test_rules_say_why_and_what_instead(together):
    """Each rule has its reason and its risks, and one that refuses has words for the model."""
    lacking = [
        (subject.rule.id, key)
        for subject in together.subjects
        for key in ("why", "maps", *(["message"] if any(one.expect == "deny" for one in subject.examples) else []))
        if not subject.raw.fields.get(key)
    ]

    assert lacking == []


def near_misses(outcome):
    """Each call that a rule of a pack lets pass, with the rule."""
    for subject in outcome.subjects:
        for example in subject.examples if subject.phase is Phase.GUARD else ():
            if example.expect == "pass" and example.call is not None:
                yield subject.rule.id, example


def test_no_rule_answers_a_near_miss_of_another(together):
    """What one rule lets pass as harmless no other refuses or asks about, unless it is listed with its reason."""
    answered = set()
    for rule, example in near_misses(together):
        made = made_of(example.call, None, ())
        assert isinstance(made, Made)
        judged = Stage(together.plan, trace=True).judge(made.call, World.of(example), made.end)
        answers = [said.rule for said in judged.decision.trace if said.says in ("deny", "ask")]
        answered |= {(rule, other) for other in answers if other != rule and not other.startswith("tidegate/")}

    assert answered == ANSWERED_ELSEWHERE.keys()


def like(pattern):
    """A command line that reads as the pattern does, with something for each wildcard."""
    text = re.sub(r"\*+://", "http://", pattern.replace("{root}", "."))
    text = re.sub(r"\{([^,}]*),[^}]*\}", r"\1", text)
    text = re.sub(r"\[!.\]|\[([^\]])[^\]]*\]", lambda match: match[1] or "x", text)
    text = re.sub(r"\*+", "x", text)
    words = re.sub(r"\\(.)", r"\1", text).split(" ")
    return " ".join(word if re.fullmatch(r"[\w./:=~-]+", word) else shlex.quote(word) for word in words)


@pytest.mark.parametrize("pack", PACKS)
def test_no_pattern_of_a_pack_is_dead(pack):
    """What a command pattern says word for word, its rule answers."""
    outcome = compiled(pack)
    world = World.of(ExampleFields())
    dead = []
    for subject in outcome.subjects:
        needed = subject.raw.fields.get("when", {}).get("command", ())
        before = f"{like(needed[0])}; " if needed else ""
        for pattern in subject.raw.fields.get("deny", ()) if subject.rule.kind == "command" else ():
            table = {"tool": "run_bash", "args": {"command": f"{before}{like(pattern)}"}}
            call = call_of(snapshot({**table, "cwd": ROOT, "root": ROOT, "home": HOME}))
            said = Alone(subject.rule, subject.phase, outcome.readers[0]).judge(call, world)
            if said.word != subject.rule.effect:
                dead.append((subject.rule.id, pattern, said.word))

    assert dead == []
