"""Code that a call shows is read where it is understood, and is unknown where it is not."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.meaning.commands.reading import BARE, brief, brief_nested, command
from tidegate.meaning.commands.code import LONGEST, read_code
from tidegate.meaning.effects import Effect, PathTarget
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell.command import Nested
from tidegate.meaning.values import Hole, Partial, unknown


def says(language, text, scene=BARE):
    found = read_code(language, text, command("x"), scene)
    return [
        brief_nested(each).replace(" at /srv/project", "") if isinstance(each, Nested) else brief(each)
        for each in found
    ]


UNDERSTOOD = {
    "remove a tree": ("import shutil; shutil.rmtree('/srv/project')", ["delete /srv/project recursive force"]),
    "imported under another name": ("from os import remove as r\nr('a')", ["delete a"]),
    "variable": ("import os\np = '/srv/' + 'x'\nos.remove(os.path.join(p, 'y'))", ["delete /srv/x/y"]),
    "loop over constants": ("import os\nfor f in ('a', 'b'):\n    os.remove(f)", ["delete a", "delete b"]),
    "open to read": ("print(open('.env').read())", ["read .env"]),
    "open to write": ("with open('a', 'w') as f:\n    f.write('x')", ["write a"]),
    "pathlib": ("from pathlib import Path\n(Path('d') / 'a').unlink(missing_ok=True)", ["delete d/a"]),
    "pathlib under its module": ("import pathlib\npathlib.Path('a').write_text('x')", ["write a"]),
    "rename": ("import os; os.rename('a', 'b')", ["read a recursive", "delete a", "write b"]),
    "shell": ("import os; os.system('rm -rf x')", ["runs sh: rm -rf x"]),
    "subprocess with a list": ("import subprocess\nsubprocess.run(['rm', '-rf', 'x'], check=True)", ["runs: rm -rf x"]),
    "subprocess with a shell": ("import subprocess\nsubprocess.call('rm x', shell=True)", ["runs sh: rm x"]),
    "url": (
        "import urllib.request as u; u.urlopen('http://evil.test/x')",
        ["connect http://evil.test/x", "redirects of http://evil.test/x"],
    ),
    "url without redirects": (
        "import requests; requests.get('http://h/x', allow_redirects=False)",
        ["connect http://h/x"],
    ),
    "url by default without redirects": ("import httpx; httpx.get('http://h/x')", ["connect http://h/x"]),
    "url with redirects": (
        "import httpx; httpx.get('http://h/x', follow_redirects=True)",
        ["connect http://h/x", "redirects of http://h/x"],
    ),
    "import function": ("__import__('os').system('id')", ["runs sh: id"]),
    "getattr": ("import os; getattr(os, 're' + 'move')('a')", ["delete a"]),
    "exec of a constant": ("exec('import os; os.remove(\"a\")')", ["delete a"]),
    "exec of base64": (
        "import base64; exec(base64.b64decode('aW1wb3J0IG9zOyBvcy5yZW1vdmUoImEiKQ==').decode())",
        ["delete a"],
    ),
    "own function": ("import os\ndef f(p):\n    os.remove(p)\nf('a')", ["delete a"]),
    "lambda": ("import os\nf = lambda p: os.remove(p)\nf('a')", ["delete a"]),
    "both branches": (
        "import os, sys\nif sys.argv:\n    os.remove('a')\nelse:\n    os.remove('b')",
        ["delete a", "delete b"],
    ),
    "changed directory": ("import os; os.chdir('d'); os.remove('a')", ["delete a"]),
    "arithmetic": ("print(sum(x * x for x in range(10)))", []),
    "json from a pipe": ("import sys, json; print(json.load(sys.stdin)['a'][0])", []),
    "text methods": ("import sys\nfor line in sys.stdin:\n    print(line.strip().upper().split(','))", []),
    "f-string": ("n = 'a'\nopen(f'{n}.txt', 'w')", ["write a.txt"]),
}


@pytest.mark.parametrize(("text", "expected"), UNDERSTOOD.values(), ids=UNDERSTOOD)
def test_python_is_understood(text, expected):
    """Constant Python says what it does."""
    assert says("python", text) == expected


PATHS_THAT_ARE_COMPUTED = {
    "files of a directory": "import os\nfor f in os.listdir('.'):\n    os.remove(f)",
    "glob of a path": "from pathlib import Path\nfor p in Path('.').glob('*.py'):\n    p.unlink()",
    "sorted paths": "from pathlib import Path\nfor p in sorted(Path('.').rglob('*')):\n    p.unlink()",
    "paths in a list": "from pathlib import Path\n[p.unlink() for p in list(Path('.').iterdir()) if p.is_file()]",
    "argument": "import os, sys; os.remove(sys.argv[1])",
    "path from branches": "import sys\nfrom pathlib import Path\nx = Path('a')\nif sys.argv:\n    x = 'b'\nx.unlink()",
    "first of them": "from pathlib import Path\nnext(Path('.').iterdir()).unlink()",
}


@pytest.mark.parametrize("text", PATHS_THAT_ARE_COMPUTED.values(), ids=PATHS_THAT_ARE_COMPUTED)
def test_python_deletes_a_path_that_is_not_known(text):
    """A computed path is an effect on a path that is not known, not nothing."""
    assert [each for each in says("python", text) if each.startswith("delete")] == ["delete ⟨…⟩"]


NOT_UNDERSTOOD = {
    "unknown module": "import evil",
    "unknown function": "import os; os.fork()",
    "function handed on": "import os; list(map(os.remove, ['a']))",
    "function in a list": "import os; [os.remove][0]('a'); x = [os.remove]; x.pop()('a')",
    "function in a dictionary": "import os; d = {'f': os.remove}; d['f']('a')",
    "function from a choice": "import os, sys\nf = os.remove if sys.argv else os.unlink\nf('a')",
    "function from branches": "import os, sys\nif sys.argv:\n    f = os.remove\nelse:\n    f = os.unlink\nf('a')",
    "module from branches": "import requests, sys\nm = requests if sys.argv else {}\nm.get('https://h.test')",
    "second turn of a loop": "import os\nf = print\nfor i in range(2):\n    f('a')\n    f = os.remove",
    "second turn of a while": "import os\nf = print\nwhile True:\n    f('a')\n    f = os.remove",
    "method of an unknown value": "import sys; sys.argv[1].unlink()",
    "lambda over paths": "from pathlib import Path; list(map(lambda p: p.unlink(), Path('.').glob('*')))",
    "environment": "import os; os.environ['PATH'] = '.'",
    "environment of a child": "import subprocess; subprocess.run(['ls'], env={'PATH': '.'})",
    "monkey": "import os; os.remove = print; os.remove('a')",
    "class": "class A:\n    def __del__(self):\n        import os\n        os.remove('a')\nA()",
    "decorator": "import os\n@os.remove\ndef f(): pass",
    "eval of text": "import sys; eval(sys.argv[1])",
    "builtins": "__builtins__.__dict__['exec']('x')",
    "syntax error": "import os; os.remove(",
    "spread arguments": "import os; os.remove(*['a'])",
    "star import": "from os import *\nremove('a')",
    "sort key": "import os; sorted(['a'], key=os.remove)",
    "default factory": "import os, collections; collections.defaultdict(os.fork)",
    "callback": "import re, os; re.sub('a', os.system, 'a')",
    "opener": "open('a', opener=lambda p, f: 3)",
    "async": "import asyncio; asyncio.run(main())",
    "ctypes": "import ctypes; ctypes.CDLL(None).unlink(b'a')",
    "pickle": "import pickle; pickle.loads(b'x')",
}


@pytest.mark.parametrize("text", NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD)
def test_python_that_is_not_understood_is_unknown(text):
    """Whatever could do more than what is read is unknown, with a reason."""
    assert any(each.startswith("unknown the Python code") for each in says("python", text))


def test_python_behind_a_statement_that_is_not_understood_is_read_all_the_same():
    """Denies see what stands behind code that is not understood."""
    actual = says("python", "import evil\nimport shutil\nshutil.rmtree('/srv')")

    assert actual == [
        "unknown the Python code is not understood: the module `evil` is not known",
        "delete /srv recursive force",
    ]


def test_module_in_the_working_directory_is_code(tmp_path):
    """`import json` runs `./json.py` where there is one."""

    class Here:
        def readlink(self, path):
            return None

        def kind(self, path):
            return "file" if path == "/srv/project/json.py" else "absent"

        def names(self, path):
            return None

    assert says("python", "import json", Scene(cwd="/srv/project", files=Here())) == ["code /srv/project/json.py"]


AUDITED = """
import sys, json
NAMES = set('''
    open os.remove os.rename os.mkdir os.rmdir os.system subprocess.Popen shutil.rmtree os.truncate
    os.chmod os.link os.symlink os.listdir os.scandir socket.connect os.utime os.exec os.posix_spawn
'''.split())
events = []
def hook(name, args):
    if name in NAMES:
        events.append([name, [str(arg) for arg in args]])
