"""Run a recorded agent session with real tools in a scratch project, under the rules of this repository.

Files, a shell, a small HTTP server on loopback and an MCP server over stdio are all real; the session is in
`session.jsonl`. What is refused never runs: the last lines check that on the disk.
"""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
RULES = HERE.parent / "rules.toml"


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


def main() -> int:
    """Run the session and check on the disk that what was refused did not happen."""
    before = RULES.read_bytes()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Orders)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="tidegate-demo-") as folder:
        project = make_project(Path(folder))
        session = Path(folder) / "session.jsonl"
        text = (HERE / "session.jsonl").read_text(encoding="utf-8")
        text = text.replace("{port}", str(server.server_port)).replace("{rules}", RULES.as_posix())
        session.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "tidegate", "run", str(RULES), str(session), "--root", str(project)]
        command += ["--approve", "deny", "--mcp", f"notes={sys.executable} {HERE / 'notes_server.py'}"]
        code = subprocess.call(command)
        held = [
            ("the rules are untouched", RULES.read_bytes() == before),
            ("src is still there", (project / "src/shop.py").exists()),
            ("the agent's settings were not written", not (project / ".claude").exists()),
            ("the edit was made", "round(" in (project / "src/shop.py").read_text(encoding="utf-8")),
        ]
        print()
        for what, holds in held:
            print(f"  {'ok   ' if holds else 'WRONG'} {what}")
        print(f"\nWhy was a call decided so? For example:\n  tidegate explain {RULES.name} {explain_example()}")
    server.shutdown()
    server.server_close()
    return 0 if code in (0, 1) and all(holds for _, holds in held) else 1


def explain_example() -> str:
    """A call of the session, quoted for a shell."""
    call = {"tool": "run_bash", "args": {"command": "git push --force origin main"}}
    return f"'{json.dumps(call)}'"


if __name__ == "__main__":
    sys.exit(main())
