"""`tidegate serve`: decisions over HTTP."""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from typing import Any

import click

from ..service.clients import FACTS
from ..service.elsewhere import MACHINES
from .jsonlines import dump
from .loading import FILE, layer_options
from .serving import Options, served
from .terminal import errors, output, safe


def _new_token(ctx: click.Context, _: click.Parameter, name: str | None) -> None:
    """Print a token and what stands of it in the file of clients."""
    if name is None:
        return
    from hashlib import sha256

    from ..lang.inline import inline_key

    token = secrets.token_urlsafe(32)
    screen = output()
    screen.line(f"# The token, for the client alone: {token}")
    screen.line(f"[clients.{inline_key(name)}]")
    screen.line(f'token_sha256 = ["{sha256(token.encode()).hexdigest()}"]')
    ctx.exit()


@click.command("serve", short_help="Decide calls over HTTP, also by OpenID AuthZEN.")
@click.argument("rules", type=FILE)
@layer_options
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8470, show_default=True, help="The port; 0 is a free one."
)
@click.option("--clients", type=FILE, help="The file of clients: their tokens, certificates, and what they attest.")
@click.option(
    "--attest", type=click.Choice(FACTS), multiple=True, help="Believe this fact of calls, without a file of clients."
)
@click.option("--explain", is_flag=True, help="Let clients see how decisions come about, without a file of clients.")
@click.option(
    "--machine",
    type=click.Choice(MACHINES),
    default="unseen",
    show_default=True,
    help="Where the tools run: on an unseen machine, on one without symbolic links, or here.",
)
@click.option("--tls-cert", type=FILE, help="The certificate of the service, with its chain.")
@click.option("--tls-key", type=FILE, help="Its key, where it does not stand in the same file.")
@click.option("--client-ca", type=FILE, help="Clients must show a certificate of this authority.")
@click.option("--plain", is_flag=True, help="TLS ends in front of this service.")
@click.option("--url", help="The URL at which clients reach it, where that is another one.")
@click.option("--audit", type=FILE, help="Append a record of each decision to this file, which only you may read.")
@click.option("--watch", is_flag=True, help="Load rules and clients again when they change.")
@click.option(
    "--max-body", type=click.IntRange(1), default=1024 * 1024, show_default=True, help="The longest body, in bytes."
)
@click.option(
    "--patience",
    type=click.FloatRange(0.05, 600),
    default=5.0,
    show_default=True,
    help="Seconds in which a request must have come.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.01, 600),
    default=5.0,
    show_default=True,
    help="Seconds in which it must be decided.",
)
@click.option(
    "--in-flight", type=click.IntRange(1), default=64, show_default=True, help="How many requests may be under way."
)
@click.option(
    "--threads", type=click.IntRange(1, 64), default=4, show_default=True, help="How many are judged at the same time."
)
@click.option(
    "--new-token",
    metavar="NAME",
    is_eager=True,
    expose_value=False,
    callback=_new_token,
    help="Print a new token for a client, and end.",
)
@click.option("--json", "as_json", is_flag=True, help="Say where it listens as one JSON object.")
def command(*, as_json: bool, **given: Any) -> int:
    """Decide calls over HTTP by RULES.

    Besides `/v1/decide` for calls as `tidegate decide` has them there are the endpoints of the OpenID AuthZEN
    Authorization API 1.0, and `/openapi.json` describes them all. Elsewhere than on the loopback, clients must show a
    token or a certificate. SIGHUP loads rules, clients and certificates again; what is broken leaves the last good ones
    in force. SIGTERM ends it, and requests under way finish. Needs the extra `tidegate[serve]`.
    """
    screen = errors()

    def told(text: str) -> None:
        for line in text.split("\n"):
            screen.line(safe(line))

    with ExitStack() as stack:
        server = served(Options(**given), told, stack)
        if as_json:
            output().line(dump({"url": server.url, "authentication": server.authentication}))
        else:
            screen.line(f"tidegate serves {server.shown} at {server.url} ({server.authentication})")
        server.run()
    return 0
