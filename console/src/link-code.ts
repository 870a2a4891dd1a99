/** The code of a one-time link: 18 bytes as base64url (docs/console.md#getting-in). */
const CODE = /^[\w-]{24}$/

/** The code behind the `#` of an address; null where that names a place of the page, or nothing. */
export function linkCodeOf(hash: string): string | null {
  const code = hash.slice(1)
  return CODE.test(code) ? code : null
}
