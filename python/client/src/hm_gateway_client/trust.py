"""Whom to trust: the gateway's own CA, known by its fingerprint, and nobody else (docs/tls.md)."""

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
"""What a CA's certificate comes in is far smaller."""
CA_WAIT_S: Final = 10
"""A gateway that does not hand out its CA within this is taken for absent."""

_CERTIFICATE: Final = re.compile(r"-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----")


@dataclass(frozen=True, slots=True)
class Ca:
    """A CA, and the fingerprint that it is known by."""

    pem: str
    """One certificate."""
    fingerprint: str
    """SHA-256, upper-case hex pairs joined by colons."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a connection goes: to an address itself, or to a relay that passes on what is said to it."""

    address: str
    """``https://host:port``, of the gateway."""
    through: str | None = None
    """``host:port`` of the relay."""

    def url(self, target: str, scheme: str = "https") -> URL:
        """Where a path is asked for; it is encoded already."""
        host = self.address.removeprefix("https://") if self.through is None else self.through
        return URL(f"{scheme}://{host}{target}", encoded=True)

    @property
    def server_name(self) -> str | None:
        """The name that the certificate has to have, where it is not that of the URL."""
        return None if self.through is None else URL(self.address).host

    @property
    def headers(self) -> dict[str, str]:
        """What a request says of whom it is for, where the URL does not."""
        return {} if self.through is None else {"host": self.address.removeprefix("https://")}


def ca_of(pem: str) -> Ca:
    """The first certificate of a PEM text; raises ValueError for a text without one."""
    found = _CERTIFICATE.search(pem)
    if found is None:
        raise ValueError("There is no certificate in this text.")
    content = ssl.PEM_cert_to_DER_cert(found[0])
    return Ca(found[0] + "\n", fingerprint_text(hashlib.sha256(content).digest()))


async def tls_context(ca: Ca | None) -> ssl.SSLContext:
    """TLS 1.3 that trusts this CA alone, or with None those of the machine; made in a thread, since it reads."""
    return await asyncio.to_thread(_context, ca)


async def trusted_ca(
    session: aiohttp.ClientSession, addresses: Sequence[str], fingerprint: str, through: str | None = None
) -> tuple[Ca, str]:
    """Asks each address for the gateway's CA, all at once: the first that is the expected one, and where it answered.

    Nothing is verified on the way, so nothing secret is sent, and what comes counts only by its fingerprint. Raises
    TrustError where another CA answers and none that fits, HmConnectionError where none answers.
    """

    async def ask(address: str) -> tuple[Ca, str]:
        return await served_ca(session, Place(address, through)), address

    asked = [asyncio.ensure_future(ask(each)) for each in addresses]
    other: TrustError | None = None
    try:
        for done in asyncio.as_completed(asked):
            try:
                ca, address = await done
            except (aiohttp.ClientError, OSError, ValueError, TimeoutError):
                continue
            if ca.fingerprint == fingerprint:
                return ca, address
            other = other or TrustError(fingerprint, ca.fingerprint)
    finally:
        for each in asked:
            each.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
    raise other or HmConnectionError(f"No gateway answers at {', '.join(addresses)}.", is_sent=False)


async def served_ca(session: aiohttp.ClientSession, place: Place) -> Ca:
    """The CA that a gateway hands out, unverified; raises ValueError for what is none."""
    # A context of its own, so that no connection that was not verified is ever used again.
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
                raise ValueError("What came is too large for a CA.")
    return ca_of(content.decode("ascii", "replace"))


async def is_trusted(session: aiohttp.ClientSession, address: str, ca: str | None) -> bool:
    """Whether an address shows a certificate of this CA, PEM, or with None of one that the machine trusts.

    The request has no token. Nothing but the certificate counts.
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
