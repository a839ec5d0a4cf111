"""What the whole analysis of a command costs beside `shlex.split`, bashlex, shfmt and agentbelay on the same lines.

The analysis is that of a call: parsing, what each command does by the table, and all effects, without the file system.
Each contestant takes turns with `shlex.split` line by line, and the best of several rounds over all lines counts for
each line, as speed of a shared machine changes all the time. Ratios are those of single lines. Before each round
everything is forgotten that was remembered of earlier lines, so that a line is new whenever it comes; only the table is
warm.
`shfmt` is another program: it is given all lines as files at once, on one core, and the time that it takes for one file
is taken off; a mean is all that this tells.

Nothing is asserted, and a peer that is not installed is left out. `TIDEGATE_CASES` says where `bash_commands.txt` is.
"""

from __future__ import annotations

import gc
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from random import Random
from statistics import fmean, median
from time import perf_counter, perf_counter_ns
from typing import NamedTuple

from tidegate.facts.files import LocalFiles
from tidegate.meaning.commands.code import read_code
from tidegate.meaning.commands.interpret import interpret
from tidegate.meaning.commands.table import Table
from tidegate.meaning.effects import Effect
from tidegate.meaning.paths import resolve
from tidegate.meaning.remembered import Remembered
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell.walk import walk
from tidegate.meaning.urls import read_host

ROUNDS = 5
MOST_LINES = 1_500
FIRST = "the whole analysis of text that is new"
BELAY = "agentbelay's whole check, with the policy that it comes with"
CASES = Path(os.environ.get("TIDEGATE_CASES", Path(__file__).parents[3] / "shared" / "cases")) / "bash_commands.txt"
SCENE = Scene("/srv/project", "/home/dev")
SEEN = Scene("/srv/project", "/home/dev", LocalFiles())
TABLE = Table.builtin()
AGENT_LIKE = r"""
ls -la
ls -la src/ tests/
pwd && ls
git status --short
git diff --stat HEAD~1
git log --oneline -10
git add -A && git commit -m "Fix the parser: rm -rf is text here"
git checkout -b fix/empty-input
git push -u origin fix/empty-input
git show HEAD:src/main.py | head -40
git stash && git pull --rebase && git stash pop
git diff main...HEAD -- src/ | head -200
git branch --show-current
git rev-parse --show-toplevel
cat package.json
cat src/index.ts | head -80
head -50 README.md
tail -n 100 logs/app.log
sed -n '120,180p' src/server.py
sed -i 's/old_name/new_name/g' src/a.py src/b.py
wc -l src/*.py
find . -name "*.py" -not -path "./node_modules/*" | head -50
find . -type f -name "*.test.ts"
find . -name __pycache__ -type d -exec rm -rf {} +
grep -rn "TODO" src --include="*.py" | head -50
grep -n "def main" -A 20 src/main.py
rg -n "useState" src -g '*.tsx'
rg --files | head -100
mkdir -p build/output && cp -r src/assets build/output/
rm -rf build dist
rm -f tmp/out.txt
mv src/old.py src/new.py
touch tests/__init__.py
chmod +x scripts/run.sh
cd /srv/project && npm test 2>&1 | tail -20
npm install
npm run build 2>&1 | tail -30
npx tsc --noEmit
yarn add -D vitest
pip install -r requirements.txt
pip install -e ".[dev]" -q
python -m pytest tests/test_a.py -x -q 2>&1 | tail -20
python3 -m pytest -k "parser and not slow" --tb=short
python -c "import sys; print(sys.version)"
python manage.py migrate
pytest -q 2>&1 | grep -E "(passed|failed)"
ruff check src --fix && ruff format src
mypy src
cargo build --release 2>&1 | tail -30
cargo test -- --nocapture
go test ./... -run TestParse -v
make test
docker ps -a
docker compose up -d
docker run --rm -v $(pwd):/app -w /app node:20 npm run build
docker logs web --tail 50
kubectl get pods -n staging
curl -s https://api.example.com/v1/items | jq '.items[] | .name'
curl -sSL -o /tmp/data.json https://example.com/data.json
curl -X POST http://localhost:8000/login -H "Content-Type: application/json" -d '{"user": "a"}'
export NODE_ENV=test && npm run lint
VERSION=$(git describe --tags); echo "building $VERSION"; make build VERSION="$VERSION"
for f in src/*.py; do echo "== $f"; head -5 "$f"; done
if [ -f package.json ]; then npm ci; else echo "no package" >&2; fi
ps aux | grep node | grep -v grep
kill $(lsof -t -i:3000)
which python3 && python3 --version
echo "done" > status.txt
diff -u a.txt b.txt | head -40
tar czf backup.tar.gz src/
du -sh node_modules | sort -h
env | grep -i proxy
tree -L 2 -I node_modules
ssh deploy@example.com 'systemctl status web'
"""


class Contestant(NamedTuple):
    """Something that reads a line; `warm` tells that it is to have read the line just before."""

    title: str
    read: Callable[[str], object]
    warm: bool = False


def by_shlex(line: str) -> None:
    """Split, where it can be split."""
    with suppress(ValueError):
        shlex.split(line)


def analysed(scene: Scene, line: str) -> list[Effect]:
    """All effects of *line* in *scene*."""
    return walk(
        line,
        scene,
        lambda command: interpret(command, scene, TABLE),
        resolve=resolve,
        read_host=read_host,
        read_code=lambda language, text, command: read_code(language, text, command, scene),
        source="/command",
    )


