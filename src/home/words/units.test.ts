import { expect, test } from 'vitest'
import { DETECTIONS } from '../model/device.ts'
import { detectionWords, linkWords, unitScheduleWords } from './units.ts'

test('every detection and every fault of the adapter has its own phrase', () => {
  const phrases = DETECTIONS.flatMap((kind) => [detectionWords(kind, true), detectionWords(kind, false)])
  expect(new Set(phrases).size).toBe(phrases.length)
  expect(
    new Set([null, 'port', 'silent', 'radio'].map((down) => linkWords(down as Parameters<typeof linkWords>[0]))).size,
  ).toBe(4)
})

test.each([
  ['set_power', { on: true }, 'turn on'],
  ['set_brightness', { bri: 40 }, 'set brightness to 40 %'],
  ['set_position', { pos: 0 }, 'open to 0 %'],
  ['set_temp', { temp: 21.5 }, 'set temperature to 21.5 °C'],
  ['close', undefined, 'close'],
  ['set_colour', { colour: 3 }, 'set_colour'],
])('a unit’s own schedule words %s like a command', (op, args, words) => {
  const schedule = { slot: 0, enabled: true, gang: null, days: [1, 2], time: '07:00', op }
  expect(unitScheduleWords('Blind', args === undefined ? schedule : { ...schedule, args })).toBe(
    `Blind has a schedule of its own, as last read: ${words} at 07:00 on Mon, Tue.`,
  )
})
