import { describe, expect, test } from 'vitest'
import type { Thing } from './home-things.ts'
import { typedWords, wantedControl } from './wanted.ts'

const thing = (operations: readonly string[]): Thing => ({
  id: '1',
  name: 'It',
  room: null,
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

describe('what hm set means', () => {
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
    // What the device does not take the gateway refuses, where it was named.
    [LOCK, 'it brightness 4', { op: 'set_brightness', args: { bri: 4 } }],
  ])('of %j: %s', (operations, typed, expected) => {
    const { name, ...wanted } = typedWords(typed.split(' '))
    expect([name, wantedControl(thing(operations), wanted)]).toEqual(['it', expected])
  })

  test.each([
    [LOCK, 'it on', '"on" is nothing to set It to; what it takes: open; close.'],
    [DIMMER, 'it brightness high', '"high" is nothing to set It to; what it takes: on, off; a brightness such as 40;'],
    [[], 'it on', '"on" is nothing to set It to; nothing can be set there.'],
    [DIMMER, '40', 'Say what to set and to what'],
  ])('and what it does not, of %j: %s', (operations, typed, sentence) => {
    expect(() => wantedControl(thing(operations), typedWords(typed.split(' ')))).toThrow(sentence)
  })
})
