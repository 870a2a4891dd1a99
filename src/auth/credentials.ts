import type { AccessChange } from '../exposure/access-change.ts'
import type { Cause } from '../home/model/cause.ts'
import type { ActivityDraft } from '../home/model/activity.ts'
import type { UnitOfWork } from '../home/ports/activity-log.ts'
import type { Clock } from '../lib/clock.ts'
import type { Emitter } from '../lib/emitter.ts'
import { type Random, randomId } from '../lib/random.ts'
import { type Credential, type CredentialReader, type CredentialWriter, LINK_LENGTH } from './credential.ts'
import type { SteadyTime } from './steady-time.ts'
import { type CredentialKind, formatToken, hashSecret, SECRET_BYTES } from './token.ts'

/** What a new credential is for. Name and platform are those of an agent; a key may have a name. */
export interface NewCredential {
  /** Id of the integration. */
  readonly integration: string
  readonly kind: CredentialKind
  readonly name: string
  readonly platform: string
}

/** The token is shown once, here; afterwards only the hash of its secret exists. */
export interface Minted {
  readonly token: string
  readonly credential: Credential
}

/** Writes an activity row in the transaction that is under way. */
type RecordActivity = (draft: ActivityDraft) => void

/** Makes and revokes credentials (Spec 5). */
export class Credentials {
  readonly #gateway: string
  readonly #store: CredentialReader & CredentialWriter
  readonly #work: UnitOfWork
  readonly #steady: SteadyTime
  readonly #clock: Clock
  readonly #random: Random
  readonly #changes: Pick<Emitter<AccessChange>, 'emit'>

  constructor(parts: {
    gateway: string
    store: CredentialReader & CredentialWriter
    work: UnitOfWork
    steady: SteadyTime
    clock: Clock
    random: Random
    changes: Pick<Emitter<AccessChange>, 'emit'>
  }) {
    this.#gateway = parts.gateway
    this.#store = parts.store
    this.#work = parts.work
    this.#steady = parts.steady
    this.#clock = parts.clock
    this.#random = parts.random
    this.#changes = parts.changes
  }

  list(): readonly Credential[] {
    return this.#store.list()
  }

  get(link: string): Credential | undefined {
    return this.#store.get(link)
  }

  create(what: NewCredential, cause: Cause): Minted {
    const minted = this.#work.change((record) => this.mint(what, cause, record))
    this.#changes.emit({ integration: what.integration, deleted: false })
    return minted
  }

  revoke(credential: Credential, cause: Cause): void {
    this.#work.change((record) => this.end(credential, cause, record))
    this.#changes.emit({ integration: credential.integration, deleted: false })
  }

  /** As `create`, inside a change that is under way: the caller emits the `AccessChange` afterwards. */
  mint({ integration, kind, name, platform }: NewCredential, cause: Cause, record: RecordActivity): Minted {
    const secret = this.#random.bytes(SECRET_BYTES).toString('base64url')
    const credential: Credential = {
      link: randomId(this.#random, LINK_LENGTH),
      integration,
      kind,
      name,
      platform,
      secretSha256: hashSecret(secret),
      createdAt: this.#clock.now(),
      revokedAt: null,
      lastUsedAt: null,
      lastUsedVia: null,
      steadyCreatedAt: this.#steady.now(),
      steadyUsedAt: null,
      expiredAt: null,
    }
    this.#store.insert(credential)
    this.#steady.save()
    this.#record(credential, 'created', cause, record)
    return {
      token: formatToken({ kind, gateway: this.#gateway, integration, link: credential.link, secret }),
      credential,
    }
  }

  /** As `revoke`, inside a change that is under way. */
  end(credential: Credential, cause: Cause, record: RecordActivity): void {
    this.#store.revoke(credential.link, this.#clock.now())
    this.#record(credential, 'revoked', cause, record)
  }

  #record({ integration, kind, link }: Credential, did: string, cause: Cause, record: RecordActivity): void {
    record({
      at: this.#clock.now(),
      kind: 'access',
      subject: { kind: 'integration', id: integration },
      what: `${kind} ${link} ${did}`,
      cause,
    })
  }
}