def remembering(scene: Scene) -> Callable[[str], object]:
    """The analysis, with a memory."""
    remembered = Remembered()
    return lambda line: remembered.read(line, "/command", scene, lambda scene: analysed(scene, line))


def ours() -> list[Contestant]:
    """The analysis of new text, and of text that comes again."""
    return [
        Contestant(FIRST, lambda line: analysed(SCENE, line)),
        Contestant("the whole analysis once more, without a memory", lambda line: analysed(SCENE, line), warm=True),
        Contestant("the same text again", remembering(SCENE), warm=True),
        Contestant(
            "the same text again, unless it asks the file system for hundreds of names", remembering(SEEN), warm=True
        ),
    ]


def peers() -> list[Contestant]:
    """Those that are installed."""
    found = []
    with suppress(ImportError):
        bashlex = import_module("bashlex")

        def by_bashlex(line: str) -> None:
            with suppress(Exception):  # it raises half a dozen kinds, bare ones among them
                bashlex.parse(line)

        found.append(Contestant("bashlex.parse; what it cannot parse costs it less", by_bashlex))
    with suppress(ImportError):
        guard = import_module("agentbelay").Guard.from_pack()
        found.append(Contestant(BELAY, lambda line: guard.check("Bash", {"command": line})))
    missing = {"bashlex", "agentbelay"} - {each.title.partition(".")[0].partition("'")[0] for each in found}
    if missing:
        print(f"not installed, and left out: {', '.join(sorted(missing))}")
    return found


def forget() -> None:
    """Empty the caches of the package."""
    for name, module in list(sys.modules.items()):
        if name.startswith("tidegate."):
            for thing in vars(module).values():
                if hasattr(thing, "cache_clear"):
                    thing.cache_clear()


class Times(NamedTuple):
    """The best times over one line, in nanoseconds."""

    yardstick: int
    contestant: int

    @property
    def ratio(self) -> float:
        """How many times as long the contestant takes."""
        return self.contestant / self.yardstick


def best(contestant: Contestant, lines: list[str]) -> list[Times]:
    """The best of several rounds for each line."""
    table = [Times(1 << 62, 1 << 62) for _ in lines]
    for _ in range(ROUNDS):
        forget()
        for place, line in enumerate(lines):
            start = perf_counter_ns()
            by_shlex(line)
            yardstick = perf_counter_ns() - start
            if contestant.warm:
                contestant.read(line)
            start = perf_counter_ns()
            contestant.read(line)
            table[place] = Times(*map(min, table[place], (yardstick, perf_counter_ns() - start)))
    return table


def report(title: str, lines: list[str], others: list[Contestant]) -> None:
    """Print medians and ratios over *lines*."""
    for line in lines:
        analysed(SCENE, line)  # the entries of all programs are compiled
    tables = {each.title: best(each, lines) for each in (*ours(), *others)}
    print(f"{title}: {len(lines)} lines, as ratios to `shlex.split` of the same line")
    for name, table in tables.items():
        ratios = sorted(times.ratio for times in table)
        p90, p99 = (ratios[min(int(len(ratios) * share), len(ratios) - 1)] for share in (0.9, 0.99))
        microseconds = median(times.contestant for times in table) / 1_000
        print(f"  {microseconds:7.1f} µs  × median {median(ratios):6.2f}  p90 {p90:6.2f}  p99 {p99:6.2f}  {name}")
    if BELAY in tables:
        rivals = zip(tables[BELAY], tables[FIRST], strict=True)
        print(f"  agentbelay takes {median(one.ratio / own.ratio for one, own in rivals):.1f} × as long as {FIRST}")
    mean = fmean(times.yardstick for times in tables[FIRST]) / 1_000
    print(f"  {_by_shfmt(lines, mean)}")


def _by_shfmt(lines: list[str], mean: float) -> str:
    """What shfmt takes for a line, beside the *mean* of `shlex.split` in microseconds."""
    program = shutil.which("shfmt", path=str(Path(sys.executable).parent)) or shutil.which("shfmt")
    if program is None:
        return "shfmt is not installed, and left out"
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder) / f"{place}.sh") for place in range(len(lines))]
        for file, line in zip(files, lines, strict=True):
            Path(file).write_text(f"{line}\n", encoding="utf-8", errors="surrogateescape")
        whole, start = (_seconds([program, "-l", *some]) for some in (files, files[:1]))
    each = (whole - start) / len(lines) * 1e6
    return f"{each:7.1f} µs  × mean   {each / mean:6.2f}  shfmt, parsed and formatted from files, its start taken off"


def _seconds(command: list[str]) -> float:
    """The best time of a few runs of another program, on one core."""
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        subprocess.run(command, capture_output=True, check=False, env={**os.environ, "GOMAXPROCS": "1"})
        times.append(perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    gc.disable()
    rivals = peers()
    if CASES.exists():
        written = CASES.read_text(encoding="utf-8").splitlines()
        report("lines that people wrote", Random(1).sample(written, min(MOST_LINES, len(written))), rivals)
    else:
        print(f"{CASES.name} is not there; `TIDEGATE_CASES` says where it is")
    report("lines as agents write them", AGENT_LIKE.strip().splitlines(), rivals)
