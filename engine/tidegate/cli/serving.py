"""What `tidegate serve` is put together from, once it is certain that it may stand where it is to stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import field, frozen

from ..assurance.explaining import explain
from ..audit.jsonl import JsonlSink
from ..audit.record import Recorder
from ..call import Call
from ..engine import Engine
from ..facts.local import local_facts
from ..service.clients import Client, Clients, Fact, read_clients
from ..service.elsewhere import Machine, facts_of
from ..service.settings import Settings
from ..shown import quote
from .explaining import as_json as explanation_as_json
from .version import own_version

if TYPE_CHECKING:
    from ..service.running import Tls

MISSING = "the packages of the service are not installed; run `pip install tidegate[serve]`"


@frozen(kw_only=True)
class Options:
    """What stands on the command line, by the names of its options."""

    rules: Path
    managed: Path | None
    user: Path | None
    host: str
    port: int
    clients: Path | None
    attest: tuple[Fact, ...] = field(converter=tuple)
    explain: bool
    machine: Machine
    tls_cert: Path | None
    tls_key: Path | None
    client_ca: Path | None
    plain: bool
    url: str | None
    audit: Path | None
    watch: bool
    max_body: int
    patience: float
    seconds: float
    in_flight: int
    threads: int

    def settings(self) -> Settings:
        """The bounds of the service."""
        return Settings(
            body=self.max_body,
            patience=self.patience,
            seconds=self.seconds,
            in_flight=self.in_flight,
            threads=self.threads,
        )

    def own(self) -> Iterable[str]:
        """The files of the service, which no judged call may change."""
        files = (self.clients, self.tls_cert, self.tls_key, self.client_ca, self.audit)
        return [path.absolute().as_posix() for path in files if path is not None]


@frozen
class Served:
    """A service that listens and does not answer yet; `run` answers until a signal ends it."""

    url: str
    shown: str
    authentication: str
    run: Callable[[], None]


def served(options: Options, told: Callable[[str], None], stack: ExitStack) -> Served:
    """Put the service together; *told* gets each line that an operator should read, *stack* what is closed at the end.

    Raises:
        UsageError: It must not stand there so, or a package is missing.
        TidegateError: The rules or the clients have an error.
        OSError: It cannot listen, or a file cannot be read.
    """
    try:
        from ..service import app, deciding, judging, metrics, reloading, running
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("starlette", "uvicorn", "prometheus_client", "h11"):
            raise click.UsageError(MISSING) from None
        raise
    if options.watch:
        _need_watchfiles()
    _check_place(options, loopback=running.is_loopback(options.host))
    tls = _tls(options)
    context = None if tls is None else tls.context()
    settings, clients = options.settings(), _clients(options)
    engine = _engine(options, told, stack)
    bench = judging.Bench(settings)
    measured = metrics.Metrics(lambda: bench.taken)
    loaded = reloading.Loaded(
        engine, clients, options.clients, measured, told, lambda: tls.load(context) if tls and context else None
    )
    questions = deciding.Questions(engine, settings, measured, lambda call: _explained(engine, call))
    listener = stack.enter_context(running.listening(options.host, options.port))
    url = running.url_of(listener, tls=tls is not None)
    base = (options.url or url).rstrip("/")
    service = app.Service(questions, loaded, bench, measured, base=base, version=own_version())
    answering = service.app(running.lifespan(loaded, bench, watch=options.watch))
    return Served(
        url, quote(str(options.rules)), _authentication(options),
        lambda: running.serve(answering, listener, context, settings, measured),
    )  # fmt: skip


def _explained(engine: Engine, call: Call) -> dict[str, Any]:
    return explanation_as_json(explain(engine, call))


def _need_watchfiles() -> None:
    try:
        import watchfiles  # noqa: F401
    except ModuleNotFoundError:
        raise click.UsageError(MISSING) from None


def _check_place(options: Options, *, loopback: bool) -> None:
    """Refuse to stand where anybody could ask, or where tokens could be read on their way."""
    shown = options.clients is not None or options.client_ca is not None
    if not loopback and not shown:
        raise click.UsageError(
            f"{quote(options.host)} is not the loopback, and anybody could ask; "
            "add `--clients FILE`, or `--tls-cert FILE --client-ca FILE`"
        )
    if not loopback and options.tls_cert is None and not options.plain:
        raise click.UsageError(
            f"{quote(options.host)} is not the loopback, and tokens could be read on their way; "
            "add `--tls-cert FILE`, or `--plain` where TLS ends in front of this service"
        )
    if options.plain and options.tls_cert is not None:
        raise click.UsageError("`--plain` and `--tls-cert` contradict each other")
    if options.tls_cert is None and (options.client_ca or options.tls_key):
        raise click.UsageError("`--client-ca` and `--tls-key` need `--tls-cert`")
    if options.clients is not None and (options.attest or options.explain):
        raise click.UsageError("with `--clients` the file says what is attested, and who may see explanations")


def _tls(options: Options) -> Tls | None:
    from ..service.running import Tls

    if options.tls_cert is None:
        return None
    return Tls(options.tls_cert, options.tls_key, options.client_ca)


def _clients(options: Options) -> Clients:
    if options.clients is None:
        anybody = Client("anybody", frozenset(options.attest), None, options.explain)
        return Clients({}, anybody, open=options.client_ca is None)
    clients = read_clients(options.clients)
    if options.client_ca is None and any(fields.certificate for fields in clients.fields.values()):
        raise click.UsageError(
            "the file of clients names certificates, and nobody asks for one; add `--client-ca FILE`"
        )
    return clients


def _engine(options: Options, told: Callable[[str], None], stack: ExitStack) -> Engine:
    recorders: list[Recorder] = []
    if options.audit is not None:
        recorders.append(stack.enter_context(JsonlSink(options.audit)))
    facts = facts_of(options.machine, local_facts(), options.own())
    engine = Engine.load(options.rules, managed=options.managed, user=options.user, facts=facts, recorders=recorders)
    for finding in engine.findings:
        told(str(finding))
    beyond = [rule.id for layer in engine.plan.layers for rule in (*layer.shapes, *layer.timeouts)]
    if beyond:
        rules = "1 rule is" if len(beyond) == 1 else f"{len(beyond)} rules are"
        told(
            f"tidegate: {rules} about results or the time of a run ({quote(beyond[0])}), "
            "which a decision over HTTP cannot shape or end; whoever runs the calls has to"
        )
    return engine


def _authentication(options: Options) -> str:
    words = [word for word, given in (("clients", options.clients), ("certificates", options.client_ca)) if given]
    return " and ".join(words) or "anybody on this machine"
