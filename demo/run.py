"""Run a recorded agent session with real tools in a scratch project, under the rules of this repository.

Files, a shell, a small HTTP server on loopback and an MCP server over stdio are all real; the session is in
`session.jsonl`. What is refused never runs: the last lines check that on the disk. The project stays in `.demo`
until the next run, so that `tidegate explain` finds what the calls were about.
"""

from __future__ import annotations

import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
RULES = HERE.parent / "rules.toml"
SCRATCH = HERE.parent / ".demo"


class Orders(http.server.BaseHTTPRequestHandler):
    """Answers every GET with a little JSON, and keeps quiet about it."""

    def do_GET(self) -> None:
        """Answer with the path and a state."""
        body = json.dumps({"path": self.path, "state": "shipped"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing; the table of decisions is what people look at."""


def make_project(folder: Path) -> Path:
    """Lay out a small git project with a secret, a symlink out of it, and something outside worth guarding."""
    project, outside = folder / "project", folder / "outside"
    for path, text in {
        project / "README.md": "# shop\n\nNever run `rm -rf` here.\n",
        project / "src/shop.py": "def total(prices: list[float]) -> float:\n    return sum(prices)\n",
        project / "tests/test_shop.py": (
            "import sys, unittest\nsys.path.insert(0, 'src')\nfrom shop import total\n\n\n"
            "class Total(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n"
        ),
        project / ".env": "API_KEY=hunter2-not-a-real-key\n",
        project / ".env.example": "API_KEY=\n",
        project / ".gitignore": ".env\nshortcut\n__pycache__/\n",
        outside / "secret.txt": "the plans\n",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (project / "shortcut").symlink_to(outside, target_is_directory=True)
    git = ["git", "-C", str(project), "-c", "user.name=demo", "-c", "user.email=demo@example.invalid"]
    subprocess.run([*git, "init", "--quiet", "--initial-branch=main"], check=True)
    for key, value in (("user.name", "demo"), ("user.email", "demo@example.invalid")):
        subprocess.run(["git", "-C", str(project), "config", key, value], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "first"], check=True)
    return project


def make_session(path: Path, project: Path, port: int) -> None:
    """Write the recorded calls for this machine, each with its folder."""
    text = (HERE / "session.jsonl").read_text(encoding="utf-8")
    text = text.replace("{port}", str(port)).replace("{rules}", RULES.as_posix())
    place = {"cwd": project.as_posix(), "root": project.as_posix()}
    lines = [json.dumps({**json.loads(line), **place}) for line in text.splitlines()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def clear(folder: Path) -> None:
    """Remove what the last run left; git writes files that Windows does not let go as they are."""
    for path in folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    """Run the session and check on the disk that what was refused did not happen."""
    before = RULES.read_bytes()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Orders)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    clear(SCRATCH)
    project, session = make_project(SCRATCH), SCRATCH / "session.jsonl"
    make_session(session, project, server.server_port)
    command = [sys.executable, "-m", "tidegate", "run", str(RULES), str(session), "--root", str(project)]
    command += ["--approve", "deny", "--mcp", f"notes={sys.executable} {HERE / 'notes_server.py'}"]
    code = subprocess.call(command)
    server.shutdown()
    server.server_close()
    held = [
        ("the rules are untouched", RULES.read_bytes() == before),
        ("src is still there", (project / "src/shop.py").exists()),
        ("the agent's settings were not written", not (project / ".claude").exists()),
        ("the edit was made", "round(" in (project / "src/shop.py").read_text(encoding="utf-8")),
    ]
    print()
    for what, holds in held:
        print(f"  {'ok   ' if holds else 'WRONG'} {what}")
    print(f"\nWhy was a call decided so? Name its line:\n  {explain_command(session, 16)}")
    return 0 if code in (0, 1) and all(holds for _, holds in held) else 1


def explain_command(session: Path, line: int) -> str:
    """What to type for the explanation of a line, in the folder of the repository."""
    tidegate = Path(sys.executable).with_name("tidegate")
    words = [tidegate, "explain", RULES, f"{session}:{line}"]
    return " ".join(str(word).replace(f"{HERE.parent}{os.sep}", "") for word in words)


if __name__ == "__main__":
    sys.exit(main())
