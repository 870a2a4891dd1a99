/** The page of a device, by its id. */
export const devicePath = (id: string): string => `/console/device/${encodeURIComponent(id)}`

/** The id by which administrators name a device: what follows the gateway and the record in the owner's id. */
export const localIdOf = (id: string): string => id.split(':').slice(2).join(':')

/** The code of a one-time link: 18 bytes as base64url (docs/console.md#getting-in). */
const CODE = /^[\w-]{24}$/

/** The code behind the `#` of an address; null where that names a place of the page, or nothing. */
export function linkCodeOf(hash: string): string | null {
  const code = hash.slice(1)
  return CODE.test(code) ? code : null
}
