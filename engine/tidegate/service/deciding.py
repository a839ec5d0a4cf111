"""Questions as they come, in bytes, and their answers as JSON: what is done in a thread, without HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from logging import getLogger
from time import monotonic
from typing import Any

from attrs import frozen

from ..call import Call
from ..calls import call_of, parse
from ..decision import Decision, as_json, refusal
from ..engine import Engine
from ..errors import CallError
from . import authzen
from .clients import Client
from .metrics import Metrics
from .replies import Refused
from .settings import Settings

TOO_LATE = "the time for this request was over before this call was judged"
BROKEN = "the rules could not be applied to this call"

Explain = Callable[[Call], dict[str, Any]]


@frozen
class Questions:
    """Answers questions by the rules of one engine."""

    engine: Engine
    settings: Settings
    metrics: Metrics
    explained: Explain

    def decide(self, client: Client, data: bytes, _: float) -> dict[str, Any]:
        """Decide one call, and take from limits what it needs."""
        return as_json(self._judge(client, _call(_parsed(data)), "decide"))

    def peek(self, client: Client, data: bytes, _: float) -> dict[str, Any]:
        """Decide one call, take nothing, and leave no record."""
        return as_json(self._judge(client, _call(_parsed(data)), "peek"))

    def explain(self, client: Client, data: bytes, _: float) -> dict[str, Any]:
        """Say how the decision about a call comes about, for a client that may see it."""
        if not client.explain:
            raise Refused(403, "forbidden", "this client may not see how decisions come about")
        return self.explained(client.vouched(_call(_parsed(data))))

    def decide_each(self, client: Client, data: bytes, deadline: float) -> dict[str, Any]:
        """Decide several calls in their order; one that is no call is denied in its place."""
        value = _parsed(data)
        if not isinstance(value, dict) or value.keys() != {"calls"} or not isinstance(value["calls"], list):
            raise Refused(400, "malformed", "the request must be an object with the array `calls`, and nothing else")
        calls = self._not_too_many(value["calls"])
        return {"decisions": [self._one(client, item, deadline) for item in calls]}

    def _one(self, client: Client, item: Any, deadline: float) -> dict[str, Any]:
        if monotonic() >= deadline:
            return refusal(TOO_LATE, _id_of(item))
        try:
            call = call_at_once(item)
        except CallError as error:
            return refusal(f"it is no call: {error}", _id_of(item))
        try:
            return as_json(self._judge(client, call, "decide"))
        except Exception:
            getLogger("tidegate").exception("a call could not be judged")
            return refusal(BROKEN, call.call_id)

    def evaluate(self, client: Client, data: bytes, _: float) -> dict[str, Any]:
        """Answer one evaluation of AuthZEN."""
        return self._evaluated(client, _parsed(data))

    def evaluate_each(self, client: Client, data: bytes, deadline: float) -> dict[str, Any]:
        """Answer several evaluations of AuthZEN, up to the one that ends them."""
        value = _parsed(data)
        try:
            batch = authzen.batch_of(value)
        except CallError as error:
            raise Refused(400, "malformed", str(error)) from None
        if batch is None:
            return self._evaluated(client, value)
        self._not_too_many(batch.items)
        return {"evaluations": list(self._until_end(client, batch, deadline))}

    def _until_end(self, client: Client, batch: authzen.Batch, deadline: float) -> Iterator[dict[str, Any]]:
        for item in batch.items:
            answer = self._evaluated_item(client, item, deadline)
            yield answer
            if authzen.ends(batch.semantic, allowed=answer["decision"]):
                return

    def _evaluated_item(self, client: Client, item: Any, deadline: float) -> dict[str, Any]:
        if monotonic() >= deadline:
            return authzen.failed(TOO_LATE, 504)
        try:
            return self._evaluated(client, item)
        except Refused as error:
            return authzen.failed(error.reason, error.status)
        except Exception:
            getLogger("tidegate").exception("an evaluation could not be judged")
            return authzen.failed(BROKEN, 500)

    def _evaluated(self, client: Client, value: Any) -> dict[str, Any]:
        try:
            evaluation = authzen.evaluation_of(value)
        except CallError as error:
            raise Refused(400, "malformed", f"it is no evaluation: {error}") from None
        return authzen.answer(evaluation, self._judge(client, evaluation.call, "evaluation"))

    def _judge(self, client: Client, call: Call, door: str) -> Decision:
        with self.metrics.timed(door):
            call = client.vouched(call)
            decision = self.engine.look(call) if door == "peek" else self.engine.judge(call, unheard=True)
        self.metrics.decided(door, decision.effect)
        return decision

    def _not_too_many(self, items: Any) -> Iterable[Any]:
        if len(items) > self.settings.batch:
            raise Refused(413, "too-large", f"one request holds at most {self.settings.batch} calls")
        found: Iterable[Any] = items
        return found


def _parsed(data: bytes) -> Any:
    try:
        return parse(data)
    except CallError as error:
        raise Refused(400, "malformed", f"the body cannot be read: {error}") from None


def _call(value: Any) -> Call:
    try:
        return call_at_once(value)
    except CallError as error:
        raise Refused(400, "malformed", f"it is no call: {error}") from None


def call_at_once(value: Any) -> Call:
    """The call of a line, which happens now: one with a time of its own would be counted apart from all others.

    Raises:
        CallError: It is none, or says its time.
    """
    call = call_of(value)
    if call.at is not None:
        raise CallError("`at` is for recorded calls; a service judges calls as they happen")
    return call


def _id_of(item: Any) -> str:
    found = item.get("call_id") if isinstance(item, dict) else None
    return found if isinstance(found, str) else ""
