"""One home in Home Assistant: what it has becomes entities, and what changes there is told to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from . import problems
from .const import CONF_ADDRESSES, CONF_GATEWAY, DOMAIN, OPTION_LIGHTS
from .hm_gateway_client import (
    Client,
    HmClientError,
    HmError,
    Home,
    HomeChange,
    HomeDevice,
    IntegrationAnswer,
    IntentDef,
    TrustError,
)

if TYPE_CHECKING:
    from .entity import HmEntity

type HmConfigEntry = ConfigEntry[Hub]
type Finder = Callable[[Hub], Iterable[HmEntity]]
"""The entities that one platform makes of what the home has now."""

MAKER: Final = "Home Control"


class Hub:
    """Keeps the entities of each platform to what the home shows, and hands changes to those that they are about."""

    def __init__(
        self, hass: HomeAssistant, entry: HmConfigEntry, client: Client, home: Home, integration: IntegrationAnswer
    ) -> None:
        """Nothing is followed before ``start``."""
        self.hass = hass
        self.entry = entry
        self.client = client
        self.home = home
        self.integration = integration
        self.intents: Mapping[str, IntentDef] = {}
        self._platforms: list[tuple[AddConfigEntryEntitiesCallback, Finder]] = []
        self._shown: set[str] = set()
        self._told: set[tuple[str, str]] = set()
        self._listeners: defaultdict[str, list[Callable[[HomeChange], None]]] = defaultdict(list)
        self._rooms: dict[str, str] = {}
        self._stop: CALLBACK_TYPE | None = None
        self._read_rooms()

    @property
    def gateway(self) -> str:
        """The serial of the gateway."""
        return str(self.entry.data[CONF_GATEWAY])

    def is_light(self, device: HomeDevice) -> bool:
        """Whether a switch feeds a lamp: the home says so, or the person who set this up does."""
        return device.light is True or device.id in self.entry.options.get(OPTION_LIGHTS, ())

    async def prepare_settings(self) -> None:
        """Reads once what settings there are; without the knob for them there are none."""
        if self.intents or self.integration.integration.settings.get("advanced_config") != "read_write":
            return
        definitions = await self.client.intent_definitions()
        self.intents = {each.id: each for each in definitions.intents if each.access == "read_write"}

    @callback
    def register_gateway(self) -> None:
        """Makes the gateway a device, which all others come by."""
        dr.async_get(self.hass).async_get_or_create(
            config_entry_id=self.entry.entry_id,
            identifiers={(DOMAIN, self.gateway)},
            manufacturer=MAKER,
            model="Gateway",
            name=self.integration.house,
            serial_number=self.gateway,
            configuration_url=f"{self.entry.data[CONF_ADDRESSES][0]}/console",
        )

    @callback
    def register_modules(self) -> None:
        """Makes modules devices before their gangs, which come by them."""
        for device in self.home.devices.values():
            if device.kind == "module":
                dr.async_get(self.hass).async_get_or_create(
                    config_entry_id=self.entry.entry_id, **self.device_info(device)
                )

    def gateway_info(self) -> DeviceInfo:
        """The gateway, for the entities that are its own."""
        return DeviceInfo(identifiers={(DOMAIN, self.gateway)})

    def device_info(self, device: HomeDevice) -> DeviceInfo:
        """A unit, module or gang, as Home Assistant's registry takes it."""
        return DeviceInfo(
            identifiers={(DOMAIN, device.id)},
            manufacturer=MAKER,
            model=device.model or device.class_,
            model_id=device.class_,
            name=device.name,
            suggested_area=self._rooms.get(device.room or ""),
            via_device_id=self._registered(device.unit or self.gateway),
        )

    def _registered(self, id: str) -> str:
        """The id in Home Assistant's registry of a device that is registered."""
        device = dr.async_get(self.hass).async_get_device_by_identifier((DOMAIN, id), self.entry.entry_id)
        if device is None:
            raise LookupError(f"{id} is not registered.")
        return device.id

    @callback
    def add_platform(self, add: AddConfigEntryEntitiesCallback, find: Finder) -> None:
        """Shows what a platform finds, now and whenever the home is read anew."""
        self._platforms.append((add, find))
        self._show(add, find)

    @callback
    def listen(self, id: str, listener: Callable[[HomeChange], None]) -> CALLBACK_TYPE:
        """Calls a listener with each change of a device, sensor or scene; what it answers stops that."""
        self._listeners[id].append(listener)

        @callback
        def stop() -> None:
            self._listeners[id].remove(listener)

        return stop

    @callback
    def start(self) -> None:
        """Follows what changes."""
        self._forget_hidden()
        self._stop = self.home.on_change(self._hear)

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
                self._tell(change.id, change)
            case "home":
                self._read_anew(change)
            case "connection":
                self._connection_changed(change)
            case "integration":
                self.entry.async_create_task(self.hass, self._read_knobs(), "hm_gateway knobs")
            case "ended":
                self._ended(change)
            case _:
                # Automations and schedules are not shown here.
                pass

    @callback
    def _read_anew(self, change: HomeChange) -> None:
        self._read_rooms()
        self._rename()
        self._forget_hidden()
        self.register_modules()
        self._show_all()
        self._tell_all(change)

    @callback
    def _connection_changed(self, change: HomeChange) -> None:
        if self.home.connected:
            problems.solve(self.hass, self.entry, problems.DISABLED)
        elif self.home.error is not None:
            problems.tell(self.hass, self.entry, self.home.error)
        self._tell_all(change)

    @callback
    def _ended(self, change: HomeChange) -> None:
        error = self.home.error
        self._tell_all(change)
        if error is not None:
            problems.tell(self.hass, self.entry, error)
        if isinstance(error, TrustError) or (isinstance(error, HmError) and error.status == 401):
            self.entry.async_start_reauth(self.hass)
        else:
            self.hass.config_entries.async_schedule_reload(self.entry.entry_id)

    async def _read_knobs(self) -> None:
        """Takes back what was said of a knob that is right now; settings come and go with theirs."""
        before = self.integration.integration.settings.get("advanced_config")
        try:
            self.integration = await self.client.integration()
        except HmClientError as error:
            # The stream says the same, and what follows from it.
            problems.tell(self.hass, self.entry, error)
            return
        knobs = self.integration.integration.settings
        for knob, open_at in problems.OPENED_BY.items():
            if knobs.get(knob) in open_at:
                problems.solve(self.hass, self.entry, knob)
        if knobs.get("advanced_config") != before:
            self.hass.config_entries.async_schedule_reload(self.entry.entry_id)

    @callback
    def _show_new_readings(self, id: str) -> None:
        """Shows what a unit has never told before."""
        readings = self.home.sensors[id]
        told = {(id, each.name) for each in fields(readings) if getattr(readings, each.name) is not None}
        if not told <= self._told:
            self._told |= told
            self._show_all()

    @callback
    def _show_all(self) -> None:
        for add, find in self._platforms:
            self._show(add, find)

    @callback
    def _show(self, add: AddConfigEntryEntitiesCallback, find: Finder) -> None:
        entities = [each for each in find(self) if each.unique_id not in self._shown]
        self._shown.update(str(each.unique_id) for each in entities)
        add(entities)

    @callback
    def _forget_hidden(self) -> None:
        """Removes what the home no longer shows, with its entities."""
        present = {self.gateway, *self.home.devices}
        devices = dr.async_get(self.hass)
        for device in dr.async_entries_for_config_entry(devices, self.entry.entry_id):
            if not any(domain == DOMAIN and id in present for domain, id in device.identifiers):
                devices.async_update_device(device.id, remove_config_entry_id=self.entry.entry_id)
        entities = er.async_get(self.hass)
        for entity in er.async_entries_for_config_entry(entities, self.entry.entry_id):
            if entity.domain == "scene" and entity.unique_id not in self.home.scenes:
                entities.async_remove(entity.entity_id)
        owners = present | set(self.home.scenes)
        self._shown = {each for each in self._shown if each.split("#")[0] in owners}

    @callback
    def _rename(self) -> None:
        devices = dr.async_get(self.hass)
        for device in self.home.devices.values():
            known = devices.async_get_device_by_identifier((DOMAIN, device.id), self.entry.entry_id)
            if known is not None and known.name != device.name:
                devices.async_update_device(known.id, name=device.name)

    def _read_rooms(self) -> None:
        if self.home.house is not None:
            self._rooms = {room.id: room.name for room in self.home.house.every_room()}

    @callback
    def _tell(self, id: str, change: HomeChange) -> None:
        for listener in list(self._listeners.get(id, ())):
            listener(change)

    @callback
    def _tell_all(self, change: HomeChange) -> None:
        for id in list(self._listeners):
            self._tell(id, change)