text = sys.argv[1]
code = compile(text, "<shown>", "exec")
import os, shutil, pathlib, subprocess, glob, base64, re, collections
sys.argv = ["-c"]
sys.addaudithook(hook)
try:
    exec(code, {"__name__": "__main__"})
except BaseException:
    pass
done = list(events)
print(json.dumps(done))
"""
DOING = {
    "open": ("read", "write"),
    "os.remove": ("delete",),
    "os.rename": ("delete",),
    "os.mkdir": ("write",),
    "os.rmdir": ("delete",),
    "shutil.rmtree": ("delete",),
    "os.truncate": ("write",),
    "os.chmod": ("write",),
    "os.link": ("read",),
    "os.symlink": ("read",),
    "os.listdir": ("list",),
    "os.scandir": ("list", "delete", "read"),
    "os.utime": ("write",),
}


@pytest.mark.parametrize(
    "text", [*[text for text, _ in UNDERSTOOD.values()], *PATHS_THAT_ARE_COMPUTED.values(), *NOT_UNDERSTOOD.values()]
)
def test_python_itself_agrees(text, tmp_path):
    """Every audit event of a real run is one of the effects, unless something is unknown."""
    if "http" in text or "evil" in text or "fork" in text:
        pytest.skip("not run here")
    (tmp_path / "d").mkdir()
    for name in ("a", "b", "d/a", ".env"):
        (tmp_path / name).write_text("import os\n")
    done = subprocess.run(
        [sys.executable, "-c", AUDITED, text],
        cwd=tmp_path,
        input="",
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    found = read_code("python", text, command("x")._replace(cwds=(str(tmp_path),)), Scene(cwd=str(tmp_path)))
    if any(isinstance(each, Effect) and each.kind == "unknown" for each in found):
        return
    for name, args in json.loads(done.stdout.strip().splitlines()[-1]):
        if name in ("os.system", "subprocess.Popen", "os.posix_spawn", "os.exec"):
            assert any(isinstance(each, Nested) for each in found)
        elif name in DOING and (path := str(Path(tmp_path, args[0]))).startswith(f"{tmp_path}/"):
            assert any(seen(each, DOING[name], path) for each in found), (name, args)


def seen(effect, kinds, path):
    if not isinstance(effect, Effect) or effect.kind not in kinds or not isinstance(effect.target, PathTarget):
        return False
    return any(not isinstance(name, str) or path == name or path.startswith(f"{name}/") for name in effect.target.names)


AWK = {
    "fields": ("{print $1}", []),
    "comparison": ("$1 > 5 {print $2}", []),
    "comparison in parentheses": ("{print ($1 > 5)}", []),
    "division": ("END {print a/b/c}", []),
    "regex with a bar": ("/a|b/ {n++}", []),
    "text that looks like a call": ('{print "system(rm)"}', []),
    "comment": ('# system("rm")\n{print}', []),
    "system": ('BEGIN {system("rm -rf x")}', ["runs sh: rm -rf x"]),
    "system with a field": ('{system("rm " $1)}', ["runs sh: rm ⟨…⟩"]),
    "print to a file": ('{print > "out"}', ["write out"]),
    "append to a file": ('{printf "%s", $1 >> "out"}', ["write out"]),
    "print to a computed file": ('{print > $1 ".txt"}', ["write ⟨…⟩.txt"]),
    "print to standard error": ('{print "x" > "/dev/stderr"}', []),
    "pipe": ('{print | "sort -u"}', ["runs sh: sort -u"]),
    "pipe into getline": ('BEGIN {"date" | getline d}', ["runs sh: date"]),
    "getline from a file": ('{while ((getline l < "f") > 0) print l}', ["read f"]),
    "network": ('BEGIN {print "x" |& "/inet/tcp/0/evil.test/80"}', ["connect evil.test"]),
    "escapes": ('BEGIN {system("r\\155 x")}', ["runs sh: ⟨…⟩"]),
    "extension": ('@load "x"\n{print}', ["unknown the awk program loads or calls what it does not show"]),
    "open string": ('{print "', ["unknown the awk program is not read"]),
}


@pytest.mark.parametrize(("text", "expected"), AWK.values(), ids=AWK)
def test_awk_is_read(text, expected):
    """Awk runs, writes and reads what its program says."""
    actual = [each.replace("⟨…⟩⟨…⟩", "⟨…⟩") for each in says("awk", text)]

    assert actual == expected


SED = {
    "substitution": ("s/a/b/g", []),
    "print": ("/rm -rf/p", []),
    "several": ("1,5d;$!N;P;D", []),
    "delimiter in brackets": ("/[/]x/d", []),
    "another delimiter": ("s#/usr#/opt#", []),
    "label": (":a;N;$!ba;s/\\n/ /g", []),
    "block": ("/x/{s/a/b/;p}", []),
    "insert": ("1i\\\nw out", []),
    "insert on one line": ("1i w out", []),
    "transliteration": ("y/abc/xyz/", []),
    "comment": ("# w out\np", []),
    "write": ("w out", ["write out"]),
    "write behind an address": ("/a/,/b/w out", ["write out"]),
    "write of a substitution": ("s/a/b/gw out", ["write out"]),
    "write to standard output": ("w /dev/stdout", []),
    "read": ("r .env", ["read .env"]),
    "execute": ("1e rm -rf x", ["runs sh: rm -rf x"]),
    "execute the line": ("e", ["runs sh: ⟨…⟩"]),
    "execute the substitution": ("s/.*/date/e", ["runs sh: ⟨…⟩"]),
    "w to a dash": ("w-", ["write -"]),
    "w in a replacement": ("s/a/w out/", []),
    "broken": ("s/a", []),
    "broken, once files are open": ("w out\ns/a", ["write out"]),
    "broken, unless another script follows": (
        "s/a/b\\",
        ["unknown the sed script is not read: a delimiter is missing"],
    ),
    "label that ends at a blank": ("b0 w out", ["write out"]),
    "quotes behind a label": ("b0 ‘", ["unknown the sed script is not read: `‘` is no command"]),
    "quotes that are none": ("‘s/a/b/w out’", []),
    "no command": ("k", ["unknown the sed script is not read: `k` is no command"]),
}


@pytest.mark.parametrize(("text", "expected"), SED.values(), ids=SED)
def test_sed_is_read(text, expected):
    """Sed writes, reads and runs what its script says."""
    assert says("sed", text) == expected


OPEN = {
    "glob": (("s/", Hole.NAME, "/b/g"), []),
    "glob in the replacement": (("s/a/", Hole.NAME, "_", Hole.NAME, "/"), []),
    "number": (("s/ ", Hole.DIGITS, " /x/", Hole.DIGITS), []),
    "number of a line": ((Hole.DIGITS, "d"), []),
    "backslash that makes the replacement a flag": (("s/", Hole.NAME, "/w/e"), ["unknown"]),
    "other delimiter": (("s#", Hole.NAME, "#b#"), ["unknown"]),
    "slash": (("s/", Hole.ANY, "/b/"), ["unknown"]),
    "command": ((Hole.NAME, "/a/b/"), ["unknown"]),
    "flags": (("s/a/b/", Hole.NAME), ["unknown"]),
    "name of a file": (("w out", Hole.DIGITS), ["unknown"]),
    "text that may go on in another line": (("a ", Hole.NAME), ["unknown"]),
}


@pytest.mark.parametrize(("parts", "expected"), OPEN.values(), ids=OPEN)
def test_sed_script_with_holes_does_nothing_besides_where_no_hole_could_make_it(parts, expected):
    """What stands between two slashes and has no slash of its own changes text and nothing else."""
    found = read_code("sed", Partial(parts, "a glob"), command("x"), BARE)

    assert [each.kind for each in found] == expected


FRAGMENTS = st.sampled_from(["s/", "/x/", "/x/#/e", "/x/b;touch made;#/e", ";e", "/x/;"])
PIECES = FRAGMENTS | st.text(alphabet=st.sampled_from(list("spwe/a;g\\\n[]")), max_size=8)


@given(pieces=st.lists(PIECES, min_size=2, max_size=3), fill=st.text(alphabet=list("we;sa[]\\\n&,}1"), max_size=6))
@example(pieces=["s/", "/x/b;touch made;#/e"], fill="\\")
def test_sed_script_with_holes_makes_no_file_whatever_stands_in_them(pieces, fill, tmp_path_factory):
    """Over random scripts and names, a script that is said to do nothing besides makes no file."""
    if shutil.which("sed") is None:
        pytest.skip("sed is not installed")
    parts = tuple(part for piece in pieces for part in (piece, Hole.NAME))[:-1]
    if read_code("sed", Partial(parts, "a glob"), command("x"), BARE):
        return
    folder = tmp_path_factory.mktemp("made")
    (folder / "a").write_text("/x\ntouch made\n")
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(
            ["sed", "--", fill.join(pieces), "a"],
            cwd=folder,
            capture_output=True,
            timeout=1,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    assert {path.name for path in folder.iterdir()} == {"a"}


@pytest.mark.parametrize("program", ["sed", "awk"])
@given(text=st.text(alphabet=st.sampled_from(list('spwre/ab{}#;,0123$!\\\n |>"()[]&^*-gI@~+xy')), max_size=18))
def test_program_that_writes_a_file_says_so(program, text, tmp_path_factory):
    """Over random programs, a file that `sed` or `awk` really makes is an effect, or something is unknown."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    if not ("w" in text or "W" in text or ">" in text) or "/" in text.replace("/a", "").replace("a/", ""):
        return
    folder = tmp_path_factory.mktemp("made")
    (folder / "a").write_text("a\nb\n")
    try:
        subprocess.run(
            [program, text, "a"], cwd=folder, capture_output=True, timeout=1, check=False, stdin=subprocess.DEVNULL
        )
    except (subprocess.TimeoutExpired, ValueError):
        return
    made = {path.name for path in folder.iterdir()} - {"a"}
    found = read_code(program, text, command("x")._replace(cwds=(str(folder),)), Scene(cwd=str(folder)))
    written = {
        str(each.target.text)
        for each in found
        if isinstance(each, Effect) and each.kind == "write" and isinstance(each.target.text, str)
    }
    unsure = any(
        not isinstance(each, Effect) or each.kind == "unknown" or not isinstance(getattr(each.target, "text", ""), str)
        for each in found
    )

    assert unsure or made <= written


