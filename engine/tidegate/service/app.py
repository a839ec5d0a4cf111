"""The routes of the service."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from logging import getLogger
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from . import authzen
from .bodies import body_of
from .clients import Client
from .deciding import Questions
from .entrance import CLIENT, Entrance
from .judging import Bench
from .metrics import Metrics
from .openapi import document
from .reloading import Loaded
from .replies import Refused, refused, reply, written
from .settings import Settings

Work = Callable[[Client, bytes, float], dict[str, Any]]
Lifespan = Callable[[Any], AbstractAsyncContextManager[None]]

_LOG = getLogger("tidegate.serve")
BROKEN = "the service failed; a person should look at its log"


class Service:
    """Answers requests: HTTP here, decisions in `Questions`, in the threads of the bench."""

    def __init__(
        self, questions: Questions, loaded: Loaded, bench: Bench, metrics: Metrics, *, base: str, version: str
    ) -> None:
        self._settings: Settings = questions.settings
        self._questions = questions
        self._loaded = loaded
        self._bench = bench
        self._metrics = metrics
        self._base = base
        self._version = version

    def app(self, lifespan: Lifespan) -> ASGIApp:
        """The application; *lifespan* is what lives as long as it does."""
        about = written(document(self._version))
        questions = self._questions
        posts: Sequence[tuple[str, Work]] = (
            ("/v1/decide", questions.decide),
            ("/v1/decide/batch", questions.decide_each),
            ("/v1/peek", questions.peek),
            ("/v1/explain", questions.explain),
            (authzen.EVALUATION, questions.evaluate),
            (authzen.EVALUATIONS, questions.evaluate_each),
        )
        routes = [Route(path, self._asked(work), methods=["POST"]) for path, work in posts]
        routes += [
            Route("/healthz", _always({"status": "alive"})),
            Route("/readyz", self._ready),
            Route("/metrics", self._measured),
            Route("/openapi.json", _always(about)),
            Route(authzen.CONFIGURATION, _always(authzen.configuration(self._base))),
        ]
        handlers: Any = {HTTPException: self._unrouted, Exception: self._failed}
        starlette = Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan)
        return Entrance(starlette, lambda: self._loaded.clients, self._metrics)

    def _asked(self, work: Work) -> Callable[[Request], Awaitable[Response]]:
        async def asked(request: Request) -> Response:
            client: Client = request.scope["state"][CLIENT]
            try:
                data = await body_of(request, self._settings)
                return reply(await self._bench.run(lambda deadline: written(work(client, data, deadline))))
            except Refused as error:
                self._metrics.refused(error.why)
                return refused(error.status, error.reason)
            except Exception:  # noqa: BLE001 - whatever it was, whoever asks is refused
                _LOG.exception("a request could not be answered")
                self._metrics.refused("broken")
                return refused(500, BROKEN)

        return asked

    async def _ready(self, _: Request) -> Response:
        return reply({"ready": True, "rules": "last good" if self._loaded.stale else "current"})

    async def _measured(self, _: Request) -> Response:
        return Response(self._metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def _unrouted(self, _: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for these
        self._metrics.refused("unrouted")
        return refused(error.status_code, f"there is no such door: {error.detail.lower()}", error.headers)

    async def _failed(self, _: Request, error: Exception) -> Response:
        _LOG.error("a request could not be answered", exc_info=error)
        return refused(500, BROKEN)


def _always(value: Any) -> Callable[[Request], Awaitable[Response]]:
    response = reply(value)

    async def answer(_: Request) -> Response:
        return response

    return answer
