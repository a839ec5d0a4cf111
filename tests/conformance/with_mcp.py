"""`tidegate mcp` over stdio: a real proxy between a client that writes lines and a small server of its own process."""

import json
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.adapters.mcp_raw_client import RawClient
from tests.conformance.person import says_yes
from tidegate.assurance.conformance import Seen
from tidegate.assurance.conformance.scene import AGENT, FAILS, SESSION, SLOW, SLOW_SECONDS

HERE = Path(__file__).parent
SERVER = [sys.executable, "-I", "-S", str(HERE / "mcp_stage_server.py")]


class McpProxy:
    """The proxy with the names of the agent and the session on its command line."""

    name = "mcp proxy"
    version = ""
    ways = ("async",)
    cannot = {}

    def play(self, scene):
        """Call the tools as a client; the calls of one turn are under way together."""
        with TemporaryDirectory(prefix="tg-") as name:
            folder = Path(name)
            sentinel = folder / "entered.jsonl"
            sentinel.touch()
            program = (str(HERE / "planted.py"), scene.breaks) if scene.breaks else ("-m", "tidegate")
            server = [*SERVER, str(sentinel), FAILS, SLOW, str(SLOW_SECONDS)]
            with RawClient(
                folder,
                as_served(scene.rules.read_text(encoding="utf-8")),
                *("--session", SESSION, "--agent", AGENT),
                server=server,
                name="stage",
                program=program,
            ) as client:
                client.begin(**({} if scene.approver is None else {"elicitation": {}}))
                seen = [one for number, turn in enumerate(scene.turns) for one in called(client, scene, number, turn)]
            entered = sentinel.read_text(encoding="utf-8").splitlines()
        scene.stage.entered.extend(tuple(json.loads(line)) for line in entered)
        return seen


def as_served(rules):
    """The rules with the names that the tools have behind the proxy."""
    named = re.sub(r'"(say|report)"', r'"mcp__stage__\1"', rules)
    return named.replace("[tools.say]", "[tools.mcp__stage__say]")


def called(client, scene, turn, asks):
    """The calls of one turn, and the answers in their order; questions are put to the person."""
    wanted = [f"{turn}-{number}" for number in range(len(asks))]
    for identifier, ask in zip(wanted, asks, strict=True):
        client.send(id=identifier, method="tools/call", params={"name": ask.tool, "arguments": {"text": ask.text}})
    found = {}
    while len(found) < len(wanted):
        message = client.next()
        assert message is not None, client.errors
        if message.get("method") == "elicitation/create":
            client.send(id=message["id"], result=answered(scene.approver, message["params"]["message"]))
        elif message.get("id") in wanted:
            found[message["id"]] = seen(message)
    return [found[identifier] for identifier in wanted]


def answered(approver, message):
    """What the person does with the form that says what the call would be given."""
    shown = next(line for line in message.split("\n") if line.startswith("with: "))
    yes = says_yes(approver, "say", json.loads(shown.removeprefix("with: ")), message)
    return {"action": "accept", "content": {"allow": True}} if yes else {"action": "decline"}


def seen(answer):
    """Every channel of an answer."""
    if "error" in answer:
        return Seen({"error": json.dumps(answer["error"])})
    result = answer["result"]
    content = "\n".join(one.get("text", "") for one in result["content"])
    return Seen({"content": content, "structured": json.dumps(result.get("structuredContent"), ensure_ascii=False)})
