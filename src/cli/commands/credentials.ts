import { renderUnicodeCompact } from 'uqr'

/** The blocks are the white of the code, whatever the terminal's own colours are: cameras read no inverted code. */
const WHITE_ON_BLACK = '\u001b[38;5;231;48;5;16m'
const AS_BEFORE = '\u001b[0m'

/** A text as a QR code for a terminal, two rows of it a line; a connection code of one address takes 33 lines or so. */
export function qrLines(text: string): readonly string[] {
  return renderUnicodeCompact(text, { ecc: 'L', border: 2 })
    .split('\n')
    .map((line) => `${WHITE_ON_BLACK}${line}${AS_BEFORE}`)
}
