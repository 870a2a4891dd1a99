"""The connection code: addresses of a gateway, fingerprint of its CA, and a token in one text."""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass, field
from typing import Final

PREFIX: Final = "hmc1_"
_ADDRESS: Final = re.compile(r"https://[A-Za-z0-9_.:\[\]-]+", re.ASCII)
_TOKEN: Final = re.compile(r"[!-~]+")
_FINGERPRINT_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Connection:
    """Content of a connection code; as secret as its token."""

    addresses: tuple[str, ...]
    """``https://…:8490``, the most likely address first."""
    fingerprint: str
    """SHA-256 of the gateway's CA, upper-case hex pairs joined by colons."""
    token: str = field(repr=False)


def encode_connection_code(connection: Connection) -> str:
    """Makes a connection code."""
    digest = bytes.fromhex(connection.fingerprint.replace(":", ""))
    content = {"u": list(connection.addresses), "f": _to_base64(digest), "t": connection.token}
    return PREFIX + _to_base64(json.dumps(content, separators=(",", ":")).encode())


def decode_connection_code(code: str) -> Connection | None:
    """Reads a connection code; None for any other text. White space does not count."""
    text = re.sub(r"\s+", "", code)
    if not text.startswith(PREFIX):
        return None
    try:
        content: object = json.loads(_from_base64(text.removeprefix(PREFIX)))
        return _connection_in(content)
    except (ValueError, binascii.Error):
        return None


def fingerprint_text(digest: bytes) -> str:
    """A digest as upper-case hex pairs joined by colons."""
    return ":".join(f"{byte:02X}" for byte in digest)


def _connection_in(content: object) -> Connection | None:
    if not isinstance(content, dict):
        return None
    addresses, fingerprint, token = content.get("u"), content.get("f"), content.get("t")
    if not isinstance(addresses, list) or not addresses or not all(_is_address(address) for address in addresses):
        return None
    if not isinstance(fingerprint, str) or not isinstance(token, str) or not _TOKEN.fullmatch(token):
        return None
    digest = _from_base64(fingerprint)
    if len(digest) != _FINGERPRINT_BYTES:
        return None
    return Connection(tuple(addresses), fingerprint_text(digest), token)


def _is_address(value: object) -> bool:
    return isinstance(value, str) and _ADDRESS.fullmatch(value) is not None


def _to_base64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _from_base64(text: str) -> bytes:
    standard = text.replace("-", "+").replace("_", "/")
    return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
