"""Scenes of the home."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, override

from homeassistant.components.scene import Scene
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HmEntity
from .hub import HmConfigEntry, Hub

PARALLEL_UPDATES = 0


async def async_setup_entry(hass: HomeAssistant, entry: HmConfigEntry, add: AddConfigEntryEntitiesCallback) -> None:
    """Sets up the scenes."""
    entry.runtime_data.shown.add_platform(Platform.SCENE, add, of_home=_scenes)


def _scenes(hub: Hub) -> Iterable[HmEntity]:
    return [HmScene(hub, id, scene.name) for id, scene in hub.home.scenes.items()]


class HmScene(HmEntity, Scene):
    """A scene, which the gateway runs."""

    def __init__(self, hub: Hub, id: str, name: str) -> None:
        """Makes it an entity of the gateway, because a scene has no unit."""
        super().__init__(hub, id)
        self._last_name = name
        self._attr_device_info = hub.devices.gateway_info()

    @property
    @override
    def name(self) -> str:
        """Current name; a deleted scene keeps its last one."""
        scene = self.hub.home.scenes.get(self.subject)
        if scene is not None:
            self._last_name = scene.name
        return self._last_name

    @property
    @override
    def available(self) -> bool:
        return super().available and self.subject in self.hub.home.scenes

    @override
    async def async_activate(self, **kwargs: Any) -> None:
        await self.ask(self.hub.client.run_scene(self.subject))
