import { createHmac } from 'node:crypto'
import type { AdapterPayload } from 'oidc-provider'
import { z } from 'zod'
import { TABLES } from '../store/store.ts'
import { hashedId, Table } from '../store/table.ts'
import { guarded, tooMany } from './refusals.ts'
import { type ClientMetadata, metadataId } from './client-metadata.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** The entry of a client in use is renewed at this interval. */
const RENEW_INTERVAL_MS = 86_400_000
const SECRET_BYTES = 32
const NONCE_BYTES = 16
/** Id of a client with a secret: the id of its metadata and a nonce. */
const WITH_SECRET = /^([\w-]{43})\.[\w-]{22}$/

/** Stored form of the engine's entries. */
export const Payload = z.record(z.string(), z.unknown())
export type Payload = z.infer<typeof Payload>

const StoredClient = z.object({ client: Payload, at: z.int() })
type StoredClient = z.infer<typeof StoredClient>
const SecretKey = z.object({ key: z.string() })
type SecretKey = z.infer<typeof SecretKey>

export interface RegisteredClientsParts extends Pick<RelayParts, 'store' | 'clock' | 'random'> {
  /** Seconds until a client of new metadata may register from the address of the current request; 0: now. */
  readonly waitToRegister: () => number
}

/**
 * Registered clients, one entry per metadata; only new entries count towards the limits.
 * - A public client's id is the hash of its metadata. A client with a secret gets its own id and secret, derived from
 *   a stored key.
 * - An entry lasts a day; once approved, it lasts 90 days from its last use.
 */
export class RegisteredClients {
  readonly #parts: RegisteredClientsParts
  readonly #registered: Table<Payload>
  readonly #approved: Table<StoredClient>
  readonly #keys: Table<SecretKey>

  constructor(parts: RegisteredClientsParts) {
    this.#parts = parts
    this.#registered = new Table(parts.store, 'registrations', Payload)
    this.#approved = new Table(parts.store, 'clients', StoredClient)
    this.#keys = new Table(parts.store, 'facts', SecretKey)
  }

  /** Id for a new registration with this metadata. */
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
    // Entries of earlier versions contain a secret and belong to one client.
    const { client_secret: stored, token_endpoint_auth_method: method } = entry.client
    if (method === 'none' || stored !== undefined)
      return WITH_SECRET.test(id) ? undefined : { ...entry.client, client_id: id }
    if (!WITH_SECRET.test(id)) return undefined
    return { ...entry.client, client_id: id, client_secret: await this.secretOf(id) }
  }

  /** True if the administrators of any home have approved this client. */
  async isApproved(id: string): Promise<boolean> {
    return (await this.#approved.get(entryKey(id))) !== null
  }

  /** Stores the entry of an approved client, or renews its lifetime. */
  async keep(id: string): Promise<void> {
    const key = entryKey(id)
    const approved = await this.#approved.get(key)
    const now = this.#parts.clock.now()
    if (approved !== null && now - approved.at < RENEW_INTERVAL_MS) return
    const client = approved?.client ?? (await this.#registered.get(key))
    if (client !== null) await this.#approved.put(key, { client, at: now })
  }

  async #entry(id: string): Promise<(StoredClient & { readonly isApproved: boolean }) | null> {
    const key = entryKey(id)
    const approved = await this.#approved.get(key)
    if (approved !== null) return { ...approved, isApproved: true }
    const client = await this.#registered.get(key)
    if (client === null) return null
    const { client_id_issued_at: issuedAt } = client
    return { client, at: typeof issuedAt === 'number' ? issuedAt * 1_000 : 0, isApproved: false }
  }

  /** Creates the key once for the whole relay; another node may be faster. */
  async #secretKey(): Promise<SecretKey> {
    const known = await this.#keys.get(SECRET_KEY_ID)
    if (known !== null) return known
    await this.#keys.create(SECRET_KEY_ID, { key: this.#parts.random.bytes(SECRET_BYTES).toString('base64url') })
    const stored = await this.#keys.get(SECRET_KEY_ID)
    if (stored === null) throw new Error('The key of client secrets is not in the store.')
    return stored
  }
}

const SECRET_KEY_ID = 'client-secrets'

const entryKey = (id: string): string => hashedId(`client ${WITH_SECRET.exec(id)?.[1] ?? id}`)
