"""Names for several parts of the integration."""

from typing import Final

from homeassistant.const import Platform

DOMAIN: Final = "hm_gateway"

CONF_ADDRESSES: Final = "addresses"
CONF_CA: Final = "ca"
CONF_CODE: Final = "code"
CONF_FINGERPRINT: Final = "fingerprint"
CONF_GATEWAY: Final = "gateway"
CONF_INTEGRATION: Final = "integration"

OPTION_LIGHTS: Final = "lights"
"""Ids of switches that a person chose to show as lights."""

PLATFORMS: Final = [
    Platform.BINARY_SENSOR,
    Platform.CALENDAR,
    Platform.CLIMATE,
    Platform.COVER,
    Platform.EVENT,
    Platform.LIGHT,
    Platform.LOCK,
    Platform.NUMBER,
    Platform.REMOTE,
    Platform.SCENE,
    Platform.SELECT,
    Platform.SENSOR,
    Platform.SWITCH,
]
