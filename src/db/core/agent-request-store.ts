import type { AgentRequest, AgentRequestStore, Decision, SuggestedScope } from '../../auth/agent-request.ts'
import type { Via } from '../../auth/credential.ts'
import type { Cause } from '../../home/model/cause.ts'
import type { Db } from '../database.ts'
import type { CoreDb } from './core-db.ts'
import { EpochCache } from './epoch-cache.ts'

interface RequestRow {
  request: string
  user_code: string
  code_sha256: Buffer
  name: string
  platform: string
  record: string | null
  hosted: number
  suggested: string | null
  via: Via
  peer: string
  asked_at: number
  steady_asked_at: number
  interval_s: number
  state: AgentRequest['state']
  integration: string | null
  kind: 'agent' | 'session' | null
  replaces: string | null
  decided_by: string | null
  steady_decided_at: number | null
}

/** Agents' requests in core.db, and the sources that were turned away. */
export class SqliteAgentRequests implements AgentRequestStore {
  readonly #db: Db
  readonly #list: EpochCache<readonly AgentRequest[]>

  constructor(core: CoreDb) {
    this.#db = core.db
    this.#list = new EpochCache<readonly AgentRequest[]>(core, () =>
      this.#db
        .prepare<[], RequestRow>('SELECT * FROM agent_requests ORDER BY steady_asked_at, rowid')
        .all()
        .map(fromRow),
    )
  }

  list(): readonly AgentRequest[] {
    return this.#list.get()
  }

  insert(request: AgentRequest): void {
    this.#db
      .prepare(`INSERT INTO agent_requests (request, user_code, code_sha256, name, platform, record, hosted, suggested, via, peer,
      asked_at, steady_asked_at, interval_s, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
      .run(
        request.request,
        request.userCode,
        request.codeSha256,
        request.name,
        request.platform,
        request.record,
        Number(request.hosted),
        request.suggested === null ? null : JSON.stringify(request.suggested),
        request.via,
        request.peer,
        request.askedAt,
        request.steadyAskedAt,
        request.interval,
        request.state,
      )
  }

  update(request: AgentRequest, was: AgentRequest['state']): boolean {
    const { decision } = request
    const grant = decision?.grant ?? null
    return (
      this.#db
        .prepare(`UPDATE agent_requests SET interval_s = ?, state = ?, integration = ?, kind = ?, replaces = ?, decided_by = ?, steady_decided_at = ?
      WHERE request = ? AND state = ?`)
        .run(
          request.interval,
          request.state,
          grant?.integration ?? null,
          grant?.kind ?? null,
          grant?.replaces ?? null,
          decision ? JSON.stringify(decision.by) : null,
          decision?.steadyAt ?? null,
          request.request,
          was,
        ).changes === 1
    )
  }

  remove(request: string): void {
    this.#db.prepare('DELETE FROM agent_requests WHERE request = ?').run(request)
  }

  blocks(): ReadonlyMap<string, number> {
    const rows = this.#db
      .prepare<[], { source: string; steady_until: number }>(
        'SELECT source, steady_until FROM pairing_blocks ORDER BY steady_until',
      )
      .all()
    return new Map(rows.map((row) => [row.source, row.steady_until]))
  }

  block(source: string, steadyUntil: number): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO pairing_blocks (source, steady_until) VALUES (?, ?)')
      .run(source, steadyUntil)
  }

  unblock(source: string): void {
    this.#db.prepare('DELETE FROM pairing_blocks WHERE source = ?').run(source)
  }
}

function fromRow(row: RequestRow): AgentRequest {
  return {
    request: row.request,
    userCode: row.user_code,
    codeSha256: row.code_sha256,
    name: row.name,
    platform: row.platform,
    record: row.record,
    hosted: row.hosted === 1,
    suggested: row.suggested === null ? null : (JSON.parse(row.suggested) as SuggestedScope),
    via: row.via,
    peer: row.peer,
    askedAt: row.asked_at,
    steadyAskedAt: row.steady_asked_at,
    interval: row.interval_s,
    state: row.state,
    decision: decisionOf(row),
  }
}

/** An accepted request whose integration was deleted grants nothing any more. */
function decisionOf(row: RequestRow): Decision | null {
  if (row.decided_by === null || row.steady_decided_at === null) return null
  const grant =
    row.integration === null || row.kind === null
      ? null
      : { integration: row.integration, kind: row.kind, replaces: row.replaces }
  return { steadyAt: row.steady_decided_at, by: JSON.parse(row.decided_by) as Cause, grant }
}
