"""The way in: by the code that was shown with a token, or by its parts."""

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
"""The name by which a relay knows whom a connection is for."""


async def connect(
    session: aiohttp.ClientSession, code: str, *, through: str | None = None, timing: Timing | None = None
) -> Client:
    """A client of a home, by the connection code that was shown with its token.

    The gateway's CA is fetched, compared with the fingerprint in the code, and is then the only one that is trusted.
    ``through`` is the ``host:port`` of a relay that passes on what it cannot read (docs/relay.md#end-to-end). Raises
    ConnectionCodeError for what is no code, TrustError where another CA answers, HmConnectionError where none does.
    """
    connection = decode_connection_code(code)
    if connection is None:
        raise ConnectionCodeError("This is no connection code: it begins with hmc1_ and is copied as a whole.")
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
    """The same by the parts of a code: ``https://…`` of a gateway, or of the relay that it is reached through.

    ``ca`` is the only CA to trust, PEM, or ``fingerprint`` that by which it is fetched. With neither, those count that
    the machine trusts, for a relay with a public certificate. With ``ca`` nothing is asked before the first call.
    """
    given = [each.rstrip("/") for each in ([addresses] if isinstance(addresses, str) else addresses)]
    usable = given if through is None else [each for each in given if _OWN_NAME.fullmatch(each)]
    if not usable:
        raise ConnectionCodeError(
            "Through a relay the gateway is named by its own name: https://hm-<serial>.local:8490."
            if given
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
