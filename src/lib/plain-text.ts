import { z } from 'zod'

/** The listed code points are invisible letters: the fillers of Hangul, a joiner, the empty braille cell. */
const DISGUISING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/u

/** True if a text has no characters that could disguise it. */
export function isPlainText(text: string): boolean {
  return !DISGUISING.test(text)
}

/** A text without such characters, up to a length; may be empty. */
export function plainTextOf(text: string, max: number): string {
  const plain = text.replaceAll(new RegExp(DISGUISING, 'gu'), ' ').replaceAll(/\s+/gu, ' ')
  return plain.trim().slice(0, max).toWellFormed().trim()
}

/**
 * Text for people: no control, direction-changing, invisible or line-breaking characters and no half of a surrogate
 * pair, so that a name cannot disguise itself. Trimmed, 1 to `max` characters.
 */
export function plainText(max: number): z.ZodString {
  const text = z
    .string()
    .check(
      z.trim(),
      z.minLength(1),
      z.maxLength(max),
      z.refine(isPlainText, 'must not hold control or invisible characters'),
    )
  z.globalRegistry.add(text, {
    description: 'Text for people: no control, direction-changing, invisible or line-breaking characters.',
  })
  return text
}
