import { describe, expect, test } from 'vitest'
import type { DeviceState } from '../model/device.ts'
import { changeWords } from './changes.ts'

const light = { on: false, mode: 'manual' } as const
const dimmer = { on: true, bri: 30, mode: 'manual' } as const
const shutter = { pos: 40, move: 'stopped', mode: 'manual' } as const
const ac = { on: true, temp: 22, mode: 'cool', fan: 'auto' } as const
const power = { on: false, mode: 'auto', temp: 21 } as const

const changes: readonly (readonly [string | null, DeviceState | null, DeviceState])[] = [
  ['turned on', light, { ...light, on: true }],
  ['turned off', { ...light, on: true }, light],
  ['turned on', null, { ...light, on: true }],
  ['mode set to eco', light, { ...light, mode: 'eco' }],
  ['turned on, mode set to auto', light, { on: true, mode: 'auto' }],
  ['turned on at 40 %', { ...dimmer, on: false }, { ...dimmer, bri: 40 }],
  ['turned off', dimmer, { ...dimmer, on: false, bri: 0 }],
  ['brightness set to 40 %', dimmer, { ...dimmer, bri: 40 }],
  [null, { ...dimmer, on: false }, { ...dimmer, on: false, bri: 40 }],
  ['started opening', shutter, { ...shutter, move: 'opening' }],
  [null, { ...shutter, move: 'opening' }, { ...shutter, pos: 45, move: 'opening' }],
  ['opened to 60 %', { ...shutter, pos: 58, move: 'opening' }, { ...shutter, pos: 60 }],
  ['closed to 60 %', { ...shutter, pos: 62, move: 'closing' }, { ...shutter, pos: 60 }],
  ['closed', { ...shutter, pos: 2, move: 'closing' }, { ...shutter, pos: 0 }],
  ['opened', { ...shutter, pos: 98, move: 'opening' }, { ...shutter, pos: 100 }],
  ['opened to 40 %', { ...shutter, move: 'opening' }, shutter],
  ['started closing', { ...shutter, move: 'opening' }, { ...shutter, move: 'closing' }],
  ['closed to 10 %', shutter, { ...shutter, pos: 10 }],
  ['opened to 60 %, mode set to eco', shutter, { ...shutter, pos: 60, mode: 'eco' }],
  ['mode set to heat', ac, { ...ac, mode: 'heat' }],
  ['mode set to fan only', ac, { ...ac, mode: 'fan_only' }],
  ['key volume up sent', { key: null }, { key: 'volume_up' }],
  ['temperature set to 19.5 °C, fan set to high', ac, { ...ac, temp: 19.5, fan: 'high' }],
  ['no longer heats or cools', power, { ...power, temp: null }],
  ['unlocked', { locked: true }, { locked: false }],
  ['locked', null, { locked: true }],
  [null, light, light],
]

describe('a change in words', () => {
  test.each(changes)('%s', (what, previous, state) => {
    expect(changeWords(previous, state)?.what ?? null).toBe(what)
  })

  test('contains the changed fields, before and after, and no others', () => {
    expect(changeWords(dimmer, { ...dimmer, bri: 40 })).toMatchObject({ from: { bri: 30 }, to: { bri: 40 } })
    expect(changeWords(null, { locked: true })).toMatchObject({ from: {}, to: { locked: true } })
  })
})