OTHERS = {
    "perl substitution": ("perl", "s/foo/bar/g", True),
    "perl print": ("perl", "print if /x/", True),
    "perl transliteration": ("perl", "tr/a-z/A-Z/", True),
    "perl code in a replacement": ("perl", "s/a/unlink 'x'/e", False),
    "perl interpolated code": ("perl", "s/a/@{[unlink 'x']}/", False),
    "perl code in a pattern": ("perl", "s/(?{unlink 'x'})//", False),
    "perl backticks": ("perl", "print `id`", False),
    "perl call": ("perl", "unlink 'x'", False),
    "perl one-liner": ("perl", 'chomp; $n{$_}++; END { print "$_ $n{$_}\\n" for sort keys %n }', True),
    "perl match and capture": ("perl", 'print "$1\\n" if m{([^/]+)$}', True),
    "perl quoting as a key": ("perl", '$h{s}; system("id"); $h{s}; $h{x}', False),
    "perl division for a pattern": ("perl", 'wantarray / system("id") / 2', False),
    "perl pattern behind a function": ("perl", 'rand / system("id") / 2', False),
    "perl arguments that run": ("perl", '@ARGV = ("id|"); while (<>) { print }', False),
    "perl call by reference": ("perl", "&$x(1)", False),
    "perl method": ("perl", "$x->unlink", False),
    "perl heredoc": ("perl", "print <<X;\nX\nunlink 'x'", False),
    "perl glob": ("perl", "print <*.c>", False),
    "perl module": ("perl", "use POSIX; print 1", False),
    "perl own function": ("perl", "sub f { unlink 'x' } f()", False),
    "perl comment": ("perl", "print 1 # unlink 'x'", True),
    "perl mark that looks like a comment": ("perl", "s#a#b#; unlink 'x'", False),
    "jq": ("jq", ".a[] | select(.b > 1)", True),
    "jq import": ("jq", 'import "x" as x; .', False),
    "javascript constant": ("javascript", "console.log(1 + 1)", True),
    "javascript": ("javascript", "require('fs').unlinkSync('x')", False),
    "ruby": ("ruby", "puts 1", False),
    "vim quit": ("vim", "wq", True),
    "vim command": ("vim", "call system('id')", False),
    "another language": ("forth", "1 .", False),
}


