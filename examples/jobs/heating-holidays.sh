#!/usr/bin/env bash
# Warms the bathroom on workday mornings, except on the days of a calendar file.
# heating-holidays.sh FILE.ics, on the gateway's machine
source "${BASH_SOURCE%/*}/home.sh"
"${BASH_SOURCE%/*}/../../bin/hm" calendar add Holidays --file "$1"

call POST /schedules <<JSON
{
  "name": "Warm bathroom on workdays",
  "at": { "time": "06:30" },
  "days": [1, 2, 3, 4, 5],
  "if": [{ "not": { "calendar": "holidays" } }],
  "then": [
    { "device": "$home:bathroom-heater", "op": "set_power", "args": { "on": true } },
    { "delay": 3600 },
    { "device": "$home:bathroom-heater", "op": "set_power", "args": { "on": false } }
  ]
}
JSON
