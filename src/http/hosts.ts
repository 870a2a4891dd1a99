import type { IncomingMessage } from 'node:http'
import { refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import type { ErrorCode } from '../wire/errors.ts'
import { hostName } from '../lib/host-name.ts'
import { isRepeated } from '../lib/request-head.ts'

/**
 * Host names of this gateway (docs/decisions/host-and-origin.md): its own names, its current addresses, and loopback.
 * Any other name gets 421, which stops DNS rebinding.
 */
export class OwnHosts {
  readonly #fixed: ReadonlySet<string>
  readonly #addresses: () => readonly string[]
  /** Cache of the last header: a client sends the same one with each request. */
  #latest: { readonly host: string; readonly name: string | null } = { host: '', name: null }

  constructor(serial: string, addresses: () => readonly string[]) {
    this.#fixed = new Set([`hm-${serial}.local`, `hm-${serial}`, 'localhost', '127.0.0.1', '[::1]'])
    this.#addresses = addresses
  }

  /** Checks a Host header: name or address, with or without port or trailing dot, in any case. */
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

  /** Checks an Origin header: true only for the gateway's own pages. */
  isOwnOrigin(origin: string): boolean {
    return origin.startsWith('https://') && this.answersTo(origin.slice('https://'.length))
  }
}

export interface HostRefusal {
  readonly code: ErrorCode
  readonly answer: Answer
}

/** Refusal of a request for another host or from another origin, or null. */
export function hostRefusal(hosts: OwnHosts, request: IncomingMessage): HostRefusal | null {
  const { host, origin } = request.headers
  const refused = (code: ErrorCode): HostRefusal => ({ code, answer: refusedWith(code) })
  // RFC 9112 section 3.2 requires 400. HTTP/1.0 allows requests without Host; they count as requests for another host.
  if (host === undefined && request.httpVersion === '1.1') {
    const answer = refusedWith('validation', { message: 'The Host header is missing.' })
    return { code: 'validation', answer: { ...answer, status: 400 } }
  }
  if (!hosts.answersTo(host) || isRepeated(request, 'host')) return refused('misdirected_request')
  return origin !== undefined && !hosts.isOwnOrigin(origin) ? refused('origin_not_allowed') : null
}
