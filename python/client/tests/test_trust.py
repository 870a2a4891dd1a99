"""What an address has to show before it is kept."""

from __future__ import annotations

from pathlib import Path

from conftest import Visit
from gateway import Gateway
from hm_gateway_client import is_trusted


async def test_an_address_is_trusted_by_the_certificate_that_it_shows(visitor: Visit, tmp_path: Path) -> None:
    ca = visitor.client.ca
    assert ca is not None
    assert await is_trusted(visitor.session, visitor.gateway.url, ca.pem)
    # The machine trusts no gateway's own CA.
    assert not await is_trusted(visitor.session, visitor.gateway.url, None)
    assert not await is_trusted(visitor.session, "https://127.0.0.1:9", ca.pem)
    other = await Gateway(tmp_path).start()
    try:
        assert not await is_trusted(visitor.session, other.url, ca.pem)
    finally:
        await other.kill()
