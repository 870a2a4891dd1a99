"""What can become of a call besides an answer: a refusal, another CA, or nothing at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode


class HmClientError(Exception):
    """What all errors of the client have in common."""


class HmError(HmClientError):
    """A refusal of the service: one code, one plain sentence, and what can be done about it (Spec 7)."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        app_action: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status; over the stream the one that HTTPS would answer."""
        self.code = code
        """One of the codes of the service; codes grow."""
        self.message = message
        """One plain sentence for a person."""
        self.app_action = app_action
        """Where in the home's app the user can mend it; None where nowhere."""
        self.retry_after = retry_after
        """Seconds after which to try again; None where nothing says so."""


class TrustError(HmClientError):
    """The gateway that answers has another CA than the one that is trusted: tell the user, who decides."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(
            f"The gateway's CA is not the one that is trusted: {found} instead of {expected}. "
            "Either an administrator made a new one, or something else answers in the gateway's place. "
            "Compare it with what `bin/hm tls show` prints."
        )
        self.expected = expected
        """SHA-256 of the CA that is trusted, upper-case hex pairs joined by colons."""
        self.found = found
        """The same of the CA that was found."""


class HmConnectionError(HmClientError):
    """No answer came. Whether a change was made is not known, unless ``is_sent`` is False."""

    def __init__(self, message: str, *, is_sent: bool) -> None:
        super().__init__(message)
        self.is_sent = is_sent
        """False where the request cannot have arrived: there was no connection to send it over."""


class ConnectionCodeError(HmClientError, ValueError):
    """A text that is no connection code, or names no address that can be used."""


def refusal_in(status: int, body: object) -> HmError:
    """The refusal in an answer.

    What is no Error shape, as of something that is not the gateway, has the code ``unknown``; the words that pairing
    answers with are codes by themselves.
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
        retry_after=_number_in(error, "retryAfter"),
    )


def not_the_service(status: int) -> HmError:
    """The refusal that stands for an answer which the service does not give."""
    return HmError(status, "unknown", f"What answered is not the service: it said {status} and no more.")


def console_link(
    error: HmError, gateway: str, *, integration: str | None = None, device: str | None = None
) -> str | None:
    """Where an administrator mends a refusal, as a link into the gateway's console; None where nobody can.

    ``gateway`` is its address, ``https://host:port``; through a relay it has no console.
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
