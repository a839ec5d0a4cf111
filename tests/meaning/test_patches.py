"""Patches: which files they touch, and how."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.meaning.patches import read_patch
from tidegate.meaning.touches import Touch
from tidegate.meaning.tri import Unknown


def touched(text):
    """Accesses by path, in words."""
    found = read_patch(text)
    return found if isinstance(found, Unknown) else [f"{touch.access} {touch.path}" for touch in found]


MARKED = """*** Begin Patch
*** Add File: new dir/a.py
+print()
+*** Delete File: not/this
*** Update File: .env
@@ class X
 *** Delete File: nor/this
-a
+b
*** End of File
*** Update File: old.py
*** Move to: sub/new.py
@@
-x
*** Delete File: gone.py
*** End Patch
"""


def test_marked_patch_touches_what_its_headers_name():
    """Content never counts as a header, whatever it looks like."""
    assert touched(MARKED) == [
        "write new dir/a.py",
        "read .env",
        "write .env",
        "read old.py",
        "write old.py",
        "delete old.py",
        "write sub/new.py",
        "delete gone.py",
    ]


def test_marked_patch_may_indent_its_headers_and_end_its_lines_with_cr():
    text = "\n\n*** Begin Patch\r\n  *** Add File:   a.py  \r\n+x\r\n  *** Delete File: .env\r\n*** End Patch\r\n\n"

    assert touched(text) == ["write a.py", "delete .env"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("*** Begin Patch\n*** Update File: .env\n", "does not end"),
        ("*** Begin Patch\n*** Frob File: .env\n*** End Patch", "line 2 is no part"),
        ("*** Begin Patch\n*** Update File:\n*** End Patch", "line 2"),
        ("*** Begin Patch\n*** Update File:  \n*** End Patch", "line 2"),
        ("*** Begin Patch\n*** Move to: x\n*** End Patch", "line 2"),
        ("rm -rf /\n*** Begin Patch\n*** End Patch", "line 1 stands before"),
        ("*** Begin Patch\n*** End Patch\nrm -rf /", "line 3 stands after"),
        ("*** Begin Patch\n*** Add File: a\nplain\n*** End Patch", "line 3"),
        ("", "no file is named"),
        ("hello", "no file is named"),
        ("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n", "a hunk ends"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\nxxx\n", "a hunk ends"),
        ("--- a/x\n+++ b/x\n@@ -2 +1,0 @@\n a\n", "longer than it says"),
        ("diff --git a/x b/x\nrename from x\n", "does not say"),
        ("*** Begin Patch\n*** Delete File: \n*** End Patch", "line 2"),
        ("@@ -1 +1 @@\n-a\n+b\n", "belongs to no file"),
        ("*** a/x\t2020\n--- b/x\t2020\n***************\n*** 1 ****\n", "another form"),
        ("1c1\n< a\n---\n> b\n", "another form"),
        ("1,3d0\n< a\n", "another form"),
        ("diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n", "another form"),
        ("diff --git a/x y b/z w\nnew file mode 100644\n", "cannot be told apart"),
        ('diff --git "a/x\n', "cannot be told apart"),
        ('--- "a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n', "does not end"),
        ("x" * 10_000_001, "too long"),
    ],
)
def test_text_that_is_no_patch_is_unknown_with_its_reason(text, reason):
    found = read_patch(text)

    assert isinstance(found, Unknown)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "--- a/src/x.py\t2020-01-01\n+++ b/src/x.py\t2020-01-02\n@@ -1 +1 @@\n-a\n+b\n",
            {
                "read a/src/x.py",
                "write a/src/x.py",
                "read src/x.py",
                "write src/x.py",
                "read b/src/x.py",
                "write b/src/x.py",
            },
        ),
        ("--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+a\n", {"write b/new", "write new"}),
        ("--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", {"delete a/old", "delete old", "read a/old", "read old"}),
        ("--- .env\n+++ .env\n@@ -1 +1 @@\n-a\n+b\n", {"read .env", "write .env"}),
        ("--- /etc/x\n+++ /etc/x\n@@ -1 +1 @@\n-a\n+b\n", {"read /etc/x", "write /etc/x", "read etc/x", "write etc/x"}),
        (
            "--- a 2020-01-01 10:00\n+++ a 2020-01-01 10:00\n@@ -1 +1 @@\n-a\n+b\n",
            {
                "read a",
                "write a",
                "read a 2020-01-01 10:00",
                "write a 2020-01-01 10:00",
            },
        ),
        (
            "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
            {"read a/x", "write a/x", "read x", "write x", "read b/x", "write b/x"},
        ),
        (
            "diff --git a/my file b/my file\nnew file mode 100644\nindex 0..1\n",
            {"write a/my file", "write my file", "write b/my file"},
        ),
        (
            "diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n",
            {
                "read a/x",
                "read x",
                "read b/x",
                "delete a/x",
                "delete x",
                "delete b/x",
            },
        ),
        (
            "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to .env\n",
            {"read x", "delete x", "write .env"},
        ),
        ("diff --git a/x b/y\nsimilarity index 100%\ncopy from .env\ncopy to y\n", {"read .env", "write y"}),
        (
            (
                'diff --git "a/\\303\\251\\".t" "b/\\303\\251\\".t"\nnew file mode 100644\n'
                '--- /dev/null\n+++ "b/\\303\\251\\".t"\n@@ -0,0 +1 @@\n+a\n'
            ),
            {'write b/é".t', 'write é".t'},
        ),
        ("Index: x.c\n====\n--- x.c\n+++ x.c\n@@ -1 +1 @@\n-a\n+b\n", {"read x.c", "write x.c"}),
        (
            (
                "From: me\nSubject: x\n\n---\n x | 2\n\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f()\n"
                "--- old\n+++ new\n c\n\\ No newline at end of file\n-- \n2.40\n"
            ),
            {"read a/x", "write a/x", "read x", "write x", "read b/x", "write b/x"},
        ),
    ],
)
def test_diff_touches_each_reading_of_its_names(text, expected):
    """With and without the first directory, before and after; content that looks like a header is content."""
    assert set(touched(text)) == expected


@given(
    st.lists(
        st.sampled_from(
            [
                "*** Begin Patch",
                "*** End Patch",
                "*** Add File: a",
                "*** Update File: b",
                "--- a/x",
                "+++ b/x",
                "@@ -1 +1 @@",
                "-a",
                "+b",
                " c",
                "",
                "diff --git a/x b/x",
                "rename from x",
                "rename to y",
                "new file mode 100644",
                '--- "a',
                "Index: q",
                "\\ No newline",
            ]
        ),
        max_size=12,
    )
)
def test_any_text_is_a_patch_or_unknown(lines):
    """Reading ends in touches that name something, or in a reason."""
    found = read_patch("\n".join(lines))

    assert isinstance(found, Unknown) or all(isinstance(touch, Touch) and touch.path for touch in found)


names = st.sampled_from(["x", "dir/y", "my file", "é", 'q"q', "tab\tname", "dir/.env"])


def git(base, *words):
    safe = {"PATH": os.environ["PATH"], "HOME": str(base), "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", *words], cwd=base, capture_output=True, check=True, env=safe).stdout


def tree_of(base, files):
    """The id of a tree with these files."""
    for name, content in files.items():
        path = base / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    git(base, "add", "-A")
    tree = git(base, "write-tree").decode().strip()
    git(base, "rm", "-rfq", "--ignore-unmatch", ".")
    return tree


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@settings(max_examples=40)
@given(
    before=st.dictionaries(names, st.sampled_from(["a\n", "a\nb\n", "--- a/no\n+++ b/no\n", ""]), max_size=4),
    after=st.dictionaries(names, st.sampled_from(["a\n", "a\nc\n", "-- x\n++ y\n", "", "\0bin"]), max_size=4),
    quote=st.booleans(),
)
def test_every_file_that_git_changes_is_touched(tmp_path_factory, before, after, quote):
    """Whatever git writes as the difference of two trees, the files that applying it changes are found."""
    base = tmp_path_factory.mktemp("patch")
    git(base, "init", "-q")
    git(base, "config", "core.quotePath", str(quote).lower())
    diff = git(
        base, "diff", "--binary", "-M", "-C", "--find-copies-harder", tree_of(base, before), tree_of(base, after)
    )
    found = read_patch(diff.decode("utf-8", "surrogateescape"))

    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert isinstance(found, Unknown) != bool(changed)
    assert not changed or changed <= {touch.path for touch in found if touch.access != "read"}
