"""Loads of switches, as far as the home knows them."""

from __future__ import annotations

from typing import Final, Literal

from .hm_gateway_client import HomeDevice, PowerState

SWITCHES: Final = ("power_switch", "sense_switch", "switch_gang")
"""Classes of switches, whose load the class does not name."""

type Load = Literal["climate", "plain"]


def load_of(device: HomeDevice) -> Load | None:
    """Load of a switch; None for other devices, and for a power switch that has never answered.

    Only the state of a power switch shows a climate load: it then has a set point (Spec 2.3).
    """
    if device.class_ not in SWITCHES:
        return None
    if device.class_ != "power_switch":
        return "plain"
    if not isinstance(device.state, PowerState):
        return None
    return "plain" if device.state.temp is None else "climate"
