/** Path of a device's page. */
export const devicePath = (id: string): string => `/console/device/${encodeURIComponent(id)}`

/** Local id of a device, without the gateway and the integration in the owner's id. */
export const localIdOf = (id: string): string => id.split(':').slice(2).join(':')

/** Local id of a device, from its local id or its id of any integration. */
export const localDeviceOf = (id: string): string => (id.split(':').length > 2 ? localIdOf(id) : id)

/** Code of a one-time link: 18 bytes as base64url (docs/console.md#getting-in). */
const CODE = /^[\w-]{24}$/

/** The code after the `#` of an address; null for other fragments. */
export function linkCodeOf(hash: string): string | null {
  const code = hash.slice(1)
  return CODE.test(code) ? code : null
}
