import {
  jetstream,
  JetStreamApiCodes,
  JetStreamApiError,
  JetStreamError,
  StorageType,
  type StreamAPI,
} from '@nats-io/jetstream'
import { type KV, type KvEntry, Kvm, type KvStatus } from '@nats-io/kv'
import { keysOf } from '@hm-gateway/lib/keys.ts'
import { SettingsError } from '../model/settings.ts'
import {
  checkId,
  type Entry,
  type Store,
  StoreUnavailable,
  type TableName,
  TABLES,
  writtenValue,
} from '../store/store.ts'
import type { NatsLink } from './connection.ts'

/** Each bucket has room of its own, so that strangers who begin sign-ins take none from accounts. */
export const BUCKET_BYTES_MAX = 128 * 1024 * 1024
/** More who delete one entry at once than this are refused. */
export const DELETE_TRIES_MAX = 16
/** From an operation to NATS's answer. */
export const STORE_MS = 3_000

/** The times after which entries are gone, in ms; a test has shorter ones. */
export type TimesToLive = Readonly<Record<TableName, number | null>>

/** The store of a relay of several nodes: a bucket of JetStream for each table, which ends its entries by itself. */
export class KvStore implements Store {
  readonly #link: NatsLink
  readonly #buckets: ReadonlyMap<TableName, KV>
  readonly #streams: StreamAPI

  private constructor(link: NatsLink, buckets: ReadonlyMap<TableName, KV>, streams: StreamAPI) {
    this.#link = link
    this.#streams = streams
    this.#buckets = buckets
  }

  /** @throws SettingsError where NATS does not keep what it is given as safely as the settings say. */
  static async open(link: NatsLink, replicas: number, times: TimesToLive = TABLES): Promise<KvStore> {
    try {
      const client = jetstream(link.connection, { timeout: STORE_MS })
      const manager = new Kvm(client)
      const opening = keysOf(TABLES).map(
        async (table) => [table, await bucket(manager, table, replicas, times[table])] as const,
      )
      const buckets = new Map(await Promise.all(opening))
      const { streams } = await client.jetstreamManager()
      return new KvStore(link, buckets, streams)
    } catch (error) {
      if (error instanceof SettingsError || !(error instanceof Error)) throw error
      throw new SettingsError(`NATS cannot keep what the relay has to keep: ${error.message}.${helpFor(error)}`)
    }
  }

  async get(table: TableName, id: string): Promise<Entry | null> {
    const entry = await this.#found(table, id)
    return entry === null ? null : { value: entry.json<unknown>(), revision: entry.revision }
  }

  async create(table: TableName, id: string, value: unknown): Promise<number | null> {
    const text = writtenValue(id, value)
    return this.#written(table, (kv) => kv.create(id, text))
  }

  async replace(table: TableName, id: string, value: unknown, revision: number): Promise<number | null> {
    const text = writtenValue(id, value)
    return this.#written(table, (kv) => kv.update(id, text, revision))
  }

  async delete(table: TableName, id: string, revision?: number): Promise<boolean> {
    if (revision !== undefined) return this.#deleted(table, id, revision)
    for (let tries = 0; tries < DELETE_TRIES_MAX; tries += 1) {
      const entry = await this.#found(table, id)
      if (entry === null) return false
      if (await this.#deleted(table, id, entry.revision)) return true
    }
    throw new StoreUnavailable('Too many changes of one entry at once.')
  }

  /** NATS compacts its files by itself (docs/what-the-relay-sees.md#deleted-entries). */
  async erase(): Promise<void> {}

  async #found(table: TableName, id: string): Promise<KvEntry | null> {
    checkId(id)
    const entry = await this.#asked(table, (kv) => kv.get(id))
    return entry?.operation === 'PUT' ? entry : null
  }

  async #deleted(table: TableName, id: string, revision: number): Promise<boolean> {
    checkId(id)
    const done = await this.#written(table, async (kv) => {
      await kv.delete(id, { previousSeq: revision })
      return revision
    })
    if (done !== null && TABLES[table] === null) await this.#unmarked(table, id)
    return done !== null
  }

  /** NATS marks what was deleted, by its id and for ever where nothing ends: the mark goes too, and no newer entry. */
  async #unmarked(table: TableName, id: string): Promise<void> {
    await this.#asked(table, async (kv) => {
      const mark = await kv.get(id)
      if (mark === null || mark.operation === 'PUT') return
      const subject = `$KV.${bucketName(table)}.${id}`
      await this.#streams.purge(`KV_${bucketName(table)}`, { filter: subject, seq: mark.revision + 1 })
    })
  }

  /** Null where another revision was there. */
  #written(table: TableName, write: (kv: KV) => Promise<number | null>): Promise<number | null> {
    return this.#asked(table, (kv) =>
      write(kv).catch((error: unknown) => {
        if (isConflict(error)) return null
        throw error
      }),
    )
  }

  async #asked<T>(table: TableName, work: (kv: KV) => Promise<T>): Promise<T> {
    const kv = this.#buckets.get(table)
    if (!this.#link.isUp || kv === undefined) throw new StoreUnavailable('NATS, which the relay keeps all in, is away.')
    try {
      return await work(kv)
    } catch (error) {
      throw new StoreUnavailable('NATS does not read or write what the relay keeps now.', { cause: error })
    }
  }
}

/** What the operator can do about it. */
function helpFor(error: Error): string {
  if (error instanceof JetStreamError) return ' Start nats-server with JetStream (-js).'
  return error.message.includes('replicas')
    ? ' Make it a cluster of so many servers, or set HM_RELAY_NATS_REPLICAS=1 where its loss may be borne.'
    : ''
}

const bucketName = (table: TableName): string => `hm-relay-${table}`

function isConflict(error: unknown): boolean {
  return (
    error instanceof JetStreamApiError &&
    (error.code === JetStreamApiCodes.StreamWrongLastSequence ||
      error.code === JetStreamApiCodes.StreamWrongLastSequenceUnknown)
  )
}

async function bucket(manager: Kvm, table: TableName, replicas: number, ttl: number | null): Promise<KV> {
  const name = bucketName(table)
  const kv = await manager.create(name, {
    description: 'The relay of Home Control',
    history: 1,
    replicas,
    storage: StorageType.File,
    max_bytes: BUCKET_BYTES_MAX,
    // What any server has may be older than what was answered.
    allow_direct: false,
    ...(ttl === null ? {} : { ttl }),
  })
  const problem = unsafe(await kv.status(), replicas, ttl)
  if (problem !== null) throw new SettingsError(`The bucket ${name} in NATS ${problem}`)
  return kv
}

/** Why a bucket that somebody else made is none to keep accounts in, or null. */
function unsafe(status: KvStatus, replicas: number, ttl: number | null): string | null {
  if (status.storage !== StorageType.File) return 'is kept in memory alone: remove it, and the relay makes it anew.'
  if (status.replicas < replicas)
    return `lies on ${status.replicas} of ${replicas} servers: give it more, or set HM_RELAY_NATS_REPLICAS=1 where its loss may be borne.`
  if (status.history !== 1 || status.ttl !== (ttl ?? 0))
    return 'ends its entries at another time than this relay: all nodes have to be of one version.'
  return null
}
