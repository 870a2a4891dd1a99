"""States of devices by class, as their units confirmed them (Spec 2.3).

Words such as ``mode`` are plain text, since later versions may add some. ``as_of`` is the time of the last
confirmation, in epoch ms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from .shapes import maker_of


@dataclass(frozen=True, slots=True)
class SwitchState:
    """State of a light_switch, sense_switch or switch_gang."""

    as_of: int
    on: bool
    mode: str
    """auto, eco, manual or sleep: decides what controls the load."""


@dataclass(frozen=True, slots=True)
class DimmerState:
    """State of a light_dimmer."""

    as_of: int
    on: bool
    bri: int
    """Percent; kept while it is off."""
    mode: str


@dataclass(frozen=True, slots=True)
class CoverState:
    """State of a shutter, curtain or shutter_gang."""

    as_of: int
    pos: int
    """Percent open: 0 closed, 100 open."""
    move: str
    """stopped, opening or closing."""
    mode: str


@dataclass(frozen=True, slots=True)
class PowerState:
    """State of a power_switch."""

    as_of: int
    on: bool
    mode: str
    temp: float | None
    """The set point in degrees Celsius; None while it feeds no climate load."""


@dataclass(frozen=True, slots=True)
class AcState:
    """State of an ac."""

    as_of: int
    on: bool
    temp: float
    """The set point in degrees Celsius."""
    mode: str
    """auto, cool, heat, dry or fan_only."""
    fan: str
    """auto, low, medium or high."""


@dataclass(frozen=True, slots=True)
class GateState:
    """State of a gate."""

    as_of: int
    pos: int
    """Percent open."""
    move: str


@dataclass(frozen=True, slots=True)
class LockState:
    """State of a lock."""

    as_of: int
    locked: bool


@dataclass(frozen=True, slots=True)
class RemoteState:
    """State of an ir_remote."""

    as_of: int
    key: str | None
    """The last key sent; None before the first."""


@dataclass(frozen=True, slots=True)
class SensorState:
    """State of a sensor or meter, and readings of other units and gangs; None for missing readings."""

    as_of: int | None = None
    temperature: float | None = None
    """Degrees Celsius."""
    humidity: float | None = None
    """Relative, in percent."""
    light: float | None = None
    """Lux."""
    motion: bool | None = None
    co2: float | None = None
    """Parts per million."""
    door: bool | None = None
    """True: open."""
    battery: float | None = None
    """Percent."""
    power: float | None = None
    """Watts; 0 after a confirmed off."""
    smoke: bool | None = None
    """True from the report of smoke to the report of its end."""
    water: bool | None = None
    """True from the report of water to the report of its end."""
    tamper: bool | None = None
    """True while somebody tampers with the unit."""
    energy: float | None = None
    """The energy counter of the device in watt-hours, as last reported."""


@dataclass(frozen=True, slots=True)
class OtherState:
    """A state of an unknown class or shape."""

    values: Mapping[str, Any]
    """The JSON of the state."""


State = (
    SwitchState
    | DimmerState
    | CoverState
    | PowerState
    | AcState
    | GateState
    | LockState
    | RemoteState
    | SensorState
    | OtherState
)

_BY_CLASS: Final[Mapping[str, Callable[[Any], State]]] = {
    "light_switch": maker_of(SwitchState),
    "sense_switch": maker_of(SwitchState),
    "switch_gang": maker_of(SwitchState),
    "light_dimmer": maker_of(DimmerState),
    "shutter": maker_of(CoverState),
    "curtain": maker_of(CoverState),
    "shutter_gang": maker_of(CoverState),
    "power_switch": maker_of(PowerState),
    "ac": maker_of(AcState),
    "gate": maker_of(GateState),
    "lock": maker_of(LockState),
    "ir_remote": maker_of(RemoteState),
    "sensor": maker_of(SensorState),
    "meter": maker_of(SensorState),
}


def state_of(device_class: str, json: Any) -> State | None:
    """Parses the state of a device by its class; None before the unit's first answer."""
    if not isinstance(json, Mapping):
        return None
    make = _BY_CLASS.get(device_class)
    if make is None:
        return OtherState(json)
    try:
        return make(json)
    except (KeyError, TypeError):
        return OtherState(json)


def state_in(json: Mapping[str, Any]) -> State | None:
    """Parses the state in an object that also has the class."""
    return state_of(str(json.get("class")), json.get("state"))
