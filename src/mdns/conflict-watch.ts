import type { Log } from '../lib/log.ts'
import { recordKey } from './records.ts'
import type { HeardRecord, OwnRecord } from './records.ts'

/** Addresses of this machine are remembered this long; an older one may belong to another machine by now. */
const OWN_MAX = 200
const WARNED_MAX = 50

/**
 * Notices when another machine claims the gateway's names. Each claim is logged once, and nothing is renamed:
 * the certificate names exactly this host, so another name would reach nobody who verifies.
 */
export class ConflictWatch {
  readonly #log: Log
  /** What the gateway has announced on any network, so that its own echo is no conflict. */
  readonly #own = new Set<string>()
  /** Names and types that are the gateway's alone. */
  readonly #claimed = new Set<string>()
  readonly #warned = new Set<string>()
  #ownAddresses: ReadonlySet<string> = new Set()

  constructor(log: Log) {
    this.#log = log
  }

  /** Other programs of this machine may announce the same host name; their addresses are this machine's. */
  machine(addresses: ReadonlySet<string>): void {
    this.#ownAddresses = addresses
  }

  own(records: readonly OwnRecord[]): void {
    for (const record of records) {
      const key = recordKey(record)
      if (key === null || !record.flush || record.type === 'NSEC') continue
      this.#own.delete(key)
      this.#own.add(key)
      this.#claimed.add(`${record.name} ${record.type}`)
    }
    for (const oldest of this.#own) {
      if (this.#own.size <= OWN_MAX) break
      this.#own.delete(oldest)
    }
  }

  onClaims(claims: readonly HeardRecord[], from: string): void {
    if (this.#ownAddresses.has(from)) return
    for (const claim of claims) {
      const key = recordKey(claim)
      if (
        key === null ||
        claim.ttl === 0 ||
        this.#own.has(key) ||
        !this.#claimed.has(`${claim.name.toLowerCase()} ${claim.type}`)
      )
        continue
      if (this.#warned.has(key) || this.#warned.size >= WARNED_MAX) continue
      this.#warned.add(key)
      this.#log.warn(
        { name: claim.name, type: claim.type, from },
        "Another machine announces this gateway's name: clients may find that one instead.",
      )
    }
  }
}
