"""Events of the stream (Spec 6). Each has ``at`` in epoch ms, the ``house`` and a growing ``seq``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .answers import HomeMode, People
from .shapes import made_by, maker_of
from .states import SensorState, State, state_in


@dataclass(frozen=True, slots=True)
class StateEvent:
    """A unit's or gang's state changed, or its settings did."""

    at: int
    house: str
    seq: int
    device: str
    class_: str
    state: State | None = field(default=None, metadata=made_by(state_in))
    reachable: bool | None = None
    """False: the unit or module stopped answering. True: it answers again. Otherwise None."""
    intents: tuple[str, ...] = ()
    """Settings that its unit has just confirmed; the state may be unchanged."""


@dataclass(frozen=True, slots=True)
class SensorEvent:
    """Readings: all that the unit has, not only those that changed."""

    at: int
    house: str
    seq: int
    device: str
    class_: str
    state: SensorState


@dataclass(frozen=True, slots=True)
class SceneState:
    """State of a scene."""

    running: bool


@dataclass(frozen=True, slots=True)
class SceneEvent:
    """A scene began to run, or ended."""

    at: int
    house: str
    seq: int
    device: str
    state: SceneState


@dataclass(frozen=True, slots=True)
class ListChange:
    """A change of a list."""

    id: str
    revision: int
    change: str
    """created, edited, enabled, disabled, paused or deleted."""


@dataclass(frozen=True, slots=True)
class ListEvent:
    """A scene, automation or schedule was created, deleted or edited."""

    at: int
    house: str
    seq: int
    event: str
    """scenes, automations or schedules."""
    state: ListChange


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """Paths to read again."""

    read: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExposureEvent:
    """The exposure of the integration changed."""

    at: int
    house: str
    seq: int
    state: ReadAgain


@dataclass(frozen=True, slots=True)
class IntegrationEvent:
    """The integration was edited, its knobs for instance."""

    at: int
    house: str
    seq: int
    state: ReadAgain


@dataclass(frozen=True, slots=True)
class ModeEvent:
    """The mode of the home, its end or the list of modes changed. Only for subscribers of the topic ``mode``."""

    at: int
    house: str
    seq: int
    state: HomeMode


@dataclass(frozen=True, slots=True)
class PresenceEvent:
    """The presence of visible people changed. Only for subscribers of the topic ``presence``."""

    at: int
    house: str
    seq: int
    state: People


@dataclass(frozen=True, slots=True)
class MessageState:
    """A message for people."""

    id: str
    at: int
    kind: str
    """smoke, tell and the like; the kinds grow."""
    urgency: str
    """normal, high or alarm."""
    title: str
    change: str
    """new, repeat, or update: it was acknowledged, or its condition ended."""
    go: str | None = None
    """Path of the console's page that helps."""
    acknowledged: int | None = None
    ended: int | None = None
    repeat: int = 0
    """Number of repetitions so far."""


@dataclass(frozen=True, slots=True)
class MessageEvent:
    """A message was sent, repeated or acknowledged, or its condition ended. Only with the topic ``message``."""

    at: int
    house: str
    seq: int
    state: MessageState
    device: str | None = None


@dataclass(frozen=True, slots=True)
class Touch:
    """A touch of a key."""

    key: str
    """up, mode, down, side_left or side_right."""
    press: str
    """short, or long: two seconds or more."""


@dataclass(frozen=True, slots=True)
class TouchEvent:
    """A key was touched, whether or not a state changed. Only for subscribers of the topic ``touch``."""

    at: int
    house: str
    seq: int
    device: str
    class_: str
    state: Touch


@dataclass(frozen=True, slots=True)
class OtherEvent:
    """An event of a kind that this client does not know."""

    event: str
    values: Mapping[str, Any]
    """The JSON of the event."""


Event = (
    StateEvent
    | SensorEvent
    | SceneEvent
    | ListEvent
    | ExposureEvent
    | IntegrationEvent
    | ModeEvent
    | PresenceEvent
    | MessageEvent
    | TouchEvent
    | OtherEvent
)

_BY_KIND: Final[Mapping[str, Callable[[Any], Event]]] = {
    "state": maker_of(StateEvent),
    "sensor": maker_of(SensorEvent),
    "scene": maker_of(SceneEvent),
    "scenes": maker_of(ListEvent),
    "automations": maker_of(ListEvent),
    "schedules": maker_of(ListEvent),
    "exposure": maker_of(ExposureEvent),
    "integration": maker_of(IntegrationEvent),
    "mode": maker_of(ModeEvent),
    "presence": maker_of(PresenceEvent),
    "message": maker_of(MessageEvent),
    "touch": maker_of(TouchEvent),
}


def event_of(json: Mapping[str, Any]) -> Event:
    """Parses an event; an OtherEvent if its kind or shape is unknown."""
    kind = str(json.get("event"))
    make = _BY_KIND.get(kind)
    if make is None:
        return OtherEvent(kind, json)
    try:
        return make(json)
    except (KeyError, TypeError):
        return OtherEvent(kind, json)
