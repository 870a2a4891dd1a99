#!/usr/bin/env bash
# Tells the administrators when the gate has been open for ten minutes, then every half hour until it is closed.
# garage-left-open.sh [GATE]
source "${BASH_SOURCE%/*}/home.sh"
gate=$home:${1:-driveway-gate}

call POST /automations <<JSON
{
  "name": "Garage left open",
  "when": [{ "device": "$gate", "state": "pos", "above": 0, "for": 600 }],
  "then": [
    {
      "repeat": [{ "tell": "{device} is still open.", "to": "administrators", "urgency": "high" }],
      "every": 1800,
      "until": [{ "device": "$gate", "state": "pos", "is": 0 }],
      "times": 40
    }
  ]
}
JSON
