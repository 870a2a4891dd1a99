#!/usr/bin/env bash
# Lights that look as if somebody were home, while the mode is `vacation`: another time each evening.
source "${BASH_SOURCE%/*}/home.sh"

call POST /schedules <<JSON
{
  "name": "Vacation lights",
  "at": { "sun": "dusk", "random": 60 },
  "if": [{ "mode": ["vacation"] }],
  "then": [
    { "device": "$home:living-lamp", "op": "set_power", "args": { "on": true } },
    { "delay": 3600, "random": 3600 },
    { "device": "$home:bedroom-light", "op": "set_power", "args": { "on": true } },
    { "device": "$home:living-lamp", "op": "set_power", "args": { "on": false } },
    { "delay": 600, "random": 1200 },
    { "device": "$home:bedroom-light", "op": "set_power", "args": { "on": false } }
  ]
}
JSON