@pytest.mark.parametrize(("language", "text", "plain"), OTHERS.values(), ids=OTHERS)
def test_other_languages_are_unknown_unless_they_plainly_compute(language, text, plain):
    """A little of other languages is understood, and nothing of it does anything."""
    actual = says(language, text)

    assert (actual == []) is plain
    assert plain or actual[0].startswith("unknown ")


@pytest.mark.parametrize("language", ["python", "awk", "sed", "perl", "ruby"])
def test_code_that_is_not_known_is_unknown(language):
    """Text that nobody knows, and text that is too long, is unknown with its reason."""
    assert says(language, unknown("it is fetched")) == [f"unknown the {language} code is not known: it is fetched"]
    assert says(language, "#" * (LONGEST + 1)) == [f"unknown the {language} code is longer than {LONGEST} characters"]


@given(st.text(max_size=60))
def test_no_text_makes_a_reader_raise(text):
    """Any text at all is read, or unknown."""
    for language in ("python", "awk", "sed", "perl", "psql", "jq", "vim", "javascript"):
        assert isinstance(read_code(language, text, command("x"), BARE), list)


def test_deep_code_is_unknown():
    """Code nested beyond what is read ends in unknown, not in an error."""
    for text in (
        "(" * 5_000,
        "x = " + "[" * 300 + "]" * 300,
        "a" + ".b" * 3_000,
        "-" * 3_000 + "1",
        "if 1:\n" + "".join(" " * depth + "if 1:\n" for depth in range(1, 90)) + " " * 95 + "x",
    ):
        assert isinstance(read_code("python", text, command("x"), BARE), list)


