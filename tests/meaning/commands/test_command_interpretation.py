"""What one simple command does, by the entry of its program."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.meaning.commands.reading import ANYTHING, CWD, SCENE, TABLE, Folders, brief, command, read, says, words
from tidegate.meaning.commands.interpret import interpret
from tidegate.meaning.comparing import denies_path
from tidegate.meaning.effects import Place
from tidegate.meaning.pathpatterns import PathPattern
from tidegate.meaning.places import Places
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell.command import SimpleCommand, Word
from tidegate.meaning.tri import Unknown
from tidegate.meaning.values import Hole, Partial, unknown
from tidegate.plan.judge import needs_grant


def kinds(line, **more):
    return [effect.kind for effect in read(line, **more).effects]


def test_exec_is_the_first_effect_and_every_effect_is_by_the_command():
    """What a command does belongs to it, so that a grant for it can cover it."""
    reading = read("sort -o out a")

    assert reading.effects[0].kind == "exec"
    assert all(effect.by is reading.invocation for effect in reading.effects)


def test_nature_of_a_program_is_inherent_and_its_options_are_not():
    """`sort` reads its operands by its nature; that it writes is the doing of `-o`."""
    effects = {brief(effect): effect.inherent for effect in read("sort -o out a").effects[1:]}

    assert effects == {"read a": True, "write out by --output": False}


def test_program_is_its_last_component_and_bare_without_a_slash():
    """`/bin/./rm` is `rm`, and not the one on the trusted `PATH`."""
    absolute = read("/bin/./rm -r x").invocation
    bare = read("rm -r x").invocation

    assert (absolute.program, absolute.bare, absolute.modelled) == ("rm", False, True)
    assert (bare.program, bare.bare) == ("rm", True)


@pytest.mark.parametrize(
    ("line", "more"),
    [("PATH=/tmp/bad rm x", {}), ("rm x", {"lookup": False}), ("./rm x", {})],
    ids=["PATH", "lookup", "relative path"],
)
def test_program_is_not_bare_where_its_name_may_mean_another(line, more):
    """A changed `PATH`, a function or a path makes a name untrusted."""
    assert read(line, **more).invocation.bare is False


def test_look_alike_of_a_program_is_read_and_is_no_model():
    """What looks like `rm` is read as `rm` for denies, and is code that nobody knows for grants."""
    for line in ("\uff52\uff4d -rf x", "RM -rf x", "rm.exe -rf x", "r\u200bm -rf x"):
        reading = read(line)

        assert [brief(effect) for effect in reading.effects][1:] == ["delete x recursive force", "code"]
        assert reading.invocation.modelled is False


def test_program_without_an_entry_is_code_and_mentions_its_words():
    """Nobody knows what it does; denies look at its operands and at the values of its options."""
    reading = read("frobnicate --config=.env -v data/x https://h.test/")

    assert [brief(effect) for effect in reading.effects] == [
        "exec frobnicate",
        "code",
        "mention data/x",
        "mention https://h.test/",
        "mention .env",
    ]
    assert all(effect.inherent for effect in reading.effects[1:])
    assert reading.effects[3].target.url is not None


def test_script_by_its_path_is_code_at_that_path():
    """`./deploy.sh` names the file whose code runs."""
    assert says("./deploy.sh x") == ["code ./deploy.sh", "mention x"]


def test_program_that_is_not_known_is_unknown():
    """A name that nobody knows may be any program."""
    assert kinds([ANYTHING, "-rf", "x"]) == ["exec", "unknown", "mention"]


def test_option_that_is_not_declared_is_code_under_its_name():
    """What the entry does not know may do anything."""
    effects = read("cat --frob=.env a").effects

    assert [(brief(effect), effect.inherent) for effect in effects[1:]] == [
        ("read a", True),
        ("code by --frob", False),
        ("mention .env by --frob", False),
    ]


def test_subcommand_that_is_not_declared_is_code_under_its_name():
    """`git frob` runs `git-frob`, whatever that is."""
    assert says("git frob --hard x") == ["code by frob", "mention --hard by frob", "mention x by frob"]


def test_operand_without_a_role_is_a_mention():
    """More operands than the entry declares are text of unknown role."""
    assert says("uniq a b .env") == ["read a", "write b", "mention .env"]


def test_variable_is_code_unless_it_is_harmless():
    """A variable that is not declared may change what a program does."""
    assert says("LANG=C LC_ALL=C TZ=UTC ls x") == ["list x"]
    assert says("FOO=1 ls x") == ["list x", "code by FOO="]
    assert says("NODE_ENV=test npm test") == ["code package.json"]
    assert says("NODE_ENV=test ls x") == ["list x", "code by NODE_ENV="]
    assert says("GIT_PAGER='rm -rf y' git log") == ["code by GIT_PAGER=", "runs sh: rm -rf y"]
    assert says("PAGER='rm y' frob") == ["code", "code by PAGER=", "runs sh: rm y"]


def test_standard_streams_are_no_files():
    """`-` and `/dev/null` are neither read nor written as files, but `rm -` deletes one."""
    assert says("cat - /dev/null /dev/stdin") == []
    assert says("tee /dev/null -") == []
    assert says("rm -- -") == ["delete -"]


UNKNOWN_OPERANDS = {
    "source and destination": (
        ["cp", Partial(("/srv/", Hole.ANY), ""), "b"],
        ["read /srv/⟨…⟩", "write b", "write b/⟨…⟩"],
    ),
    "path that is not known": (["rm", Partial(("./", Hole.ANY), "")], ["delete ./⟨…⟩"]),
}


@pytest.mark.parametrize(("line", "expected"), UNKNOWN_OPERANDS.values(), ids=UNKNOWN_OPERANDS)
def test_unknown_operand_is_an_effect_on_what_is_known_of_it(line, expected):
    """A partly known path keeps what is known."""
    assert says(line) == expected


def test_operand_has_every_role_that_it_could_have_where_their_number_is_not_known():
    """In `cp a $x` the last word that `$x` becomes is written, and all others are read."""
    said = says(["cp", "a", ANYTHING], many=True)

    assert set(said) >= {"read a", "read ⟨…⟩", "write ⟨…⟩"}


def test_wrappers_run_what_follows():
    """What a wrapper runs comes with what the wrapper changes for it."""
    assert says("sudo -u root env -i A=1 rm x") == ["runs: env -i A=1 rm x"]
    assert says("env -i A=1 rm x") == ["runs with A=1 without environment: rm x"]
    assert read("env -C /tmp rm x").nested[0].cwds[0] == "/tmp"
    assert says("nohup nice -n 5 rm x") == ["runs: nice -n 5 rm x"]
    assert says("xargs -I{} mv {} d/{}") == ["runs: mv ⟨…⟩ d/⟨…⟩"]
    assert says("find a -name '*.o' -exec rm {} +") == ["list a recursive", "runs: rm a/⟨…⟩.o"]
    assert says("docker exec c rm -rf x") == ["write the state of `docker`", "runs in container c: rm -rf x"]
    assert says("ssh -p 2 h.test 'rm -rf' x") == ["connect h.test", "runs sh in remote h.test: rm -rf x"]


def test_wrapper_that_adds_nothing_needs_no_grant():
    """`timeout 5 x`, `sh -c x` and `env x` are covered by what covers x; `sudo x` is not."""
    free = [
        line
        for line in (
            "timeout 5 ls",
            "sh -c ls",
            "bash -lc ls",
            "env ls",
            "nohup ls",
            "sudo ls",
            "docker exec c ls",
            "xargs -a f ls",
        )
        if not needs_grant(read(line).effects[0])
    ]

    assert free == ["timeout 5 ls", "sh -c ls", "bash -lc ls", "env ls", "nohup ls", "xargs -a f ls"]
    assert needs_grant(read("bash --rcfile x -c ls").effects[0])
    assert needs_grant(read("timeout --frob 5 ls").effects[0])


def test_xargs_appends_what_it_is_known_to_read():
    """Known text becomes words; anything else becomes any number of words."""
    assert says("xargs rm", stdin="a 'b c'\n") == ["runs: rm a b c"]
    assert [word.many for word in read("xargs rm").nested[0].words] == [False, True]
    assert says("xargs -n1 rm", stdin="a b") == ["runs: rm a", "runs: rm b"]
    assert says("xargs -n $x rm", stdin="a b") == ["runs: rm ⟨…⟩"]
    assert says("xargs -0 rm", stdin="a b\0-c\0") == ["runs: rm a b -c"]
    assert says("xargs -0 -I{} rm {}", stdin="-a\0") == ["runs: rm -a"]
    assert says("xargs -I% cp % d", stdin="a\nb\n") == ["runs: cp a d", "runs: cp b d"]


def test_shell_reads_its_script_from_standard_input_where_nothing_says_otherwise():
    """`bash <<EOF` runs the text; `bash x.sh` runs a file that the call does not show."""
    assert says("bash", stdin="rm x\n") == ["runs bash: rm x\n"]
    assert says("bash -s a b", stdin="rm $1\n") == ["runs bash: rm $1\n"]
    assert says("bash x.sh", stdin="rm x\n") == ["read x.sh", "code x.sh"]
    assert says("python3 -", stdin="import os\n") == ["runs python: import os\n"]
    assert read("sh -c 'rm \"$1\"' _ a b").nested[0].words == words("sh", "-c", "x", "_", "a", "b")[3:]


def test_git_aliases_and_configuration_are_followed():
    """An alias made on the spot runs, whatever name it has; keys of the environment count as well."""
    environment = [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "core.pager"), ("GIT_CONFIG_VALUE_0", "rm x")]

    assert says("git -c alias.x='reset --hard' x HEAD")[-1] == "runs: git reset --hard HEAD"
    assert says("git -c alias.x='!rm -r y' x a")[-1] == 'runs sh: rm -r y "$@"'
    assert says("git log", variables=environment)[-1] == "runs sh: rm x"
    assert says("git -c user.name=x -c color.ui=always status") == []


def test_directory_option_moves_the_paths_of_a_command():
    """`git -C d rm x` deletes `d/x`; options of `tar` may stand anywhere."""
    assert read("git -C d rm x").effects[-1].target.names[0] == f"{CWD}/d/x"
    assert read("make -C d").effects[1].target.paths[0].names[0] == f"{CWD}/d/Makefile"
    assert read("tar xf a.tar -C /tmp/d").effects[1].target.names[0] == "/tmp/d"
    assert read("tar xf a.tar -C /tmp/d").effects[2].target.names[0] == f"{CWD}/a.tar"


def test_links_and_mounts_are_every_access_to_their_target():
    """Whoever can make a link to a file can do everything to it."""
    for line in (
        "ln -s ../x d/l",
        "ln ../x l",
        "docker run -v ../x:/x img",
        "docker run --mount type=bind,source=../x,target=/x img",
        "cp -s ../x l",
    ):
        doing = {
            effect.kind
            for effect in read(line).effects
            if f"{CWD.rpartition('/')[0]}/x" in getattr(effect.target, "names", ())
            or f"{CWD}/x" in getattr(effect.target, "names", ())
        }

        assert doing >= {"read", "write", "delete", "list"}, line


def test_relative_target_of_a_symbolic_link_stands_under_the_link():
    """`ln -s ../x d/l` leads to `x`, not to `../x`."""
    names = {name for effect in read("ln -s ../x d/l").effects for name in getattr(effect.target, "names", ())}

    assert f"{CWD}/x" in names
    assert "/srv/x" not in names


def test_place_of_a_command_is_that_of_its_effects():
    """What runs in a container is done there."""
    reading = read("rm x", place=Place("container", "c"))

    assert {effect.place for effect in reading.effects} == {Place("container", "c")}


def test_destination_is_a_directory_only_where_it_may_be():
    """Where the file system says that the destination is a file, nothing is written beneath it."""

    class Files:
        def readlink(self, path):
            return None

        def kind(self, path):
            return "file" if path == f"{CWD}/b" else "dir"

        def names(self, path):
            return []

    scene = Scene(cwd=CWD, files=Files())

    assert says("cp a b", scene=scene) == ["read a", "write b"]
    assert says("cp a d", scene=scene) == ["read a", "write d", "write d/a"]
    assert says("mv b c", scene=scene)[:2] == ["read b", "delete b"]


VALUES = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        [
            "rm",
            "git",
            "-rf",
            "--",
            "-c",
            "sh",
            "find",
            "-exec",
            "{}",
            ";",
            "a=b",
            "/",
            "..",
            "\0",
            "~",
            "ext::sh",
            "-",
            "--x=y",
            "HEAD:x",
            "tar",
            "-C",
            "xargs",
            "env",
            "-S",
        ]
    ),
    st.builds(lambda text: Partial((text, Hole.ANY), "r"), st.sampled_from(["", "-", "--", "/", "a", "--x=", "-o"])),
    st.just(unknown("r")),
)
NAMES = sorted(TABLE.names())


@given(
    st.one_of(st.sampled_from(NAMES), VALUES),
    st.lists(st.tuples(VALUES, st.booleans()), max_size=6),
    st.one_of(st.none(), st.text(max_size=5)),
)
def test_no_words_make_interpretation_raise(program, rest, stdin):
    """Any words at all are read."""
    line = (
        Word(program, (0, 1)),
        *(
            Word(value, (index, index + 1), many and not isinstance(value, str))
            for index, (value, many) in enumerate(rest)
        ),
    )
    reading = interpret(SimpleCommand(line, (), (CWD,), (0, 9), stdin=stdin), SCENE, TABLE)

    assert reading.effects[0].kind == "exec"
    assert reading.invocation.words == tuple(word.value for word in line)


@pytest.mark.parametrize(
    ("line", "text", "run"),
    [
        ("bash /dev/stdin", "rm x", "runs bash: rm x"),
        ("bash /proc/self/fd/0 a", "rm x", "runs bash: rm x"),
        ("python3 /dev/fd/0", "f()", "runs python: f()"),
        ("make -f -", "all:", "runs make: all:"),
        ("awk -f /dev/stdin x", "{ f }", "runs awk: { f }"),
        ("ed x", "!rm x", "runs ed: !rm x"),
        ("sqlite3 x.db", ".shell rm x", "runs sqlite: .shell rm x"),
        ("psql db", "select 1", "runs psql: select 1"),
        ("mysql db", "select 1", "runs mysql: select 1"),
        ("gdb prog", "shell rm x", "runs gdb: shell rm x"),
        ("lftp h", "!rm x", "runs lftp: !rm x"),
        ("python3 -i x.py", "f()", "runs python: f()"),
        ("crontab -", "* * * * * rm x", "runs crontab: * * * * * rm x"),
        ("at now", "rm x", "runs sh: rm x"),
        ("script f", "rm x", "runs sh: rm x"),
        ("su u", "rm x", "runs sh: rm x"),
        ("sudo -s", "rm x", "runs sh: rm x"),
        ("fakeroot", "rm x", "runs sh: rm x"),
        ("chroot /r", "rm x", "runs sh in container /r: rm x"),
        ("ssh h", "rm x", "runs sh in remote h: rm x"),
    ],
)
def test_program_that_takes_code_from_standard_input_runs_it_under_whatever_name(line, text, run):
    """A name of standard input in place of a file, or an operand beside it, does not hide what it holds."""
    assert run in says(line, stdin=text)


@pytest.mark.parametrize("line", ["sudo -v", "sudo ls", "ssh h ls", "su -", "crontab -l", "ed x", "sqlite3 x.db"])
def test_standard_input_that_nobody_gives_is_not_asked_about(line):
    """Where the shell hands nothing over, such programs leave nothing unknown for want of it."""
    assert not any("⟨…⟩" in said or said.startswith("unknown") for said in says(line))


@pytest.mark.parametrize(
    ("program", "code", "runs"),
    [
        ("bash", "rm x", "runs bash: rm x"),
        ("sh", "reboot", "runs sh: reboot"),
        ("python3", "f('x')", "runs python: f('x')"),
        ("perl", "system('x')", "runs perl: system('x')"),
    ],
)
def test_word_behind_one_that_may_be_an_option_is_read_as_its_code(program, code, runs):
    """In `bash "$x" 'rm y'` the variable may hold `-c`; a word that is known not to be an option hides nothing."""
    assert runs in says([program, ANYTHING, code])
    assert runs not in says([program, "./script", code])
    assert runs not in says([program, Partial(("./", Hole.ANY), "r"), code])
    assert runs not in says([program, Partial((Hole.NAME, ".py"), "r"), code])


def test_word_that_could_be_an_option_makes_no_code_of_a_plain_name():
    """`python3 "$script" name` is an everyday line; a name alone does nothing, whatever the variable holds."""
    assert not any(said.startswith("runs python") for said in says(["python3", ANYTHING, "name"]))


def test_word_that_may_be_an_option_may_take_the_word_behind_it():
    """In `timeout "$x" 1 5 rm y` the variable may hold `-k`, so that the command begins two words further on."""
    assert "runs: rm y" in says(["timeout", ANYTHING, "1", "5", "rm", "y"])
    assert "runs: rm y" in says(["timeout", ANYTHING, "1", ANYTHING, "1", "5", "rm", "y"])
    assert "runs: rm y" not in says(["timeout", "9", "a", "b", "rm", "y"])


class OneFolder(Folders):
    """A file system in which all is a plain file but `src`."""

    def kind(self, path: str) -> str:
        return "dir" if path.endswith("/src") else "file"


def test_word_that_may_be_an_option_may_reach_beneath_a_folder():
    """In `grep "$x" TOKEN src` the variable may hold `-r`; beneath a file there is nothing."""
    scene = Scene(CWD, "/home/dev", OneFolder())

    def reaches(*line):
        effects = read(list(line), scene).effects
        return [effect.kind for effect in effects if effect.kind == "unknown" or effect.recursive]

    assert reaches("grep", ANYTHING, "TOKEN", "src") == ["read"]
    assert reaches("grep", "TOKEN", "src", ANYTHING) == ["read", "read"]
    assert reaches("chmod", "600", ANYTHING, "src") == ["write", "write"]
    assert reaches("rm", ANYTHING, "src") == ["delete"]
    assert reaches("grep", ANYTHING, "TOKEN", "a.txt") == []
    assert reaches("grep", "-r", ANYTHING, "src") == ["read"]
    assert reaches("grep", Partial(("x", Hole.ANY), "r"), "src") == []
    assert reaches("grep", "--", ANYTHING, "src") == []
    assert reaches("touch", ANYTHING, "src") == []


def test_word_that_may_be_an_option_of_rm_deletes_some_tree_and_nobody_knows_which():
    """In `rm "$x"` the variable may hold `-rf src`, which a deny of whole trees asks about and never takes for sure."""
    scene = Scene(CWD, "/home/dev", OneFolder())
    effects = read(["rm", ANYTHING, "src"], scene).effects
    answers = [
        denies_path([PathPattern.compile("/**")], effect, Places(scene))
        for effect in effects
        if effect.kind == "delete" and effect.recursive
    ]

    assert [type(answer) for answer in answers] == [Unknown]
    assert not [effect for effect in effects if effect.kind == "unknown"]  # it is no command, and reaches no host


def test_word_that_may_be_an_option_reaches_names_beneath_a_folder_only():
    """In `grep "$x" TOKEN src` everything beneath `src` may be read, and nothing elsewhere."""
    scene = Scene(CWD, "/home/dev", OneFolder())
    found = read(["grep", ANYTHING, "TOKEN", "src"], scene).effects
    beneath = [name.parts for effect in found if effect.recursive for name in effect.target.names]

    assert beneath == [(f"{CWD}/src/", Hole.FOLDERS, Hole.ENTRY)]


def test_word_that_may_be_any_key_is_all_of_them():
    """In `dd "$x" of=a` the variable may hold `if=FILE` or another `of=FILE`."""
    assert {"read ⟨…⟩ by if=", "write ⟨…⟩ by of=", "write a by of="} <= set(says(["dd", ANYTHING, "of=a"]))
    assert not any("write" in said for said in says(["dd", Partial(("if=", Hole.ANY), "r")]))
    assert not any("read" in said for said in says(["dd", Partial(("bs", Hole.ANY), "r")]))


def test_letters_of_a_bundle_count_where_long_options_have_one_dash():
    """`zip -qm` is `zip -q -m`, and still not spelled as the entry spells it."""
    assert {"delete b recursive by -m", "code by -qm"} <= set(says("zip -qm a.zip b"))


def test_git_pushes_what_its_configuration_says():
    """A refspec with `+` in `-c remote.origin.push` is not seen among the operands of `git push`."""
    assert kinds("git -c remote.origin.push=+main push origin").count("unknown") == 1


def test_alias_of_git_that_leads_to_another_takes_it_along():
    """`git -c alias.y=z -c alias.z='reset --hard' y` resets."""
    assert "runs: git -c alias.z=reset --hard z" in says("git -c alias.y=z -c 'alias.z=reset --hard' y")


@pytest.mark.parametrize("option", ["dotglob", "nocaseglob", "globstar"])
def test_shell_with_an_option_that_changes_its_text_is_unknown(option):
    """`bash -O dotglob -c 'cat *'` reads hidden files as well."""
    assert "unknown" in kinds(f"bash -O {option} -c ls")
    assert "unknown" not in kinds("bash -O extglob -c ls")


@given(st.sampled_from(NAMES), st.lists(VALUES, max_size=4), st.integers(0, 4))
def test_word_that_is_not_known_never_makes_less(program, values, at):
    """A command with an unknown word is unsure: not complete, or with unknown targets, or it says the same."""
    known = [value if isinstance(value, str) else "x" for value in values]
    if at >= len(known):
        return
    blurred = [*known]
    blurred[at] = unknown("r")
    exact, unsure = read([program, *known]), read([program, *blurred])
    lost = {effect.kind for effect in exact.effects} - {effect.kind for effect in unsure.effects}

    assert (
        not unsure.invocation.complete
        or lost <= {"mention", "code", "connect", "unknown"}
        or any(effect.kind == "unknown" for effect in unsure.effects)
    )


def test_glob_is_an_option_where_a_name_begins_with_a_dash():
    """`rm *` deletes whole trees in a folder that holds a file called `-r`, and in no other."""

    class Dashed(Folders):
        def names(self, path: str) -> list[str]:
            return ["-r", "dir"] if path == CWD else []

    class Plain(Folders):
        def names(self, path: str) -> list[str]:
            return ["r", "dir"]

    glob = Word(Partial((Hole.NAME,), "a glob"), (0, 1), many=True, glob=True)

    def doubts(files):
        run = command(["rm"])._replace(words=(Word("rm", (0, 2)), glob))
        effects = interpret(run, Scene(CWD, "/home/dev", files), TABLE).effects
        return [effect.kind for effect in effects if effect.recursive]

    assert doubts(Dashed()) == ["delete"]
    assert doubts(Plain()) == []


def test_subcommands_that_share_an_entry_keep_their_names():
    """`npm publish` is not `npm config`, though the same is true of them; `npm ln` is `npm link`."""
    assert read("npm publish").invocation.subcommand == ("publish",)
    assert read("npm ln").invocation.subcommand == ("link",)
    assert read("npm i x").invocation.subcommand == ("install",)
    assert read("docker start x").invocation.subcommand == ("start",)
    assert "what `npm publish` runs from `package.json`" in [
        effect.target.what for effect in read("npm publish").effects if effect.kind == "code"
    ]
