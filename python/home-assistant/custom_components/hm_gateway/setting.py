"""Settings of units in plain words (Spec 2.7), as entities of the category configuration that are off at first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, override

from homeassistant.const import EntityCategory

from .entity import HmDeviceEntity
from .hm_gateway_client import HomeDevice, IntentDef
from .hub import Hub

SHUTTER_GANG_INTENTS: Final = ("led_mode",)
"""The writable ones that a shutter gang has too (docs/intents.md)."""


def settings_of_type(hub: Hub, device: HomeDevice, kind: str) -> Iterable[IntentDef]:
    """Each setting that a device has and whose value is of this JSON type, or ``enum`` for words."""
    return (each for each in hub.settings.intents.values() if _type_of(each) == kind and _has(device, each))


class HmSetting(HmDeviceEntity):
    """One setting, as its unit confirmed it last."""

    _attr_entity_category = EntityCategory.CONFIG
    _attr_entity_registry_enabled_default = False

    def __init__(self, hub: Hub, device: HomeDevice, intent: IntentDef) -> None:
        """The name is that of the intent, in translations."""
        super().__init__(hub, device)
        del self._attr_name
        self._attr_unique_id = f"{device.id}#{intent.id}"
        self._attr_translation_key = intent.id
        self.intent = intent

    @property
    def confirmed(self) -> Any:
        """Its value; None while it is not known."""
        return self.hub.settings.value(self.subject, self.intent.id)

    @property
    @override
    def available(self) -> bool:
        return super().available and self.confirmed is not None

    @override
    async def async_added_to_hass(self) -> None:
        await super().async_added_to_hass()
        self.async_on_remove(self.hub.settings.watch(self.subject))

    async def write(self, value: object) -> None:
        """Changes it; what the unit has then is shown."""
        answer = await self.ask(self.hub.client.set_intent(self.subject, self.intent.id, value))
        self.hub.settings.confirmed(self.subject, self.intent.id, answer.intent.value)


def _has(device: HomeDevice, intent: IntentDef) -> bool:
    if device.model not in intent.models:
        return False
    if device.kind != "gang":
        return device.kind == "unit"
    return intent.per_gang and (device.class_ == "switch_gang" or intent.id in SHUTTER_GANG_INTENTS)


def _type_of(intent: IntentDef) -> str:
    """The type of its values; where a gang takes others than a unit, that of both."""
    shapes = intent.value.get("anyOf", [intent.value])
    kinds = {"enum" if "enum" in each else str(each.get("type")) for each in shapes}
    return kinds.pop() if len(kinds) == 1 else "mixed"
