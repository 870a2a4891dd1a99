import { isEncrypted } from './encryption.ts'

/** A name fills the first 100 bytes of a tar file, the mark of its form stands at 257 (POSIX ustar). */
const FIRST_NAME = Buffer.from('manifest.json\0')
const FORM = Buffer.from('ustar')
const FORM_AT = 257

/** So many bytes of a file tell, or all of a shorter one. */
export const BEGINNING_BYTES = 512

/** What a file is by its first bytes: whether a backup, and whether it is encrypted. */
export function kindOfBeginning(head: Buffer): 'encrypted' | 'plain' | null {
  if (isEncrypted(head)) return 'encrypted'
  const isPlain =
    head.subarray(0, FIRST_NAME.length).equals(FIRST_NAME) && head.subarray(FORM_AT, FORM_AT + FORM.length).equals(FORM)
  return isPlain ? 'plain' : null
}
