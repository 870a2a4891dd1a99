import { hostName } from '../lib/host-name.ts'

/**
 * Which names this gateway answers to (docs/decisions/host-and-origin.md): its own, its current addresses, and
 * loopback. A page that was made to resolve to the gateway's address under another name (DNS rebinding) gets 421 and
 * nothing else.
 */
export class OwnHosts {
  readonly #fixed: ReadonlySet<string>
  readonly #addresses: () => readonly string[]
  /** The header that came last, and the name in it: a client sends the same with each request. */
  #latest: { readonly host: string; readonly name: string | null } = { host: '', name: null }

  constructor(serial: string, addresses: () => readonly string[]) {
    this.#fixed = new Set([`hm-${serial}.local`, `hm-${serial}`, 'localhost', '127.0.0.1', '[::1]'])
    this.#addresses = addresses
  }

  /** Takes a Host header: name or address, with or without a port, in any case, with or without the root's dot. */
  answersTo(host: string | undefined): boolean {
    if (!host) return false
    if (host !== this.#latest.host) this.#latest = { host, name: hostName(host) }
    const { name } = this.#latest
    return (
      name !== null &&
      (this.#fixed.has(name) ||
        this.#addresses().some((address) => name === (address.includes(':') ? `[${address}]` : address)))
    )
  }

  /** Takes an Origin header: only pages that the gateway itself served. */
  isOwnOrigin(origin: string): boolean {
    return origin.startsWith('https://') && this.answersTo(origin.slice('https://'.length))
  }
}
