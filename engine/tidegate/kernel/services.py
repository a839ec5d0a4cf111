"""Services: what plugins offer each other by name, and who is mounted on what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import DuplicateName

if TYPE_CHECKING:
    from .events import Report
    from .fiber import Fiber


class Offer:
    """One service while somebody provides it."""

    __slots__ = ("_services", "leaving", "name", "value")

    def __init__(self, services: Services, name: str, value: object) -> None:
        self._services = services
        self.name = name
        self.value = value
        self.leaving = False

    def waits(self) -> bool:
        """Whether a plugin that is mounted on it has to be waited for."""
        return any(fiber.waits() for fiber in self._services.users(self))

    def withdraw(self) -> None:
        """Unload the plugins that are mounted on it, last mounted first, and take it away."""
        self.leaving = True
        for fiber in reversed(self._services.users(self)):
            fiber.suspend()
        self._services.remove(self)

    async def withdraw_waiting(self) -> None:
        """`withdraw`, waiting for plugins that have to be waited for."""
        self.leaving = True
        for fiber in reversed(self._services.users(self)):
            await fiber.suspend_waiting()
        self._services.remove(self)


class Services:
    """The services and the plugins of one tree of contexts."""

    __slots__ = ("_fibers", "_offers", "_report")

    def __init__(self, report: Report) -> None:
        self._offers: dict[str, Offer] = {}
        self._fibers: dict[Fiber, bool] = {}
        self._report = report

    def find(self, name: str) -> Offer | None:
        """The offer of that name, also while it is leaving."""
        return self._offers.get(name)

    def find_staying(self, name: str) -> Offer | None:
        """The offer of that name, if a plugin may be mounted on it."""
        offer = self._offers.get(name)
        return None if offer is None or offer.leaving else offer

    def offer(self, name: str, value: object) -> Offer:
        """Offer *value*; `settle` then mounts who waited for it.

        Raises:
            DuplicateName: Somebody provides that name already.
        """
        if name in self._offers:
            raise DuplicateName(f'service "{name}" is already provided')
        self._offers[name] = found = Offer(self, name, value)
        return found

    def remove(self, offer: Offer) -> None:
        """Take *offer* away."""
        del self._offers[offer.name]

    def users(self, offer: Offer) -> list[Fiber]:
        """The plugins that are mounted on *offer*, first mounted first."""
        return [fiber for fiber in self._fibers if offer in fiber.uses]

    def enter(self, fiber: Fiber) -> None:
        """Know *fiber* from now on as the last that was mounted, or as waiting."""
        self._fibers.pop(fiber, None)
        self._fibers[fiber] = True

    def forget(self, fiber: Fiber) -> None:
        """Know *fiber* no more."""
        self._fibers.pop(fiber, None)

    def waiting(self) -> dict[str, tuple[str, ...]]:
        """What each waiting plugin still waits for; `optional` ones left out."""
        missing: dict[str, tuple[str, ...]] = {}
        for fiber in self._fibers:
            if fiber.state == "pending" and not fiber.optional:
                number = sum(name.split(" #")[0] == fiber.name for name in missing) + 1
                missing[fiber.name if number == 1 else f"{fiber.name} #{number}"] = fiber.missing()
        return missing

    def settle(self) -> None:
        """Mount every waiting plugin that has its services. One that fails is reported and not tried again."""
        for fiber in tuple(self._fibers):
            if fiber.state == "pending" and not fiber.missing():
                try:
                    fiber.mount()
                except Exception as error:  # noqa: BLE001 - whoever provides a service is not to blame for its users
                    self._report(error, f"plugin `{fiber.name}`")


def bound(value: Any, context: object) -> Any:
    """The service as *context* sees it: bound to it where the service offers that."""
    bind = getattr(type(value), "bound_to", None)
    return value if bind is None else bind(value, context)
