"""The devices of a home in Home Assistant's registry."""

from __future__ import annotations

from typing import Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.device_registry import DeviceInfo

from .const import CONF_ADDRESSES, CONF_GATEWAY, DOMAIN
from .hm_gateway_client import Home, HomeDevice

MAKER: Final = "Home Control"


class Devices:
    """Units, modules and gangs as devices. A gang is connected via its module, all others via the gateway."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry, home: Home) -> None:
        """Registers no device yet."""
        self._registry = dr.async_get(hass)
        self._entry = entry
        self._home = home
        self._rooms: dict[str, str] = {}

    @property
    def _gateway(self) -> str:
        return str(self._entry.data[CONF_GATEWAY])

    @callback
    def register_gateway(self, house: str) -> None:
        """Registers the gateway, via which all other devices are connected."""
        self._registry.async_get_or_create(
            config_entry_id=self._entry.entry_id,
            identifiers={(DOMAIN, self._gateway)},
            manufacturer=MAKER,
            model="Gateway",
            name=house,
            serial_number=self._gateway,
            configuration_url=f"{self._entry.data[CONF_ADDRESSES][0]}/console",
        )

    @callback
    def keep_to_home(self) -> set[str]:
        """Removes devices that the home no longer shows, with their entities, and updates the others.

        Answers the ids of those that are of another class or model than they were.
        """
        if self._home.house is not None:
            self._rooms = {room.id: room.name for room in self._home.house.every_room()}
        changed: set[str] = set()
        for known in dr.async_entries_for_config_entry(self._registry, self._entry.entry_id):
            id = next((own for domain, own in known.identifiers if domain == DOMAIN), "")
            device = self._home.devices.get(id)
            if device is not None:
                if (known.model, known.model_id) != (_model_of(device), device.class_):
                    changed.add(device.id)
                self._take_over(known, device)
            elif id != self._gateway:
                self._registry.async_remove_device(known.id)
        self._register_modules()
        return changed

    @callback
    def _take_over(self, known: dr.DeviceEntry, device: HomeDevice) -> None:
        now = (device.name, _model_of(device), device.class_)
        if (known.name, known.model, known.model_id) != now:
            name, model, class_ = now
            self._registry.async_update_device(known.id, name=name, model=model, model_id=class_)

    @callback
    def _register_modules(self) -> None:
        """Registers modules before their gangs, which refer to them."""
        for device in self._home.devices.values():
            if device.kind == "module":
                self._registry.async_get_or_create(config_entry_id=self._entry.entry_id, **self.info(device))

    def gateway_info(self) -> DeviceInfo:
        """Device info of the gateway, for its own entities."""
        return DeviceInfo(identifiers={(DOMAIN, self._gateway)})

    def info(self, device: HomeDevice) -> DeviceInfo:
        """Device info of a unit, module or gang."""
        return DeviceInfo(
            identifiers={(DOMAIN, device.id)},
            manufacturer=MAKER,
            model=_model_of(device),
            model_id=device.class_,
            name=device.name,
            suggested_area=self._rooms.get(device.room or ""),
            via_device_id=self._registered(device.unit or self._gateway),
        )

    def _registered(self, id: str) -> str:
        """Registry id of a registered device."""
        device = self._registry.async_get_device_by_identifier((DOMAIN, id), self._entry.entry_id)
        if device is None:
            raise LookupError(f"{id} is not registered.")
        return device.id


def _model_of(device: HomeDevice) -> str:
    return device.model or device.class_
