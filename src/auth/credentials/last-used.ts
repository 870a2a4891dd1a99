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
import { unlessDiskFails } from '../../lib/storage-failure.ts'
import type { IntegrationReader } from '../../exposure/integration.ts'
import type { OpeningPolicy, OpeningRefusal, Principal } from '../../home/ports/unit-bus.ts'

/** Kept in memory and written behind at most this often (docs/decisions/credentials.md): a mere read writes nothing. */
const WRITE_EVERY_MS = 30_000
/**
 * Where nothing is used, steady time alone is kept this often: it must not be lost where the wall clock starts at zero.
 */
const KEEP_TIME_EVERY_MS = 10 * 60_000

interface LastUsedParts {
  readonly clock: Clock
  readonly steady: Pick<SteadyTime, 'now' | 'save' | 'noticeSleep'>
  readonly work: UnitOfWork
  readonly writer: Pick<CredentialWriter, 'used' | 'expired'>
}

/** When and from where each credential was last used, and what has become of it since. Ages are of steady time. */
export class LastUsed {
  readonly #parts: LastUsedParts
  /** Uses that the store does not know of yet. */
  readonly #uses = new Map<string, CredentialUse>()
  /** Sessions seen past their time that the store does not know of yet, with epoch ms. */
  readonly #expired = new Map<string, number>()
  readonly #stop: () => void
  #keptAt: number

  constructor(parts: LastUsedParts) {
    this.#parts = parts
    this.#keptAt = parts.steady.now()
    this.#stop = every(parts.clock, WRITE_EVERY_MS, () => {
      this.#parts.steady.noticeSleep()
      if (this.#parts.steady.now() - this.#keptAt >= KEEP_TIME_EVERY_MS) this.keep()
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
   * Whether a session is past its time (Spec 3): one hour after its last use, twelve hours after it was made. Once
   * seen, for good.
   */
  sessionOver(credential: Credential): boolean {
    if (credential.kind !== 'session') return false
    if (credential.expiredAt !== null || this.#expired.has(credential.link)) return true
    const over =
      this.#quietFor(credential) >= SESSION_IDLE_MS ||
      this.#parts.steady.now() - credential.steadyCreatedAt >= SESSION_LIFE_MS
    if (over) this.#expired.set(credential.link, this.#parts.clock.now())
    return over
  }

  /** Whether an unused key or agent is to be shown as stale (Spec 3). */
  stale(credential: Credential): boolean {
    return credential.kind !== 'session' && credential.revokedAt === null && this.#quietFor(credential) > STALE_AFTER_MS
  }

  write(): void {
    if (this.#uses.size > 0 || this.#expired.size > 0) this.keep()
  }

  stop(): void {
    this.#stop()
    this.keep()
  }

  #quietFor(credential: Credential): number {
    return (
      this.#parts.steady.now() -
      (this.#uses.get(credential.link)?.steadyAt ?? credential.steadyUsedAt ?? credential.steadyCreatedAt)
    )
  }

  /**
   * Stores what is known, and the time, so that a restart goes on from it; while the disk takes no writes it stays in
   * memory, for the next time.
   */
  keep(): void {
    unlessDiskFails(() => {
      this.#parts.work.change(() => {
        this.#parts.writer.used([...this.#uses.values()])
        for (const [link, at] of this.#expired) this.#parts.writer.expired(link, at)
        this.#parts.steady.save()
      })
      this.#uses.clear()
      this.#expired.clear()
      this.#keptAt = this.#parts.steady.now()
    })
  }
}

interface OpeningPolicyParts {
  readonly integrations: Pick<IntegrationReader, 'get'>
  readonly credentials: Pick<CredentialReader, 'get'>
  readonly lastUsed: Pick<LastUsed, 'sessionOver'>
}

/**
 * Who may open locks and gates now, from what is stored: an integration that is there, enabled and has allow_unlock on,
 * by a key that has not ended, or by an agent whose one run an administrator confirmed (Spec 4 rule 2).
 */
export function openingPolicy({ integrations, credentials, lastUsed }: OpeningPolicyParts): OpeningPolicy {
  return {
    refusalOf: (principal: Principal): OpeningRefusal | null => {
      const integration = integrations.get(principal.integration)
      if (!integration) return 'integration_deleted'
      if (!integration.enabled) return 'integration_disabled'
      if (integration.knobs.allow_unlock === 'off') return 'unlock_off'
      const credential = credentials.get(principal.link)
      if (credential?.integration !== integration.id) return 'credential_ended'
      if (credential.revokedAt !== null || lastUsed.sessionOver(credential)) return 'credential_ended'
      if (credential.kind === 'key') return null
      if (integration.knobs.agent_access === 'off') return 'credential_ended'
      return principal.confirmedBy === undefined ? 'unconfirmed' : null
    },
  }
}
