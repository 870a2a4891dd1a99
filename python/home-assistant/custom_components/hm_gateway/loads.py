"""What switches feed, as far as the home says it."""

from __future__ import annotations

from typing import Final, Literal

from .hm_gateway_client import HomeDevice, PowerState

SWITCHES: Final = ("power_switch", "sense_switch", "switch_gang")
"""The classes that switch something which their class does not name."""

type Load = Literal["climate", "plain"]


def load_of(device: HomeDevice) -> Load | None:
    """What a switch feeds; None of anything else, and of a power switch that was never heard.

    A power switch says by its state alone that it feeds a climate load: it then confirms a set point (Spec 2.3).
    """
    if device.class_ not in SWITCHES:
        return None
    if device.class_ != "power_switch":
        return "plain"
    if not isinstance(device.state, PowerState):
        return None
    return "plain" if device.state.temp is None else "climate"
