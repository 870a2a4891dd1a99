import { createHmac } from 'node:crypto'
import type { AdapterPayload } from 'oidc-provider'
import { z } from 'zod'
import { TABLES } from '../store/store.ts'
import { hashedId, Table } from '../store/table.ts'
import { guarded, tooMany } from './refusals.ts'
import { type ClientMetadata, metadataId } from './client-metadata.ts'
import type { RelayParts } from '../store/parts.ts'

/** A client in use is written anew this often. */
const KEPT_EACH_MS = 86_400_000
const SECRET_BYTES = 32
const NONCE_BYTES = 16
/** Id of a client with a secret: the id of its metadata and what tells it from others of the same metadata. */
const WITH_SECRET = /^([\w-]{43})\.[\w-]{22}$/

/** An entry of the engine as the store keeps it. */
export const Payload = z.record(z.string(), z.unknown())
export type Payload = z.infer<typeof Payload>

const Kept = z.object({ client: Payload, at: z.int() })
type Kept = z.infer<typeof Kept>
const SecretKey = z.object({ key: z.string() })
type SecretKey = z.infer<typeof SecretKey>

export interface RegisteredClientsParts extends Pick<RelayParts, 'store' | 'clock' | 'random'> {
  /** Seconds until a client of new metadata may register from the address of the current request; 0: now. */
  readonly waitToRegister: () => number
}

/**
 * Clients that registered, by their metadata: the same metadata is the same entry, and only a new entry counts towards
 * the limits. A public client's id is that of its metadata. A client with a secret gets an id and a secret of its own,
 * which are derived and not stored. An entry lasts a day, or 90 days after its last use once it was approved.
 */
export class RegisteredClients {
  readonly #parts: RegisteredClientsParts
  readonly #registered: Table<Payload>
  readonly #approved: Table<Kept>
  readonly #keys: Table<SecretKey>

  constructor(parts: RegisteredClientsParts) {
    this.#parts = parts
    this.#registered = new Table(parts.store, 'registrations', Payload)
    this.#approved = new Table(parts.store, 'clients', Kept)
    this.#keys = new Table(parts.store, 'facts', SecretKey)
  }

  /** The id of a client that registers with this metadata. */
  idOf(metadata: ClientMetadata): string {
    const id = metadataId(metadata)
    if (metadata.token_endpoint_auth_method === 'none') return id
    return `${id}.${this.#parts.random.bytes(NONCE_BYTES).toString('base64url')}`
  }

  async secretOf(id: string): Promise<string> {
    const { key } = await guarded(this.#secretKey())
    return createHmac('sha256', key).update(id).digest('base64url')
  }

  async upsert(id: string, { client_secret: _secret, ...payload }: AdapterPayload): Promise<void> {
    const now = this.#parts.clock.now()
    const entry = await guarded(this.#entry(id))
    if (entry !== null && (entry.isApproved || now - entry.at < TABLES.registrations / 2)) return
    const wait = entry === null ? this.#parts.waitToRegister() : 0
    if (wait > 0) throw tooMany(wait)
    const stored = { ...payload, client_id_issued_at: Math.floor(now / 1_000) }
    await guarded(this.#registered.put(entryKey(id), stored))
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const entry = await guarded(this.#entry(id))
    if (entry === null) return undefined
    // An entry with a secret in it is of one client alone.
    const { client_secret: stored, token_endpoint_auth_method: method } = entry.client
    if (method === 'none' || stored !== undefined)
      return WITH_SECRET.test(id) ? undefined : { ...entry.client, client_id: id }
    if (!WITH_SECRET.test(id)) return undefined
    return { ...entry.client, client_id: id, client_secret: await this.secretOf(id) }
  }

  /** Whether the administrators of some home let this client in. */
  async isApproved(id: string): Promise<boolean> {
    return (await this.#approved.get(entryKey(id))) !== null
  }

  /** A client was approved, or used its tokens: its entry lasts longer. */
  async keep(id: string): Promise<void> {
    const key = entryKey(id)
    const approved = await this.#approved.get(key)
    const now = this.#parts.clock.now()
    if (approved !== null && now - approved.at < KEPT_EACH_MS) return
    const client = approved?.client ?? (await this.#registered.get(key))
    if (client !== null) await this.#approved.put(key, { client, at: now })
  }

  async #entry(id: string): Promise<(Kept & { readonly isApproved: boolean }) | null> {
    const key = entryKey(id)
    const approved = await this.#approved.get(key)
    if (approved !== null) return { ...approved, isApproved: true }
    const client = await this.#registered.get(key)
    if (client === null) return null
    const { client_id_issued_at: issuedAt } = client
    return { client, at: typeof issuedAt === 'number' ? issuedAt * 1_000 : 0, isApproved: false }
  }

  /** Made once for the whole relay; another node may be faster. */
  async #secretKey(): Promise<SecretKey> {
    const known = await this.#keys.get(SECRET_KEY_ID)
    if (known !== null) return known
    await this.#keys.create(SECRET_KEY_ID, { key: this.#parts.random.bytes(SECRET_BYTES).toString('base64url') })
    const made = await this.#keys.get(SECRET_KEY_ID)
    if (made === null) throw new Error('The key of client secrets is not in the store.')
    return made
  }
}

const SECRET_KEY_ID = 'client-secrets'

const entryKey = (id: string): string => hashedId(`client ${WITH_SECRET.exec(id)?.[1] ?? id}`)
