import { hostName } from '@hm-gateway/lib/host-name.ts'

/** Host names and addresses of the relay in lower case; IPv6 addresses without brackets. */
type Names = () => readonly string[]

/** Checks a Host header: ignores case, port and a trailing dot. */
export function answersTo(names: Names, host: string | undefined): boolean {
  const name = hostName(host ?? '')?.replaceAll(/^\[|\]$/g, '')
  return name !== undefined && names().includes(name)
}

/** Checks an Origin header: accepts only the relay's own pages. */
export const isOwnOrigin = (names: Names, origin: string): boolean =>
  origin.startsWith('https://') && answersTo(names, origin.slice('https://'.length))
