"""Random words full of quotes, braces, parameters and splitting, for bash to expand as well."""

from random import Random

_TEXTS = (
    "a",
    "ab",
    "b c",
    " x ",
    "a:b",
    "::",
    "",
    "*",
    "a*b",
    "/u/l/b.tar.gz",
    "Q",
    "x=y",
    "~",
    "-n",
    "a\nb",
    "é",
    "$",
    "\\",
    "'",
    '"',
    "{a,b}",
    "1",
    "7",
)


class Words:
    """Writes assignments and one command with words in all ways of spelling them."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def pick(self, *choices):
        return self.random.choice(choices)

    def text(self):
        return self.pick(*_TEXTS)

    def quoted(self, text):
        return "'" + text.replace("'", "'\\''") + "'"

    def ansi(self, text):
        escapes = {"\n": "\\n", "'": "\\'", "\\": "\\\\", "\t": "\\t"}
        return (
            "$'"
            + "".join(
                escapes.get(char, char) if self.pick(0, 1, 2) else "".join(f"\\x{byte:02x}" for byte in char.encode())
                for char in text
            )
            + "'"
        )

    def script(self):
        lines = [f"{name}={self.value()}" for name in "xyz"]
        lines.append(f"a=({' '.join(self.quoted(self.text()) for _ in range(self.random.randint(0, 3)))})")
        lines.append(self.pick("", "", *self.arrays()))
        lines.append(f"set -- {' '.join(self.quoted(self.text()) for _ in range(self.random.randint(0, 3)))}")
        lines.append(
            self.pick(
                "", "", "", "IFS=:", "IFS=", "IFS=': '", "IFS=a", "unset y", "set -f", "unset IFS", "n=3", "IFS=$'\\n'"
            )
        )
        lines.append(
            self.pick(
                "",
                "",
                "",
                f"read p q <<< {self.quoted(self.text())}",
                f"read -r p <<< {self.word()}",
                f'f() {{ show "$#" "$@"; local x={self.word()}; show $x "${{1-}}"; }}; f {self.word()}',
            )
        )
        words = " ".join(self.word() for _ in range(self.random.randint(1, 3)))
        lines.append(f"show {words}")
        return "set -f\n" * self.pick(0, 1) + "\n".join(lines) + "\n"

    def arrays(self):
        """Arrays with subscripts, and integers."""
        one, two = self.quoted(self.text()), self.quoted(self.text())
        return (
            f"b=([2]={one} {two} [0]=z)",
            f"b=({one}); b+=([1]={two} w)",
            f"b=(p q); b[1]+={one}; b[5]={two}",
            f"declare -A h=([k]={one} [j]={two})",
            f"declare -A h; h[k]={one}; h[j]={two}",
            "declare -i i=2; i+=3; i+=i",
            "declare -ai b=(1+1 2*3 i)",
            "declare -i b; b[1]=2+2; b[0]=b[1]+1",
            "declare -i i=3; i+=b[1]=5",
        )

    def value(self):
        return self.pick(
            lambda: self.quoted(self.text()),
            lambda: self.ansi(self.text()),
            self.double,
            lambda: self.pick("a", "a:b", "b/c.d", "7", "ab*c"),
        )()

    def word(self):
        return "".join(self.piece() for _ in range(self.random.randint(1, 3)))

    def piece(self):
        return self.pick(
            lambda: self.pick(
                "a", "b", "c.d", "x=", "-", ",", "}", "{", "%", "#", ":", "=", "\\*", "\\ ", "\\\\", "\\\na", "!", "]"
            ),
            lambda: self.quoted(self.text()),
            lambda: self.ansi(self.text()),
            self.double,
            self.parameter,
            self.parameter,
            self.braces,
            lambda: self.pick("$*", "$@", '"$@"', '"$*"', "$#", "$1", '"$2"', "${3}", "$1"),
            lambda: self.pick(
                "${a[0]}",
                '"${a[@]}"',
                "${a[*]}",
                '"${a[*]}"',
                "${#a[@]}",
                "${a[1]-none}",
                "${#x}",
                '"${a[@]:1}"',
                '"${@:2}"',
            ),
            lambda: self.pick(
                "${b[2]}",
                '"${b[@]}"',
                "${b[3]-u}",
                "${#b[@]}",
                "${!b[@]}",
                "${h[k]}",
                '"${h[@]}"',
                "$i",
                "${b[1]}",
                "$b",
            ),
            self.substitution,
            self.arithmetic,
        )()

    def double(self):
        inner = "".join(
            self.pick(
                lambda: self.pick("a", " ", "b c", "\\$", "\\\\", "\\a", "'", "*", "{a,b}", "\\\n", "~"),
                self.parameter,
                self.parameter,
                self.substitution,
            )()
            for _ in range(self.random.randint(0, 3))
        )
        return f'"{inner}"'

    def name(self):
        return self.pick("x", "y", "z", "1")

    def parameter(self):
        name = self.name()
        return self.pick(
            f"${name}",
            f"${{{name}}}",
            f"${{{name}:-{self.argument()}}}",
            f"${{{name}-{self.argument()}}}",
            f"${{{name}:+{self.argument()}}}",
            f"${{{name}+{self.argument()}}}",
            f"${{{name}#{self.pattern()}}}",
            f"${{{name}##{self.pattern()}}}",
            f"${{{name}%{self.pattern()}}}",
            f"${{{name}%%{self.pattern()}}}",
            f"${{{name}/{self.pattern()}/{self.pick('', 'R', 'r s')}}}",
            f"${{{name}//{self.pattern()}/R}}",
            f"${{{name}/#{self.pattern()}/R}}",
            f"${{{name}/%{self.pattern()}/R}}",
            f"${{{name}:1}}",
            f"${{{name}:0:2}}",
            f"${{{name}: -1}}",
            f"${{{name}:1:-1}}",
            f"${{#{name}}}",
            f"${{{name}^^}}",
            f"${{{name},,}}",
            f"${{{name}^}}",
        )

    def argument(self):
        return self.pick(
            "",
            "d",
            "d e",
            "'d e'",
            '"d  e"',
            "$x",
            '"$y"',
            "${z:-q}",
            "\\}",
            "a:b",
            "~",
            "*",
            "'$x'",
            "d\\ e",
            "$(printf %s 'v w')",
            "{a,b}",
        )

    def pattern(self):
        return self.pick(
            "*",
            "a",
            "?",
            "*/",
            "/*",
            "*.",
            ".*",
            "[ab]",
            "[!a]",
            "'*'",
            "\\*",
            "$x",
            '"$x"',
            "*:",
            ":*",
            "b*",
            "[0-9]",
            "",
            "a*b",
            "[[:alpha:]]",
            '"a"',
        )

    def substitution(self):
        text = self.quoted(self.text())
        return self.pick(
            f"$(printf %s {text})",
            f"`printf %s {self.pick('a', 'b  c', 'd:e')}`",
            f"$(printf %s\\\\n {text} {text})",
            f"$(echo {self.pick('a', 'b c', '$x')})",
        )

    def braces(self):
        return self.pick(
            "{a,b}",
            "{a,b,}",
            "{1..3}",
            "{3..1}",
            "{a..c}",
            "{01..03}",
            "{a,{b,c}}",
            "{a}",
            "{a,b",
            "a,b}",
            "{x,$x}",
            "{'a,b',c}",
            "{1..5..2}",
            "{a..c}{1,2}",
            "{,}",
            "{-1..1}",
            "{a}b,c}",
            "{a,b}}",
            "{{a,b}",
            "{1..x}",
            "{a..b,c}",
            "{}{a,b}",
            "{a,{}}",
            "{$x,a}{b,1}",
            "{$,a}x",
            "$y{1,a}",
            "{a..}",
            "{..a}",
            "{a,b}_",
            'x{a,"b c"}y',
            "{$x,a}",
        )

    def arithmetic(self):
        return self.pick(
            "$((1+2))",
            "$((n*2))",
            "$((2**3))",
            "$((-7/2))",
            "$((-7%3))",
            "$((1?2:3))",
            "$((0x1f))",
            "$((010))",
            "$((5>3&&0))",
            "$((1<<4|1))",
            "$((~0))",
            "$((n=4,n+1))",
            "$((3 - -2))",
            "$((16#ff))",
            "$((n++ + ++n))",
            "$[1+1]",
        )
