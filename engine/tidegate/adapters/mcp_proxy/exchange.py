"""One governed request of the client, from its judgement to its answer, over as many rounds as it takes.

Where the server wants input (or a rule asks a stateless client), the client is answered with what is wanted, and comes
again. All that is one call: it is judged once, counts once, and what is passed on in later rounds is what was judged.
The state that the client carries from round to round is ours and says nothing; the server's own stays here.
"""

from __future__ import annotations

from collections.abc import Mapping
from secrets import token_hex
from typing import Any

from anyio import Event, fail_after

from ...errors import ToolFailed
from ...kernel.content import ToolExecutionResult
from ...kernel.json_values import same_json
from ...plan.approval import Approved, Question, Reply
from .asking import KEY, question_of, reply_of
from .gate import Identity
from .line import Job, Line, failed
from .line import Reply as Send
from .methods import ASKED_BY_SERVERS, PROGRESS, ROUNDS, is_among, meta_of, stateless
from .peer import Unanswered
from .requests import Refused, judged
from .results import BAD_RESULT, NOT_ANSWERED, BadResult, as_error, given_back, is_rpc_error, kept_of, taken
from .subjects import BadParams, Subject
from .wire import INTERNAL_ERROR, URL_ELICITATION, Request, Response, is_id

MOST_ROUNDS = 16
MOST_INPUTS = 16
PATIENCE = 300.0
"""Seconds in which the client must come again."""


