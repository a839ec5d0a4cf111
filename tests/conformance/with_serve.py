"""`tidegate serve` and `tidegate.client` around plain functions: a real service, asked over HTTP before each call."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.conformance.person import says_yes
from tests.conformance.shared import Shared
from tests.service.services import serving
from tidegate.assurance.conformance import REPORT, SAY, Seen
from tidegate.assurance.conformance.scene import AGENT, SESSION
from tidegate.client import AsyncClient, Client

PLANTED = Path(__file__).with_name("planted.py")
OPTIONS = ("--attest", "agent", "--attest", "session", "--machine", "here")
UNSEEN = "the service is asked before a call, and sees no result"


class Serve:
    """The client, sync and async; the caller asks the person where the decision says so."""

    name = "serve"
    version = ""
    ways = ("sync", "async")
    cannot = {
        **dict.fromkeys(("text-is-shaped", "every-channel-is-shaped", "failure-is-shaped"), UNSEEN),
        "vetoed-call-gives-back": "a decision takes from limits at once, also where it asks",
        "late-result-is-withheld": "the service does not see how long a tool takes",
    }

    def __init__(self):
        self._shared = Shared()

    def play(self, scene):
        """Ask a service with the rules of the scene for each call."""
        client = self._shared.of(scene, asking)
        if scene.way == "async":
            return asyncio.run(turns(scene, AsyncClient(client)))
        with ThreadPoolExecutor(8) as pool:

            def call(ask):
                return done(scene, ask, client.decide(ask.tool, {"text": ask.text}, **place(scene)))

            return [one for turn in scene.turns for one in pool.map(call, turn)]


@contextmanager
def asking(scene, rules):
    """A client of a service with the rules."""
    program = (str(PLANTED), scene.breaks) if scene.breaks else ("-m", "tidegate")
    with (
        TemporaryDirectory(prefix="tg-") as folder,
        serving(Path(folder), *OPTIONS, rules=rules, program=program) as service,
        Client(service.url) as client,
    ):
        yield client


async def turns(scene, client):
    """The turns with the async client."""

    async def call(ask):
        decision = await client.decide(ask.tool, {"text": ask.text}, **place(scene))
        return await asyncio.to_thread(done, scene, ask, decision)

    return [one for turn in scene.turns for one in await asyncio.gather(*map(call, turn))]


def place(scene):
    """What is known of a call, and whether there is anybody to ask."""
    return {"agent": AGENT, "session": SESSION, "interactive": scene.approver is not None}


def done(scene, ask, decision):
    """What the caller does with the decision."""
    asked = decision.effect == "ask"
    yes = asked and says_yes(scene.approver, ask.tool, dict(decision.arguments), decision.reason)
    if not (decision.allowed or yes):
        return Seen({"reason": decision.reason})
    body = {SAY: scene.stage.say, REPORT: scene.stage.report}.get(ask.tool)
    if body is None:
        return Seen({"error": "no such tool"})
    try:
        return Seen({"value": str(body(**decision.arguments))})
    except RuntimeError as error:
        return Seen({"error": str(error)})
