"""Responses of the service, except the house. Times are epoch ms, energy is in Wh; later versions may add words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import HmError, refusal_in
from .shapes import made_by
from .states import SensorState, State, state_in


@dataclass(frozen=True, slots=True)
class Credential:
    """The credential of the request."""

    kind: str
    """key, agent or session."""
    name: str
    platform: str
    label: str


@dataclass(frozen=True, slots=True)
class Integration:
    """An integration and its permissions (Spec 2.1)."""

    id: str
    name: str
    credential: Credential
    settings: Mapping[str, str]
    """The eight knobs, by name."""
    people: str = "none"
    """Visibility of people: none, anyone or each."""
    reports: tuple[str, ...] = ()
    """The ids of persons whose presence it may report."""


@dataclass(frozen=True, slots=True)
class IntegrationAnswer:
    """The integration and credential of the request."""

    house: str
    gateway: str
    integration: Integration
    time_zone: str = ""
    currency: str = ""


@dataclass(frozen=True, slots=True)
class DeviceState:
    """A unit or gang with its state."""

    id: str
    name: str
    class_: str
    state: State | None = field(default=None, metadata=made_by(state_in))


@dataclass(frozen=True, slots=True)
class StateAnswer:
    """The state of every device."""

    house: str
    devices: tuple[DeviceState, ...]


@dataclass(frozen=True, slots=True)
class Sensor:
    """A sensor or meter with its last readings."""

    id: str
    name: str
    class_: str
    room: str | None
    floor: str | None
    readings: SensorState
    as_of: int | None
    """Time of its last report; None before the first."""


@dataclass(frozen=True, slots=True)
class SensorsAnswer:
    """All sensors and meters."""

    house: str
    sensors: tuple[Sensor, ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """The integration and credential that created a rule."""

    integration: str
    link: str


@dataclass(frozen=True, slots=True)
class SceneEntry:
    """A scene without its steps."""

    id: str
    name: str
    room: str | None
    floor: str | None
    icon: str | None
    revision: int
    members: tuple[str, ...]
    """The devices of its steps that this integration shows."""
    hidden_members: int
    running: bool
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class ScenesAnswer:
    """The scenes."""

    house: str
    scenes: tuple[SceneEntry, ...]


@dataclass(frozen=True, slots=True)
class GroupDetail:
    """A named group as this integration sees it."""

    id: str
    name: str
    members: tuple[str, ...]
    hidden_members: int
    revision: int
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class GroupsAnswer:
    """The named groups."""

    house: str
    groups: tuple[GroupDetail, ...]


@dataclass(frozen=True, slots=True)
class GroupAnswer:
    """One named group."""

    house: str
    group: GroupDetail


@dataclass(frozen=True, slots=True)
class CalendarEvent:
    """An event of a calendar, or one time of a repeated one."""

    title: str
    begins: int
    ends: int
    whole_days: bool
    """True for local dates without times."""


@dataclass(frozen=True, slots=True)
class HomeCalendar:
    """A calendar that rules can name, with its next events."""

    id: str
    name: str
    events: tuple[CalendarEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class CalendarsAnswer:
    """The calendars of the home."""

    house: str
    calendars: tuple[HomeCalendar, ...]


@dataclass(frozen=True, slots=True)
class Mode:
    """A mode that the home can have."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class HomeMode:
    """The mode of the home. Exactly one holds."""

    mode: str
    name: str
    since: int
    until: int | None = None
    """End of a temporary mode."""
    previous: str | None = None
    """The mode that returns after a temporary one."""
    modes: tuple[Mode, ...] = ()


@dataclass(frozen=True, slots=True)
class ModeAnswer(HomeMode):
    """The mode of the home, with its name."""

    house: str = ""


@dataclass(frozen=True, slots=True)
class Presence:
    """A presence: ``is_`` is home, away or unknown."""

    is_: str
    since: int | None = None


@dataclass(frozen=True, slots=True)
class PersonPresence(Presence):
    """A person and their presence."""

    id: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class People:
    """The presence of the home's people; ``persons`` is empty if only ``anyone`` is visible."""

    anyone: Presence
    persons: tuple[PersonPresence, ...] = ()


