"""Where names lead in the small world of an example: a book instead of a resolver."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_address

from ..kind import Setting
from ..meaning.addresses import Address
from ..meaning.urls import read_host
from ..shown import quote
from .fields import ExampleFields


class Book:
    """A resolver that knows the names of one example and no others."""

    __slots__ = ("_names",)

    def __init__(self, resolves: Mapping[str, Iterable[str]]) -> None:
        """Know the names of *resolves*, which `check_lookups` has found right."""
        self._names = {read_host(name).host: tuple(map(ip_address, texts)) for name, texts in resolves.items()}

    def __call__(self, host: str) -> tuple[Address, ...]:
        """The addresses of *host*.

        Raises:
            OSError: The example does not say where it leads.
        """
        if host not in self._names:
            raise OSError("the example does not say where it leads")
        return self._names[host]


def check_lookups(examples: Iterable[ExampleFields], setting: Setting) -> None:
    """Note every name that no client would look up, and every address that is none."""
    for at, example in enumerate(examples):
        for name, texts in (example.resolves or {}).items():
            path = ("example", at, "resolves", name)
            if not _is_name(name):
                setting.problem(path, "bad-value", f"{quote(name)} is no name of a host", *_NAME)
            for index, text in enumerate(texts):
                if not _is_address(text):
                    setting.problem((*path, index), "bad-value", f"{quote(text)} is no address", *_ADDRESS)


_NAME = ("only names are looked up, so that nobody would ask for it", "write a name such as `wiki.example.com`")
_ADDRESS = ("a name leads to addresses", "write one such as `10.1.2.3` or `fd00::1`")


def _is_name(text: str) -> bool:
    target = read_host(text)
    plain = isinstance(target.host, str) and target.host != "" and target.port is None
    return plain and target.address is None and not target.doubts and not target.others


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
