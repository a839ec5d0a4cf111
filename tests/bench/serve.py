"""What a decision over HTTP costs beside one in this process, and how many a service makes in a second of one core.

Usage: serve.py [CALLS]. The service is a process of its own on the loopback; the client keeps its connection. The two
take turns call by call, and medians count. Then several clients ask at once, and the processor time of the service says
how many decisions a core makes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.service.services import PLACE, RULES, Service, serving  # noqa: E402
from tidegate import Engine  # noqa: E402
from tidegate.client import Client  # noqa: E402
from tidegate.facts.local import local_facts  # noqa: E402
from tidegate.service.elsewhere import facts_of  # noqa: E402

WORDS = ("--attest", "cwd", "--attest", "root", "--machine", "plain")
CASES = {
    "a path": ("read_file", {"path": "src/a.py"}),
    "a command": ("run_bash", {"command": "cd src && git status --short"}),
    "a tool": ("add_note", {"text": "call Kim"}),
}
CLIENTS = 4
ASK = (
    "import sys, time; from tidegate.client import Client; c = Client(sys.argv[1]); n = 0; end = time.time() + 4\n"
    "while time.time() < end:\n"
    "    assert c.decide('read_file', {'path': 'src/a.py'}, cwd='/srv/shop', root='/srv/shop').allowed; n += 1\n"
    "print(n)"
)


def microseconds(work: Callable[[], object]) -> float:
    """How long it takes once."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1e6


def latency(service: Service, folder: Path, calls: int) -> None:
    """Print the times of both, case by case."""
    engine = Engine.load(folder / "rules.toml", facts=facts_of("plain", local_facts(folder / "own"), ()))
    print(f"{'µs for one decision':22}{'in process':>12}{'over HTTP':>12}{'p99':>9}{'added':>9}")
    with Client(service.url) as client:
        for name, (tool, arguments) in CASES.items():
            here, there = [], []
            for _ in range(calls):
                here.append(microseconds(lambda t=tool, a=arguments: engine.decide(t, a, **PLACE)))  # type: ignore[misc]
                there.append(microseconds(lambda t=tool, a=arguments: client.decide(t, a, **PLACE)))  # type: ignore[misc]
            one, other = median(here), median(there)
            print(f"{name:22}{one:12.0f}{other:12.0f}{quantiles(there, n=100)[98]:9.0f}{other - one:+9.0f}")


def throughput(service: Service) -> None:
    """Print how many decisions several clients get, and how many a core of the service makes."""
    before = used(service.process.pid)
    started = time.perf_counter()
    command = [sys.executable, "-c", ASK, service.url]
    clients = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(CLIENTS)]
    made = sum(int(client.communicate()[0]) for client in clients)
    wall, busy = time.perf_counter() - started, used(service.process.pid) - before
    print(f"{CLIENTS} clients at once: {made / wall:,.0f} a second; {made / busy:,.0f} for each second of one core")


def used(pid: int) -> float:
    """Seconds of processor that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(calls: int) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with serving(folder, *WORDS, rules=RULES) as service:
            latency(service, folder, calls)
            if Path("/proc/self/stat").exists():
                throughput(service)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
