"""Questions about a call, put to the person at the terminal."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Literal

from ..plan.approval import Approved, Approver, Question, Reply
from ..shown import escape, quote
from .jsonlines import dump
from .terminal import Screen, errors, safe

Approve = Literal["ask", "deny", "allow"]


def approver(approve: Approve | None, calls: str) -> Approver | None:
    """Who is asked: the person at the terminal, nobody (which refuses), or whoever always says yes.

    Without a choice the person is asked where there is one: standard input and error are terminals, and the calls
    do not come from there.
    """
    if approve == "allow":
        return lambda _: "allow"
    there = sys.stdin.isatty() and sys.stderr.isatty() and calls != "-"
    if approve == "ask" or (approve is None and there):
        return _ask
    return None


async def _ask(question: Question) -> Reply | Approved:
    """Show the call with everything that speaks against it, and wait for a plain yes."""
    screen = errors()
    for line in told(question, screen):
        screen.line(line)
    more = "session" in question.scopes
    screen.stream.write(f"allow this call once{', or by `s` for this session' if more else ''}? [y/N] ")
    screen.stream.flush()
    said = await _line()
    if not said:
        return "cancel"
    word = said.strip().lower()
    if word in (b"y", b"yes"):
        return Approved(by=account())
    return Approved("session", by=account()) if more and word in (b"s", b"session") else "reject"


def account() -> str:
    """The name of the account at the terminal, as the system knows it; a variable could say anything."""
    try:
        import pwd
    except ImportError:
        return ""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return ""


async def _line() -> bytes:
    """One line of standard input, waited for by the event loop, so that Ctrl-C and the time limit end the waiting."""
    from anyio import to_thread, wait_readable

    if os.name != "posix":
        return await to_thread.run_sync(sys.stdin.buffer.readline, abandon_on_cancel=True)
    descriptor, line = sys.stdin.fileno(), b""
    while not line.endswith(b"\n"):
        # A plain file cannot be waited for, and need not be.
        with suppress(PermissionError):
            await wait_readable(descriptor)
        byte = os.read(descriptor, 1)
        if not byte:
            break
        line += byte
    return line


def told(question: Question, screen: Screen) -> list[str]:
    """The question in lines for people; everything in it is escaped."""
    call = question.call
    lines = ["", f"{screen.paint('ask', 'ask', 'bold')} {quote(call.tool.name)} {escape(dump(call.arguments), 2_000)}"]
    lines += [f"  why: {safe(reason)}" for reason in question.reasons]
    lines += [f"  does: {effect}" for effect in question.effects]
    if question.by is not None:
        lines.append(f"  may be allowed by: {', '.join(map(quote, question.by)) or 'nobody'}")
    return lines
