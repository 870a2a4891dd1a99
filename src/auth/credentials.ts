import type { AccessChange } from '../exposure/access-change.ts'
import type { Cause } from '../home/model/cause.ts'
import type { ActivityDraft } from '../home/model/activity.ts'
import type { ChangePart, UnitOfWork } from '../home/ports/activity-log.ts'
import type { Clock } from '../lib/clock.ts'
import type { Emitter } from '../lib/emitter.ts'
import { type Random, randomId } from '../lib/random.ts'
import {
  type Credential,
  type CredentialReader,
  type CredentialWriter,
  ENDED_KEPT_MAX,
  LINK_LENGTH,
  SESSION_LIFE_MS,
} from './credential.ts'
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

  /** `also` is stored in the same transaction. */
  revoke(credential: Credential, cause: Cause, also: readonly ChangePart[] = []): void {
    this.#parts.work.change((record) => {
      this.end(credential, cause, record)
      for (const part of also) part.store(record)
    })
    for (const part of also) part.apply()
    this.#parts.changes.emit({ integration: credential.integration, deleted: false })
  }

  /** As `create`, inside a change that is under way: the caller emits the `AccessChange` afterwards. */
  mint({ integration, kind, name, platform }: NewCredential, cause: Cause, record: RecordActivity): Minted {
    const { clock, gateway, random, steady, store } = this.#parts
    const secret = random.bytes(SECRET_BYTES).toString('base64url')
    const credential: Credential = {
      link: randomId(random, LINK_LENGTH),
      integration,
      kind,
      name,
      platform,
      secretSha256: hashSecret(secret),
      createdAt: clock.now(),
      revokedAt: null,
      lastUsedAt: null,
      lastUsedVia: null,
      steadyCreatedAt: steady.now(),
      steadyUsedAt: null,
      expiredAt: null,
    }
    store.insert(credential)
    store.forgetEnded(integration, ENDED_KEPT_MAX, steady.now() - SESSION_LIFE_MS)
    steady.save()
    this.#record(credential, 'created', cause, record)
    return {
      token: formatToken({ kind, gateway, integration, link: credential.link, secret }),
      credential,
    }
  }

  /** As `revoke`, inside a change that is under way. */
  end(credential: Credential, cause: Cause, record: RecordActivity): void {
    this.#parts.store.revoke(credential.link, this.#parts.clock.now())
    this.#record(credential, 'revoked', cause, record)
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
