"""Where names lead, as one call sees it."""

from __future__ import annotations

from .addresses import Address, Resolver

MOST_NAMES = 16
"""How many names of one call are asked for; each question tells the name to whoever answers."""


class Names:
    """Where names lead for one call: each is asked once, and its answer holds to the end of the call.

    Whoever answers can say something else the second time, so what acts on a judgement asks here and not again. It
    is a `Resolver` itself. Without one behind it no name leads anywhere that is known.
    """

    __slots__ = ("_answers", "_resolver")

    def __init__(self, resolver: Resolver | None) -> None:
        self._resolver = resolver
        self._answers: dict[str, tuple[Address, ...] | str] = {}

    def __call__(self, host: str) -> tuple[Address, ...]:
        """The addresses of *host*.

        Raises:
            OSError: It could not be resolved, then or now; or the call has asked for `MOST_NAMES` others.
        """
        answer = self._answers.get(host)
        if answer is None:
            answer = self._answers[host] = self._ask(host)
        if isinstance(answer, str):
            raise OSError(answer)
        return answer

    def _ask(self, host: str) -> tuple[Address, ...] | str:
        if self._resolver is None:
            return "there is no resolver"
        if len(self._answers) >= MOST_NAMES:
            return f"the call names more than {MOST_NAMES} hosts"
        try:
            return tuple(self._resolver(host))
        except (OSError, ValueError) as error:
            return str(error) or type(error).__name__
