"""Rules and calls as teams have them, in a form that every contestant can be given.

A rule names one tool or a few, one argument, and a text with `*` that the argument is compared with; tidegate is given
the same intent in its own kinds, by meaning. No two rules overlap, so that the first match and the strictest answer
are the same, and the calls spell plainly what they do, so that text and meaning agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

FILES = ("read_file", "write_file", "edit_file")
PLACE = {"cwd": "/srv/project", "root": "/srv/project", "home": "/home/dev", "session": "s1"}


class Written(NamedTuple):
    """One rule: what refuses it (or asks, or grants), where it looks, and how tidegate says it."""

    verdict: str
    tools: tuple[str, ...]
    argument: str | None
    like: str
    toml: dict[str, Any]

    @property
    def regex(self) -> str:
        """The text with `*` as a regular expression for the whole argument."""
        return "".join(".*" if part == "*" else re.escape(part) for part in re.split(r"(\*)", self.like))


class Made(NamedTuple):
    """One call, and whether it is meant to be a hit."""

    tool: str
    arguments: dict[str, Any]
    hit: bool


_COMMANDS = (
    ("rm -r -f /srv/app{n}/**", "*rm -rf /srv/app{n}/*", "cd /srv && rm -rf /srv/app{n}/data"),
    ("git push --force origin release-{n}", "*git push --force origin release-{n}", None),
    ("kubectl delete namespace prod-{n}", "*kubectl delete namespace prod-{n}", None),
    ("chmod 777 /var/www/site{n}", "*chmod 777 /var/www/site{n}", None),
    ("docker rm db-{n}", "*docker rm db-{n}", None),
    ("systemctl stop svc-{n}", "*systemctl stop svc-{n}", None),
    ("deployctl remove stack-{n}", "*deployctl remove stack-{n}", None),
)
_PATHS = (
    ("/etc/service{n}/**", "/etc/service{n}/*", "/etc/service{n}/conf.d/main.conf"),
    ("{root}/secrets/key{n}.pem", "/srv/project/secrets/key{n}.pem", "/srv/project/secrets/key{n}.pem"),
    ("**/credentials-{n}.json", "*/credentials-{n}.json", "/srv/project/deploy/credentials-{n}.json"),
    ("~/.config/app{n}/**", "/home/dev/.config/app{n}/*", "/home/dev/.config/app{n}/token"),
)


def rules(count: int) -> list[Written]:
    """The first *count* rules; a longer list begins with the shorter one."""
    return [_rule(n) for n in range(count)]


def _rule(n: int) -> Written:
    """One rule of a mix: of twenty, ten are about commands, five about files, and the others about the rest."""
    verdict = "ask" if n % 10 == 9 else "deny"
    at = n % 20
    if at in (6, 13, 18):
        return _granted(n)
    if at in (3, 16):
        return _url(n, verdict)
    if at == 11:
        return _argument(n, verdict)
    if at == 5:
        name = f"admin_op_{n}"
        return Written(verdict, (name,), None, "", {"kind": "tools", "deny": [name], **_effect(verdict)})
    if at in (1, 8, 12, 19):
        glob, like, _ = _PATHS[n // 4 % len(_PATHS)]
        pattern = glob.replace("{n}", str(n))
        toml = {"kind": "path", "tools": list(FILES), "deny": [pattern], **_effect(verdict)}
        return Written(verdict, FILES, "path", like.format(n=n), toml)
    pattern, like, _ = _COMMANDS[n // 2 % len(_COMMANDS)]
    toml = {"kind": "command", "deny": [pattern.format(n=n)], **_effect(verdict)}
    return Written(verdict, ("run_bash",), "command", like.format(n=n), toml)


def _granted(n: int) -> Written:
    """A rule that allows something that is allowed anyway, as narrow grants are under a broad one."""
    if n % 2:
        task = f"npm run task-{n}"
        return Written("allow", ("run_bash",), "command", task, {"kind": "command", "allow": [task]})
    glob = f"/srv/project/module{n}/*"
    return Written("allow", FILES, "path", glob, {"kind": "path", "tools": list(FILES), "allow": [f"{glob}*"]})


def _url(n: int, verdict: str) -> Written:
    toml = {"kind": "url", "tools": ["http_get"], "deny": [f"https://*.tracker{n}.example"], **_effect(verdict)}
    return Written(verdict, ("http_get",), "url", f"https://*.tracker{n}.example/*", toml)


def _argument(n: int, verdict: str) -> Written:
    tools = ("github_delete_branch", "github_merge")
    deny = [{"/repo": {"regex": f"acme/vault-{n}"}}]
    toml = {"kind": "arguments", "tools": list(tools), "deny": deny, **_effect(verdict)}
    return Written(verdict, tools, "repo", f"acme/vault-{n}", toml)


def _effect(verdict: str) -> dict[str, str]:
    return {"effect": "ask"} if verdict == "ask" else {}


def hit(rule: Written, n: int) -> Made | None:
    """A call that the rule is about; none for a grant."""
    if rule.verdict == "allow":
        return None
    kind = rule.toml["kind"]
    if kind == "command":
        _, like, text = next(one for one in _COMMANDS if one[0].format(n=n) == rule.toml["deny"][0])
        return Made("run_bash", {"command": (text or like.lstrip("*")).format(n=n)}, hit=True)
    if kind == "path":
        path = next(text for glob, _, text in _PATHS if glob.replace("{n}", str(n)) == rule.toml["deny"][0])
        return Made("read_file", {"path": path.format(n=n)}, hit=True)
    if kind == "url":
        return Made("http_get", {"url": f"https://a.tracker{n}.example/pixel.gif"}, hit=True)
    if kind == "arguments":
        return Made("github_merge", {"repo": f"acme/vault-{n}", "number": 7}, hit=True)
    return Made(f"admin_op_{n}", {"force": True}, hit=True)


_ORDINARY = """
git status --short
git diff --stat HEAD~1
git log --oneline -10
git add -A && git commit -m "Fix the parser"
git push -u origin feature/{word}
git checkout -b fix/{word}
ls -la src/{word}
cat src/{word}.py | head -40
grep -n {word} src/main.py
sed -n 1,80p src/{word}.py
pytest -x -q tests/test_{word}.py
npm run build
npm test -- --grep {word}
make lint
python -m pip list
docker ps -a
docker rm tmp-{word}
kubectl get pods -n staging
kubectl delete pod {word}-0
systemctl status nginx
chmod 644 docs/{word}.md
rm -f build/{word}.o
mkdir -p out/{word} && cp src/{word}.py out/{word}/
cd src && wc -l {word}.py
curl -s https://api.example.com/v1/{word} -o /tmp/{word}.json
deployctl status stack-9999
echo done
""".strip().split("\n")
_WORDS = ("parser", "index", "router", "model", "cache", "client", "schema", "worker", "audit", "queue")


def calls(count: int, of: int, seed: int = 7) -> list[Made]:
    """Calls of a mix: half of them shell commands; one of twelve is about one of the first *of* rules."""
    random = Random(seed)
    first = rules(of)
    hits = [made for n, rule in enumerate(first) if (made := hit(rule, n)) is not None]
    return [random.choice(hits) if random.random() < 1 / 12 else _ordinary(random) for _ in range(count)]


def _ordinary(random: Random) -> Made:
    word = random.choice(_WORDS)
    kind = random.choices(("command", "file", "http", "mcp"), (50, 28, 12, 10))[0]
    if kind == "command":
        return Made("run_bash", {"command": random.choice(_ORDINARY).format(word=word)}, hit=False)
    if kind == "file":
        tool = random.choice(FILES)
        path = f"/srv/project/{random.choice(('src', 'tests', 'docs'))}/{word}.py"
        more = {} if tool == "read_file" else {"content": f"{word} = 1\n"}
        return Made(tool, {"path": path, **more}, hit=False)
    if kind == "http":
        return Made("http_get", {"url": f"https://docs.example.com/{word}/index.html?page=2"}, hit=False)
    return Made("github_merge", {"repo": f"acme/{word}", "number": random.randint(1, 99)}, hit=False)


def expected(written: list[Written], made: Made) -> bool:
    """Whether the call is allowed, by the reference: no rule but a grant is about it."""
    return not any(rule.verdict != "allow" and _is_about(rule, made) for rule in written)


def _is_about(rule: Written, made: Made) -> bool:
    if made.tool not in rule.tools:
        return False
    return rule.argument is None or re.fullmatch(rule.regex, str(made.arguments[rule.argument]), re.DOTALL) is not None


def toml_of(written: list[Written]) -> str:
    """The rules as a rule file under `default = "deny"`, behind a broad grant."""
    import tomli_w

    everything = {"id": "everything", "kind": "tools", "allow": ["*"], "commands": "any"}
    tables = [everything, *({"id": f"r{n}", **rule.toml} for n, rule in enumerate(written))]
    files = {"path": {"role": "path", "access": "write"}}
    tools = {"edit_file": files}
    return tomli_w.dumps({"version": 1, "default": "deny", "tools": tools, "rule": tables})


def sixty() -> Iterator[str]:
    """Sixty patterns of the usual kind for one text, each with what people deny by regular expressions."""
    shapes = (
        r".*\brm\s+-[a-z]*r[a-z]*f?\s+(/|~|\$HOME)({word})?.*",
        r".*\bcurl\b.*\|\s*(ba)?sh\b.*{word}.*",
        r".*\bgit\s+push\b.*(--force|-f)\b.*{word}.*",
        r".*\bdrop\s+(table|database)\s+{word}.*",
        r".*\bchmod\s+(-R\s+)?777\b.*{word}.*",
        r".*(password|secret|token)[=:]\s*{word}.*",
    )
    for word in _WORDS:
        for shape in shapes:
            yield shape.replace("{word}", word)
