import { expect, test, vi } from 'vitest'
import { tempHistory } from '#support/homes/history.ts'
import { rememberReadings } from './recorder.ts'

test('each device gets its last readings back, flags as flags, with the time of the newest', () => {
  const { lastReadings } = tempHistory()
  lastReadings.set('eye', 'temperature', 1_000, 20.5)
  lastReadings.set('eye', 'temperature', 3_000, 1)
  lastReadings.set('eye', 'motion', 2_000, 1)
  lastReadings.set('eye', 'smoke', 2_000, 1)
  lastReadings.set('lock', 'door', 4_000, 0)
  lastReadings.set('panel:2', 'energy', 5_000, 1)
  const remember = vi.fn<Parameters<typeof rememberReadings>[0]['remember']>()
  rememberReadings({ remember }, lastReadings, () => 0)
  const remembered = Object.fromEntries(remember.mock.calls.map(([device, ...rest]) => [device, rest]))
  expect(remembered).toEqual({
    eye: [{ temperature: 1, motion: true, smoke: true }, 3_000],
    lock: [{ door: false }, 4_000],
    'panel:2': [{ energy: 1 }, 5_000],
  })
})

test('readings from before the present unit are skipped', () => {
  const { lastReadings } = tempHistory()
  lastReadings.set('eye', 'temperature', 1_000, 20.5)
  lastReadings.set('eye', 'light', 2_000, 300)
  lastReadings.set('lamp', 'power', 1_000, 40)
  const remember = vi.fn<Parameters<typeof rememberReadings>[0]['remember']>()
  rememberReadings({ remember }, lastReadings, (device) => (device === 'eye' ? 1_500 : 1_001))
  expect(remember.mock.calls).toEqual([['eye', { light: 300 }, 2_000]])
})
