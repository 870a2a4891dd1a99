"""Names that more than one part of the integration uses."""

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
"""Ids of switches that are shown as lights though the home does not say that they feed a lamp."""

PLATFORMS: Final = [
    Platform.BINARY_SENSOR,
    Platform.CLIMATE,
    Platform.COVER,
    Platform.LIGHT,
    Platform.LOCK,
    Platform.NUMBER,
    Platform.REMOTE,
    Platform.SCENE,
    Platform.SELECT,
    Platform.SENSOR,
    Platform.SWITCH,
]
