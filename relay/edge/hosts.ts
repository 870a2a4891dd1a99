import { hostName } from '@hm-gateway/lib/host-name.ts'

/** The names that the relay answers to: lower-case host names and addresses, those of IPv6 without brackets. */
type Names = () => readonly string[]

/** Takes a Host header: name or address, with or without a port, in any case, with or without the root's dot. */
export function answersTo(names: Names, host: string | undefined): boolean {
  const name = hostName(host ?? '')?.replaceAll(/^\[|\]$/g, '')
  return name !== undefined && names().includes(name)
}

/** Takes an Origin header: only pages that the relay itself served. */
export const isOwnOrigin = (names: Names, origin: string): boolean =>
  origin.startsWith('https://') && answersTo(names, origin.slice('https://'.length))
