import { expect, test, vi } from 'vitest'
import { tempHistory } from '#support/homes/history.ts'
import { rememberReadings } from './remembered-readings.ts'

test('each unit has its newest readings back, flags as flags, as of the newest of them', () => {
  const { readings } = tempHistory()
  readings.record('eye', 'temperature', 1_000, 20.5)
  readings.record('eye', 'temperature', 3_000, 1)
  readings.record('eye', 'motion', 2_000, 1)
  readings.record('lock', 'door', 4_000, 0)
  const remember = vi.fn<Parameters<typeof rememberReadings>[0]['remember']>()
  rememberReadings({ remember }, readings)
  const given = Object.fromEntries(remember.mock.calls.map(([unit, ...rest]) => [unit, rest]))
  expect(given).toEqual({
    eye: [{ temperature: 1, motion: true }, 3_000],
    lock: [{ door: false }, 4_000],
  })
})
