import type { RawAnswer } from '#support/gateway/callers.ts'

/** All of an answer but its moment, and what is about the connection. */
export function bytesOf({ status, text, headers = {} }: RawAnswer): object {
  const { date: _date, connection: _connection, 'keep-alive': _keepAlive, ...rest } = headers
  return { status, text, headers: Object.fromEntries(Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1))) }
}
