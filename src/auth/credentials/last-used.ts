import type { UnitOfWork } from '../../home/ports/activity-log.ts'
import { type Clock, every } from '../../lib/clock.ts'
import {
  type Credential,
  type CredentialUse,
  type CredentialWriter,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
  STALE_AFTER_MS,
  type Via,
  type CredentialReader,
} from './credentials.ts'
import type { SteadyTime } from './steady-time.ts'
import { nullIfDiskFails } from '../../lib/storage-failure.ts'
import type { RecordTimes } from '../../exposure/record-times.ts'
import { type IntegrationReader, isOfPeople } from '../../exposure/integration.ts'
import type { OpeningPolicy, OpeningRefusal, Principal } from '../../home/ports/unit-bus.ts'

/** Interval of writing uses, which are collected in memory (docs/decisions/credentials.md). A read causes no write. */
const WRITE_EVERY_MS = 30_000
/** Interval of saving steady time without uses, so that it survives on machines whose wall clock starts at zero. */
const SAVE_TIME_EVERY_MS = 10 * 60_000

interface LastUsedParts {
  readonly clock: Clock
  readonly steady: Pick<SteadyTime, 'now' | 'save' | 'noticeSleep'>
  readonly work: UnitOfWork
  readonly writer: Pick<CredentialWriter, 'used' | 'expired'>
}

/** Last use, staleness and session expiry of credentials. Ages count in steady time. */
export class LastUsed {
  readonly #parts: LastUsedParts
  /** Uses not stored yet. */
  readonly #uses = new Map<string, CredentialUse>()
  /** Expired sessions not stored yet, with epoch ms. */
  readonly #expired = new Map<string, number>()
  readonly #stop: () => void
  #savedAt: number

  constructor(parts: LastUsedParts) {
    this.#parts = parts
    this.#savedAt = parts.steady.now()
    this.#stop = every(parts.clock, WRITE_EVERY_MS, () => {
      this.#parts.steady.noticeSleep()
      if (this.#parts.steady.now() - this.#savedAt >= SAVE_TIME_EVERY_MS) this.save()
      else this.write()
    })
  }

  used(link: string, via: Via): void {
    this.#uses.set(link, { link, at: this.#parts.clock.now(), steadyAt: this.#parts.steady.now(), via })
  }

  of(credential: Credential): { readonly at: number; readonly via: Via } | null {
    const here = this.#uses.get(credential.link)
    if (here) return here
    return credential.lastUsedAt === null ? null : { at: credential.lastUsedAt, via: credential.lastUsedVia ?? 'home' }
  }

  /**
   * True for an expired session (Spec 3): one hour after its last use, or twelve hours after it was made. Once seen
   * expired, it stays expired.
   */
  sessionOver(credential: Credential): boolean {
    if (credential.kind !== 'session') return false
    if (credential.expiredAt !== null || this.#expired.has(credential.link)) return true
    const isOver =
      this.#quietFor(credential) >= SESSION_IDLE_MS ||
      this.#parts.steady.now() - credential.steadyCreatedAt >= SESSION_LIFE_MS
    if (isOver) this.#expired.set(credential.link, this.#parts.clock.now())
    return isOver
  }

  /** True if a key or agent was unused for so long that it is shown as stale (Spec 3). */
  stale(credential: Credential): boolean {
    return credential.kind !== 'session' && credential.revokedAt === null && this.#quietFor(credential) > STALE_AFTER_MS
  }

  write(): void {
    if (this.#uses.size > 0 || this.#expired.size > 0) this.save()
  }

  stop(): void {
    this.#stop()
    this.save()
  }

  #quietFor(credential: Credential): number {
    return (
      this.#parts.steady.now() -
      (this.#uses.get(credential.link)?.steadyAt ?? credential.steadyUsedAt ?? credential.steadyCreatedAt)
    )
  }

  /**
   * Stores uses, expired sessions and the time. If the disk refuses writes, they stay in memory until the next attempt.
   */
  save(): void {
    nullIfDiskFails(() => {
      this.#parts.work.change(() => {
        this.#parts.writer.used([...this.#uses.values()])
        for (const [link, at] of this.#expired) this.#parts.writer.expired(link, at)
        this.#parts.steady.save()
      })
      this.#uses.clear()
      this.#expired.clear()
      this.#savedAt = this.#parts.steady.now()
    })
  }
}

interface OpeningPolicyParts {
  readonly integrations: Pick<IntegrationReader, 'get'>
  readonly times: Pick<RecordTimes, 'closedNow'>
  readonly credentials: Pick<CredentialReader, 'get'>
  readonly lastUsed: Pick<LastUsed, 'sessionOver'>
}

/**
 * Decides from stored data who may open locks and gates. The integration must exist, be enabled and in its hours, and
 * have allow_unlock on. Its key must be active, or an administrator must have confirmed this one run for an agent (Spec
 * 4 rule 2). The person of a record is its principal by the record's own id.
 */
export function openingPolicy({ integrations, times, credentials, lastUsed }: OpeningPolicyParts): OpeningPolicy {
  return {
    refusalOf: (principal: Principal): OpeningRefusal | null => {
      const integration = integrations.get(principal.integration)
      if (!integration) return 'integration_deleted'
      if (!integration.enabled) return 'integration_disabled'
      const closed = times.closedNow(integration)
      if (closed !== null) return closed.closed === 'ended' ? 'integration_over' : 'outside_hours'
      if (integration.knobs.allow_unlock === 'off') return 'unlock_off'
      const unconfirmed = principal.confirmedBy === undefined ? 'unconfirmed' : null
      if (isOfPeople(integration) && principal.link === integration.id)
        return integration.opening === 'ask' || integration.kind === 'tablet' ? unconfirmed : null
      const credential = credentials.get(principal.link)
      if (credential?.integration !== integration.id) return 'credential_ended'
      if (credential.revokedAt !== null || lastUsed.sessionOver(credential)) return 'credential_ended'
      if (credential.kind === 'key') return integration.opening === 'ask' ? unconfirmed : null
      return integration.knobs.agent_access === 'off' ? 'credential_ended' : unconfirmed
    },
  }
}
