import { expect, test } from 'vitest'
import { DETECTIONS } from '../ports/unit-bus.ts'
import { detectionWords, linkWords } from './units.ts'

test('every detection and every trouble of the adapter has a phrase of its own', () => {
  const phrases = DETECTIONS.flatMap((kind) => [detectionWords(kind, true), detectionWords(kind, false)])
  expect(new Set(phrases).size).toBe(phrases.length)
  expect(
    new Set([null, 'port', 'silent', 'radio'].map((down) => linkWords(down as Parameters<typeof linkWords>[0]))).size,
  ).toBe(4)
})
