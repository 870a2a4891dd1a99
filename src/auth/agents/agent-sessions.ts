import { createHmac, timingSafeEqual } from 'node:crypto'
import type { UnitOfWork } from '../../home/ports/activity-log.ts'
import type { Random } from '../../lib/random.ts'
import { unlessDiskFails } from '../../lib/storage-failure.ts'

/** Ended sessions of one credential that are remembered; the oldest go first. */
export const ENDED_SESSIONS_MAX = 1_000

const KEY_BYTES = 32
const NONCE_BYTES = 16
const MAC_BYTES = 16
/** Protocol revision, nonce and MAC. */
const ID = /^(\d{4}-\d{2}-\d{2})\.([\w-]{22})\.([\w-]{22})$/

/** The key of session ids, and the sessions that their clients ended. Rows go with their credential. */
export interface AgentSessionStore {
  /** Null before the first session. */
  key(): Buffer | null
  /** Runs inside `UnitOfWork.change`. */
  setKey(key: Buffer): void
  hasEnded(link: string, nonce: string): boolean
  /** Runs inside `UnitOfWork.change`, and keeps the newest `max` of the credential. */
  end(link: string, nonce: string, max: number): void
}

export interface AgentSessionsParts {
  readonly store: AgentSessionStore
  readonly work: UnitOfWork
  readonly random: Random
}

/**
 * Ids of MCP sessions (docs/agents.md#mcp). An id carries the protocol revision of its client and a MAC over its
 * credential, so a session lives as long as the credential and no row is needed for it. The key lies in the
 * configuration: ids outlive restarts, updates and backups.
 */
export class AgentSessions {
  readonly #parts: AgentSessionsParts
  /** Null until it is read or made. */
  #key: { readonly bytes: Buffer; readonly isStored: boolean } | null = null

  constructor(parts: AgentSessionsParts) {
    this.#parts = parts
  }

  /** Makes an id. `revision` is a date, like `2025-11-25`. */
  begin(link: string, revision: string): string {
    const nonce = this.#parts.random.bytes(NONCE_BYTES).toString('base64url')
    return [revision, nonce, macOf(this.#signingKey(), [link, revision, nonce])].join('.')
  }

  /** The protocol revision of a session; null if the id is not genuine, ended, or of another credential. */
  revisionOf(link: string, id: string): string | null {
    const read = this.#read(link, id)
    return read === null || this.#parts.store.hasEnded(link, read.nonce) ? null : read.revision
  }

  /** Ends a session for good. @throws StorageUnavailable */
  end(link: string, id: string): void {
    const { store, work } = this.#parts
    const read = this.#read(link, id)
    if (read !== null) work.change(() => store.end(link, read.nonce, ENDED_SESSIONS_MAX))
  }

  #read(link: string, id: string): { readonly revision: string; readonly nonce: string } | null {
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

  /** If the disk takes no writes, the key is stored with a later session. Until then a restart ends the ids. */
  #signingKey(): Buffer {
    const { store, work, random } = this.#parts
    const bytes = this.#knownKey() ?? random.bytes(KEY_BYTES)
    if (this.#key?.isStored !== true) {
      this.#key = { bytes, isStored: false }
      unlessDiskFails(() => {
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
