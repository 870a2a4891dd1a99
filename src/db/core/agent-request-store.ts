import type {
  AgentRequest,
  AgentRequestStore,
  Decision,
  SourceUntil,
  SuggestedScope,
} from '../../auth/agents/agent-request.ts'
import type { Via } from '../../auth/credentials/credentials.ts'
import { type Db, readCell } from '../database.ts'
import type { CoreDb } from './core-db.ts'
import { decisionOf, type DecisionRow, decisionValues } from './decision-row.ts'
import { EpochCache } from './epoch-cache.ts'
import { hostedOf, type HostedRow, hostedValues } from './hosted-row.ts'

interface RequestRow extends DecisionRow, HostedRow {
  request: string
  user_code: string
  code_sha256: Buffer | null
  challenge: Buffer | null
  name: string
  platform: string
  record: string | null
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
  handed_out: string | null
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
      .prepare(
        `INSERT INTO agent_requests (request, user_code, code_sha256, challenge, name, platform, record, hosted_client, redirect_host, door, account, suggested, via, peer, asked_at,
        steady_asked_at, interval_s, state, integration, kind, replaces, handed_out, decided_by, steady_decided_at)
        VALUES (@request, @userCode, @codeSha256, @challenge, @name, @platform, @record, @client, @redirectHost, @door, @account, @suggested, @via, @peer, @askedAt,
        @steadyAskedAt, @interval, @state, @integration, @kind, @replaces, @handedOut, @decidedBy, @steadyDecidedAt)`,
      )
      .run({
        ...changingValues(request),
        userCode: request.userCode,
        codeSha256: request.codeSha256,
        challenge: request.challenge,
        name: request.name,
        platform: request.platform,
        record: request.record,
        ...hostedValues(request.hosted),
        suggested: request.suggested === null ? null : JSON.stringify(request.suggested),
        via: request.via,
        peer: request.peer,
        askedAt: request.askedAt,
        steadyAskedAt: request.steadyAskedAt,
      })
  }

  update(request: AgentRequest, was: AgentRequest['state']): boolean {
    const { changes } = this.#db
      .prepare(
        `UPDATE agent_requests SET interval_s = @interval, state = @state, integration = @integration, kind = @kind,
        replaces = @replaces, handed_out = @handedOut, decided_by = @decidedBy, steady_decided_at = @steadyDecidedAt WHERE request = @request AND state = @was`,
      )
      .run({ ...changingValues(request), was })
    return changes === 1
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

  keptPlace(): SourceUntil | null {
    const sql = 'SELECT source, steady_until AS until FROM pairing_place'
    return this.#db.prepare<[], SourceUntil>(sql).get() ?? null
  }

  keepPlace({ source, until }: SourceUntil): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO pairing_place (one, source, steady_until) VALUES (1, ?, ?)')
      .run(source, until)
  }

  takePlace(request: string): void {
    this.#db.prepare('DELETE FROM pairing_place').run()
    this.#db.prepare('INSERT INTO pairing_placed (request) VALUES (?)').run(request)
  }

  placed(): ReadonlySet<string> {
    return new Set(this.#db.prepare<[], string>('SELECT request FROM pairing_placed').pluck().all())
  }
}

/** What a request is found by, and what changes of it. */
function changingValues({ request, interval, state, decision, handedOut }: AgentRequest): object {
  const { integration = null, kind = null, replaces = null } = decision?.grant ?? {}
  return { request, interval, state, handedOut, integration, kind, replaces, ...decisionValues(decision) }
}

function fromRow(row: RequestRow): AgentRequest {
  return {
    request: row.request,
    userCode: row.user_code,
    codeSha256: row.code_sha256,
    challenge: row.challenge,
    name: row.name,
    platform: row.platform,
    record: row.record,
    hosted: hostedOf(row),
    suggested: row.suggested === null ? null : readCell<SuggestedScope | null>(row.suggested, null),
    via: row.via,
    peer: row.peer,
    askedAt: row.asked_at,
    steadyAskedAt: row.steady_asked_at,
    interval: row.interval_s,
    state: row.state,
    decision: grantedOf(row),
    handedOut: row.handed_out,
  }
}

/** An accepted request whose integration was deleted grants nothing any more. */
function grantedOf(row: RequestRow): Decision | null {
  const decision = decisionOf(row)
  if (decision === null) return null
  const grant =
    row.integration === null || row.kind === null
      ? null
      : { integration: row.integration, kind: row.kind, replaces: row.replaces }
  return { ...decision, grant }
}
