"""Trust in the gateway's own CA alone, by its fingerprint (docs/tls.md)."""

from __future__ import annotations

import asyncio
import hashlib
import re
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import aiohttp
from yarl import URL

from .connection_code import fingerprint_text
from .errors import HmConnectionError, TrustError

CA_BYTES_MAX: Final = 64 * 1024
"""Largest response that can hold a CA certificate; a real one is far smaller."""
CA_WAIT_S: Final = 10
"""Timeout for fetching the CA of a gateway."""

_CERTIFICATE: Final = re.compile(r"-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----")


@dataclass(frozen=True, slots=True)
class Ca:
    """A CA and its fingerprint."""

    pem: str
    """One certificate."""
    fingerprint: str
    """SHA-256, upper-case hex pairs joined by colons."""


@dataclass(frozen=True, slots=True)
class Place:
    """Destination of a connection: an address, directly or through a relay."""

    address: str
    """``https://host:port``, of the gateway."""
    through: str | None = None
    """``host:port`` of the relay."""

    def url(self, target: str, scheme: str = "https") -> URL:
        """URL of an encoded path."""
        host = self.address.removeprefix("https://") if self.through is None else self.through
        return URL(f"{scheme}://{host}{target}", encoded=True)

    @property
    def server_name(self) -> str | None:
        """Name that the certificate must have, if the URL has another."""
        return None if self.through is None else URL(self.address).host

    @property
    def headers(self) -> dict[str, str]:
        """Headers that name the gateway if the URL names a relay."""
        return {} if self.through is None else {"host": self.address.removeprefix("https://")}


def ca_of(pem: str) -> Ca:
    """The first certificate of a PEM text; raises ValueError for a text without one."""
    found = _CERTIFICATE.search(pem)
    if found is None:
        raise ValueError("There is no certificate in this text.")
    content = ssl.PEM_cert_to_DER_cert(found[0])
    return Ca(found[0] + "\n", fingerprint_text(hashlib.sha256(content).digest()))


async def tls_context(ca: Ca | None) -> ssl.SSLContext:
    """TLS 1.3 context that trusts this CA alone; None for the CAs of the machine. Made in a thread: it reads files."""
    return await asyncio.to_thread(_context, ca)


async def trusted_ca(
    session: aiohttp.ClientSession, addresses: Sequence[str], fingerprint: str, through: str | None = None
) -> tuple[Ca, str]:
    """Fetches the CA from all addresses at once; returns the first with the expected fingerprint, and its address.

    These connections are unverified, so they carry no secret, and only the fingerprint proves the CA. Raises TrustError
    if only other CAs were found, HmConnectionError if no address responds.
    """

    async def fetch(address: str) -> tuple[Ca, str]:
        return await served_ca(session, Place(address, through)), address

    fetches = [asyncio.ensure_future(fetch(address)) for address in addresses]
    other: TrustError | None = None
    try:
        for done in asyncio.as_completed(fetches):
            try:
                ca, address = await done
            except (aiohttp.ClientError, OSError, ValueError, TimeoutError):
                continue
            if ca.fingerprint == fingerprint:
                return ca, address
            other = other or TrustError(fingerprint, ca.fingerprint)
    finally:
        for one in fetches:
            one.cancel()
        await asyncio.gather(*fetches, return_exceptions=True)
    raise other or HmConnectionError(f"No gateway answers at {', '.join(addresses)}.", is_sent=False)


async def served_ca(session: aiohttp.ClientSession, place: Place) -> Ca:
    """Fetches the CA of a gateway over an unverified connection; raises ValueError for any other content."""
    # A context of its own, so that no unverified connection is reused.
    unverified = await asyncio.to_thread(_unverified)
    async with (
        asyncio.timeout(CA_WAIT_S),
        session.get(
            place.url("/ca.pem"),
            ssl=unverified,
            server_hostname=place.server_name,
            headers={**place.headers, "connection": "close"},
            allow_redirects=False,
        ) as answer,
    ):
        content = b""
        async for chunk in answer.content.iter_any():
            content += chunk
            if len(content) > CA_BYTES_MAX:
                raise ValueError("The response is too large for a CA.")
    return ca_of(content.decode("ascii", "replace"))


async def is_trusted(session: aiohttp.ClientSession, address: str, ca: str | None) -> bool:
    """True if an address presents a certificate of this CA, PEM; None for the CAs of the machine.

    The request carries no token, and its response does not matter.
    """
    try:
        context = await tls_context(None if ca is None else ca_of(ca))
        async with (
            asyncio.timeout(CA_WAIT_S),
            session.get(
                Place(address).url("/ca.pem"), ssl=context, headers={"connection": "close"}, allow_redirects=False
            ),
        ):
            return True
    except (aiohttp.ClientError, OSError, ValueError, TimeoutError):
        return False


def _context(ca: Ca | None) -> ssl.SSLContext:
    context = ssl.create_default_context() if ca is None else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    if ca is not None:
        context.load_verify_locations(cadata=ca.pem)
    return context


def _unverified() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
