"""`tidegate approvals`: what people have allowed beyond one call, listed and revoked."""

from __future__ import annotations

import datetime as dt
import sys
from typing import Literal

import click

from ..facts.approvals import Approval, Approvals
from ..facts.local import local_facts
from .jsonlines import dump
from .terminal import Screen, errors, output, safe, table


@click.command("approvals", short_help="List and revoke what people have allowed beyond one call.")
@click.argument("action", type=click.Choice(["list", "revoke"]), default="list")
@click.argument("ids", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Revoke every approval.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object for each approval.")
def command(action: Literal["list", "revoke"], ids: tuple[str, ...], *, every: bool, as_json: bool) -> int:
    """List the approvals that count now, or revoke those with the given IDs.

    They are those of this account on this machine. What is revoked counts from this moment on; exit code 1 means that
    an id was not there.
    """
    facts = local_facts()
    approvals, now = facts.need_approvals(), facts.clock.now()
    if action == "list":
        if ids or every:
            raise click.UsageError("`list` takes no ids; to take approvals away write `revoke`")
        _list(approvals.all(now), output(), as_json=as_json)
        return 0
    if bool(ids) == every:
        raise click.UsageError("say which: `revoke ID…` or `revoke --all`")
    return _revoke(approvals, approvals.all(now), None if every else ids, as_json=as_json)


def _list(kept: list[Approval], screen: Screen, *, as_json: bool) -> None:
    if as_json:
        for one in kept:
            screen.line(dump({key: value for key, value in one._asdict().items() if key not in ("binding", "about")}))
        return
    if not kept:
        screen.line("no approvals")
        return
    rows = [
        (one.id, one.scope, _time(one.expires), safe(one.by) or "-", _session(one), safe(one.shown)) for one in kept
    ]
    table(screen, ("id", "scope", "until", "by", "session", "what"), rows)


def _revoke(approvals: Approvals, kept: list[Approval], ids: tuple[str, ...] | None, *, as_json: bool) -> int:
    wanted = [one.id for one in kept] if ids is None else list(dict.fromkeys(ids))
    gone = approvals.revoke(wanted)
    if as_json:
        output().line(dump({"revoked": gone}))
    else:
        output().line(f"{gone} revoked")
    missing = len(wanted) - gone
    if missing and ids is not None:
        errors().line(f"{missing} of these ids {'is' if missing == 1 else 'are'} not there (any more)")
        sys.stdout.flush()
    return 1 if missing and ids is not None else 0


def _session(approval: Approval) -> str:
    return "-" if approval.session is None or approval.scope == "until" else safe(approval.session)


def _time(seconds: float) -> str:
    return dt.datetime.fromtimestamp(seconds, dt.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
