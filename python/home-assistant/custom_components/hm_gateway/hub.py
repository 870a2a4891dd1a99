"""One home in Home Assistant: what it has becomes entities, and what changes there is told to them."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import fields
from typing import Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback

from . import problems
from .const import CONF_GATEWAY, OPTION_LIGHTS
from .devices import Devices
from .hm_gateway_client import (
    Client,
    HmClientError,
    HmError,
    Home,
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


class Hub:
    """Keeps all that stands in Home Assistant to what the home shows, and hands changes to whom they are about."""

    def __init__(
        self, hass: HomeAssistant, entry: HmConfigEntry, client: Client, home: Home, integration: IntegrationAnswer
    ) -> None:
        """Nothing is followed before ``prepare``."""
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
        self._stands = False
        self._was_connected = True
        self._changed: set[str] = set()
        self._told: dict[str, frozenset[str]] = {}
        self._loads: dict[str, Load | None] = {}
        self._listeners: defaultdict[str, list[Callable[[HomeChange], None]]] = defaultdict(list)
        self._stop: CALLBACK_TYPE | None = None
        self._note_home()

    @property
    def gateway(self) -> str:
        """The serial of the gateway."""
        return str(self.entry.data[CONF_GATEWAY])

    @property
    def _shows_settings(self) -> bool:
        return self.integration.integration.settings.get(problems.SETTINGS) == problems.NEEDED[problems.SETTINGS]

    def is_light(self, device: HomeDevice) -> bool:
        """Whether a switch feeds a lamp: the home says so, or the person who set this up does."""
        return device.light is True or device.id in self.entry.options.get(OPTION_LIGHTS, ())

    async def prepare(self) -> None:
        """Reads what settings there are, and makes the gateway and the modules devices; then follows what changes."""
        if self._shows_settings:
            await self.settings.prepare()
        self.devices.register_gateway(self.integration.house)
        self._changed |= self.devices.keep_to_home()
        # What changes while the platforms are set up is heard too.
        self._stop = self.home.on_change(self._hear)

    @callback
    def listen(self, id: str, listener: Callable[[HomeChange], None]) -> CALLBACK_TYPE:
        """Calls a listener with each change of a device, sensor or scene; what it answers stops that."""
        self._listeners[id].append(listener)

        @callback
        def stop() -> None:
            self._listeners[id].remove(listener)

        return stop

    @callback
    def stand(self) -> None:
        """Removes what stood when Home Assistant ran last and is not there any more, once all platforms are set up."""
        self._stands = True
        self._keep_shown()

    async def close(self) -> None:
        """Stops to follow."""
        if self._stop is not None:
            self._stop()
        await self.home.close()

    @callback
    def refused(self, error: HmClientError) -> None:
        """Tells of what a command could not do, where a person has to mend it."""
        problems.tell(self.hass, self.entry, error)

    @callback
    def _hear(self, change: HomeChange) -> None:
        match change.what:
            case "sensor" if change.id is not None:
                self._show_new_readings(change.id)
                self._tell(change.id, change)
            case "device" | "scene" if change.id is not None:
                if change.intents:
                    self.settings.renew(change.id)
                self._take_load(change.id)
                self._tell(change.id, change)
            case "home":
                self._read_anew(change)
            case "connection":
                self._connection_changed(change)
            case "integration":
                self._renew_knobs()
            case "ended":
                self._ended(change)
            case _:
                # Automations and schedules are not shown here.
                pass

    @callback
    def _read_anew(self, change: HomeChange) -> None:
        self._note_home()
        self._changed |= self.devices.keep_to_home()
        self._keep_shown()
        self.settings.renew_all()
        self._tell_all(change)

    @callback
    def _connection_changed(self, change: HomeChange) -> None:
        self._log_connection()
        if self.home.connected:
            problems.let_in(self.hass, self.entry)
            # What was turned while nobody listened is told by no event.
            self._renew_knobs()
        elif self.home.error is not None:
            problems.tell(self.hass, self.entry, self.home.error)
        self._tell_all(change)

    @callback
    def _log_connection(self) -> None:
        """Says once that the gateway is away, and once that it is back."""
        if self.home.connected == self._was_connected:
            return
        self._was_connected = self.home.connected
        if self.home.connected:
            LOGGER.info("The gateway of %s is heard again", self.entry.title)
        else:
            LOGGER.warning("The gateway of %s is not heard: %s", self.entry.title, self.home.error or "no reason known")

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
        """Keeps what is said of knobs to what they are now; settings come and go with theirs."""
        showed = self._shows_settings
        try:
            self.integration = await self.client.integration()
        except HmClientError as error:
            # The stream says the same, and what follows from it.
            problems.tell(self.hass, self.entry, error)
            return
        problems.keep_to_knobs(self.hass, self.entry, self.integration.integration.settings)
        if self._shows_settings != showed:
            self.hass.config_entries.async_schedule_reload(self.entry.entry_id)

    @callback
    def _show_new_readings(self, id: str) -> None:
        """Shows what a unit has never told before."""
        device, told = self.home.devices.get(id), _told_in(self.home.sensors[id])
        if device is not None and not told <= self._told.get(id, frozenset()):
            self._told[id] = told | self._told.get(id, frozenset())
            self.shown.add_new_of(device)

    @callback
    def _take_load(self, id: str) -> None:
        """Shows a power switch as what it turns out to feed."""
        device = self.home.devices.get(id)
        if device is not None and self._loads.get(id) != load_of(device):
            self._loads[id] = load_of(device)
            self._keep_shown()

    @callback
    def _keep_shown(self) -> None:
        if not self.shown.keep_to_home(self._changed):
            self.hass.config_entries.async_schedule_reload(self.entry.entry_id)
        # Before, some platforms have not yet seen what changed.
        if self._stands:
            self._changed.clear()

    def _note_home(self) -> None:
        self._told = {id: _told_in(readings) for id, readings in self.home.sensors.items()}
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


def _told_in(readings: SensorState) -> frozenset[str]:
    return frozenset(each.name for each in fields(readings) if getattr(readings, each.name) is not None)
