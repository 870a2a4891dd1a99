"""Errors of a call: a refusal, another CA, or no response."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode


class HmClientError(Exception):
    """Base class of all errors of the client."""


class HmError(HmClientError):
    """A refusal of the service: a code, one sentence, and a remedy if there is one (Spec 7)."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        app_action: str | None = None,
        retry_after: float | None = None,
        at: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status; over the stream the one that HTTPS would answer."""
        self.code = code
        """Error code of the service. Later versions may add codes."""
        self.message = message
        """One plain sentence for a person."""
        self.app_action = app_action
        """Place in the home's app where the user can fix it, or None."""
        self.retry_after = retry_after
        """Seconds to wait before a retry, or None."""
        self.at = at
        """The refused part of a rule, a JSON Pointer such as /if/0/any/1, or None."""


class TrustError(HmClientError):
    """The gateway has another CA than the trusted one. Tell the user, who decides."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(
            f"The gateway's CA is not the one that is trusted: {found} instead of {expected}. "
            "Either an administrator created a new one, or another server answers in its place. "
            "Compare it with what `bin/hm tls show` prints."
        )
        self.expected = expected
        """SHA-256 of the trusted CA, upper-case hex pairs joined by colons."""
        self.found = found
        """SHA-256 of the CA that the gateway presented."""


class HmConnectionError(HmClientError):
    """No response arrived. The gateway may have made the change, unless ``is_sent`` is False."""

    def __init__(self, message: str, *, is_sent: bool) -> None:
        super().__init__(message)
        self.is_sent = is_sent
        """False if the request cannot have arrived: there was no connection."""


class ConnectionCodeError(HmClientError, ValueError):
    """A malformed connection code, or one without a usable address."""


def refusal_in(status: int, body: object) -> HmError:
    """The refusal in a response.

    A body without the Error shape, for example from another server, gives the code ``unknown``. Pairing responds with a
    bare word, which is the code.
    """
    error = body.get("error") if isinstance(body, Mapping) else None
    if isinstance(error, str):
        return HmError(status, error, error)
    if not isinstance(error, Mapping) or not isinstance(error.get("code"), str):
        return not_the_service(status)
    code, message = error["code"], error.get("message")
    return HmError(
        status,
        code,
        message if isinstance(message, str) else code,
        app_action=_text_in(error, "appAction"),
        at=_text_in(error, "at"),
        retry_after=_number_in(error, "retryAfter"),
    )


def not_the_service(status: int) -> HmError:
    """The refusal for a response that does not come from the service."""
    return HmError(status, "unknown", f"The response is not from the service: status {status} without an error code.")


def console_link(
    error: HmError, gateway: str, *, integration: str | None = None, device: str | None = None
) -> str | None:
    """Link into the gateway's console, to the page where an administrator can fix a refusal; None if no page can.

    ``gateway`` is its address, ``https://host:port``. A relay serves no console.
    """
    if error.app_action is None:
        return None
    named = {name: value for name, value in (("integration", integration), ("device", device)) if value is not None}
    query = f"?{urlencode(named)}" if named else ""
    return f"{gateway.rstrip('/')}/console/go/{quote(error.app_action, safe='')}{query}"


def _text_in(error: Mapping[str, Any], name: str) -> str | None:
    value = error.get(name)
    return value if isinstance(value, str) else None


def _number_in(error: Mapping[str, Any], name: str) -> int | float | None:
    value = error.get(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
