import { expect, test } from 'vitest'
import { fileText } from './file-text.ts'

const NAME = 'home:\n  name: Küche für die Straße\n'
const wide = (text: string, ...mark: number[]): Uint8Array =>
  Buffer.concat([Buffer.from(mark), Buffer.from(text, 'utf16le')])

test('UTF-8 is read, with and without a byte order mark', () => {
  expect(fileText(Buffer.from(NAME))).toEqual({ ok: true, value: NAME })
  expect(fileText(Buffer.from(`\ufeff${NAME}`))).toEqual({ ok: true, value: NAME })
  expect(fileText(Buffer.from(''))).toEqual({ ok: true, value: '' })
})

test('every other encoding is named', () => {
  const error = (bytes: Uint8Array): unknown => {
    const text = fileText(bytes)
    return text.ok ? text.value : text.error
  }
  expect(error(Buffer.from(NAME, 'latin1'))).toContain('Latin-1')
  expect(error(wide(NAME, 0xff, 0xfe))).toBe('UTF-16')
  expect(error(wide(NAME))).toBe('UTF-16')
  expect(error(Buffer.from(wide(NAME, 0xff, 0xfe)).swap16())).toBe('UTF-16')
  expect(error(Buffer.from([0xff, 0xfe, 0, 0, 0x68, 0, 0, 0]))).toBe('UTF-32')
  expect(error(Buffer.from([0, 0, 0, 0x68, 0, 0, 0, 0x6f]))).toBe('UTF-32')
})
