"""What a request is about: a tool, a resource, a prompt, or a thing that a server asks of its client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...errors import TidegateError
from ...served import PROMPT, REQUEST, RESOURCE, TOOL
from .methods import CALLS, only

LONGEST_NAME = 8_192
"""How long the name of a tool or the URI of a resource may be."""


class BadParams(TidegateError):
    """The params of a request are not what its method takes."""


class Subject(NamedTuple):
    """The identity of what a request uses, with the arguments that rules judge.

    `fixed` tells that the arguments repeat the identity, so that a rule may not change them.
    """

    method: str
    origin: str
    raw: str
    arguments: Mapping[str, Any]
    fixed: bool = False

    def params(self, arguments: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, Any]:
        """The params to pass on: those that were judged, and of the others what the method knows.

        Raises:
            BadParams: A rule has changed what the request is about.
        """
        kept = only(params, CALLS[self.method])
        if self.fixed and arguments != self.arguments:
            raise BadParams(f"a rule rewrites what `{self.method}` is about, which cannot be done")
        if self.method in ("tools/call", "prompts/get"):
            return {**kept, "arguments": arguments} if arguments or "arguments" in kept else kept
        if self.method == "completion/complete":
            return {
                "ref": {"type": "ref/prompt", "name": self.raw}
                if self.origin == PROMPT
                else {"type": "ref/resource", "uri": self.raw},
                **arguments,
            }
        return kept


def subject_of(method: str, params: Mapping[str, Any]) -> Subject:
    """The subject of a request of the client.

    Raises:
        BadParams: Something that it needs is missing or of the wrong type.
    """
    if method == "tools/call":
        return Subject(method, TOOL, _text(params, "name"), _object(params, "arguments"))
    if method == "prompts/get":
        return Subject(method, PROMPT, _text(params, "name"), _object(params, "arguments"))
    if method == "completion/complete":
        return _completion(method, params)
    uri = _text(params, "uri")
    return Subject(method, RESOURCE, uri, {"uri": uri}, fixed=True)


def _completion(method: str, params: Mapping[str, Any]) -> Subject:
    ref, told = _object(params, "ref"), _object(params, "argument")
    arguments = {"argument": told, **({"context": params["context"]} if "context" in params else {})}
    if ref.get("type") == "ref/prompt":
        return Subject(method, PROMPT, _text(ref, "name"), arguments)
    if ref.get("type") == "ref/resource":
        return Subject(method, RESOURCE, _text(ref, "uri"), arguments)
    raise BadParams("`ref` must be a `ref/prompt` or a `ref/resource`")


def of_server(method: str, params: Mapping[str, Any]) -> Subject:
    """The subject of what a server asks of its client."""
    return Subject(method, REQUEST, method, params, fixed=True)


def _text(params: Mapping[str, Any], key: str) -> str:
    found = params.get(key)
    if not isinstance(found, str) or not 0 < len(found) <= LONGEST_NAME:
        raise BadParams(f"`{key}` must be a text of 1 to {LONGEST_NAME} characters")
    return found


def _object(params: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = params.get(key)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise BadParams(f"`{key}` must be an object")
    return found
