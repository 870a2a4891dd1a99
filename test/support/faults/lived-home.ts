import Database from 'better-sqlite3'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { TestHome, type TestIntegration } from '#support/gateway/harness.ts'
import { RuleCalls } from '#support/gateway/rule-calls.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

/** A stopped home's data folder with rows in every table of the configuration. */
export interface LivedHome {
  /** Keys of an integration that sees everything, and of another one. */
  readonly main: TestIntegration
  readonly other: TestIntegration
}

const CAUSE = JSON.stringify({ source: 'person', name: 'Anna' })
const STEPS = JSON.stringify([{ device: 'study-light', op: 'set_power', args: { on: true } }])
/** Rows that only agents, crashes and full disks create. */
const ROWS: readonly (readonly [sql: string, values: (who: TestIntegration) => readonly unknown[]])[] = [
  [
    `INSERT INTO rule_runs (id, kind, rule, steps, cause, priority, principals, started_at, step, resume_at, failures)
    VALUES ('run', 'scene', 'gone', ?, ?, 'person', '[]', 1, 0, NULL, '[]')`,
    () => [STEPS, CAUSE],
  ],
  [
    `INSERT INTO agent_requests (request, user_code, challenge, hosted_client, redirect_host, door, account, name, platform, suggested, via,
    peer, asked_at, steady_asked_at, interval_s, state, decided_by, steady_decided_at) VALUES ('request', 'BCDFGHJK', x'00',
    'https://claude.example/client.json', 'claude.example', 'mcp', 'anna@example.org', 'Claude', 'Test', '{}', 'cloud', '::1', 1, 1,
    5, 'denied', ?, 1)`,
    () => [CAUSE],
  ],
  [
    `INSERT INTO credentials (link, integration, kind, name, platform, created_at, steady_created_at, hosted_client, redirect_host, door, account)
    VALUES ('hosted0000', ?, 'agent', 'Claude', 'claude.example', 1, 1, 'https://claude.example/client.json', 'claude.example', 'mcp',
    'anna@example.org')`,
    ({ id }) => [id],
  ],
  [
    `INSERT INTO confirmations (id, link, subject, call_sha256, op, what, code, wrong_codes, asked_at, steady_asked_at, state, decided_by,
    steady_decided_at) VALUES ('word', ?, 'gate', zeroblob(32), 'open', 'open the gate', '123456', 0, 1, 1, 'declined', ?, 1)`,
    ({ link }) => [link, CAUSE],
  ],
  [
    `INSERT INTO activity_outbox (draft) VALUES (?)`,
    () => [`{"at":1,"kind":"edited","subject":{"kind":"home"},"what":"waits","cause":${CAUSE}}`],
  ],
  [
    `INSERT INTO idempotency_keys (link, key, request_sha256, steady_at, status, headers, body) VALUES (?, 'key', zeroblob(32), 1, 200, '{}', 'done')`,
    ({ link }) => [link],
  ],
]

const TARIFF = { name: 'Flat', rates: [{ price: 0.3 }] }

/** Creates a used home in `folder`. */
export async function livedHome(folder: string): Promise<LivedHome> {
  await using running = await TestGateway.open()
  const home = await TestHome.at('http', running)
  const other = await home.integrate({ settings: { automations: 'on', schedules: 'on' } })
  const then = [{ device: home.id('study-light'), op: 'set_power', args: { on: true } }]
  for (const name of ['One', 'Two']) {
    await new RuleCalls(home, 'scene').create({ name, steps: then })
    await new RuleCalls(home, 'automation').create({ name, when: [{ time: '07:00' }], then })
    await new RuleCalls(home, 'schedule').create({ name, at: { time: '07:00' }, then })
  }
  await running.admin.call('PUT', '/tariff', { file: JSON.stringify(TARIFF) })
  await running.admin.call('PATCH', '/home', { latitude: 52, longitude: 13 })
  const backups = join(running.dataDir, 'backups')
  while (readdirSync(backups).filter((file) => file.endsWith('.db')).length === 0) await wait(5)
  await running.admin.call('POST', '/backup', { file: join(backups, 'core-900000-2099-01-01T00-00-00.000Z.db') })
  await running.stop()
  const db = new Database(join(running.dataDir, 'core.db'))
  for (const [sql, values] of ROWS) db.prepare(sql).run(...values(home.main))
  db.close()
  cpSync(running.dataDir, folder, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  return { main: home.main, other }
}

/** Replaces the text of a column in some row with `damage` of it. */
export function damageText(file: string, table: string, column: string, damage: (content: string) => string): void {
  const db = new Database(file)
  db.pragma('foreign_keys = OFF')
  try {
    const content = db.prepare(`SELECT ${column} FROM ${table} WHERE ${column} IS NOT NULL LIMIT 1`).pluck().get()
    db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`).run(damage(String(content)), content)
  } finally {
    db.close()
  }
}

const CONFIGURED = ['home', 'floors', 'rooms', 'units', 'gangs', 'scenes', 'integrations', 'picks', 'rules', 'tariff']

/** The rows of the configuration as text, by table and key. */
export function configurationRows(file: string): ReadonlyMap<string, string> {
  const db = new Database(file)
  try {
    const rows = CONFIGURED.flatMap((table) =>
      db
        .prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`)
        .all()
        .map((row) => [`${table} ${JSON.stringify([row['id'], row['unit']])}`, JSON.stringify(row)] as const),
    )
    return new Map(rows)
  } finally {
    db.close()
  }
}
