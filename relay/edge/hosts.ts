import { hostName } from '@hm-gateway/lib/host-name.ts'

/** Which names the relay answers to: that of its address, and where it signs its own certificate all names of that. */
export class Hosts {
  readonly #names: () => readonly string[]

  /** @param names lower-case host names and addresses, those of IPv6 without brackets. */
  constructor(names: () => readonly string[]) {
    this.#names = names
  }

  /** Takes a Host header: name or address, with or without a port, in any case, with or without the root's dot. */
  answersTo(host: string | undefined): boolean {
    const name = hostName(host ?? '')?.replaceAll(/^\[|\]$/g, '')
    return name !== undefined && this.#names().includes(name)
  }

  /** Takes an Origin header: only pages that the relay itself served. */
  isOwnOrigin(origin: string): boolean {
    return origin.startsWith('https://') && this.answersTo(origin.slice('https://'.length))
  }
}
