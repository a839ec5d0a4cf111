"""Includes: which files come in, in which order, and under which names."""

import os
import posixpath
import re
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate import lang
from tidegate.lang import globs
from tidegate.lang.gather import MAX_INCLUDE_DEPTH

FILES = ("a.toml", "b.toml", "p/a.toml", "p/b-c.toml", "p/b/c.toml", "p/.d.toml", "packs/one.toml", "packs/two.toml")
TEXTS = (
    "a.toml",
    "./b.toml",
    "p/a.toml",
    "p//../p/a.toml",
    "../a.toml",
    "*.toml",
    "p/*.toml",
    "p/?.toml",
    "p/[!a]*.toml",
    "**/c.toml",
    "p/**",
    "../p/**/*.toml",
    "../*.toml",
    "*/*.toml",
    "pack:one",
    "pack:two",
    "packs/*.toml",
    "missing.toml",
    "*.tml",
)

trees = st.dictionaries(st.sampled_from(FILES), st.lists(st.sampled_from(TEXTS), max_size=3)).flatmap(
    lambda tree: st.lists(st.sampled_from(TEXTS), max_size=4).map(lambda top: {**tree, "rules.toml": top})
)


class Model:
    """The order of files as a page of code: depth first, included files before the file, each once."""

    def __init__(self, tree):
        self.tree = tree
        self.order = []
        self.codes = set()
        self._names = {}
        self._visit("rules.toml", "rules.toml", ())

    def _visit(self, file, name, chain):
        self._names[file] = name
        for text in self.tree[file]:
            targets = list(self._targets(file, text))
            if not targets:
                self.codes.add("unknown-pack" if text.startswith("pack:") else "include-missing")
            for target in targets:
                if target in (*chain, file):
                    self.codes.add("include-cycle")
                elif target not in self._names:
                    self._visit(target, text if text.startswith("pack:") else target, (*chain, file))
        self.order.append(name)

    def _targets(self, file, text):
        if text.startswith("pack:"):
            wanted = f"packs/{text[5:]}.toml"
            return [wanted] if wanted in self.tree else []
        pattern = posixpath.normpath(posixpath.join(posixpath.dirname(file), text))
        pattern = re.escape(pattern).replace(r"\[", "[").replace(r"\]", "]").replace("[!", "[^").replace(r"\?", "[^/]")
        pattern = pattern.replace(r"\*\*/", "(.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
        return sorted((one for one in self.tree if re.fullmatch(pattern, one)), key=lambda one: one.split("/"))


def _write(folder, tree):
    for name, texts in tree.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("version = 1\n" + (f"include = {texts}\n" if texts else ""), encoding="utf-8")
    return folder / "rules.toml"


def _load(top, **options):
    return lang.load(project=top, packs=top.parent / "packs", home=top.parent / "home", **options)


def _shown(loaded):
    return [posixpath.normpath(source.shown) for source in loaded.rule_sets[0].sources]


@given(trees)
def test_includes_bring_each_file_once_in_the_documented_order(tree):
    """Depth first, globs sorted, each file once, then the file's own rules: as the model says."""
    with tempfile.TemporaryDirectory() as name:
        loaded = _load(_write(Path(name) / "project", tree))
    model = Model(tree)

    assert _shown(loaded) == model.order
    assert {finding.code for finding in loaded.findings} == model.codes


@given(trees)
def test_findings_of_includes_stand_in_file_order(tree):
    """Findings come in load order of their files, then by line and column."""
    with tempfile.TemporaryDirectory() as name:
        loaded = _load(_write(Path(name) / "project", tree))
    places = [(loaded.files.index(found.file), found.line, found.column) for found in loaded.findings]

    assert places == sorted(places)


def test_rules_come_in_load_order_under_their_addresses(tmp_path):
    """Rules of a pack are addressed by it, also those of the plain files that it includes."""
    top = _write(tmp_path, {"rules.toml": ["pack:one", "p/a.toml"], "p/a.toml": [], "packs/one.toml": ["extra/x.toml"]})
    for name, rule in {"rules": "own", "p/a": "plain", "packs/one": "secrets", "packs/extra/x": "more"}.items():
        file = tmp_path / f"{name}.toml"
        file.parent.mkdir(exist_ok=True)
        text = file.read_text(encoding="utf-8") if file.exists() else "version = 1\n"
        file.write_text(f'{text}[[rule]]\nid = "{rule}"\nkind = "path"\n', encoding="utf-8")
    loaded = _load(top)

    assert loaded.findings == ()
    assert [rule.address for rule in loaded.rule_sets[0].rules] == ["one/more", "one/secrets", "plain", "own"]


def test_sources_are_named_and_digested(tmp_path):
    """A source says how it was named, what it resolves to, and which bytes it had."""
    top = _write(tmp_path, {"rules.toml": ["pack:one", "p/a.toml"], "p/a.toml": [], "packs/one.toml": []})
    pack, plain, own = _load(top).rule_sets[0].sources

    assert [(source.shown, source.pack) for source in (pack, plain, own)] == [
        ("pack:one", "one"),
        ("p/a.toml", ""),
        ("rules.toml", ""),
    ]
    assert Path(plain.path) == tmp_path / "p" / "a.toml"
    assert Path(plain.real) == (tmp_path / "p" / "a.toml").resolve()
    assert pack.digest == plain.digest != own.digest


def test_digest_changes_with_content_and_order_only(tmp_path):
    """The digest is that of the contents in load order, wherever the files lie."""
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        _write(folder, {"rules.toml": ["a.toml", "b.toml"], "a.toml": ["p/a.toml"], "b.toml": [], "p/a.toml": []})
    digests = [_load(folder / "rules.toml").rule_sets[0].digest for folder in (one, two)]
    (two / "b.toml").write_text("version = 1 # changed\n", encoding="utf-8")
    changed = _load(two / "rules.toml").rule_sets[0].digest
    swapped = _load(_write(two, {"rules.toml": ["b.toml", "a.toml"]})).rule_sets[0].digest

    assert digests[0] == digests[1]
    assert len({digests[0], changed, swapped}) == 3


def test_folders_are_those_that_globs_look_into(tmp_path):
    """A new file in one of these folders could change the rules, so they are known."""
    real = tmp_path / "elsewhere"
    real.mkdir()
    top = _write(tmp_path, {"rules.toml": ["p/*.toml", "link/**/*.toml", "a.toml"], "a.toml": [], "p/a.toml": []})
    (real / "x.toml").write_text("version = 1", encoding="utf-8")
    _symlink(tmp_path / "link", real)
    folders = [Path(folder) for folder in _load(top).rule_sets[0].folders]
    named = [tmp_path / "p", (tmp_path / "p").resolve(), tmp_path / "link", real.resolve()]

    assert folders == list(dict.fromkeys(named))


def test_home_and_absolute_paths_are_followed(tmp_path):
    """`~/` is the home that was given, and a path may be absolute."""
    top = _write(tmp_path / "project", {"rules.toml": ["~/mine/*.toml", (tmp_path / "x.toml").as_posix()]})
    _write(tmp_path / "project" / "home" / "mine", {"a.toml": []})
    _write(tmp_path, {"x.toml": []})
    loaded = _load(top)

    assert loaded.findings == ()
    assert loaded.files == ("home/mine/a.toml", (tmp_path / "x.toml").as_posix(), "rules.toml")


def test_wildcards_in_the_name_of_the_folder_are_only_letters(tmp_path):
    """Where the rule files lie is no glob."""
    folder = tmp_path / "[x]*"
    loaded = _load(_write(folder, {"rules.toml": ["p/*.toml"], "p/a.toml": []}))

    assert loaded.files == ("p/a.toml", "rules.toml")


def test_same_file_under_another_name_is_read_once(tmp_path):
    """A symlink or hard link to a file that was read brings nothing new."""
    top = _write(tmp_path, {"rules.toml": ["a.toml", "p/*.toml"], "a.toml": [], "p/z.toml": []})
    _symlink(tmp_path / "p" / "link.toml", tmp_path / "a.toml")
    os.link(tmp_path / "a.toml", tmp_path / "p" / "hard.toml")

    assert _load(top).files == ("a.toml", "p/z.toml", "rules.toml")


def test_cycle_through_a_symlink_is_a_cycle(tmp_path):
    """Another name for the top file does not hide that it includes itself."""
    top = _write(tmp_path, {"rules.toml": ["p/link.toml"], "p/a.toml": []})
    _symlink(tmp_path / "p" / "link.toml", top)

    assert [finding.code for finding in _load(top).findings] == ["include-cycle"]


def test_parent_behind_a_symlink_is_that_of_its_target(tmp_path):
    """`..` is followed where the file system leads, never folded away."""
    far = tmp_path / "far" / "deep"
    far.mkdir(parents=True)
    top = _write(tmp_path / "here", {"rules.toml": ["link/../x.toml"], "x.toml": []})
    (tmp_path / "far" / "x.toml").write_text("version = 1\n", encoding="utf-8")
    _symlink(tmp_path / "here" / "link", far)
    (source, _) = _load(top).rule_sets[0].sources

    assert Path(source.real) == (tmp_path / "far" / "x.toml").resolve()
    assert source.shown == "link/../x.toml"


def test_dangling_symlink_that_a_glob_matches_is_a_finding(tmp_path):
    """Rules that were moved away must not vanish silently."""
    top = _write(tmp_path, {"rules.toml": ["p/*.toml"], "p/a.toml": []})
    _symlink(tmp_path / "p" / "team.toml", tmp_path / "gone.toml")

    assert [finding.code for finding in _load(top).findings] == ["include-missing"]


def test_folders_behind_symlinks_are_not_searched(tmp_path):
    """`**` ends, even where a folder holds a link to itself."""
    top = _write(tmp_path, {"rules.toml": ["p/**/*.toml"], "p/q/a.toml": []})
    _symlink(tmp_path / "p" / "q" / "again", tmp_path / "p")

    assert _load(top).files == ("p/q/a.toml", "rules.toml")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a thing of POSIX")
def test_pipe_is_a_finding_and_not_waited_for(tmp_path):
    """What is no regular file is refused, matched by a glob or named."""
    top = _write(tmp_path, {"rules.toml": ["p/*.toml", "p/pipe.toml"], "p/a.toml": []})
    os.mkfifo(tmp_path / "p" / "pipe.toml")

    assert [finding.code for finding in _load(top).findings] == ["not-a-file", "not-a-file"]
    assert [finding.code for finding in lang.load(project=tmp_path / "p" / "pipe.toml").findings] == ["not-a-file"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="this user may read everything")
def test_file_that_may_not_be_read_is_a_finding(tmp_path):
    """The system's refusal is told in its words, at the include that asked for the file."""
    top = _write(tmp_path, {"rules.toml": ["p/a.toml", "q/*.toml"], "p/a.toml": [], "q/a.toml": []})
    (tmp_path / "p" / "a.toml").chmod(0)
    (tmp_path / "q").chmod(0)
    findings = _load(top).findings
    (tmp_path / "q").chmod(0o700)

    assert [(finding.code, finding.line) for finding in findings] == [("unreadable-file", 2), ("unreadable-file", 2)]
    assert "permission denied" in findings[0].what


@pytest.mark.parametrize("name", ["x" * 5_000 + ".toml", "loop.toml"])
def test_path_that_no_file_can_have_is_a_finding(tmp_path, name):
    """A name too long, or a symlink to itself, is refused like a file that cannot be read."""
    top = _write(tmp_path, {"rules.toml": [name]})
    _symlink(tmp_path / "loop.toml", tmp_path / "loop.toml")

    assert [finding.code for finding in _load(top).findings] == ["unreadable-file"]
    assert [finding.code for finding in lang.load(project=tmp_path / name).findings] == ["unreadable-file"]


def test_path_with_nul_is_a_finding(tmp_path):
    """No file can have such a name, and no traceback says so."""
    top = _write(tmp_path, {"rules.toml": [], "p/a.toml": []})
    top.write_text('version = 1\ninclude = ["a\\u0000.toml", "a\\u0000*.toml", "*/a\\u0000.toml"]\n', encoding="utf-8")

    assert [finding.code for finding in _load(top).findings] == ["nul-character", "bad-include"] * 3
    assert [finding.code for finding in lang.load(project="a\0.toml").findings] == ["unreadable-file"]


def test_chain_of_includes_is_bounded(tmp_path):
    """A chain as long as the limit is followed, a longer one refused."""
    for length, codes in ((MAX_INCLUDE_DEPTH, []), (MAX_INCLUDE_DEPTH + 1, ["include-too-deep"])):
        tree = {f"f{index}.toml": [f"f{index + 1}.toml"] for index in range(length)}
        top = _write(tmp_path / str(length), {**tree, f"f{length}.toml": []}).with_name("f0.toml")

        assert [finding.code for finding in _load(top).findings] == codes


def test_search_of_a_glob_is_bounded(tmp_path, monkeypatch):
    """A glob that would look at too much is refused."""
    top = _write(tmp_path, {"rules.toml": ["p/*.toml"], "p/a.toml": [], "p/b.toml": []})
    monkeypatch.setattr(globs, "MAX_ENTRIES", 1)

    assert [finding.code for finding in _load(top).findings] == ["include-too-wide"]


def _symlink(link, target):
    try:
        link.symlink_to(target)
    except OSError:
        pytest.skip("symlinks cannot be made here")
