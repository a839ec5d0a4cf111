"""Random scripts over the whole grammar of bash, with the truth about them.

Names of commands are `c1`, `c2`, … (they fail) and `t1`, `t2`, … (they succeed), files that are written `w1`, …, and
`d1`, … is data that is never run.
Where a newline ends a line, and which here-documents are due there, is settled when the script is written out.
"""

import re
from random import Random

NEWLINE, HEREDOC, ENTER, LEAVE = "\x00", "\x01", "\x02", "\x03"
_MARKS = re.compile(r"\x00|\x01([0-9]+)\x01|\x02|\x03")


class Scripts:
    """Writes one script; `names` are those that could run."""

    def __init__(self, random: Random, depth: int = 4) -> None:
        self.random = random
        self.depth = depth
        self.count = 0
        self.names: list[str] = []
        self.bodies: list[str] = []
        self.variables: list[str] = []
        self.functions: list[str] = []
        self.extended = False

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, part):
        return self.random.random() < part

    def fresh(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def script(self):
        self.extended = self.chance(0.05)
        start = "shopt -s extglob\n" if self.extended else ""
        return start + "".join(self.line() for _ in range(self.random.randint(1, 3)))

    def line(self):
        text = self.list() + self.pick("", "", " ", ";", " # d1; d2 'd3", "\t")
        return self.written(text + self.newline())

    def written(self, text):
        """*text* with each here-document behind the line that opens it, in the substitution that holds that line."""
        due: list[list[str]] = [[]]
        pieces, last = [], 0
        for mark in _MARKS.finditer(text):
            pieces.append(text[last : mark.start()])
            last = mark.end()
            if mark[1]:
                due[-1].append(self.bodies[int(mark[1])])
            elif mark[0] == ENTER:
                due.append([])
            elif mark[0] == NEWLINE or due[-1]:
                pieces.extend(("\n", *due[-1]))
                due[-1] = []
            if mark[0] == LEAVE:
                due.pop()
        return "".join(pieces) + text[last:]

    def newline(self):
        return NEWLINE

    def blank(self):
        return self.pick(" ", " ", " ", "  ", "\t", " \\\n ", "\\\n ")

    def maybe_blank(self):
        return self.pick("", "", " ", "\t", " \\\n")

    def list(self):
        parts = [self.and_or()]
        while self.chance(0.3):
            parts.append(self.pick(";", "; ", " ; ", " & ", "&") if not self.chance(0.2) else self.newline())
            parts.append(self.and_or())
        return "".join(parts)

    def and_or(self):
        text = self.pipeline()
        while self.chance(0.2):
            text += self.maybe_blank() + self.pick("&&", "||")
            text += (self.newline() if self.chance(0.15) else self.maybe_blank()) + self.pipeline()
        return text

    def pipeline(self):
        text = self.pick(*[""] * 12, "! ", "time ", "time -p ", "! ! " if self.chance(0.1) else "! ") + self.command()
        while self.chance(0.15):
            text += self.maybe_blank() + self.pick("|", "|", "|&")
            text += (self.newline() if self.chance(0.1) else self.maybe_blank()) + self.command()
        return text

    def command(self):
        if self.depth <= 0 or self.chance(0.65):
            return self.simple()
        self.depth -= 1
        text = self.pick(
            self.subshell,
            self.group,
            self.conditional,
            self.loop,
            self.loop_over,
            self.choice,
            self.function,
            self.condition,
            self.arithmetic,
            self.arithmetic_for,
            self.select,
            self.coprocess,
            self.evaluated,
        )()
        self.depth += 1
        return text

    def redirected(self, text):
        while self.chance(0.15):
            text += self.blank() + self.redirect()
        return text

    def subshell(self):
        return self.redirected("(" + self.maybe_blank() + self.list() + self.pick("", ";", self.newline()) + ")")

    def group(self):
        return self.redirected(
            "{" + self.pick(" ", self.newline()) + self.list() + self.pick(";", self.newline()) + " }"
        )

    def end(self):
        return self.pick("; ", self.newline(), " ;" + self.newline())

    def conditional(self):
        text = "if " + self.list() + self.end() + "then " + self.list() + self.end()
        if self.chance(0.3):
            text += "elif " + self.list() + self.end() + "then" + self.newline() + self.list() + self.end()
        if self.chance(0.4):
            text += "else " + self.list() + self.end()
        return self.redirected(text + "fi")

    def loop(self):
        word, name = self.pick(("while", self.named("c")), ("until", self.named("t")), ("while", self.named("t")))
        return self.redirected(f"{word} {name}{self.end()}do {self.list()}{self.end()}break{self.end()}done")

    def loop_over(self):
        name = self.fresh("v")
        words = "".join(self.blank() + self.word() for _ in range(self.random.randint(0, 3)))
        head = self.pick(
            f"for {name} in{words}{self.end()}do ",
            f"for {name} in{words};{self.newline()}do{self.newline()}",
            f"set -- d1; for {name} do ",
            f"set -- d1; for {name}; do ",
            f"for {name}{self.newline()}in{words}{self.newline()}do ",
        )
        body = self.list() + self.pick("", f"; c0 ${name}")
        return self.redirected(head + body + self.end() + "done")

    def select(self):
        head = self.pick(f"in {self.word()};", f"in d1 {self.word()}{self.newline()}", ";")
        return f"select {self.fresh('v')} {head} do {self.list()}{self.end()}break; done"

    def choice(self):
        text = f"case {self.word()} in" + self.pick(" ", self.newline())
        for _ in range(self.random.randint(0, 3)):
            patterns = self.pick("|", " | ").join(self.pattern() for _ in range(self.random.randint(1, 2)))
            text += self.pick("", "(") + patterns + ")" + self.pick(" ", self.newline(), "")
            text += self.pick("", self.list()) + self.pick(" ", self.newline()) + self.pick(";;", ";;", ";&", ";;&")
            text += self.pick(" ", self.newline())
        return self.redirected(text + "esac")

    def pattern(self):
        return self.pick("d*", "*", "[ab]", '"d1"', "d1", f'"$({self.inner()})"', "'d|)'", "\\)", "${x:-d}", "?")

    def function(self):
        name = self.fresh("f")
        self.functions.append(name)
        body = self.pick(
            self.group, self.group, self.subshell, self.conditional, self.choice, self.condition, self.arithmetic
        )()
        head = self.pick(
            f"{name}() ",
            f"{name} ( ){self.newline()}",
            f"function {name} ",
            f"function {name} () ",
            f"function {name}{self.newline()}",
        )
        return head + body + self.pick("", f"; {name} {self.word()}", f"{self.newline()}{name}")

    def condition(self):
        test = self.pick(
            f"-f {self.word()}",
            f"{self.word()} == {self.pick('d*', '@(a|b)', self.word())}",
            f"{self.word()} =~ ^(d|e f)$",
            f"! {self.word()}",
            f"( {self.word()} < d1 )",
            f"{self.word()} -eq 1",
            f"-n {self.word()} && ( -z $x || {self.word()} )",
            f"{self.word()} = d1 &&{self.newline()} -e {self.word()} ||{self.newline()}! -v x",
            f"d1 =~ $({self.inner()})(d|e)+'x y'",
            f"d1 != +(a|$({self.inner()})|'b)')",
            f"-t 0 || d1 -nt {self.word()}",
        )
        return self.redirected(f"[[ {test} ]]")

    def arithmetic(self):
        return self.redirected(f"(( {self.expression()} ))")

    def expression(self):
        return self.pick(
            "1 + 2",
            f"x = 5 > 3 ? $({self.inner()}) : 2",
            f"1 << `{self.inner()}`",
            f"a[$({self.inner()})]",
            "x++, y--",
            f"'$({self.named('c', plain=True)})'",
            f'"$({self.inner()})"',
            f"${{x:-$({self.inner()})}} | 1",
            "(1 + (2))",
            f"x = (1, $({self.inner()}))",
            "${#x} + ${x:-1} ** 2 % 3",
            "x <<= 1, x &= 0x1f, y = ~x && !x || 010",
            f"$(({self.pick('1', '(2)')})) + $[2]",
        )

    def arithmetic_for(self):
        head = self.pick("i=0; i<1; i++", f"i=$({self.inner()}); i<1; i++", " i = 0 ; i < 1 ; i++ ", "i=0;i<1;i++")
        body = self.pick(f"; do {self.list()}{self.end()}done", f"{self.newline()}do {self.list()}; done")
        return self.redirected(f"for (({head})){self.pick(body, f' {{ {self.list()}; }}')}")

    def coprocess(self):
        if self.chance(0.3):
            return f"coproc {self.named('c')} {self.word()}"
        return self.pick("coproc ", "coproc N ") + self.pick(self.group, self.subshell, self.conditional)()

    def evaluated(self):
        name = self.named("c", plain=True)
        return self.pick(
            f"eval '{name} d1'",
            f'eval "{name}"',
            f"v0={name}; $v0 d1",
            f"trap '{name}' EXIT",
            f'(set -- {name}; "$@")',
            f'v0=({name} d1); "${{v0[@]}}"',
            f"read v0 <<< {name}; $v0",
            f"v0='$({name})'; : \"${{v0@P}}\"",
            f"v0='a[$({name})]'; : $((v0))",
            f"{{{name},d1}}",
            f"$(printf %s {name}) d1",
            f"${{v9:-{name}}}",
            f"shopt -s expand_aliases{self.newline()}alias al='{name} '{self.newline()}al d1",
            f"command {name}",
            f"IFS=,; v0={name},d1; $v0; unset IFS",
            f"v0=x{name}; ${{v0#x}}",
            f"unset v0; : ${{v0:={name}}}; $v0",
            f'v0={name}x; "${{v0%x}}"',
            f"mapfile -t v0 <<< {name}; ${{v0[0]}}",
            f"printf -v v0 %s {name}; $v0",
            f"local_() {{ local v1={name}; $v1; }}; local_",
            f". /dev/stdin <<< {name}",
            f"source <(echo {name})",
            f"declare v0={name}; $v0",
            f"v0={name}; v1=v0; ${{!v1}}",
            f"for v0 in {name}; do $v0 d1; done",
            f"while read -r v0; do $v0; done <<< {name}",
            f"v0={name.upper()}; ${{v0,,}}",
            f"declare -A v8=([k]={name} ['a b']=d); ${{v8[k]}}",
            f"declare -a v0=({name} d); ${{v0[0]}}",
            f"export v0={name}; $v0",
            f"readonly v{self.count}={name}; $v{self.count}",
            f"let 'v0 = 1' 'v1[$({name})] = 2'",
            f"v0=x{name}; ${{v0:1}}",
            f"v0={name}; ${{v0@Q}}",
            f"(({name}); ({name}))",
            f"v0=(d1 {name}); ${{v0[${{#v0[@]}} - 1]}}",
            f"v0={name}; v0+=; ${{v0/#d/}}",
            f"builtin command {name}",
            f"v0=({name}); v0+=(d1); ${{v0[*]}}",
            f"if{self.newline()}{name}{self.newline()}then{self.newline()}:{self.newline()}fi",
            f'bash_() {{ case $1 in d) ;; *) "$@";; esac; }}; bash_ {name}',
        )

    def named(self, letter, *, plain=False):
        name = self.fresh(letter)
        self.names.append(name)
        return name if plain else self.spelled(name)

    def spelled(self, name):
        return self.pick(
            *[name] * 8,
            f"'{name}'",
            f'"{name}"',
            f"\\{name}",
            f"{name[0]}\\\n{name[1:]}",
            f"{name[0]}''{name[1:]}",
            f"$'{name}'",
            f"$'\\x{ord(name[0]):x}'{name[1:]}",
            f'$"{name}"',
            f'{name[0]}"{name[1:]}"',
            f"$'\\{ord(name[0]):03o}'{name[1:]}",
            f"$'\\u00{ord(name[0]):x}{name[1:]}'",
            f"\"{name[0]}\"\\\n'{name[1:]}'",
        )

    def odd(self):
        """A name that has in it what only looks like a blank or a quote."""
        char = self.pick("\u00a0", "\x0b", "\x0c", "\u2003", "\u201d", "\u2019", "\ufeff", "\x7f")
        self.names.append(self.fresh("c") + char + "d")
        return self.names[-1]

    def inner(self):
        """Commands inside a substitution, with their own here-documents."""
        if self.depth <= 0:
            return self.named(self.pick("c", "t"), plain=True)
        self.depth -= 2
        text = self.list()
        self.depth += 2
        if self.chance(0.05):
            text += " # d1) d2' \"" + NEWLINE
        return ENTER + text + LEAVE

    def simple(self):
        parts = []
        alone = self.chance(0.3)
        while self.chance(0.12):
            # Behind an array nothing but bash takes a command.
            parts.append(self.assignment() if alone or self.chance(0.05) else self.plain_assignment())
        if parts and alone:
            return self.blank().join(parts)
        while self.chance(0.08):
            parts.append(self.redirect())
        parts.append(self.odd() if self.chance(0.02) else self.named(self.pick("c", "c", "t")))
        while self.chance(0.45):
            parts.append(self.redirect() if self.chance(0.2) else self.word())
        return self.blank().join(parts)

    def plain_assignment(self):
        name = self.fresh("v")
        self.variables.append(name)
        return self.pick(
            f"{name}={self.word()}",
            f"{name}=",
            f"{name}+={self.word()}",
            f"{name}=~/d1:~",
            f"{name}=$(({self.expression()}))",
            f"{name}={{d1,d2}}$'d3'",
        )

    def assignment(self):
        if self.chance(0.4):
            return self.plain_assignment()
        name = self.fresh("v")
        self.variables.append(name)
        return self.pick(
            f"{name}=({self.word()} {self.word()})",
            f"{name}=({self.newline()}d1 #d2{self.newline()})",
            f"{name}[0]={self.word()}",
            f"{name}[$({self.inner()})]=d",
            f"{name}=([3]={self.word()})",
            f"{name}+=({self.word()})",
            f"{name}=(d1 # d2) d3{self.newline()}{self.word()} \\\nd4)",
        )

    def redirect(self):
        if self.chance(0.3):
            return self.heredoc()
        return self.pick(
            f">{self.fresh('w')}",
            f"> {self.fresh('w')}",
            f">>{self.fresh('w')}",
            f">| {self.fresh('w')}",
            f"&>{self.fresh('w')}",
            f"&>> {self.fresh('w')}",
            f">&{self.fresh('w')}",
            f"<> {self.fresh('w')}",
            f"3>{self.fresh('w')}",
            "2>&1",
            ">&2",
            "2>/dev/null",
            f"{{fd}}>{self.fresh('w')}",
            f"<<< {self.word()}",
            "<<<'d1 $(d2)'",
            "3<&-",
            f"> >({self.inner()})",
            f"< <({self.inner()})",
            f'>"{self.fresh("w")}"',
            f"2>{self.fresh('w')}",
            f">${{x:-{self.fresh('w')}}}",
            f"3>&1- 4>{self.fresh('w')}",
            "{fd}>&-",
            "{fd}<&0",
            "0<&-",
            f"1<>{self.fresh('w')}",
            f"<<<$'d1\\n'\"$({self.inner()})\"",
            f"1>| {self.fresh('w')}",
            f">$'{self.fresh('w')}'",
            f">{self.maybe_blank()}{self.fresh('w')}",
            self.pick(f"<\\\n<< {self.word()}", "2>\\\n&1") if self.chance(0.1) else "<&0",
        )

    def heredoc(self):
        end = self.fresh("E")
        if self.chance(0.4):
            body = "d1 $(d2) `d3` ${x:-$(d4)} \\\n'\"\n"
            operator = self.pick(
                f"<<'{end}'",
                f'<<"{end}"',
                f"<<\\{end}",
                f"<< {end[0]}'{end[1:]}'",
                f'<<{end}""',
                f"<<''{end}",
                f"<<{end[0]}\\\n\\{end[1:]}",
            )
        else:
            body = self.pick(
                "d1 'd2 \"d3\n",
                f'd1 $({self.flat()}) "$({self.flat()})"\n',
                f"`{self.flat()}` \\$(d1) \\`d2\\`\n",
                f"${{x:-$({self.flat()})}} $((1+$({self.flat()})))\n",
                f"d1 \\\n$({self.flat()})\n",
                f" {end}\n{end}x\n",
                f"`{self.flat()} \\`{self.flat()}\\``\n",
                f'${{x:-\'$({self.flat()})\'}} "${{x:-"$({self.flat()})"}}"\n',
                f"$( {self.flat()} # d1) d2\n)\n",
                f"d1\\\n{end}\n",
                f"$({self.flat()}\n{self.flat()}\n) '$({self.flat()})'\n",
            )
            operator = self.pick(f"<<{end}", f"<< {end}")
        if self.chance(0.2):
            operator = operator.replace("<<", "<<-", 1)
            self.bodies.append("\t" + body + "\t" + end + "\n")
        else:
            self.bodies.append(body + end + "\n")
        return self.pick("", "", "0") + operator + f"{HEREDOC}{len(self.bodies) - 1}{HEREDOC}"

    def flat(self):
        """Commands on one line without here-documents."""
        return self.named("c", plain=True) + self.pick(
            "", " d1", " 'd2'", ' "d3"', f"; {self.named('t', plain=True)}", " | c0"
        )

    def word(self):
        if self.depth <= 0 or self.chance(0.55):
            return self.plain_word()
        self.depth -= 1
        inner = self.inner
        text = self.pick(
            lambda: f"$({inner()})",
            lambda: f'"$({inner()})"',
            lambda: f"d`{self.flat()}`",
            lambda: f'"`{self.flat()}`"',
            lambda: f"${{x:-$({inner()})}}",
            lambda: f"\"${{x:-'$({self.named('c', plain=True)} d1)'}}\"",
            lambda: f'"${{x:-"$({inner()})"}}"',
            lambda: f"<({inner()})",
            lambda: f">({inner()})",
            lambda: f"$(({self.expression()}))",
            lambda: f"$[1+$({inner()})]",
            lambda: f'"a $({inner()} ) b"',
            lambda: f"${{x:=`{self.flat()}`}}",
            lambda: f"${{x#$({inner()})}}",
            lambda: f'"${{x%"$({inner()})"}}"',
            lambda: f"{{d1,$({inner()})}}",
            lambda: f"$( ({inner()}) )",
            lambda: f"${{a[$({inner()})]}}",
            lambda: f"$({inner()}\n)",
            lambda: f"d1$({inner()})'d2'",
            lambda: f"${{x/$({inner()})/d}}",
            lambda: f'"`{self.named("c", plain=True)} \\"$({self.flat()})\\"`"',
            lambda: f"`{self.named('c', plain=True)} \\`{self.flat()}\\``",
            lambda: f"$( (({self.expression()})) )",
            lambda: f"$(({self.flat()}); {self.flat()})",
            lambda: f"`{self.flat()} \\`{self.flat()} \\\\\\`{self.flat()}\\\\\\`\\``",
            lambda: f"${{x^^$({inner()})}}",
            lambda: f"${{x:$({inner()}):1}}",
            lambda: f'"${{x:+"$({inner()})"}}${{x-"}}$({inner()})"}}"',
            lambda: f"${{x:-'}}'$({inner()})}}",
            lambda: f"${{x:-\\}}$({inner()})}}",
            lambda: f'"${{x:-{{$({inner()})}}"',
            lambda: f'$"d $({inner()})"',
            lambda: f"${{x//[$({inner()})\\]]/$({inner()})}}",
            lambda: f"${{@:1:$({inner()})}}",
            lambda: f"$(case d1 in d1) {inner()};; (d2) :; esac)",
            lambda: f"$(< {self.pick('/dev/null', f'<({inner()})')})",
            lambda: f"~/{{$({inner()}),*}}/[$({inner()})]?",
            lambda: f"\u00a0\u201c$({inner()})\u201d",
            lambda: f"`case d1 in d1) {self.flat()};; esac`",
            lambda: f"\\\n$({inner()})\\\n",
        )()
        self.depth += 1
        return text

    def plain_word(self):
        if self.extended and self.chance(0.2):
            return self.pick("@(d1|!(d2))", "*([a-z])d", f"+($({self.inner()}))", "d?('d 1'|\")\")", "${x/@(d|e)/f}")
        return self.pick(
            *["d1"] * 6,
            "'d1 d2'",
            '"d1 d2"',
            "d\\ 1",
            "$x",
            '"$x"',
            "${x}",
            "-d",
            "--d=e",
            "d#1",
            "'#'",
            "\\#",
            "d*",
            "*",
            "[d]",
            "?",
            "{d1,d2}",
            "{1..3}",
            "~",
            "~/d",
            "$'d\\n\\'1'",
            '$"d"',
            "d=e",
            "'$(d1)'",
            '"\\$(d1)"',
            "\\`d1\\`",
            '"\\`d1\\`"',
            "$",
            "d$",
            "!",
            "d!",
            "{",
            "}",
            "if",
            "done",
            "esac",
            "'a'\"b\"c",
            "''",
            '""',
            "a'b\nc'd",
            "\u2018d1\u2019",
            "d\u00a0e",
            "d\x0be",
            "d\x0cd1",
            "\u201cd1 $x\u201d",
            "d\u2003d1",
            "~+",
            "~-/d",
            "~root/d",
            "${x@Q}",
            "${x^}",
            "${x,,[a-c]}",
            "${!v@}",
            "${x/#d/e}",
            "${x%%.*}",
            "${a[@]:1}",
            "{d1,d2{a,b}}*",
            "{a..c..2}",
            "[[:alpha:]]",
            "[!a-z]?",
            "$'\\x41\\101\\cA\\u00e9'",
            "$-",
            "$!",
            "${10}",
            "$10",
            "${x+d}",
            "d1\r" if self.chance(0.05) else "d",
            "é",
            "$1",
            "$@",
            '"$@"',
            "$#",
            "$?",
            "$$",
            "${#x}",
            "${x:1:2}",
            "${!x}" if self.chance(0.1) else "d",
            "=",
            "a==b",
            "d:e",
            "%1",
            "@d",
            "d^e",
            ",",
            "..",
            "-",
            "+",
            "d\\\ne",
            "]]",
            "[[",
            "time",
            "function",
        )


def script(seed):
    """The script of *seed*, and the names in it that could run; every third goes deep."""
    scripts = Scripts(Random(seed), depth=2 + seed % 3)
    return scripts.script(), scripts.names
