#!/usr/bin/env bash
# Turns the lamp on ten minutes before dusk, only when somebody is home.
source "${BASH_SOURCE%/*}/home.sh"

call POST /schedules <<JSON
{
  "name": "Dusk lights",
  "at": { "sun": "dusk", "offset": -10 },
  "if": [{ "person": "anyone", "is": "home" }],
  "then": [{ "device": "$home:living-lamp", "op": "set_power", "args": { "on": true } }]
}
JSON
