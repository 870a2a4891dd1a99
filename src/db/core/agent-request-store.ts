import type {
  AgentRequest,
  AgentRequestStore,
  Decision,
  TimedSource,
  SuggestedScope,
} from '../../auth/agents/agent-request.ts'
import { readCell } from '../database.ts'
import { EpochCache } from './cached-rows.ts'
import {
  Columns,
  CoreStore,
  DECISION_COLUMNS,
  decisionOf,
  type DecisionRow,
  decisionValues,
  HOSTED_COLUMNS,
  hostedOf,
  type HostedRow,
  hostedValues,
} from './columns.ts'
import type { CoreDb } from './core-db.ts'
import type { AgentSessionStore } from '../../auth/agents/agent-sessions.ts'

const COLUMNS = new Columns(
  ...['request', 'user_code', 'code_sha256', 'challenge', 'name', 'platform', 'record', 'suggested', 'via', 'peer'],
  ...['asked_at', 'steady_asked_at', 'interval_s', 'state', 'integration', 'kind', 'replaces', 'handed_out'],
  ...[...HOSTED_COLUMNS, ...DECISION_COLUMNS],
)

interface GrantRow {
  readonly integration: string | null
  readonly kind: 'agent' | 'session' | null
  readonly replaces: string | null
}
type RequestRow = Omit<AgentRequest, 'hosted' | 'suggested' | 'interval' | 'decision'> &
  HostedRow &
  DecisionRow &
  GrantRow & { readonly suggested: string | null; readonly intervalS: number }

/** Agents' requests in core.db, and blocked sources. */
export class SqliteAgentRequests extends CoreStore implements AgentRequestStore {
  readonly #list: EpochCache<readonly AgentRequest[]>

  constructor(core: CoreDb) {
    super(core)
    this.#list = new EpochCache<readonly AgentRequest[]>(core, () =>
      this.db
        .prepare<[], RequestRow>(`SELECT ${COLUMNS.fields} FROM agent_requests ORDER BY steady_asked_at, rowid`)
        .all()
        .map(fromRow),
    )
  }

  list(): readonly AgentRequest[] {
    return this.#list.get()
  }

  insert(request: AgentRequest): void {
    this.db.prepare(`INSERT INTO agent_requests ${COLUMNS.values}`).run({
      ...request,
      ...changingValues(request),
      ...hostedValues(request.hosted),
      suggested: request.suggested && JSON.stringify(request.suggested),
    })
  }

  update(request: AgentRequest, was: AgentRequest['state']): boolean {
    const { changes } = this.db
      .prepare(
        `UPDATE agent_requests SET interval_s = @intervalS, state = @state, integration = @integration, kind = @kind,
        replaces = @replaces, handed_out = @handedOut, decided_by = @decidedBy, steady_decided_at = @steadyDecidedAt WHERE request = @request AND state = @was`,
      )
      .run({ ...changingValues(request), was })
    return changes === 1
  }

  remove(request: string): void {
    this.db.prepare('DELETE FROM agent_requests WHERE request = ?').run(request)
  }

  blocks(): ReadonlyMap<string, number> {
    const rows = this.db
      .prepare<[], { source: string; steady_until: number }>(
        'SELECT source, steady_until FROM pairing_blocks ORDER BY steady_until',
      )
      .all()
    return new Map(rows.map((row) => [row.source, row.steady_until]))
  }

  block(source: string, steadyUntil: number): void {
    this.db
      .prepare('INSERT OR REPLACE INTO pairing_blocks (source, steady_until) VALUES (?, ?)')
      .run(source, steadyUntil)
  }

  unblock(source: string): void {
    this.db.prepare('DELETE FROM pairing_blocks WHERE source = ?').run(source)
  }

  reservation(): TimedSource | null {
    const sql = 'SELECT source, steady_until AS until FROM pairing_place'
    return this.db.prepare<[], TimedSource>(sql).get() ?? null
  }

  reserve({ source, until }: TimedSource): void {
    this.db
      .prepare('INSERT OR REPLACE INTO pairing_place (one, source, steady_until) VALUES (1, ?, ?)')
      .run(source, until)
  }

  useReservation(request: string): void {
    this.db.prepare('DELETE FROM pairing_place').run()
    this.db.prepare('INSERT INTO pairing_placed (request) VALUES (?)').run(request)
  }

  withReservation(): ReadonlySet<string> {
    return new Set(this.db.prepare<[], string>('SELECT request FROM pairing_placed').pluck().all())
  }
}

/** Search keys and changing columns of a request. */
function changingValues({ request, interval, state, decision, handedOut }: AgentRequest): object {
  const { integration = null, kind = null, replaces = null } = decision?.grant ?? {}
  return { request, intervalS: interval, state, handedOut, integration, kind, replaces, ...decisionValues(decision) }
}

function fromRow({
  hostedClient,
  redirectHost,
  door,
  account,
  suggested,
  intervalS,
  ...row
}: RequestRow): AgentRequest {
  const { integration, kind, replaces, decidedBy, steadyDecidedAt, ...request } = row
  return {
    ...request,
    hosted: hostedOf({ hostedClient, redirectHost, door, account }),
    suggested: suggested === null ? null : readCell<SuggestedScope | null>(suggested, null),
    interval: intervalS,
    decision: grantedOf(decisionOf({ decidedBy, steadyDecidedAt }), { integration, kind, replaces }),
  }
}

/** An accepted request whose integration was deleted grants nothing. */
function grantedOf(
  decision: Omit<Decision, 'grant'> | null,
  { integration, kind, replaces }: GrantRow,
): Decision | null {
  if (decision === null) return null
  return { ...decision, grant: integration === null || kind === null ? null : { integration, kind, replaces } }
}

/** The key of MCP session ids and the ended sessions, in core.db. */
export class SqliteAgentSessions extends CoreStore implements AgentSessionStore {
  key(): Buffer | null {
    return this.db.prepare<[], { key: Buffer }>('SELECT key FROM agent_session_key').get()?.key ?? null
  }

  setKey(key: Buffer): void {
    this.db.prepare('INSERT OR REPLACE INTO agent_session_key (one, key) VALUES (1, ?)').run(key)
  }

  hasEnded(link: string, nonce: string): boolean {
    const sql = 'SELECT 1 FROM ended_agent_sessions WHERE link = ? AND nonce = ?'
    return this.db.prepare<[string, string]>(sql).get(link, nonce) !== undefined
  }

  end(link: string, nonce: string, max: number): void {
    this.db.prepare('INSERT OR IGNORE INTO ended_agent_sessions (link, nonce) VALUES (?, ?)').run(link, nonce)
    this.db
      .prepare(
        `DELETE FROM ended_agent_sessions WHERE id IN (
          SELECT id FROM ended_agent_sessions WHERE link = ? ORDER BY id DESC LIMIT -1 OFFSET ?)`,
      )
      .run(link, max)
  }
}
