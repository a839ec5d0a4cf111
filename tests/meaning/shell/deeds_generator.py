"""Random scripts that really change files: coreutils, redirections, and every way of the shell to lead to them.

All names are relative to the scratch directory or to its home, and no script climbs further than `CLIMBS` times a
few rounds of a loop, so that nothing outside of a scratch directory that lies deep enough is reached.
"""

from random import Random

CLIMBS = 2
FILES = ("a.txt", "b.txt", "c", "dir/in", "dir/sub/deep", "'sp ace'", "link/in", "alias")
FOLDERS = ("dir", "dir/sub", "empty", "link", "./dir", "dir/../empty", '"$HOME/docs"', "~/docs", "~")


class Deeds:
    """Writes one script that is to be run among the files of `furnish`."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0
        self.depth = 2
        self.climbs = CLIMBS
        self.functions: list[str] = []
        self.variables: list[str] = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def fresh(self, letter="n"):
        self.count += 1
        return f"{letter}{self.count}"

    def script(self):
        return "\n".join(self.statement() for _ in range(self.random.randint(1, 4))) + "\n"

    def body(self):
        return "; ".join(self.inline() for _ in range(self.random.randint(1, 2)))

    def inline(self):
        """A statement that may stand before `;`: here-documents need a line of their own."""
        text = self.statement()
        return text if "\n" not in text else "{ " + text + "\n}"

    def statement(self):
        if self.depth and self.random.random() < 0.45:
            self.depth -= 1
            text = self.pick(
                self.chain,
                self.subshell,
                self.group,
                self.conditional,
                self.loop_over,
                self.loop,
                self.lines,
                self.choice,
                self.function,
                self.nested,
                self.background,
                self.variable,
                self.descriptor,
                self.trap,
            )()
            self.depth += 1
            return text
        return self.pick(self.deed, self.deed, self.deed, self.redirected, self.redirected, self.go, self.setting)()

    # Names

    def old(self):
        """Something that may well be there."""
        return self.pick(
            *FILES,
            *FILES,
            "./c",
            '"c"',
            "dir/../c",
            '"$PWD/c"',
            "$(echo c)",
            "`printf %s c`",
            "$'a\\x2etxt'",
            "{a,b}.txt",
            "*.txt",
            "?",
            "dir/*",
            "[ab].txt",
            "~/docs/old",
            "$HOME/docs/old",
            "$(basename dir/c)",
            "../c",
            *[f'"${name}"' for name in self.variables],
            *self.recent(),
            *[f"{name}/in" for name in self.recent()],
        )

    def recent(self):
        """Names that were made a moment ago, if at all."""
        return [f"n{number}" for number in range(1, self.count + 1)][-3:]

    def new(self):
        name = self.fresh()
        return self.pick(
            name,
            name,
            f"./{name}",
            f"dir/{name}",
            f"link/{name}",
            f'"{name} x"',
            f"~/docs/{name}",
            f'"$HOME/{name}"',
            f"dir/../{name}",
            f"dir/sub/../{name}",
            f"${{none:-{name}}}",
            f"{name}$((1+1))",
            f"$(printf %s {name})",
            f"{{{name},{name}x}}",
            "dangling",
            "alias",
            "c",
            *[f"{place}/{name}" for place in self.recent()],
        )

    def single(self):
        """A new name that is one word."""
        name = self.new()
        return self.fresh() if "{" in name else name

    def folder(self):
        return self.pick(*FOLDERS, *self.recent())

    # What changes files

    def deed(self):
        old, new = self.old, self.new
        return self.pick(
            lambda: f"touch {new()}",
            lambda: f"touch {new()} {new()}",
            lambda: f"touch -c {old()}",
            lambda: f"rm {old()}",
            lambda: f"rm -f {old()} {old()}",
            lambda: f"rm -rf {self.pick('dir', 'dir/sub', 'empty', 'link', old())}",
            lambda: f"cp {old()} {new()}",
            lambda: f"cp {old()} {self.folder()}",
            lambda: f"cp -r {self.pick('dir', 'empty', 'link')} {self.single()}",
            lambda: f"cp -t {self.folder()} {old()}",
            lambda: f"cp -b {old()} {old()}",
            lambda: f"cp --parents dir/in {self.folder()}",
            lambda: f"mv {old()} {new()}",
            lambda: f"mv {old()} {self.folder()}",
            lambda: f"mv {self.pick('dir', 'empty', 'link')} {self.single()}",
            lambda: f"mv -t {self.folder()} {old()}",
            lambda: f"mkdir {new()}",
            lambda: f"mkdir -p {self.fresh()}/deep/er",
            lambda: "rmdir empty",
            lambda: f"ln {old()} {new()}",
            lambda: f"ln -s {self.pick('a.txt', 'dir', '../c', 'nowhere')} {new()}",
            lambda: f"ln -sf {old()} {new()}",
            lambda: f"ln -sfn dir {self.single()}",
            lambda: f"tee {new()} < {self.pick('a.txt', 'c')} > /dev/null",
            lambda: f"echo x | tee -a {new()} {old()}",
            lambda: f"truncate -s 0 {old()}",
            lambda: f"truncate -s 3 {new()}",
            lambda: f"dd if=a.txt of={self.fresh()} 2> /dev/null",
            lambda: f"install -m 600 a.txt {new()}",
            lambda: f"install -d {new()}",
            lambda: f"install -D a.txt {self.fresh()}/x",
            lambda: f"sed -i s/1/2/ {old()}",
            lambda: f"sed -i.bak s/1/2/ {self.pick('a.txt', 'dir/in', 'c')}",
            lambda: f"sed -n 'w {self.fresh()}' a.txt",
            lambda: f"sort -o {self.single()} a.txt",
            lambda: f"chmod 600 {old()}",
            lambda: f"chmod -R g-r {self.pick('dir', 'empty')}",
            lambda: f"tar cf {self.single()} dir",
            lambda: f"tar xf arch.tar -C {self.folder()}",
            lambda: "tar xf arch.tar",
            lambda: f"gzip {self.pick('a.txt', 'c', 'dir/in')}",
            lambda: f"gzip -k {self.pick('a.txt', 'c')}",
            lambda: f"split -l 1 a.txt {self.fresh()}",
            lambda: f"find {self.pick('dir', 'empty', '.')} -name {self.pick('in', 'deep', 'c')} -delete",
            lambda: f"find dir -type f -exec {self.pick('rm', 'touch', 'chmod 600')} {{}} \\;",
            lambda: f"find . -name 'i*' -exec cp {{}} {self.fresh()} \\;",
            lambda: f"echo {self.pick('a.txt c', 'c', 'dir/in')} | xargs {self.pick('rm', 'touch', 'rm -f --')}",
            lambda: f"echo c | xargs -I{{}} cp {{}} {{}}.{self.fresh()}",
            lambda: f"awk '{{ print > \"{self.fresh()}\" }}' a.txt",
            lambda: f"unlink {self.pick('a.txt', 'c', 'link', 'dangling')}",
            lambda: f"env X=1 touch {new()}",
            lambda: f"timeout 5 touch {new()}",
            lambda: f"command touch {new()}",
            lambda: f"\\touch {new()}",
            lambda: f"$(which touch) {new()}",
            lambda: f"/usr/bin/env touch {new()}",
            lambda: f"mktemp -p . {self.fresh()}.XXXX > /dev/null",
            lambda: f"mkfifo {self.single()}",
            lambda: f"cp a.txt dir/ && mv dir/a.txt {self.single()}",
        )()

    def redirected(self):
        new, old = self.single, lambda: self.pick("a.txt", "c", "dir/in", "alias", "dangling")
        return self.pick(
            lambda: f"echo x > {new()}",
            lambda: f"echo x >> {old()}",
            lambda: f"> {new()}",
            lambda: f": > {old()}",
            lambda: f"cat a.txt >| {new()}",
            lambda: f"ls nothing &> {new()}",
            lambda: f"ls nothing 2> {new()} > {new()}",
            lambda: f"cat <> {new()}",
            lambda: f"echo x > {new()} > {new()}",
            lambda: f"cat <<E > {new()}\nx $(touch {self.fresh()})\nE",
            lambda: f"cat <<'E' > {new()}\n$(touch no)\nE",
            lambda: f"cat > {new()} <<< $(touch {self.fresh()})",
            lambda: f"echo x > >(cat > {new()}); wait",
            lambda: f"cat < <(touch {new()}; echo x) > {new()}",
            lambda: f"echo x 2>&1 >& {self.fresh()}",
            lambda: f"> {self.fresh()} echo x",
            lambda: f"{{ echo x; touch {new()}; }} > {new()}",
            lambda: f"(echo x) >> {new()}",
            lambda: f"x=$(touch {new()})",
            lambda: f'echo "`echo x > {self.fresh()}`"',
            lambda: f": ${{none:=$(touch {self.fresh()})}}",
            lambda: f": $(( 1 + $(echo 1 | tee {self.fresh()}) ))",
        )()

    # Where it happens

    def go(self):
        if self.climbs and self.random.random() < 0.3:
            self.climbs -= 1
            return self.pick("cd ..", "cd dir/..", "cd link/..", "cd -P link/..", "cd dir/sub/..")
        return self.pick(
            "cd dir",
            "cd link",
            "cd -P link",
            "cd empty",
            "cd dir/sub",
            "cd",
            "cd ~/docs",
            "cd nowhere",
            "cd -",
            'cd "$HOME/docs"',
            "pushd dir > /dev/null",
            "popd > /dev/null",
            "cd dir && cd sub",
            "cd dir || cd empty",
            "CDPATH=dir; cd sub > /dev/null",
            f"cd {self.folder()}",
            f"mkdir {self.fresh()} && cd $_",
            "mkdir -p n0/x; cd n0; cd x",
            f"ln -s dir {self.fresh()}; cd n{self.count}",
            f"ln -s ~/docs {self.fresh()} && touch n{self.count}/{self.fresh()}",
            f"mv dir {self.fresh()}; cd n{self.count}",
            f"cd dir; mv ../dir ../{self.fresh()}; touch {self.fresh()}",
            "cd dir/sub; cd ../..",
        )

    def setting(self):
        return self.pick("set -e", "set -C", "set -f", "umask 077", "shopt -s nullglob", "set -u", "shopt -s dotglob")

    # What leads there

    def chain(self):
        return self.pick(" && ", " || ", "; ").join(self.inline() for _ in range(2))

    def subshell(self):
        return f"({self.pick('', 'cd dir; ', 'cd dir && ', 'cd ~/docs; ')}{self.body()})"

    def group(self):
        return f"{{ {self.body()}; }}"

    def test(self):
        return self.pick("true", "false", "[ -e c ]", "test -d dir", "[[ -f nowhere ]]", "grep -q 1 a.txt", "cd dir")

    def conditional(self):
        other = self.pick("", f"else {self.body()}; ", f"elif {self.test()}; then {self.body()}; ")
        return f"if {self.test()}; then {self.body()}; {other}fi"

    def loop_over(self):
        words = self.pick("a.txt c", "*.txt", "dir/*", "{1..2}", '"sp ace" c', "$(ls)", "$(echo a.txt)", "x y")
        return f"for f in {words}; do {self.with_variable('f')}; done"

    def with_variable(self, name):
        fresh = self.fresh()
        return self.pick(
            f'rm -f "${name}"',
            f'touch "${name}.{fresh}"',
            f'cp "${name}" "{fresh}-${{{name}##*/}}"',
            f'mv "${name}" dir',
            f'echo x > "{fresh}-${{{name}%.txt}}"',
            f'[ -f "${name}" ] && sed -i s/1/3/ "${name}"',
            f"{self.body()}",
            f'mkdir -p "{fresh}/${name}"',
            f'cd "${name}" 2> /dev/null && touch {fresh}',
        )

    def loop(self):
        counter = self.fresh("i")
        return f"{counter}=0; while (({counter}++ < 2)); do {self.body()}; touch {self.fresh()}-${counter}; done"

    def lines(self):
        text = self.pick("a.txt\nc\n", "dir/in\n", "one two\nthree\n")
        command = self.pick('rm -f "$f"', 'touch "$f.l"', 'echo x >> "$f"', 'cp c "$f"')
        return f"while read -r f{self.pick('', ' g')}; do {command}; done <<E\n{text}E"

    def choice(self):
        return f"case {self.pick('a', 'b', '$none')} in a) {self.body()};{self.pick(';', '&')} *) {self.body()};; esac"

    def function(self):
        name, new = self.fresh("f"), self.fresh()
        command = self.pick('touch "$1"', 'rm -rf "$1"', 'echo x > "$1"', 'local d=$1; cp c "$d"', 'cp "$@"', "")
        body = f"{command}; {self.body()}" if command else self.body()
        return f"{name}() {{ {body}; }}\n{name} {self.pick(new, 'c', 'dir/in')} {self.pick('', new + 'y')}"

    def nested(self):
        text = self.pick(self.deed, self.redirected)().replace("'", "")
        if "\n" in text or "awk" in text or "sed -n" in text or "$x" in text:
            text = f"touch {self.fresh()}"
        return self.pick(
            f"sh -c '{text}'",
            f"bash -c '{text}'",
            f"eval '{text}'",
            f"bash <<'E'\n{text}\nE",
            f"sh <<E\ntouch {self.fresh()}\nE",
            f"echo 'touch {self.fresh()}' | sh",
            f"printf '%s\\n' 'touch {self.fresh()}' 'rm -f c' | bash",
            f"bash <<< 'touch {self.fresh()}'",
            f"source <(echo 'touch {self.fresh()}')",
            f"cd dir && bash -c '{text}'",
            "echo dG91Y2ggYjY0 | base64 -d | sh",
            f"bash -c 'touch \"$1\"' x {self.fresh()}",
            f"env -C dir sh -c '{text}'",
            f"echo 'touch {self.fresh()}' > s.sh; sh s.sh",
            f"echo 'touch {self.fresh()}' > s.sh; . ./s.sh",
        )

    def background(self):
        return f"{{ {self.body()}; }} & wait"

    def variable(self):
        name, new = self.fresh("v"), self.fresh()
        text = self.pick(
            f"{name}=c; {self.pick('rm', 'touch', 'sed -i s/1/4/')} ${name}",
            f"{name}='a.txt c'; rm -f ${name}",
            f'{name}=(a.txt c); rm -f "${{{name}[@]}}"',
            f"{name}={new}; touch ${{{name}}}.x ${{{name}/n/m}}",
            f"{name}={new}; {name}=${name}.y; echo x > ${name}",
            f"read {name} <<< {new}; touch ${name}",
            f"{name}=$(echo {new}); mkdir ${name}; touch ${name}/x",
            f"{name}=a.txt; mv ${name} ${{{name}%.txt}}.md",
            f"printf -v {name} '%s-%d' {new} 7; touch ${name}",
            f"{name}=touch; ${name} {new}",
            f"if [ -e c ]; then {name}={new}; else {name}=c; fi; touch ${name}",
            f"export {name}={new}; sh -c 'touch ${name}'",
            f"{name}={new} sh -c 'touch ${name}'",
            f'set -- {new} c; touch "$1"; rm -f "$2"',
            f"{name}={new.upper()}; touch ${{{name},,}}",
            f'{name}=$(ls | head -n 1); rm -f "${name}"',
        )
        self.variables.append(name)
        return text

    def descriptor(self):
        new = self.fresh()
        return self.pick(
            f"exec 3> {new}; echo x >&3; exec 3>&-",
            "exec 4>> c; echo x >&4",
            f"{{ echo x >&5; }} 5> {new}",
            f"exec {{fd}}> {new}; echo x >&$fd",
            f"echo x 3> {new} >&3",
        )

    def trap(self):
        return self.pick(
            f"trap 'touch {self.fresh()}' EXIT",
            f"trap 'rm -f c' EXIT; {self.inline()}",
            f"trap 'touch {self.fresh()}' ERR; false",
        )


def deeds(seed):
    """The script of *seed*."""
    return Deeds(Random(seed)).script()