@dataclass(frozen=True, slots=True)
class PeopleAnswer(People):
    """The presence of the home's people, with its name."""

    house: str = ""


@dataclass(frozen=True, slots=True)
class ReportedPresence(Presence):
    """The presence of a person after a report."""

    house: str = ""
    person: str = ""


@dataclass(frozen=True, slots=True)
class SceneRun:
    """One run of a scene."""

    run_id: str


@dataclass(frozen=True, slots=True)
class SceneRunAnswer:
    """The scene has begun to run."""

    house: str
    device: str
    run: SceneRun


def _refusal_of(json: Mapping[str, Any]) -> HmError | None:
    # The response to several controls has status 200; a refusal inside it has no status.
    return refusal_in(200, json) if "error" in json else None


@dataclass(frozen=True, slots=True)
class ControlResult:
    """Result of one of several controls: a state, a run of a scene, or an error."""

    device: str
    state: Mapping[str, Any] | None = None
    """JSON of a state. ``state_of`` parses it by the class of the device."""
    run: SceneRun | None = None
    error: HmError | None = field(default=None, metadata=made_by(_refusal_of))


@dataclass(frozen=True, slots=True)
class ControlAnswer:
    """One result for each control, in the order of the request."""

    house: str
    results: tuple[ControlResult, ...]


@dataclass(frozen=True, slots=True)
class Cause:
    """The cause of an event; ``by`` is the cause of that cause."""

    source: str
    """person, automation, schedule, scene, integration, agent, voice, platform, unit or gateway."""
    name: str
    ref: str | None = None
    link: str | None = None
    confirmed_by: str | None = None
    by: Cause | None = None


@dataclass(frozen=True, slots=True)
class ExplainItem:
    """One reason."""

    kind: str
    source: str
    """live, or cache: the last confirmed state, which may be old."""
    at: int | None
    what: str
    """One sentence."""
    cause: Cause | None
    device: str | None
    as_of: int | None = None


@dataclass(frozen=True, slots=True)
class ExplainAnswer:
    """Explanation of a state; the first item answers the question."""

    house: str
    device: str
    from_: int
    to: int
    items: tuple[ExplainItem, ...]
    note: str


@dataclass(frozen=True, slots=True)
class ActivityEntry:
    """One event of the home."""

    id: str
    at: int
    device: str | None
    subject: str
    kind: str
    what: str
    cause: Cause
    data: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ActivityAnswer:
    """Events of the home, newest first; ``next_to`` is the ``to`` of the next page."""

    house: str
    entries: tuple[ActivityEntry, ...]
    next_to: int | None


@dataclass(frozen=True, slots=True)
class EnergyPart:
    """One part of the range."""

    at: int
    energy: float
    cost: float | None


@dataclass(frozen=True, slots=True)
class EnergyAnswer:
    """Energy and its cost; without a tariff no cost."""

    house: str
    scope: str
    from_: int
    to: int
    energy: float
    cost: float | None
    currency: str
    tariff: str | None
    series: tuple[EnergyPart, ...]


@dataclass(frozen=True, slots=True)
class IntentItem:
    """One setting of a device with its value."""

    intent: str
    title: str
    access: str
    """read_write or read_only."""
    value: Any
    source: str
    as_of: int | None
    guidance: str | None = None
    app_action: str | None = None


@dataclass(frozen=True, slots=True)
class IntentsAnswer:
    """Settings of a device, as its unit last confirmed them."""

    house: str
    device: str
    model: str | None
    access: str
    intents: tuple[IntentItem, ...]
    note: str


@dataclass(frozen=True, slots=True)
class IntentAnswer:
    """A setting that the unit confirmed after a change."""

    house: str
    device: str
    intent: IntentItem


@dataclass(frozen=True, slots=True)
class IntentDef:
    """Definition of an intent."""

    id: str
    title: str
    meaning: str
    access: str
    value: Mapping[str, Any]
    """The shape of its value, as JSON Schema 2020-12."""
    models: tuple[str, ...]
    per_gang: bool
    app_action: str | None = None
    guidance: str | None = None


@dataclass(frozen=True, slots=True)
class IntentDefsAnswer:
    """Every intent."""

    house: str
    intents: tuple[IntentDef, ...]
