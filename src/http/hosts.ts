import type { IncomingMessage } from 'node:http'
import { refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import type { ErrorCode } from '../wire/errors.ts'
import { hostName } from '../lib/host-name.ts'
import { isRepeated } from '../lib/request-head.ts'

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

export interface HostRefusal {
  readonly code: ErrorCode
  readonly answer: Answer
}

/** Why a request is not this gateway's to answer; null where it is. */
export function hostRefusal(hosts: OwnHosts, request: IncomingMessage): HostRefusal | null {
  const { host, origin } = request.headers
  const refused = (code: ErrorCode): HostRefusal => ({ code, answer: refusedWith(code) })
  // RFC 9112 section 3.2: 400. HTTP/1.0 knows requests without Host; they are for no host of this gateway's.
  if (host === undefined && request.httpVersion === '1.1') {
    const answer = refusedWith('validation', { message: 'The Host header is missing.' })
    return { code: 'validation', answer: { ...answer, status: 400 } }
  }
  if (!hosts.answersTo(host) || isRepeated(request, 'host')) return refused('misdirected_request')
  return origin !== undefined && !hosts.isOwnOrigin(origin) ? refused('origin_not_allowed') : null
}
