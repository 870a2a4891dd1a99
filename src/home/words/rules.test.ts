import { describe, expect, it } from 'vitest'
import type { Condition, Step, Trigger } from '../model/rules.ts'
import { type DisplayNames, durationWords, valueWords } from './values.ts'
import { conditionWords, stepWords, triggerWords } from './rules.ts'

const names: DisplayNames = {
  device: (key) => ({ hall: 'Hall light', eye: 'Hall sensor' })[key] ?? null,
  scene: (id) => ({ evening: 'Evening' })[id] ?? null,
  mode: (id) => ({ away: 'Away', guest: 'Guest' })[id] ?? null,
  rule: (reference) => ({ 'automation:dusk': 'Dusk' })[reference] ?? null,
  calendar: (id) => ({ bins: 'Bins' })[id] ?? null,
  person: (id) => ({ anna: 'Anna' })[id] ?? null,
  place: ({ id }) => ({ kitchen: 'Kitchen', reading: 'Reading lights' })[id] ?? null,
}

describe('one line of plain English', () => {
  const triggers: readonly [Trigger, string][] = [
    [{ device: 'hall', state: 'on', is: true, for: 600 }, 'when Hall light: power is on for 10 min'],
    [
      { device: 'hall', state: 'bri', above: 10, below: 90 },
      'when Hall light: brightness is above 10 % and below 90 %',
    ],
    [{ device: 'eye', reading: 'temperature', above: 25.5 }, 'when Hall sensor: temperature is above 25.5 °C'],
    [{ device: 'eye', reading: 'door', is: true }, 'when Hall sensor: door is open'],
    [{ mode: 'away' }, 'when the mode becomes Away'],
    [
      { calendar: 'bins', event: 'begins', offset: -720, title: 'paper' },
      '12 h before an event “paper” of the calendar Bins begins',
    ],
    [{ calendar: 'bins', event: 'ends' }, 'when an event of the calendar Bins ends'],
    [{ person: 'anyone', is: 'away', for: 600 }, 'when everybody is away for 10 min'],
    [{ person: 'anna', is: 'home' }, 'when Anna is home'],
    [{ person: 'ben', is: 'home' }, 'when something outside this integration is home'],
    [{ device: 'eye', detection: 'motion' }, 'when Hall sensor detects motion'],
    [{ device: 'eye', detection: 'smoke', is: false }, 'when Hall sensor no longer detects smoke'],
    [{ time: '07:00', days: [5, 1, 2, 3, 4] }, 'at 07:00 on Mon-Fri'],
    [{ time: '07:00', days: [1, 2, 3, 4, 5, 6, 7] }, 'at 07:00'],
    [{ sun: 'sunset', offset: -30, days: [6, 7] }, '30 min before sunset on Sat, Sun'],
    [{ sun: 'sunrise' }, 'at sunrise'],
    [{ sun: 'dusk', offset: -10, random: 30, days: [6] }, '10 min before dusk, up to 30 min later on Sat'],
    [{ scene: 'evening' }, 'when scene Evening starts'],
    [{ group: 'any', reading: 'battery', below: 15 }, 'when one of the devices: battery is below 15 %'],
    [
      { group: 'light', room: 'kitchen', state: 'on', is: true, for: 600 },
      'when one of the lights in Kitchen: power is on for 10 min',
    ],
    [{ group: 'any', reachable: false }, 'when one of the devices does not answer'],
    [
      { group: 'cover', floor: 'secret', reachable: true },
      'when one of the covers on something outside this integration answers',
    ],
    [{ scene: 'secret' }, 'when scene something outside this integration starts'],
  ]
  for (const [trigger, line] of triggers) it(`says: ${line}`, () => expect(triggerWords(trigger, names)).toBe(line))

  const conditions: readonly [Condition, string][] = [
    [{ device: 'hall', state: 'mode', is: 'auto' }, 'Hall light: mode is auto'],
    [{ device: 'cellar', reading: 'light', below: 20 }, 'something outside this integration: light is below 20 lux'],
    [{ after: '22:00', before: 'sunrise', days: [5] }, 'between 22:00 and sunrise on Fri'],
    [{ after: 'sunset' }, 'after sunset'],
    [{ days: [1, 3] }, 'on Mon, Wed'],
    [{ device: 'eye', reachable: false }, 'Hall sensor does not answer'],
    [{ from: '12-20', until: '01-06' }, 'from 12-20 to 01-06'],
    [{ group: 'light', state: 'on', is: true, of: 'any' }, 'one of the lights: power is on'],
    [
      { group: 'reading', state: 'on', is: false, within: 60, of: 'all' },
      'each of the devices of the group Reading lights: power is off within the last 1 min',
    ],
    [{ any: [{ sun: 'up' }, { not: { days: [6] } }] }, '(the sun is up or not (on Sat))'],
    [{ all: [{ sun: 'down' }, { device: 'eye', reachable: true }] }, '(the sun is down and Hall sensor answers)'],
  ]
  for (const [condition, line] of conditions)
    it(`says: ${line}`, () => expect(conditionWords(condition, names)).toBe(line))

  const steps: readonly [Step, string][] = [
    [{ device: 'hall', op: 'set_brightness', args: { bri: 40 } }, 'Hall light: set brightness to 40 %'],
    [{ device: 'hall', op: 'key', args: { key: 'volume_up' } }, 'Hall light: send key volume up'],
    [{ delay: 1.5 }, 'wait 1.5 s'],
    [{ delay: 3600 }, 'wait 1 h'],
    [{ scene: 'evening' }, 'run scene Evening'],
    [{ group: 'light', room: 'kitchen', op: 'set_power', args: { on: false } }, 'the lights in Kitchen: turn off'],
    [{ group: 'cover', op: 'toggle' }, 'the covers: toggle'],
    [{ device: 'hall', op: 'toggle' }, 'Hall light: toggle'],
    [{ device: 'hall', op: 'set_brightness', args: { by: -20 } }, 'Hall light: make brightness 20 % lower'],
    [{ device: 'hall', op: 'set_position', args: { by: 30 } }, 'Hall light: make it 30 % further open'],
    [{ device: 'hall', op: 'set_temp', args: { by: 0.5 } }, 'Hall light: make temperature 0.5 °C higher'],
    [{ delay: 60, random: 120 }, 'wait 1 min and by chance up to 2 min more'],
    [
      { if: [{ sun: 'down' }, { days: [6] }], then: [{ scene: 'evening' }, { delay: 5 }], else: [{ delay: 9 }] },
      'if the sun is down and on Sat, then (run scene Evening; wait 5 s), else (wait 9 s)',
    ],
    [{ wait: [{ sun: 'up' }], timeout: 600, else: 'stop' }, 'wait until the sun is up, at most 10 min, then stop'],
    [{ wait: [{ sun: 'up' }], timeout: 600 }, 'wait until the sun is up, at most 10 min, then go on'],
    [
      { repeat: [{ scene: 'evening' }], every: 60, until: [{ sun: 'up' }], times: 20 },
      'repeat (run scene Evening) every 1 min until the sun is up, at most 20 times',
    ],
    [{ restore: true }, 'return the changed devices to their earlier states'],
    [{ tell: '{device} is open', to: 'administrators' }, 'tell administrators “{device} is open”'],
    [{ tell: 'Water', to: 'home', urgency: 'alarm' }, 'tell the people of the home “Water” (alarm)'],
    [{ rule: 'automation:dusk', enabled: false }, 'turn off automation Dusk'],
    [{ rule: 'schedule:x', enabled: true }, 'turn on schedule something outside this integration'],
    [{ repeat: [{ delay: 5 }], every: 60, times: 3 }, 'repeat (wait 5 s) every 1 min, 3 times'],
  ]
  for (const [step, line] of steps) it(`says: ${line}`, () => expect(stepWords(step, names)).toBe(line))

  it('says time spans and values as people do', () => {
    expect(durationWords(5_430)).toBe('1 h 30 min 30 s')
    expect(valueWords('on', false)).toBe('off')
    expect(valueWords('light', 7)).toBe('7 lux')
    expect(valueWords('key', 'volume_up')).toBe('volume up')
    expect(valueWords('light', undefined)).toBe('unknown')
  })
})
