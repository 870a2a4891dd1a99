import type { Integration } from '../exposure/integration.ts'
import type { Cause } from '../home/model/cause.ts'
import type { UnitOfWork } from '../home/ports/activity-log.ts'
import type { Clock } from '../lib/clock.ts'
import { type Random, randomId } from '../lib/random.ts'
import { type Credential, type CredentialReader, type CredentialWriter, LINK_LENGTH } from './credential.ts'
import { formatToken, hashSecret, SECRET_BYTES } from './token.ts'

/** Makes and revokes keys (Spec 5). A token is shown once, here; afterwards only the hash of its secret exists. */
export class Keys {
  readonly #gateway: string
  readonly #store: CredentialReader & CredentialWriter
  readonly #work: UnitOfWork
  readonly #clock: Clock
  readonly #random: Random
  readonly #changed: (integration: string) => void

  constructor(parts: {
    gateway: string; store: CredentialReader & CredentialWriter; work: UnitOfWork; clock: Clock; random: Random; changed: (integration: string) => void
  }) {
    this.#gateway = parts.gateway
    this.#store = parts.store
    this.#work = parts.work
    this.#clock = parts.clock
    this.#random = parts.random
    this.#changed = parts.changed
  }

  list(): readonly Credential[] {
    return this.#store.list()
  }

  get(link: string): Credential | undefined {
    return this.#store.get(link)
  }

  create(integration: Integration, name: string, cause: Cause): { readonly token: string; readonly credential: Credential } {
    const secret = this.#random.bytes(SECRET_BYTES).toString('base64url')
    const credential: Credential = {
      link: randomId(this.#random, LINK_LENGTH),
      integration: integration.id,
      kind: 'key',
      name,
      platform: '',
      secretSha256: hashSecret(secret),
      createdAt: this.#clock.now(),
      revokedAt: null,
      lastUsedAt: null,
      lastUsedVia: null,
    }
    this.#change(integration.id, `key ${credential.link} created`, cause, () => this.#store.insert(credential))
    return { token: formatToken({ kind: 'key', gateway: this.#gateway, integration: integration.id, link: credential.link, secret }), credential }
  }

  revoke(credential: Credential, cause: Cause): void {
    this.#change(credential.integration, `${credential.kind} ${credential.link} revoked`, cause, () => this.#store.revoke(credential.link, this.#clock.now()))
  }

  #change(integration: string, what: string, cause: Cause, store: () => void): void {
    this.#work.change((record) => {
      store()
      record({ at: this.#clock.now(), kind: 'access', subject: { kind: 'integration', id: integration }, what, cause })
    })
    this.#changed(integration)
  }
}
