"""A client in Python, of openapi-python-client's classes."""

import json
import os
import ssl

from hm import AuthenticatedClient
from hm.api.automations import automations_create, automations_edit, automations_get
from hm.api.house import house_get
from hm.models import (
    AutomationCreate,
    AutomationEdit,
    BrightnessArgs,
    DimmerState,
    House,
    SetBrightnessStep,
    TimeTrigger,
    Weekday,
    WindowCondition,
)

client = AuthenticatedClient(
    base_url=os.environ["HM_URL"],
    token=os.environ["HM_TOKEN"],
    verify_ssl=ssl.create_default_context(cafile=os.environ["HM_CA"]),
    raise_on_unexpected_status=True,
)

house = house_get.sync(client=client)
assert isinstance(house, House), house
rooms = [room for floor in house.floors for room in floor.rooms] + house.rooms
dimmer = next(unit for room in rooms for unit in room.units if unit.class_ == "light_dimmer")
assert isinstance(dimmer.state, DimmerState), dimmer.state

made = automations_create.sync(
    client=client,
    body=AutomationCreate(
        name="Made in Python",
        when=[TimeTrigger(time="07:00", days=[Weekday.VALUE_1, Weekday.VALUE_7])],
        if_=[WindowCondition(after="sunset")],
        then=[SetBrightnessStep(device=dimmer.id, op="set_brightness", args=BrightnessArgs(bri=40))],
    ),
)
automation = automations_get.sync(made.automation.id, client=client).automation
sent = automations_edit.sync(
    automation.id,
    client=client,
    body=AutomationEdit(
        if_revision=automation.revision,
        id=automation.id,
        revision=automation.revision,
        origin=automation.origin,
        paused=automation.paused,
        name=automation.name,
        enabled=automation.enabled,
        when=automation.when,
        if_=automation.if_,
        then=automation.then,
        mode=automation.mode,
    ),
)
step = sent.automation.then[0]
assert isinstance(step, SetBrightnessStep), step
print(json.dumps({"brightness": dimmer.state.bri, "stepped": step.args.bri}))
