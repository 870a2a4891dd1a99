import type { AccessChange } from '../../exposure/access-change.ts'
import type { Cause } from '../../home/model/cause.ts'
import type { ActivityDraft } from '../../home/model/activity.ts'
import type { ChangePart, UnitOfWork } from '../../home/ports/activity-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { type Random, randomId } from '../../lib/random.ts'
import {
  type Credential,
  type CredentialReader,
  type CredentialWriter,
  ENDED_KEPT_MAX,
  LINK_LENGTH,
  SESSION_LIFE_MS,
  type HostedClient,
  type CredentialKind,
  formatToken,
  hashSecret,
  SECRET_BYTES,
} from './credential.ts'
import type { SteadyTime } from './steady-time.ts'

/** What a new credential is for. Name and platform are those of an agent; a key may have a name. */
export interface NewCredential {
  /** Id of the integration. */
  readonly integration: string
  readonly kind: CredentialKind
  readonly name: string
  readonly platform: string
}

/** What a new credential of a hosted platform is for. */
export interface NewHosted extends Omit<NewCredential, 'kind'> {
  readonly hosted: HostedClient
}

/** The token is shown once, here; afterwards only the hash of its secret exists. */
export interface Minted {
  readonly token: string
  readonly credential: Credential
}

/** Writes an activity row in the transaction that is under way. */
export type RecordActivity = (draft: ActivityDraft) => void

export interface CredentialsParts {
  /** The gateway's serial, which is part of its tokens. */
  readonly gateway: string
  readonly store: CredentialReader & CredentialWriter
  readonly work: UnitOfWork
  readonly steady: Pick<SteadyTime, 'now' | 'save'>
  readonly clock: Clock
  readonly random: Random
  readonly changes: Pick<Emitter<AccessChange>, 'emit'>
}

/** Makes and revokes credentials (Spec 5). */
export class Credentials {
  readonly #parts: CredentialsParts

  constructor(parts: CredentialsParts) {
    this.#parts = parts
  }

  list(): readonly Credential[] {
    return this.#parts.store.list()
  }

  get(link: string): Credential | undefined {
    return this.#parts.store.get(link)
  }

  create(what: NewCredential, cause: Cause): Minted {
    const minted = this.#parts.work.change((record) => this.mint(what, cause, record))
    this.#parts.changes.emit({ integration: what.integration, deleted: false })
    return minted
  }

  /** `also` is stored in the same transaction; `why` stands in the activity where it was nobody's wish. */
  revoke(credential: Credential, cause: Cause, also: readonly ChangePart[] = [], why?: string): void {
    this.#parts.work.change((record) => {
      this.end(credential, cause, record, why)
      for (const part of also) part.store(record)
    })
    for (const part of also) part.apply()
    this.#parts.changes.emit({ integration: credential.integration, deleted: false })
  }

  /** As `revoke`, in memory alone: where the disk does not take it. */
  hold({ link, integration }: Credential): void {
    this.#parts.store.hold(link, this.#parts.clock.now())
    this.#parts.changes.emit({ integration, deleted: false })
  }

  /** As `create`, inside a change that is under way: the caller emits the `AccessChange` afterwards. */
  mint(what: NewCredential, cause: Cause, record: RecordActivity): Minted {
    const { gateway, random } = this.#parts
    const secret = random.bytes(SECRET_BYTES).toString('base64url')
    const credential = this.#insert({ ...what, secretSha256: hashSecret(secret), hosted: null }, cause, record)
    const { kind, integration, link } = credential
    return { token: formatToken({ kind, gateway, integration, link, secret }), credential }
  }

  /** As `mint`, for a hosted platform, whose tokens are made beside it. */
  mintHosted(what: NewHosted, cause: Cause, record: RecordActivity): Credential {
    return this.#insert({ ...what, kind: 'agent', secretSha256: null }, cause, record)
  }

  /** As `revoke`, inside a change that is under way. */
  end(credential: Credential, cause: Cause, record: RecordActivity, why?: string): void {
    this.#parts.store.revoke(credential.link, this.#parts.clock.now())
    this.#record(credential, why === undefined ? 'revoked' : `revoked: ${why}`, cause, record)
  }

  #insert(
    what: Pick<Credential, 'integration' | 'kind' | 'name' | 'platform' | 'secretSha256' | 'hosted'>,
    cause: Cause,
    record: RecordActivity,
  ): Credential {
    const { clock, random, steady, store } = this.#parts
    const credential: Credential = {
      ...what,
      link: randomId(random, LINK_LENGTH),
      createdAt: clock.now(),
      revokedAt: null,
      lastUsedAt: null,
      lastUsedVia: null,
      steadyCreatedAt: steady.now(),
      steadyUsedAt: null,
      expiredAt: null,
    }
    store.insert(credential)
    store.forgetEnded(what.integration, ENDED_KEPT_MAX, steady.now() - SESSION_LIFE_MS)
    steady.save()
    this.#record(credential, 'created', cause, record)
    return credential
  }

  #record({ integration, kind, link }: Credential, did: string, cause: Cause, record: RecordActivity): void {
    record({
      at: this.#parts.clock.now(),
      kind: 'access',
      subject: { kind: 'integration', id: integration },
      what: `${kind} ${link} ${did}`,
      cause,
    })
  }
}
