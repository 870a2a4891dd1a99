import {
  jetstream,
  JetStreamApiCodes,
  JetStreamApiError,
  JetStreamError,
  StorageType,
  type StreamAPI,
} from '@nats-io/jetstream'
import { type KV, type KvEntry, Kvm, type KvStatus } from '@nats-io/kv'
import { keysOf } from '@hm-gateway/lib/keys-of.ts'
import { SettingsError } from '../model/relay-settings.ts'
import {
  checkId,
  type Entry,
  type Store,
  StoreUnavailable,
  type TableName,
  TABLES,
  toStoredJson,
} from '../store/store.ts'
import type { NatsLink } from './connection.ts'

/** Each bucket has its own limit, so that sign-ins begun by strangers cannot use up the space of accounts. */
export const BUCKET_BYTES_MAX = 128 * 1024 * 1024
/** Attempts to delete an entry that others change at the same time. */
export const DELETE_TRIES_MAX = 16
/** Timeout of an operation. */
export const STORE_TIMEOUT_MS = 3_000

/** Lifetimes of entries in ms; tests use shorter ones. */
export type TimesToLive = Readonly<Record<TableName, number | null>>

/** The store of a relay of several nodes: a JetStream bucket per table, in which entries expire by themselves. */
export class KvStore implements Store {
  readonly #link: NatsLink
  readonly #buckets: ReadonlyMap<TableName, KV>
  readonly #streams: StreamAPI

  private constructor(link: NatsLink, buckets: ReadonlyMap<TableName, KV>, streams: StreamAPI) {
    this.#link = link
    this.#streams = streams
    this.#buckets = buckets
  }

  /** @throws SettingsError if a bucket is stored less safely than the settings require. */
  static async open(link: NatsLink, replicas: number, times: TimesToLive = TABLES): Promise<KvStore> {
    try {
      const client = jetstream(link.connection, { timeout: STORE_TIMEOUT_MS })
      const manager = new Kvm(client)
      const opening = keysOf(TABLES).map(
        async (table) => [table, await bucket(manager, table, replicas, times[table])] as const,
      )
      const buckets = new Map(await Promise.all(opening))
      const { streams } = await client.jetstreamManager()
      return new KvStore(link, buckets, streams)
    } catch (error) {
      if (error instanceof SettingsError || !(error instanceof Error)) throw error
      throw new SettingsError(`NATS cannot store the data of the relay: ${error.message}.${adviceFor(error)}`)
    }
  }

  async get(table: TableName, id: string): Promise<Entry | null> {
    const entry = await this.#find(table, id)
    return entry === null ? null : { value: entry.json<unknown>(), revision: entry.revision }
  }

  async create(table: TableName, id: string, value: unknown): Promise<number | null> {
    const text = toStoredJson(id, value)
    return this.#write(table, (kv) => kv.create(id, text))
  }

  async replace(table: TableName, id: string, value: unknown, revision: number): Promise<number | null> {
    const text = toStoredJson(id, value)
    return this.#write(table, (kv) => kv.update(id, text, revision))
  }

  async delete(table: TableName, id: string, revision?: number): Promise<boolean> {
    if (revision !== undefined) return this.#deleteRevision(table, id, revision)
    for (let tries = 0; tries < DELETE_TRIES_MAX; tries += 1) {
      const entry = await this.#find(table, id)
      if (entry === null) return false
      if (await this.#deleteRevision(table, id, entry.revision)) return true
    }
    throw new StoreUnavailable('Too many writers change the same entry.')
  }

  /** NATS compacts its files by itself (docs/what-the-relay-sees.md#deleted-entries). */
  async erase(): Promise<void> {}

  async #find(table: TableName, id: string): Promise<KvEntry | null> {
    checkId(id)
    const entry = await this.#run(table, (kv) => kv.get(id))
    return entry?.operation === 'PUT' ? entry : null
  }

  async #deleteRevision(table: TableName, id: string, revision: number): Promise<boolean> {
    checkId(id)
    const done = await this.#write(table, async (kv) => {
      await kv.delete(id, { previousSeq: revision })
      return revision
    })
    if (done !== null && TABLES[table] === null) await this.#purgeMarker(table, id)
    return done !== null
  }

  /** Purges the delete marker of NATS, which would keep the id in a table without expiry. A newer entry stays. */
  async #purgeMarker(table: TableName, id: string): Promise<void> {
    await this.#run(table, async (kv) => {
      const marker = await kv.get(id)
      if (marker === null || marker.operation === 'PUT') return
      const subject = `$KV.${bucketName(table)}.${id}`
      await this.#streams.purge(`KV_${bucketName(table)}`, { filter: subject, seq: marker.revision + 1 })
    })
  }

  /** Returns null if the entry has another revision. */
  #write(table: TableName, write: (kv: KV) => Promise<number | null>): Promise<number | null> {
    return this.#run(table, (kv) =>
      write(kv).catch((error: unknown) => {
        if (isConflict(error)) return null
        throw error
      }),
    )
  }

  async #run<T>(table: TableName, work: (kv: KV) => Promise<T>): Promise<T> {
    const kv = this.#buckets.get(table)
    if (!this.#link.isUp || kv === undefined)
      throw new StoreUnavailable('NATS, which stores all data, is disconnected.')
    try {
      return await work(kv)
    } catch (error) {
      throw new StoreUnavailable('NATS does not read or write data now.', { cause: error })
    }
  }
}

/** Advice for the operator. */
function adviceFor(error: Error): string {
  if (error instanceof JetStreamError) return ' Start nats-server with JetStream (-js).'
  return error.message.includes('replicas')
    ? ' Make it a cluster of that many servers, or set HM_RELAY_NATS_REPLICAS=1 if you can bear to lose the data.'
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
    // A direct read from any replica may be older than the last acknowledged write.
    allow_direct: false,
    ...(ttl === null ? {} : { ttl }),
  })
  const problem = problemOf(await kv.status(), replicas, ttl)
  if (problem !== null) throw new SettingsError(`The bucket ${name} in NATS ${problem}`)
  return kv
}

/** Reason why an existing bucket is not safe for the relay's data, or null. */
function problemOf(status: KvStatus, replicas: number, ttl: number | null): string | null {
  if (status.storage !== StorageType.File) return 'is only in memory: remove it, and the relay creates it again.'
  if (status.replicas < replicas)
    return `is on ${status.replicas} of ${replicas} servers: add replicas, or set HM_RELAY_NATS_REPLICAS=1 if you can bear to lose the data.`
  if (status.history !== 1 || status.ttl !== (ttl ?? 0))
    return 'has another lifetime of entries than this relay: run the same version on all nodes.'
  return null
}
