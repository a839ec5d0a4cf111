"""Random scripts in which variables hold the names of commands, and every way through the text may change them."""

from random import Random

NAMES = ("X", "Y", "Z")


class Flows:
    """Writes one script: assignments, uses, and everything that decides which of them comes first."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0
        self.depth = 3
        self.functions: list[str] = []
        self.inside: list[str] = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def command(self):
        self.count += 1
        return f"{self.pick('c', 't')}{self.count}"

    def name(self):
        return self.pick(*NAMES)

    def script(self):
        start = "; ".join(f"{name}={self.command()}" for name in NAMES)
        return start + "\n" + "\n".join(self.statement() for _ in range(self.random.randint(2, 6))) + "\n"

    def body(self):
        return "; ".join(self.statement() for _ in range(self.random.randint(1, 3)))

    def statement(self):
        if self.depth and self.random.random() < 0.4:
            self.depth -= 1
            text = self.pick(
                self.conditional,
                self.chain,
                self.loop,
                self.loop_over,
                self.choice,
                self.subshell,
                self.function,
                self.substitution,
                self.pipe,
                self.evaluated,
            )()
            self.depth += 1
            return text
        return self.pick(self.use, self.use, self.assignment, self.assignment, self.leave, self.call)()

    def use(self):
        name = self.name()
        return self.pick(f"${name}", f'"${name}"', f"${{{name}}} d", f"${{{name}:-{self.command()}}}", f"! ${name}")

    def assignment(self):
        name, other = self.name(), self.name()
        return self.pick(
            f"{name}={self.command()}",
            f"{name}=${other}",
            f"read {name} <<< {self.command()}",
            f"printf -v {name} %s {self.command()}",
            f"unset {name}",
            f"{name}=x{self.command()}; {name}=${{{name}#x}}",
            f": ${{{name}:={self.command()}}}",
            f"declare {name}={self.command()}",
            f"declare -g {name}={self.command()}",
            f"set -- {self.command()}; {name}=$1",
            f"{name}={self.command()} :",
            f"{name}=({self.command()} {self.command()})",
            f"((n++)); {name}={self.command()}",
            f"eval {name}={self.command()}",
            f"export {name}",
            f"mapfile -t {name} <<< {self.command()}",
        )

    def leave(self):
        if "loop" in self.inside and self.random.random() < 0.7:
            return self.pick("break", "continue", f"{self.test()} && break", f"{self.test()} || continue")
        if "function" in self.inside:
            return self.pick(
                "return", f"{self.test()} && return", f"local {self.name()}={self.command()}", f"local {self.name()}"
            )
        return self.assignment()

    def call(self):
        return f"{self.pick(*self.functions)} {self.command()}" if self.functions else self.use()

    def test(self):
        return self.pick("c0", "t0", "true", "false", f"${self.name()}")

    def within(self, kind):
        self.inside.append(kind)
        text = self.body()
        self.inside.pop()
        return text

    def conditional(self):
        other = self.pick("", f" else {self.body()};", f" elif {self.test()}; then {self.body()};")
        return f"if {self.test()}; then {self.body()};{other} fi"

    def chain(self):
        return self.pick(" && ", " || ").join(
            [self.test(), f"{{ {self.body()}; }}", self.pick(self.use(), self.assignment())]
        )

    def loop(self):
        self.count += 1
        counter = f"i{self.count}"
        head = self.pick(f"while [ ${counter} != xx ]", f"until [ ${counter} = xx ]")
        return f"{counter}=; {head}; do {counter}=x${counter}; {self.within('loop')}; done"

    def loop_over(self):
        name = self.pick(*NAMES, "i")
        return f"for {name} in {self.command()} {self.command()}; do {self.within('loop')}; done"

    def choice(self):
        return f"case {self.pick('a', 'b')} in a) {self.body()}{self.pick(';;', ';&', ';;&')} *) {self.body()};; esac"

    def subshell(self):
        return self.pick(f"({self.body()})", f"{{ {self.body()}; }}", f"{{ {self.body()}; }} 2>/dev/null")

    def function(self):
        if self.functions and self.random.random() < 0.5:
            return self.redefinition()
        self.count += 1
        name = f"f{self.count}"
        text = f"{name}() {{ {self.within('function')}; }}"
        if "function" not in self.inside:
            self.functions.append(name)
        return f"{text}; {name} {self.command()}"

    def redefinition(self):
        """Another body for a function, for certain or perhaps; it calls none, so that nothing calls itself."""
        known, self.functions = self.functions, []
        name = self.pick(*known)
        text = f"{name}() {{ {self.within('function')}; }}"
        self.functions = known
        return self.pick(
            f"{text}; {name} {self.command()}",
            f"if {self.test()}; then {text}; fi; {name} {self.command()}",
            f"{self.test()} && {text}; {name}",
            f"({text}; {name}); {name}",
            f"{self.test()} || unset -f {name}; {name} {self.command()}",
        )

    def substitution(self):
        return self.pick(f"Q=$({self.body()})", f"{self.name()}=$(printf %s {self.command()})", f": $({self.body()})")

    def pipe(self):
        return f"{{ {self.body()}; }} | {{ {self.body()}; }}"

    def evaluated(self):
        return self.pick(
            f"eval '{self.use()}'",
            f"trap '{self.use()}' EXIT",
            f'set -- ${self.name()}; "$@"',
            f"{{ {self.body()}; }} &",
        )


def flow(seed):
    """The script of *seed*."""
    return Flows(Random(seed)).script()