PERL_WORDS = r"""
open(F,'>made') @ARGV= while(<>){} <> <STDIN> print printf $x @x %h $h{s} $h{y} {s} { } ( ) [ ] ; , => -> = == /
// * & && | % - + . .. < > ? : ! ~ \ # s y tr m q qq qw s/a/ s{a}{ /e /ee }e ' " x time wantarray rand shift pop
eof split map grep sort if unless for 1 2 $$ $_ @{[ ]} (?{ }) $& BEGIN{ END{ sub do =~ <<X print{ STDOUT local
my
"""
PERL_PIECES = [
    *PERL_WORDS.split(),
    "system('touch made')",
    "`touch made`",
    "qx(touch made)",
    "unlink 'a'",
    "eval{system('touch made')}",
    "exec 'touch made'",
    "'touch made|'",
    "push @ARGV,",
    "\n",
    " ",
    "X\n",
]


@pytest.mark.skipif(shutil.which("perl") is None, reason="perl is not installed")
@given(st.lists(st.sampled_from(PERL_PIECES), max_size=9), st.sampled_from(["", " "]))
def test_perl_that_is_understood_makes_no_file(tmp_path_factory, pieces, glue):
    """Over random programs, perl that is said to compute only changes nothing when it runs."""
    text = glue.join(pieces)
    if says("perl", text):
        return
    folder = tmp_path_factory.mktemp("perl")
    (folder / "a").write_text("a\n")
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(["perl", "-e", text, "a"], cwd=folder, capture_output=True, timeout=2, check=False, input=b"x\n")

    assert {path.name for path in folder.iterdir()} == {"a"}