class Exchange:
    """One governed request."""

    def __init__(self, line: Line, job: Job, request: Request, subject: Subject) -> None:
        self._line = line
        self._job = job
        self._first = request
        self._subject = subject
        self._identity = Identity(subject.origin, subject.raw)
        self._taken_shells: tuple[Mapping[str, Any], ...] = ()
        self._response: Response | None = None
        self._back = Event()
        self._brought: Mapping[str, Any] = {}

    async def run(self) -> dict[str, Any]:
        """Judge the request, pass it on if it may be, and give the answer."""
        line, params = self._line, self._first.params
        token = meta_of(params).get(PROGRESS)
        if is_id(token):
            line.progress[token] = self._identity
        try:
            name = await line.know(self._identity, params)
            asker = self._approve if self._can_ask() else None
            shaped = await line.gate.run(name, self._subject.arguments, self._forward, asker)
            return self._answer(shaped)
        finally:
            if is_id(token):
                line.progress.pop(token, None)

    def _can_ask(self) -> bool:
        params = self._first.params
        return self._line.can_elicit(params) and (not stateless(params) or self._takes_rounds())

    def _takes_rounds(self) -> bool:
        """Whether the client knows what to do with an answer that wants input."""
        return stateless(self._first.params) and self._subject.method in ROUNDS

    # Passing on.

    async def _forward(self, arguments: Mapping[str, Any]) -> ToolExecutionResult:
        method, meta = self._subject.method, meta_of(self._first.params)
        try:
            params = self._subject.params(arguments, self._first.params)
            if meta:
                params["_meta"] = meta
            response = await self._line.server.ask(method, params)
            for _ in range(MOST_ROUNDS):
                if not self._takes_rounds() or not _wants_input(response):
                    break
                inputs = await self._round(response.result or {})
                response = await self._line.server.ask(method, {**params, **inputs})
            await self._govern_error(response)
            found = taken(method, response, self._subject.raw)
        except BadResult as bad:
            raise ToolFailed(f"the server answered with something that is no result: {bad}", BAD_RESULT) from None
        except (Unanswered, BadParams) as why:
            raise ToolFailed(str(why), NOT_ANSWERED) from None
        self._response, self._taken_shells = response, found.shells
        return found.result

    async def _govern_error(self, response: Response) -> None:
        """Where a server fails with an address that the person is to visit, that is a request like any other."""
        if response.error is None or response.error["code"] != URL_ELICITATION:
            return
        data = response.error.get("data")
        wanted = data.get("elicitations") if isinstance(data, dict) else None
        for params in wanted if isinstance(wanted, list) else [{}]:
            await self._wanted("elicitation/create", params)

    async def _wanted(self, method: object, params: object) -> dict[str, Any]:
        """What a server wants of its client, judged and shaped.

        Raises:
            ToolFailed: The rules refuse it, or nobody knows what it is.
        """
        if not is_among(method, ASKED_BY_SERVERS) or not isinstance(params, dict):
            raise BadResult("it wants something that the proxy does not know")
        try:
            return await judged(self._line, str(method), params)
        except Refused as refused:
            raise ToolFailed(f"the server wants `{method}` for this, which is refused: {refused}", "DENIED") from None

    async def _round(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """One round with the client: what the server wants, and what it gets."""
        wanted, state = result.get("inputRequests") or {}, result.get("requestState")
        if not isinstance(wanted, dict) or len(wanted) > MOST_INPUTS or not isinstance(state, str | None):
            raise BadResult("what it wants is nothing that can be asked for")
        asked: dict[str, Any] = {}
        for key, one in wanted.items():
            if not isinstance(one, dict):
                raise BadResult("what it wants is nothing that can be asked for")
            method, params = one.get("method"), one.get("params") or {}
            asked[key] = {"method": method, "params": await self._wanted(method, params)}
        brought = await self._interact(asked)
        inputs: dict[str, Any] = {"inputResponses": brought} if asked else {}
        return inputs if state is None else {**inputs, "requestState": state}

    # Rounds.

    async def _interact(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Answer the client with what is wanted, and wait until it comes again with it."""
        line, job, state = self._line, self._job, token_hex(16)
        answer: dict[str, Any] = {"resultType": "input_required", "requestState": state}
        if asked:
            answer["inputRequests"] = asked
        self._back = Event()
        line.parked[state] = self
        try:
            await line.end(job, {"result": answer})
            with fail_after(PATIENCE):
                await self._back.wait()
        except TimeoutError:
            raise ToolFailed("the client did not come back with what was wanted", NOT_ANSWERED) from None
        finally:
            line.parked.pop(state, None)
        return {key: value for key, value in self._brought.items() if key in asked and isinstance(value, dict)}

    def resume(self, request: Request, subject: Subject, reply: Send) -> bool:
        """Go on in another request; false where it is about something else than the first one was."""
        same = subject._replace(arguments={}) == self._subject._replace(arguments={})
        if not same or not same_json(subject.arguments, self._subject.arguments):
            return False
        brought = request.params.get("inputResponses")
        self._brought = brought if isinstance(brought, dict) else {}
        self._line.resume(self._job, request, reply)
        self._back.set()
        return True

    def give_up(self) -> None:
        """End it without an answer."""
        self._job.scope.cancel()

    async def _approve(self, question: Question) -> Reply | Approved:
        """Put a question to the person."""
        params = question_of(question)
        if stateless(self._first.params):
            asked = {KEY: {"method": "elicitation/create", "params": params}}
            return reply_of((await self._interact(asked)).get(KEY), question, self._line.person)
        try:
            response = await self._line.client.ask("elicitation/create", params, patience=PATIENCE)
        except Unanswered:
            return "cancel"
        return reply_of(response.result, question, self._line.person)

    # The answer.

    def _answer(self, shaped: ToolExecutionResult) -> dict[str, Any]:
        method = self._subject.method
        if is_rpc_error(shaped) or (shaped.is_error and method != "tools/call"):
            return failed(*as_error(shaped))
        try:
            result = given_back(method, shaped, self._taken_shells, self._subject.raw)
        except BadResult as bad:
            return failed(INTERNAL_ERROR, str(bad))
        if "task" in result and method == "tools/call":
            self._line.remember_task(result["task"], self._identity)
        return {"result": {**result, **kept_of(self._response, stateless=stateless(self._first.params))}}


def _wants_input(response: Response) -> bool:
    return response.result is not None and response.result.get("resultType") == "input_required"
