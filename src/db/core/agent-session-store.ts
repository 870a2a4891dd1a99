import type { AgentSessionStore } from '../../auth/agents/agent-sessions.ts'
import type { Db } from '../database.ts'
import type { CoreDb } from './core-db.ts'

/** The key of MCP session ids and the ended sessions, in core.db. */
export class SqliteAgentSessions implements AgentSessionStore {
  readonly #db: Db

  constructor(core: CoreDb) {
    this.#db = core.db
  }

  key(): Buffer | null {
    return this.#db.prepare<[], { key: Buffer }>('SELECT key FROM agent_session_key').get()?.key ?? null
  }

  setKey(key: Buffer): void {
    this.#db.prepare('INSERT OR REPLACE INTO agent_session_key (one, key) VALUES (1, ?)').run(key)
  }

  hasEnded(link: string, nonce: string): boolean {
    const sql = 'SELECT 1 FROM ended_agent_sessions WHERE link = ? AND nonce = ?'
    return this.#db.prepare<[string, string]>(sql).get(link, nonce) !== undefined
  }

  end(link: string, nonce: string, max: number): void {
    this.#db.prepare('INSERT OR IGNORE INTO ended_agent_sessions (link, nonce) VALUES (?, ?)').run(link, nonce)
    this.#db
      .prepare(
        `DELETE FROM ended_agent_sessions WHERE id IN (
          SELECT id FROM ended_agent_sessions WHERE link = ? ORDER BY id DESC LIMIT -1 OFFSET ?)`,
      )
      .run(link, max)
  }
}
