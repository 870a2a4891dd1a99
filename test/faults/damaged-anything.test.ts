import Database from 'better-sqlite3'
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import { type LivedHome, livedHome } from '#support/faults/lived-home.ts'
import { hm } from '#support/gateway/cli.ts'
import { failingReads } from '#support/gateway/every-read.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { EVERY_CELL, LONG } from '#support/long.ts'
import { tempFolder } from '#support/temp-folder.ts'

let lived: LivedHome
const kept = mkdtempSync(join(tmpdir(), 'hm-lived-'))

beforeAll(async () => {
  lived = await livedHome(kept)
  return () => rmSync(kept, { recursive: true, force: true })
})

function homeWithoutCopies(): string {
  const folder = join(tempFolder(), 'data')
  cpSync(kept, folder, { recursive: true })
  chmodSync(join(folder, 'tls'), 0o700)
  rmSync(join(folder, 'backups'), { recursive: true })
  return folder
}

interface Damage {
  readonly table: string
  readonly column: string
  readonly value: string | number | Buffer
}

const DAMAGES: Readonly<Record<string, readonly Damage['value'][]>> = {
  TEXT: ['\u0001x\u202e', '', 'X'.repeat(700), '{"a'],
  INTEGER: [-1, 9e15],
  REAL: [1e300],
  BLOB: [Buffer.alloc(3)],
}
/** Of the steady time a wrong number is a wrong number: nothing tells it from a right one. */
const NOT_TOLD: readonly string[] = ['steady_time']

/** Every column of every table that has rows, with each damage of its type. */
function damages(): readonly Damage[] {
  const db = new Database(join(kept, 'core.db'))
  try {
    const tables = db
      .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
      .pluck()
      .all()
    return tables
      .filter((table) => !NOT_TOLD.includes(table))
      .flatMap((table) =>
        db
          .prepare<[string], { name: string; type: string }>('SELECT name, type FROM pragma_table_info(?)')
          .all(table)
          .flatMap(({ name, type }) => (DAMAGES[type] ?? []).map((value) => ({ table, column: name, value }))),
      )
  } finally {
    db.close()
  }
}

/** False where the database itself refuses it. */
function isDone(folder: string, { table, column, value }: Damage): boolean {
  const db = new Database(join(folder, 'core.db'))
  try {
    db.pragma('foreign_keys = OFF')
    const chosen = `(SELECT ${column} FROM ${table} WHERE ${column} IS NOT NULL LIMIT 1)`
    return db.prepare(`UPDATE OR ABORT ${table} SET ${column} = ? WHERE ${column} IS ${chosen}`).run(value).changes > 0
  } catch {
    return false
  } finally {
    db.close()
  }
}

/** The ones that a name, an id, a number and a reference show; the others look like one of them. */
const FEW: readonly (readonly [table: string, column: string])[] = [
  ['rules', 'name'],
  ['rules', 'id'],
  ['rules', 'revision'],
  ['gangs', 'gang'],
  ['units', 'address'],
  ['rooms', 'id'],
  ['scenes', 'icon'],
]
const isOfFew = ({ table, column }: Damage): boolean => FEW.some(([name, each]) => name === table && each === column)
const isAmong = (damage: Damage): boolean => isOfFew(damage) && isFirst(damage)
const isFirst = ({ value }: Damage): boolean => value === (typeof value === 'number' ? -1 : DAMAGES['TEXT']?.[0])

/** Damages that one home has together. */
function groupsOf(each: readonly Damage[]): readonly (readonly Damage[])[] {
  if (EVERY_CELL) return each.map((one) => [one])
  return LONG ? each.filter(isOfFew).map((one) => [one]) : [each.filter(isAmong)]
}

/** Many times what it takes. */
const EVERY_CELL_MS = 2 * 3_600_000

proves.long(
  'storage.damaged-cells',
  'whatever cell is damaged, all else is read and exported, and the export imported',
  async () => {
    const failures: string[] = []
    const each = damages().filter(({ table, column }) => table !== 'home' || column !== 'serial')
    for (const together of groupsOf(each)) {
      const folder = homeWithoutCopies()
      const done = together.filter((damage) => isDone(folder, damage))
      if (done.length === 0) continue
      const what = done
        .map(({ table, column, value }) => `${table}.${column} = ${JSON.stringify(value).slice(0, 40)}`)
        .join()
      await using running = await TestGateway.open({ dataDir: folder, settled: false })
      const home = await TestHome.at('http', running, lived.main)
      failures.push(...(await failingReads(home)).map((failure) => `${what}: ${failure}`))
      const file = join(folder, 'house.yaml')
      // Where a row had to go, what names it is left for an administrator to mend.
      const isWhole = running.gateway.stores.incidents.list().every((incident) => !incident.what.includes('taken out'))
      for (const command of isWhole
        ? [
            ['export', file],
            ['import', file, '--check'],
          ]
        : [['export', file]]) {
        const { err } = await hm(folder, 'house', ...command)
        if (err !== '') failures.push(`${what}: ${command[0]}: ${err}`)
      }
    }
    expect(failures).toEqual([])
  },
  EVERY_CELL ? { timeout: EVERY_CELL_MS } : {},
)

proves.long(
  'storage.damaged-cells',
  'a credential whose hash is damaged is refused, at once and after a start',
  async () => {
    const folder = homeWithoutCopies()
    const { link } = lived.other
    {
      await using running = await TestGateway.open({ dataDir: folder, settled: false })
      const db = new Database(join(folder, 'core.db'))
      db.prepare(`UPDATE credentials SET secret_sha256 = x'00' WHERE link = ?`).run(link)
      db.close()
      const home = await TestHome.at('http', running, lived.other)
      expect((await home.call({ method: 'GET', path: '/v1/house' })).status).toBe(401)
    }
    await using running = await TestGateway.open({ dataDir: folder, settled: false })
    const home = await TestHome.at('http', running, lived.other)
    expect((await home.call({ method: 'GET', path: '/v1/house' })).status).toBe(401)
    expect((await hm(folder, 'status')).out).toContain(`The credential ${link} was damaged`)
  },
)
