import { describe, expect, test } from 'vitest'
import type { Thing } from '../home/name-match.ts'
import { settingIn, controlFor } from './control-arguments.ts'

const thing = (operations: readonly string[], name = 'It', room: string | null = null): Thing => ({
  id: `${room}/${name}`,
  name,
  room,
  roomId: room,
  unit: null,
  floor: null,
  kind: 'unit',
  class: 'light_switch',
  reachable: true,
  operations,
  state: null,
})
const AC = ['set_power', 'set_temp', 'set_ac_mode', 'set_fan']
const DIMMER = ['set_power', 'set_brightness', 'set_mode']
const SHUTTER = ['open', 'close', 'stop', 'set_position', 'set_mode']
const SOCKET = ['set_power', 'set_mode', 'set_temp']
const LOCK = ['open', 'close']
const REMOTE = ['key']

describe('the arguments of hm set', () => {
  test.each([
    [DIMMER, 'it 40', { op: 'set_brightness', args: { bri: 40 } }],
    [DIMMER, 'it 40 %', { op: 'set_brightness', args: { bri: 40 } }],
    [DIMMER, 'it brightness 7', { op: 'set_brightness', args: { bri: 7 } }],
    [DIMMER, 'it OFF', { op: 'set_power', args: { on: false } }],
    [DIMMER, 'it eco', { op: 'set_mode', args: { mode: 'eco' } }],
    [DIMMER, 'it mode sleep', { op: 'set_mode', args: { mode: 'sleep' } }],
    [SHUTTER, 'it 0', { op: 'set_position', args: { pos: 0 } }],
    [SHUTTER, 'it stop', { op: 'stop' }],
    [SOCKET, 'it 21,5', { op: 'set_temp', args: { temp: 21.5 } }],
    [SOCKET, 'it 22 °C', { op: 'set_temp', args: { temp: 22 } }],
    [AC, 'it auto', { op: 'set_ac_mode', args: { mode: 'auto' } }],
    [AC, 'it fan auto', { op: 'set_fan', args: { fan: 'auto' } }],
    [AC, 'it low', { op: 'set_fan', args: { fan: 'low' } }],
    [AC, 'it power on', { op: 'set_power', args: { on: true } }],
    [LOCK, 'it unlock', { op: 'open' }],
    [LOCK, 'it locked', { op: 'close' }],
    [REMOTE, 'it volume_up', { op: 'key', args: { key: 'volume_up' } }],
    // The gateway refuses a named operation that the device does not take.
    [LOCK, 'it brightness 4', { op: 'set_brightness', args: { bri: 4 } }],
    [DIMMER, 'it to 40 percent', { op: 'set_brightness', args: { bri: 40 } }],
    [DIMMER, 'brightness of the it to 40', { op: 'set_brightness', args: { bri: 40 } }],
    [DIMMER, 'it brightness=40', { op: 'set_brightness', args: { bri: 40 } }],
    [SOCKET, 'it to 21.5 degrees', { op: 'set_temp', args: { temp: 21.5 } }],
  ])('of %j: %s', (operations, typed, expected) => {
    const it = thing(operations)
    const { desired } = settingIn(typed.split(' '), [it])
    expect(controlFor(it, desired)).toEqual(expected)
  })

  test.each([
    [LOCK, 'it on', 'It cannot be set to "on"; it takes: open; close.'],
    [DIMMER, 'it brightness high', 'It cannot be set to "high"; it takes: on, off; a brightness such as 40;'],
    [[], 'it on', 'It cannot be set to "on"; nothing can be set there.'],
    [DIMMER, 'it', 'Add a value for It; it takes: on, off; a brightness such as 40; mode auto, eco, manual.'],
    [DIMMER, 'it brightness', 'Add a value for It; it takes: on, off; a brightness such as 40;'],
    [DIMMER, '40', 'This login sees no device "40"'],
  ])('refused for %j: %s', (operations, typed, sentence) => {
    expect(() => {
      const { thing: found, desired } = settingIn(typed.split(' '), [thing(operations)])
      controlFor(found, desired)
    }).toThrow(sentence)
  })
})

describe('the device of hm set', () => {
  const HOME = [
    thing(['set_power', 'set_mode'], 'Fan', 'Kitchen'),
    thing(['set_power', 'set_mode'], 'Fan low', 'Cellar'),
    thing(AC, 'Cooler', 'Kitchen'),
    thing(AC, 'AC', 'Bedroom'),
    thing(DIMMER, 'Light', 'Bedroom'),
    thing(REMOTE, 'Television', 'Bedroom'),
    thing(LOCK, 'Front door', 'Hall'),
    thing(DIMMER, 'Front door light', 'Hall'),
  ]
  const meantBy = (typed: string): unknown => {
    const { thing: found, desired } = settingIn(typed.split(' '), HOME)
    return [found.id, controlFor(found, desired)]
  }
  test.each([
    ['kitchen fan on', 'Kitchen/Fan', { op: 'set_power', args: { on: true } }],
    ['kitchen fan low', 'Kitchen/Cooler', { op: 'set_fan', args: { fan: 'low' } }],
    ['cellar fan low on', 'Cellar/Fan low', { op: 'set_power', args: { on: true } }],
    ['ac fan auto', 'Bedroom/AC', { op: 'set_fan', args: { fan: 'auto' } }],
    ['bedroom brightness 40', 'Bedroom/Light', { op: 'set_brightness', args: { bri: 40 } }],
    ['bedroom 40 %', 'Bedroom/Light', { op: 'set_brightness', args: { bri: 40 } }],
    ['bedroom cool', 'Bedroom/AC', { op: 'set_ac_mode', args: { mode: 'cool' } }],
    ['bedroom television volume_up', 'Bedroom/Television', { op: 'key', args: { key: 'volume_up' } }],
    ['front door locked', 'Hall/Front door', { op: 'close' }],
    ['front door brightness 3', 'Hall/Front door', { op: 'set_brightness', args: { bri: 3 } }],
    ['front door light 30', 'Hall/Front door light', { op: 'set_brightness', args: { bri: 30 } }],
  ])('%s', (typed, id, control) => {
    expect(meantBy(typed)).toEqual([id, control])
  })

  test.each([
    ['cellar fan low', 'Add a value for Cellar Fan low; it takes: on, off;'],
    ['front door', 'Add a value for Hall Front door; it takes: open; close.'],
    ['bedroom', '"bedroom" may be Bedroom AC, Bedroom Light, Bedroom Television'],
    ['bedroom on', '"bedroom" may be Bedroom AC, Bedroom Light: add the room'],
    ['bedroom 40', '"bedroom" may be Bedroom AC, Bedroom Light: add the room'],
  ])('refused: %s', (typed, sentence) => {
    expect(() => meantBy(typed)).toThrow(sentence)
  })
})
