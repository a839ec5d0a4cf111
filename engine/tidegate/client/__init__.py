"""A client of the decision service that fails closed: whatever is not an allow that was read whole and in time is none.

It needs the standard library, and the async one anyio; neither imports what the service is made of.
"""

from .asking import AsyncClient, Client

__all__ = ["AsyncClient", "Client"]
