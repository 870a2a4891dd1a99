"""One home in Home Assistant: makes entities of its devices and passes changes on to them."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_track_time_interval

from . import problems
from .const import CONF_GATEWAY, OPTION_LIGHTS
from .devices import Devices
from .hm_gateway_client import (
    Client,
    HmClientError,
    HmError,
    Home,
    HomeCalendar,
    HomeChange,
    HomeDevice,
    IntegrationAnswer,
    SensorState,
    TrustError,
)
from .loads import Load, load_of
from .settings import Settings
from .shown import Shown

type HmConfigEntry = ConfigEntry[Hub]

LOGGER: Final = logging.getLogger(__name__)
CALENDARS_EACH: Final = timedelta(minutes=15)
"""The stream sends no event for changed events of calendars."""


class Hub:
    """Keeps devices and entities in step with the home and passes its changes on to their listeners."""

    def __init__(
        self, hass: HomeAssistant, entry: HmConfigEntry, client: Client, home: Home, integration: IntegrationAnswer
    ) -> None:
        """Follows the home only after ``prepare``."""
        self.hass = hass
        self.entry = entry
        self.client = client
        self.home = home
        self.integration = integration
        self.settings = Settings(
            client, self._tell_changed, lambda task: entry.async_create_task(hass, task, "hm_gateway settings")
        )
        self.devices = Devices(hass, entry, home)
        self.shown = Shown(hass, self)
        self.calendars: tuple[HomeCalendar, ...] = ()
        self._stands = False
        self._was_connected = True
        self._changed: set[str] = set()
        self._reported: dict[str, frozenset[str]] = {}
        self._loads: dict[str, Load | None] = {}
        self._listeners: defaultdict[str, list[Callable[[HomeChange], None]]] = defaultdict(list)
        self._stops: list[CALLBACK_TYPE] = []
        self._note_home()

    @property
    def gateway(self) -> str:
        """The serial of the gateway."""
        return str(self.entry.data[CONF_GATEWAY])

    @property
    def _shows_settings(self) -> bool:
        return self.integration.integration.settings.get(problems.SETTINGS) == problems.NEEDED[problems.SETTINGS]

    def is_light(self, device: HomeDevice) -> bool:
        """True if a switch feeds a lamp, by the home or by choice of the person who set this up."""
        return device.light is True or device.id in self.entry.options.get(OPTION_LIGHTS, ())

    async def prepare(self) -> None:
        """Reads the available settings, registers the devices, and begins to follow changes."""
        if self._shows_settings:
            await self.settings.prepare()
        self.calendars = await calendars_of(self.client)
        self.devices.register_gateway(self.integration.house)
        self._changed |= self.devices.keep_to_home()
        # Changes during the set-up of the platforms must not be lost.
        self._stops = [
            self.home.on_change(self._hear),
            async_track_time_interval(self.hass, self._renew_calendars, CALENDARS_EACH),
        ]

    @callback
    def listen(self, id: str, listener: Callable[[HomeChange], None]) -> CALLBACK_TYPE:
        """Calls a listener at each change of a device, sensor or scene. Returns a function that removes it."""
        self._listeners[id].append(listener)

        @callback
        def stop() -> None:
            self._listeners[id].remove(listener)

        return stop

    @callback
    def stand(self) -> None:
        """Removes entities of an earlier run that the home no longer has. All platforms must be set up."""
        self._stands = True
        self._keep_shown()

    async def close(self) -> None:
        """Stops following the home."""
        for stop in self._stops:
            stop()
        await self.home.close()

    @callback
    def refused(self, error: HmClientError) -> None:
        """Reports a failed command as a repair issue if a person has to act."""
        problems.tell(self.hass, self.entry, error)

    @callback
    def _hear(self, change: HomeChange) -> None:
        match change.what:
            case "sensor" if change.id is not None:
                self._show_new_readings(change.id)
                self._tell(change.id, change)
            case "touch" if change.id is not None:
                self._tell(change.id, change)
            case "device" | "scene" if change.id is not None:
                if change.intents:
                    self.settings.renew(change.id)
                self._take_load(change.id)
                self._tell(change.id, change)
            case "mode" | "people" | "message":
                self._tell(self.gateway, change)
            case "home":
                self._read_anew(change)
            case "connection":
                self._connection_changed(change)
            case "integration":
                self._renew_knobs()
            case "ended":
                self._ended(change)
            case _:
                # Home Assistant shows no automations and schedules of the home.
                pass

    @callback
    def _read_anew(self, change: HomeChange) -> None:
        self._note_home()
        self._changed |= self.devices.keep_to_home()
        self._keep_shown()
        self.settings.renew_all()
        self._tell_all(change)
        self._renew_calendars()

    @callback
    def _connection_changed(self, change: HomeChange) -> None:
        self._log_connection()
        if self.home.connected:
            problems.let_in(self.hass, self.entry)
            # The stream sends no event for knobs that changed while it was disconnected.
            self._renew_knobs()
        elif self.home.error is not None:
            problems.tell(self.hass, self.entry, self.home.error)
        self._tell_all(change)

    @callback
    def _log_connection(self) -> None:
        """Logs once that the gateway is away, and once that it is back."""
        if self.home.connected == self._was_connected:
            return
        self._was_connected = self.home.connected
        if self.home.connected:
            LOGGER.info("The gateway of %s is connected again", self.entry.title)
        else:
            LOGGER.warning(
                "The gateway of %s is not connected: %s", self.entry.title, self.home.error or "no reason known"
            )

    @callback
    def _ended(self, change: HomeChange) -> None:
        error = self.home.error
        self._log_connection()
        self._tell_all(change)
        if error is not None:
            problems.tell(self.hass, self.entry, error)
        if isinstance(error, TrustError) or (isinstance(error, HmError) and error.status == 401):
            self.entry.async_start_reauth(self.hass)
        else:
            self.hass.config_entries.async_schedule_reload(self.entry.entry_id)

    @callback
    def _renew_knobs(self) -> None:
        self.entry.async_create_task(self.hass, self._read_knobs(), "hm_gateway knobs")

    async def _read_knobs(self) -> None:
        """Updates the repair issues about knobs. Settings appear and disappear with their knob."""
        showed = self._shows_settings
        try:
            self.integration = await self.client.integration()
            shows_mode = await sees_mode(self.client)
        except HmClientError as error:
            # The stream ends with the same error and handles it.
            problems.tell(self.hass, self.entry, error)
            return
        problems.keep_to_knobs(self.hass, self.entry, self.integration.integration.settings)
        visible = (shows_mode, sees_people(self.integration))
        if self._shows_settings != showed or visible != (self.home.mode is not None, self.home.people is not None):
            self.hass.config_entries.async_schedule_reload(self.entry.entry_id)

    @callback
    def _renew_calendars(self, _: datetime | None = None) -> None:
        self.entry.async_create_task(self.hass, self._read_calendars(), "hm_gateway calendars")

    async def _read_calendars(self) -> None:
        """Updates the calendars. A failed read keeps the known ones."""
        try:
            self.calendars = await calendars_of(self.client)
        except HmClientError as error:
            LOGGER.debug("The calendars of %s were not read: %s", self.entry.title, error)
            return
        self._keep_shown()
        self._tell(self.gateway, HomeChange("home"))

    @callback
    def _show_new_readings(self, id: str) -> None:
        """Adds entities for readings that a unit reports for the first time."""
        device, reported = self.home.devices.get(id), _reported_in(self.home.sensors[id])
        if device is not None and not reported <= self._reported.get(id, frozenset()):
            self._reported[id] = reported | self._reported.get(id, frozenset())
            self.shown.add_new_of(device)

    @callback
    def _take_load(self, id: str) -> None:
        """Shows a power switch by its load, once the load is known."""
        device = self.home.devices.get(id)
        if device is not None and self._loads.get(id) != load_of(device):
            self._loads[id] = load_of(device)
            self._keep_shown()

    @callback
    def _keep_shown(self) -> None:
        if not self.shown.keep_to_home(self._changed):
            self.hass.config_entries.async_schedule_reload(self.entry.entry_id)
        # Before that, some platforms have not seen the changes yet.
        if self._stands:
            self._changed.clear()

    def _note_home(self) -> None:
        self._reported = {id: _reported_in(readings) for id, readings in self.home.sensors.items()}
        self._loads = {device.id: load_of(device) for device in self.home.devices.values()}

    @callback
    def _tell_changed(self, id: str) -> None:
        self._tell(id, HomeChange("device", id))

    @callback
    def _tell(self, id: str, change: HomeChange) -> None:
        for listener in list(self._listeners.get(id, ())):
            listener(change)

    @callback
    def _tell_all(self, change: HomeChange) -> None:
        for id in list(self._listeners):
            self._tell(id, change)


async def sees_mode(client: Client) -> bool:
    """True if the integration sees the mode of the home. Older gateways have none."""
    try:
        await client.mode()
    except HmError as error:
        if error.status == 404:
            return False
        raise
    return True


async def calendars_of(client: Client) -> tuple[HomeCalendar, ...]:
    """The calendars that the integration sees. Older gateways have none."""
    try:
        return (await client.calendars()).calendars
    except HmError as error:
        if error.status == 404:
            return ()
        raise


def sees_people(integration: IntegrationAnswer) -> bool:
    """True if the integration sees whether anyone is home."""
    return integration.integration.people != "none"


def _reported_in(readings: SensorState) -> frozenset[str]:
    return frozenset(field.name for field in fields(readings) if getattr(readings, field.name) is not None)
