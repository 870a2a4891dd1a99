"""Connecting to a home by a connection code or by its parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import aiohttp

from .aiohttp_transport import AiohttpTransport
from .client import Client
from .connection_code import decode_connection_code
from .errors import ConnectionCodeError
from .transport import Timing
from .trust import Ca, ca_of, tls_context, trusted_ca

_OWN_NAME: Final = re.compile(r"https://hm-[a-z0-9]+\.local(?::\d+)?")
"""Own name of a gateway, by which a relay routes a connection."""


async def connect(
    session: aiohttp.ClientSession, code: str, *, through: str | None = None, timing: Timing | None = None
) -> Client:
    """Connects to a home by its connection code.

    The client fetches the gateway's CA, compares it with the fingerprint in the code, and then trusts only that CA.
    ``through`` is the ``host:port`` of a relay that passes encrypted connections on (docs/relay.md#end-to-end). Raises
    ConnectionCodeError for a malformed code, TrustError for another CA, HmConnectionError if no gateway responds.
    """
    connection = decode_connection_code(code)
    if connection is None:
        raise ConnectionCodeError("This is not a connection code. Copy the whole text that begins with hmc1_.")
    return await connect_to(
        session,
        connection.addresses,
        connection.token,
        fingerprint=connection.fingerprint,
        through=through,
        timing=timing,
    )


async def connect_to(
    session: aiohttp.ClientSession,
    addresses: str | Sequence[str],
    token: str,
    *,
    ca: str | None = None,
    fingerprint: str | None = None,
    through: str | None = None,
    timing: Timing | None = None,
) -> Client:
    """Connects to a home by the parts of a code: ``https://…`` of a gateway, or of the relay in front of it.

    ``ca`` is the only CA to trust, PEM; ``fingerprint`` identifies the CA to fetch. With neither, the CAs of the
    machine are trusted, for a relay with a public certificate. With ``ca`` no request is sent before the first call.
    """
    urls = [url.rstrip("/") for url in ([addresses] if isinstance(addresses, str) else addresses)]
    usable = urls if through is None else [url for url in urls if _OWN_NAME.fullmatch(url)]
    if not usable:
        raise ConnectionCodeError(
            "Through a relay the gateway is named by its own name: https://hm-<serial>.local:8490."
            if urls
            else "There is no address to connect to."
        )
    trusted: Ca | None = None
    found: str | None = None
    if ca is not None:
        trusted = ca_of(ca)
    elif fingerprint is not None:
        trusted, found = await trusted_ca(session, usable, fingerprint, through)
    context = await tls_context(trusted)
    transport = AiohttpTransport(session, usable, token, ca=trusted, context=context, through=through, found=found)
    return Client(transport, timing, ca=trusted)
