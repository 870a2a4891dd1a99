#!/usr/bin/env bash
# Tells the home when the washing machine needs little power for three minutes, after it needed more.
# washing-done.sh [SOCKET]
source "${BASH_SOURCE%/*}/home.sh"
socket=$home:${1:-washing-machine}

call POST /automations <<JSON
{
  "name": "Washing done",
  "when": [{ "device": "$socket", "reading": "power", "below": 5, "for": 180 }],
  "if": [{ "device": "$socket", "reading": "power", "above": 10, "within": 600 }],
  "then": [{ "tell": "{device} is done.", "to": "home" }]
}
JSON
