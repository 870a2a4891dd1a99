import { fail, ok, type Result } from './result.ts'

/**
 * Byte order marks of encodings other than UTF-8. UTF-32 comes first, because its mark begins with the mark of UTF-16.
 */
const MARKS: readonly (readonly [name: string, mark: readonly number[]])[] = [
  ['UTF-32', [0xff, 0xfe, 0, 0]],
  ['UTF-32', [0, 0, 0xfe, 0xff]],
  ['UTF-16', [0xff, 0xfe]],
  ['UTF-16', [0xfe, 0xff]],
]

/** Bytes examined to detect UTF-16 or UTF-32 without a mark. */
const LOOKED_AT_BYTES = 4_096

/** The text of a UTF-8 file, without a byte order mark. The error names the likely encoding of the file. */
export function fileText(bytes: Uint8Array): Result<string, string> {
  const other = wideEncoding(bytes)
  if (other !== null) return fail(other)
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return fail('Latin-1 (ISO 8859-1 or Windows-1252) or another 8-bit encoding')
  }
}

/** UTF-16 or UTF-32, detected by the mark or by zero bytes between plain letters. */
function wideEncoding(bytes: Uint8Array): string | null {
  const marked = MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))
  if (marked !== undefined) return marked[0]
  const start = bytes.subarray(0, LOOKED_AT_BYTES)
  const zeros = start.reduce((sum, byte) => sum + (byte === 0 ? 1 : 0), 0)
  if (zeros > start.length / 2) return 'UTF-32'
  return zeros > start.length / 4 ? 'UTF-16' : null
}
