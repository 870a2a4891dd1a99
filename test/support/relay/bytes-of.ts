import type { RawAnswer } from '#support/gateway/callers.ts'

/** A response without its date and connection headers, because the relay's own HTTPS sets them. */
export function bytesOf({ status, text, headers = {} }: RawAnswer): object {
  const ofConnection = ['date', 'connection', 'keep-alive', 'strict-transport-security']
  const rest = Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.includes(name)))
  return { status, text, headers: Object.fromEntries(Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1))) }
}
