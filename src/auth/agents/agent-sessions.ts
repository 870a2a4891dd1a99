import { createHmac, timingSafeEqual } from 'node:crypto'
import type { UnitOfWork } from '../../home/ports/activity-log.ts'
import type { Random } from '../../lib/random.ts'
import { nullIfDiskFails } from '../../lib/storage-failure.ts'

/** Most ended sessions stored per credential; the oldest are deleted first. */
export const ENDED_SESSIONS_MAX = 1_000

const KEY_BYTES = 32
const NONCE_BYTES = 16
const MAC_BYTES = 16
/** Protocol revision, nonce and MAC. */
const ID = /^(\d{4}-\d{2}-\d{2})\.([\w-]{22})\.([\w-]{22})$/

/**
 * Stores the key that signs session ids, and the sessions ended by their clients. Rows are deleted with their
 * credential.
 */
export interface AgentSessionStore {
  /** Null before the first session. */
  key(): Buffer | null
  /** Runs inside `UnitOfWork.change`. */
  setKey(key: Buffer): void
  hasEnded(link: string, nonce: string): boolean
  /** Runs inside `UnitOfWork.change`; deletes all but the credential's newest `max` rows. */
  end(link: string, nonce: string, max: number): void
}

export interface AgentSessionsParts {
  readonly store: AgentSessionStore
  readonly work: UnitOfWork
  readonly random: Random
}

/**
 * Ids of MCP sessions (docs/agents.md#mcp). An id carries the client's protocol revision and a MAC that binds it to its
 * credential. A session therefore needs no row and lives as long as its credential. The key is part of the
 * configuration, so ids survive restarts, updates and backups.
 */
export class AgentSessions {
  readonly #parts: AgentSessionsParts
  /** Null until the first use. */
  #key: { readonly bytes: Buffer; readonly isStored: boolean } | null = null

  constructor(parts: AgentSessionsParts) {
    this.#parts = parts
  }

  /** Creates an id. `revision` is a date, like `2025-11-25`. */
  begin(link: string, revision: string): string {
    const nonce = this.#parts.random.bytes(NONCE_BYTES).toString('base64url')
    return [revision, nonce, macOf(this.#signingKey(), [link, revision, nonce])].join('.')
  }

  /** Protocol revision of a session; null if the id is forged, has ended, or belongs to another credential. */
  revisionOf(link: string, id: string): string | null {
    const parsed = this.#parsed(link, id)
    return parsed === null || this.#parts.store.hasEnded(link, parsed.nonce) ? null : parsed.revision
  }

  /** Ends a session permanently. @throws StorageUnavailable */
  end(link: string, id: string): void {
    const { store, work } = this.#parts
    const parsed = this.#parsed(link, id)
    if (parsed !== null) work.change(() => store.end(link, parsed.nonce, ENDED_SESSIONS_MAX))
  }

  #parsed(link: string, id: string): { readonly revision: string; readonly nonce: string } | null {
    const [, revision = '', nonce = '', mac = ''] = ID.exec(id) ?? []
    const key = this.#knownKey()
    if (mac === '' || key === null) return null
    const isGenuine = timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(key, [link, revision, nonce])))
    return isGenuine ? { revision, nonce } : null
  }

  #knownKey(): Buffer | null {
    if (this.#key === null) {
      const bytes = this.#parts.store.key()
      if (bytes !== null) this.#key = { bytes, isStored: true }
    }
    return this.#key?.bytes ?? null
  }

  /** If the disk refuses writes, a later session stores the key. Until then a restart invalidates the ids. */
  #signingKey(): Buffer {
    const { store, work, random } = this.#parts
    const bytes = this.#knownKey() ?? random.bytes(KEY_BYTES)
    if (this.#key?.isStored !== true) {
      this.#key = { bytes, isStored: false }
      nullIfDiskFails(() => {
        work.change(() => store.setKey(bytes))
        this.#key = { bytes, isStored: true }
      })
    }
    return bytes
  }
}

function macOf(key: Buffer, parts: readonly string[]): string {
  const text = ['mcp-session', ...parts].join('\n')
  return createHmac('sha256', key).update(text).digest().toString('base64url', 0, MAC_BYTES)
}
