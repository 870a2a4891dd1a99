import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { recordKey } from './dns-records.ts'
import type { HeardRecord, OwnRecord } from './dns-records.ts'

/** Time for which this machine's addresses are remembered; later they may belong to another machine. */
const OWN_MAX = 200
/** Most conflicting machines; packets may be forged from any address. */
const CONFLICTS_MAX = 8
/** Silence after which a conflict is over; the gateway queries its own names each minute. */
export const CONFLICT_MS = 5 * 60_000

/** Another machine that announces one of the gateway's names. */
export interface Conflict {
  readonly address: string
  readonly name: string
  /** First detection, epoch ms. */
  readonly at: number
}

/**
 * Notices when another machine claims the gateway's names. The gateway keeps its name:
 * the certificate names exactly this host, so another name would reach nobody who verifies.
 */
export class ConflictWatch {
  readonly #clock: Clock
  readonly #log: Log
  /** Records announced on any network, so that the gateway's own echo is no conflict. */
  readonly #own = new Set<string>()
  /** Names and types that only this gateway may announce. */
  readonly #claimed = new Set<string>()
  /** Keyed by the address of the other machine. */
  readonly #conflicts = new Map<string, Conflict & { heardAt: number }>()
  #ownAddresses: ReadonlySet<string> = new Set()

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
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

  /** Machines that currently answer to the gateway's names. */
  current(): readonly Conflict[] {
    this.#dropGone()
    return [...this.#conflicts.values()].map(({ address, name, at }) => ({ address, name, at }))
  }

  onClaims(claims: readonly HeardRecord[], from: string): void {
    if (this.#ownAddresses.has(from)) return
    const claim = claims.find((record) => this.#isConflict(record))
    if (claim === undefined) return
    this.#dropGone()
    const known = this.#conflicts.get(from)
    const heardAt = this.#clock.monotonic()
    if (known !== undefined) known.heardAt = heardAt
    if (known !== undefined || this.#conflicts.size >= CONFLICTS_MAX) return
    this.#conflicts.set(from, { address: from, name: claim.name.toLowerCase(), at: this.#clock.now(), heardAt })
    this.#log.warn(
      { name: claim.name, type: claim.type, from },
      "Another machine announces this gateway's name: clients may find that one instead.",
    )
  }

  #isConflict(claim: HeardRecord): boolean {
    const key = recordKey(claim)
    if (key === null || claim.ttl === 0 || this.#own.has(key)) return false
    return this.#claimed.has(`${claim.name.toLowerCase()} ${claim.type}`)
  }

  #dropGone(): void {
    const now = this.#clock.monotonic()
    for (const [from, { heardAt }] of this.#conflicts) {
      if (now - heardAt > CONFLICT_MS) this.#conflicts.delete(from)
    }
  }
}
