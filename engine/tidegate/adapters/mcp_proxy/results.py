"""What a server returned becomes a result that output rules shape, and goes back into the form of its method.

Texts that a model reads become text blocks, one for each block, resource or prompt message; images and blobs become
blocks of their own; `structuredContent` is the structured channel. All that stands beside them (annotations, `_meta`,
URIs, descriptions) travels in one more block, so that no rule about secrets misses it, and is put back where it was.
Where the rules have left another number of texts, what stood beside single texts is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...kernel.content import Block, DataBlock, TextBlock, ToolError, ToolExecutionResult
from .methods import is_among
from .wire import REFUSED, UNANSWERED, Response

BESIDE = "tidegate-beside"
"""The type of the block that holds what stands beside the texts."""
RPC_ERROR = "JsonRpcError"
NOT_ANSWERED = "NOT_ANSWERED"
BAD_RESULT = "BAD_RESULT"
_FAILURES = frozenset({NOT_ANSWERED, BAD_RESULT})


class BadResult(Exception):
    """A server answered with something that is no result of the method."""


class Taken(NamedTuple):
    """A result as rules see it, and for each text the part that it came from, as far as that holds nothing to read."""

    result: ToolExecutionResult
    shells: tuple[Mapping[str, Any], ...] = ()


class _Form(NamedTuple):
    """How the results of one method hold their texts.

    `key` leads to the list of parts; `open` gives the object in a part that holds the text or data, `put` the part with
    another such object, `plain` what programs need of a part, and `fresh` makes a part of a text that was in none.
    """

    key: str
    open: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    put: Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, Any]]
    plain: Callable[[Mapping[str, Any], str], dict[str, Any]]
    fresh: Callable[[str, str], dict[str, Any]]


_MEDIA_TYPE = re.compile(r"[A-Za-z0-9.+-]{1,64}/[A-Za-z0-9.+-]{1,64}")


def _plain_resource(part: Mapping[str, Any], uri: str) -> dict[str, Any]:
    media = part.get("mimeType")
    typed = {"mimeType": media} if isinstance(media, str) and _MEDIA_TYPE.fullmatch(media) else {}
    return {**({"uri": uri} if part.get("uri") == uri else {}), **typed, "text": ""}


def _plain_message(part: Mapping[str, Any], _: str) -> dict[str, Any]:
    role = "assistant" if part.get("role") == "assistant" else "user"
    return {"role": role, "content": {"type": "text", "text": ""}}


_FORMS: Mapping[str, _Form] = {
    "tools/call": _Form(
        "content",
        lambda part: part,
        lambda _, inner: dict(inner),
        lambda *_: {"type": "text", "text": ""},
        lambda text, _: {"type": "text", "text": text},
    ),
    "resources/read": _Form(
        "contents",
        lambda part: part,
        lambda _, inner: dict(inner),
        _plain_resource,
        lambda text, uri: {"uri": uri, "text": text},
    ),
    "prompts/get": _Form(
        "messages",
        lambda part: part["content"],
        lambda part, inner: {**part, "content": dict(inner)},
        _plain_message,
        lambda text, _: {"role": "user", "content": {"type": "text", "text": text}},
    ),
}
_KEPT = frozenset({"resultType", "ttlMs", "cacheScope"})
"""What tells programs what kind of result it is, and is put back as it was."""
_SERVER = "io.modelcontextprotocol/serverInfo"
_CHANNELS = frozenset({"structuredContent", "isError"})
_CACHE = frozenset({"private", "public"})


def taken(method: str, response: Response, name: str) -> Taken:
    """The answer of a server as rules see it; an error of JSON-RPC is a failure. *name* is what was asked for.

    Raises:
        BadResult: It is no result of the method.
    """
    if response.result is None:
        return Taken(_failed(response.error or {}))
    result, form = response.result, _FORMS.get(method)
    if result.get("resultType", "complete") != "complete":
        raise BadResult("it has a `resultType` that the proxy does not know")
    if form is None or (method == "tools/call" and form.key not in result and "task" in result):
        # Completions, empty results, tasks that were begun: JSON for programs.
        return Taken(ToolExecutionResult("", (), structured=dict(result)))
    parts = result.get(form.key)
    if not isinstance(parts, list):
        raise BadResult(f"`{form.key}` is no list")
    blocks, beside, shells = _blocks(form, parts, name)
    rest = _rest(result, {form.key, *_CHANNELS, *_KEPT})
    if any(beside) or rest:
        blocks.append(DataBlock(BESIDE, {"parts": beside, "rest": rest}))
    is_error = method == "tools/call" and result.get("isError") is True
    error = ToolError("ToolFailed", "TOOL_FAILED") if is_error else None
    structured = result.get("structuredContent") if method == "tools/call" else None
    made = ToolExecutionResult("", blocks, is_error=is_error, structured=structured, error=error)
    return Taken(made, tuple(shells))


def _rest(result: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    """What else a result says; who the server is, it has said before."""
    rest = {key: value for key, value in result.items() if key not in known}
    meta = rest.pop("_meta", None)
    said = {key: value for key, value in meta.items() if key != _SERVER} if isinstance(meta, dict) else {}
    return {**rest, "_meta": said} if said else rest


def _failed(error: Mapping[str, Any]) -> ToolExecutionResult:
    blocks: list[Block] = [TextBlock(error["message"])]
    if error.get("data") is not None:
        blocks.append(DataBlock(BESIDE, {"data": error["data"]}))
    return ToolExecutionResult("", blocks, is_error=True, error=ToolError(RPC_ERROR, str(error["code"])))


def _blocks(form: _Form, parts: Sequence[Any], name: str) -> tuple[list[Block], list[Any], list[dict[str, Any]]]:
    """The blocks of all parts; of each text what stands beside it, if anything does; and the part without both."""
    blocks: list[Block] = []
    beside: list[Any] = []
    shells = []
    for part in parts:
        try:
            inner = form.open(part)
            text = inner.get("text")
        except (AttributeError, KeyError, TypeError):
            raise BadResult(f"something in `{form.key}` is no block") from None
        if not isinstance(text, str):
            blocks.append(DataBlock(str(inner.get("type", "blob")), dict(part)))
            continue
        blocks.append(TextBlock(text))
        # The text itself is shaped where it is; here it would only be shaped twice.
        whole, plain = form.put(part, {**inner, "text": ""}), form.plain(part, name)
        beside.append(None if whole == plain else whole)
        shells.append(plain)
    return blocks, beside, shells


def given_back(
    method: str, shaped: ToolExecutionResult, shells: Sequence[Mapping[str, Any]], name: str
) -> dict[str, Any]:
    """The result of the method that shaped content stands for; *name* is the URI of texts that were in no resource.

    Raises:
        BadResult: The rules have left nothing that is a result of the method.
    """
    form = _FORMS.get(method)
    if form is None or (method == "tools/call" and not shaped.is_error and _is_task(shaped)):
        if shaped.is_error or not isinstance(shaped.structured, dict):
            raise BadResult("the result was withheld")
        return {key: value for key, value in shaped.structured.items() if key not in _KEPT}
    texts, beside = _sorted(shaped)
    told, rest = beside.get("parts"), beside.get("rest")
    if len(shells) == texts:
        extra = told if isinstance(told, list) and len(told) == texts else [None] * texts
        around = iter([one if isinstance(one, dict) else shell for one, shell in zip(extra, shells, strict=True)])
    else:
        around = iter(())
    parts = [
        _with_text(form, next(around, None), block.text, name) if isinstance(block, TextBlock) else dict(block.data)
        for block in shaped.content
        if isinstance(block, TextBlock) or block.type != BESIDE
    ]
    result: dict[str, Any] = {**(rest if isinstance(rest, dict) else {}), form.key: parts}
    if method == "tools/call":
        if shaped.is_error:
            result["isError"] = True
        if shaped.structured is not None:
            result["structuredContent"] = shaped.structured
    return result


def _with_text(form: _Form, shell: Any, text: str, name: str) -> dict[str, Any]:
    """A part with that text: what stood around the text before, or a new one."""
    if shell is None:
        return form.fresh(text, name)
    try:
        return form.put(shell, {**form.open(shell), "text": text})
    except (KeyError, TypeError):  # a rule has cut into it
        return form.fresh(text, name)


def _is_task(shaped: ToolExecutionResult) -> bool:
    return not shaped.content and isinstance(shaped.structured, dict) and "task" in shaped.structured


def _sorted(shaped: ToolExecutionResult) -> tuple[int, Mapping[str, Any]]:
    """How many texts there are, and what stands beside them."""
    texts = sum(isinstance(block, TextBlock) for block in shaped.content)
    found = [block.data for block in shaped.content if isinstance(block, DataBlock) and block.type == BESIDE]
    return texts, found[0] if found else {}


def kept_of(response: Response | None, *, stateless: bool) -> dict[str, Any]:
    """What programs need beside a result, as the server said it where it is what it has to be."""
    said = (response.result if response is not None else None) or {}
    kept: dict[str, Any] = {"resultType": "complete"} if stateless else {}
    if type(said.get("ttlMs")) is int:
        kept["ttlMs"] = said["ttlMs"]
    if is_among(said.get("cacheScope"), _CACHE):
        kept["cacheScope"] = said["cacheScope"]
    return kept


def as_error(shaped: ToolExecutionResult) -> tuple[int, str, Any]:
    """Code, message and data of the error that a failure is, where a method has no result for failures.

    An error of the server keeps its code; of ours, it is that of a refusal.
    """
    data = _sorted(shaped)[1].get("data")
    error = shaped.error
    if is_rpc_error(shaped):
        code = int(error.code) if error is not None else UNANSWERED
    else:
        code = UNANSWERED if error is not None and error.code in _FAILURES else REFUSED
    return code, shaped.text.removeprefix("Error: "), data


def is_rpc_error(shaped: ToolExecutionResult) -> bool:
    """Whether the server itself answered with an error of JSON-RPC, so that its client gets one."""
    return shaped.error is not None and shaped.error.name == RPC_ERROR
