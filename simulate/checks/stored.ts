import type { RecordedCall, RecordedReply } from '../world/sim-calls.ts'
import { join } from 'node:path'
import { REVOKED, textIn, backupsIn } from '../world/stores.ts'
import { configurationOf, configurationIn } from '../world/expected-state.ts'
import { Violation } from '../world/journal.ts'
import type { World } from '../world/world.ts'
import type { RunCheck } from './run-check.ts'
import Database from 'better-sqlite3'
import { COPIES_APART_MS, COPY_AFTER_MS, copiesOf, COPIES_KEPT, COPY_DAYS_KEPT } from '../../src/db/core/core-copies.ts'
import { ENDED_KEPT_MAX } from '../../src/auth/credentials/credentials.ts'
import { KEYS_PER_CREDENTIAL_MAX } from '../../src/auth/credentials/idempotency-keys.ts'
import { INCIDENTS_MAX } from '../../src/db/core/incident-store.ts'
import { CLAIMS_PER_OWNER_MAX } from '../../src/home/ports/rule-store.ts'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const UNANSWERED: RecordedReply = { status: 0, text: '', body: {}, code: null }

/** Required name of a thing, `ended` for a credential, or null for a deleted thing. */
type Promised = string | null

/** Prefix of the name from a refused write. */
const NAMED = 'named'

/** Promises of acknowledged writes by key: `scene:evening`, `link:k2`, `named:Evening`. */
export class Ledger {
  /** Undefined if a later change may have undone the promise. */
  readonly #promised = new Map<string, Promised | undefined>()
  /** Promises before each write. They stay if the disk refuses the write. */
  #before = new WeakMap<RecordedCall, ReadonlyMap<string, Promised | undefined>>()
  /** Pending writes by key. */
  readonly #pending = new Map<string, Set<RecordedCall>>()
  /** Concurrent writes of one thing. Their order is unknown, because their responses wait for the disk. */
  readonly #contested = new WeakSet<RecordedCall>()

  /** Records a write, which may or may not be made before its response. */
  requested(exchange: RecordedCall): void {
    const before = new Map<string, Promised | undefined>()
    this.#before.set(exchange, before)
    for (const [key] of entriesOf(exchange, UNANSWERED)) {
      before.set(key, this.#promised.get(key))
      this.#promised.set(key, undefined)
      const writes = this.#pending.get(key) ?? new Set()
      this.#pending.set(key, writes.add(exchange))
      if (writes.size > 1) writes.forEach((write) => this.#contested.add(write))
    }
  }

  answered(exchange: RecordedCall, reply: RecordedReply): void {
    const known = entriesOf(exchange, UNANSWERED).map(([key]) => key)
    for (const key of known) this.#pending.get(key)?.delete(exchange)
    const before = this.#before.get(exchange)
    if (reply.code === 'storage_unavailable' && !this.#contested.has(exchange))
      for (const key of known) this.#promised.set(key, before?.get(key))
    for (const [key, value] of entriesOf(exchange, reply)) {
      // A new thing exists before its response, so another write may have changed it.
      const overtaken = !known.includes(key) && this.#promised.has(key)
      this.#promised.set(key, overtaken || this.#contested.has(exchange) ? undefined : value)
    }
    if (exchange.request.name !== 'house.import') return
    this.#promised.clear()
    this.#before = new WeakMap()
  }

  *promises(): Iterable<readonly [key: string, promised: Promised]> {
    for (const [key, promised] of this.#promised) if (promised !== undefined) yield [key, promised]
  }
}

const nameKey = (name: string): string => `${NAMED}:${name}`
const undone = (key: string): [string, undefined] => [key, undefined]

/** True if the response leaves open whether the write was made. */
const isUnknown = ({ status, code }: RecordedReply): boolean =>
  status === 0 || code === 'outcome_unknown' || (status >= 500 && code !== 'storage_unavailable')

/** Promises of a response. Without a response the result is unknown. */
function entriesOf({ request, caller }: RecordedCall, reply: RecordedReply): [string, Promised | undefined][] {
  if (request.method === 'GET') return []
  const { status, body } = reply
  // A start may undo changes that are not on the disk.
  const acknowledged = status >= 200 && status < 300 && body['unstored'] !== true
  const unknown = isUnknown(reply)
  const named = (request.body ?? {}) as { readonly name?: string }
  const kind = /^(scene|automation|schedule)s\./.exec(request.name)?.[1]
  if (kind !== undefined && caller !== null) {
    const made = body[kind] as { readonly id: string } | undefined
    const id = made?.id ?? decodeURIComponent(request.path.split('/')[3] ?? '')
    const key = `${kind}:${id.split(':')[3] ?? ''}`
    const its = named.name === undefined ? [] : [nameKey(named.name)]
    if (acknowledged && made !== undefined && named.name !== undefined) return [[key, named.name], ...its.map(undone)]
    // No thing may have the name of a refused write.
    if (reply.code === 'storage_unavailable') return its.map((name): [string, Promised] => [name, null])
    return unknown ? [[key, undefined], ...its.map(undone)] : []
  }
  const local = decodeURIComponent(request.path.split('/')[4] ?? '')
  if (kind !== undefined && request.method === 'DELETE') {
    if (acknowledged) return [[`${kind}:${local}`, null]]
    return unknown ? [[`${kind}:${local}`, undefined]] : []
  }
  if (request.name === 'keys.revoke' || request.name === 'agents.revoke')
    return acknowledged ? [[`link:${local}`, 'ended']] : []
  return request.name === 'integrations.delete' && acknowledged ? [[`integration:${local}`, null]] : []
}

/** Changes that wait for the disk together at most. */
const VERSIONS_KEPT = 8

/** Acknowledged changes survive a crash. An interrupted change is there completely or not at all. */
export function durable(world: World): RunCheck {
  const ledger = new Ledger()
  /** Configuration before the interrupted change, and the possible ones after the crash. */
  let before: string | null = null
  let atCrash: readonly string[] | null = null
  /** True if credentials may have ended on a failing disk, with notes in the file of revocations. */
  let mayHaveNotes = false
  /** Configurations before each of the last unsynced changes. */
  const versions: string[] = []
  world.answering.watch({
    requested: (exchange) => ledger.requested(exchange),
    answered: (exchange, reply) => ledger.answered(exchange, reply),
  })
  world.watch({
    marked: () => {
      before = world.configuration()
    },
    ends: () => {
      atCrash = [...(before === null ? [] : [before]), ...versions.splice(0), world.configuration()]
      before = null
      mayHaveNotes = world.troubled('disk')
    },
    begun: () => {
      versions.length = 0
      // A clean stop finishes pending changes.
      const { files, folder } = world.life
      files.onDeferred(() => versions.push(configurationOf(files.stores.core)))
      if (atCrash === null) return
      const now = world.configuration()
      const noted = new Set(mayHaveNotes ? textIn(join(folder, REVOKED)).split('\n') : [])
      if (!atCrash.some((version) => version === now || ended(version, noted) === now))
        throw new Violation('durable', differenceOf(atCrash, now))
      atCrash = null
    },
  })
  return {
    afterAct: () => {
      if (!world.running) return
      compare(world, ledger)
      versions.splice(0, versions.length - VERSIONS_KEPT)
    },
  }
}

/** A configuration without the integrations and credentials whose end is noted. */
function ended(configuration: string, noted: ReadonlySet<string>): string {
  const rows = configuration.split('\n').flatMap((row) => {
    const [, table, ...cells] = JSON.parse(row) as readonly unknown[]
    const cell = (column: string): string => String(cells[cells.indexOf(column) + 1])
    if (noted.has(table === 'integrations' ? cell('id') : cell('integration'))) return []
    return table === 'credentials' && noted.has(cell('link')) ? row.replace('"revoked_at",0', '"revoked_at",1') : row
  })
  return rows.join('\n')
}

function compare(world: World, ledger: Ledger): void {
  const { rules, credentials, integrations } = world.facts()
  for (const [key, promised] of ledger.promises()) {
    const [kind = '', id = ''] = key.split(':')
    const found =
      kind === NAMED
        ? ([...rules.values()].find(({ name }) => name === id)?.name ?? null)
        : kind === 'link'
          ? credentials.get(id)?.alive === true
            ? 'alive'
            : 'ended'
          : kind === 'integration'
            ? (integrations.get(id)?.id ?? null)
            : (rules.get(key)?.name ?? null)
    if (found !== promised)
      throw new Violation('durable', `${key} was acknowledged as ${promised ?? 'gone'} and is ${found ?? 'gone'}.`)
  }
}

/** Describes the differences to each version before the crash. */
function differenceOf(versions: readonly string[], now: string): string {
  const texts = versions.map((version) => lostAndGained(version, now))
  return `The configuration after the crash differs from every version before it: ${texts.join('; or ')}`
}

/** Describes the rows that only one of two configurations has. */
function lostAndGained(before: string, after: string): string {
  const [had, has] = [rowsOf(before), rowsOf(after)]
  const lost = had.filter((row) => !has.includes(row))
  const gained = has.filter((row) => !had.includes(row))
  return `lost ${shortened(lost, gained)}, gained ${shortened(gained, lost)}`
}

const rowsOf = (configuration: string): string[] => configuration.split('\n').filter((row) => row !== '')

/** First cells of a row that are always printed: its table and id. */
const CELLS_PRINTED = 2

/** Rows reduced to cells that no other row has. */
function shortened(rows: readonly string[], others: readonly string[]): string {
  const known = new Set(others.flatMap(cellsOf))
  const texts = rows.map((row) => cellsOf(row).filter((cell, place) => place < CELLS_PRINTED || !known.has(cell)))
  return texts.map((cells) => cells.join(' ').slice(0, 200)).join(' | ') || 'nothing'
}

/** Cells of a row, each after the name of its column. */
function cellsOf(row: string): string[] {
  const cells = (JSON.parse(row) as readonly unknown[]).map((cell) => JSON.stringify(cell))
  return cells.flatMap((cell, place) => (place % 2 === 0 ? `${cell},${cells[place + 1]}` : []))
}

const MINUTE_MS = 60_000
/** By then a change is in a safety copy. */
const COPIED_MS = COPIES_APART_MS + COPY_AFTER_MS + MINUTE_MS

/** The newest safety copy equals the configuration, if that has not changed for a while. */
export function copied(world: World): RunCheck {
  let seen = { text: '', at: 0 }
  let looked = ''
  const look = (): void => {
    const text = world.configuration()
    if (text !== seen.text) seen = { text, at: world.now }
    if (world.now - seen.at < COPIED_MS) return
    const [newest] = copiesOf(backupsIn(world.life.folder))
    if (newest === looked) return
    looked = newest ?? ''
    const copy = newest === undefined ? '' : configurationOfFile(newest)
    if (copy !== text)
      throw new Violation(
        'copied',
        `The newest copy (${newest ?? 'none'}) is not the configuration: ${lostAndGained(copy, text)}`,
      )
  }
  // The wait restarts with the gateway, and after a failing disk.
  const restart = (): void => {
    seen = { text: '', at: 0 }
    looked = ''
  }
  world.watch({ begun: restart })
  return {
    afterAct: () => {
      if (world.running && !world.troubled('disk', COPIED_MS)) look()
      else restart()
    },
  }
}

function configurationOfFile(file: string): string {
  const db = new Database(file, { readonly: true })
  try {
    return configurationIn({ db })
  } finally {
    db.close()
  }
}

/** Far more than a home of this size needs. */
const TIMERS_MAX = 400
const WAITING_MAX = 200
/** Timers at rest: the pulse, one for each waiting rule and run, and timers of agents' requests and copies. */
const TIMERS_AT_REST_MAX = 100
/** Growth of memory since the first rest, after garbage collection. Some caches fill slowly. */
const GROWN_MIB_MAX = 96
const MIB = 2 ** 20
/** By then rows that the history refused are retried. */
const DISK_AGAIN_MS = 5 * 60_000

/** Counts of things with their limits. */
type Counts = Readonly<Record<string, readonly [count: number, most: number]>>

/** Counts of all things stay bounded. At rest no work is pending, and stored rows stay within docs/limits.md. */
export function bounded(world: World): RunCheck {
  const grown = growth()
  return {
    afterAct: () =>
      hold({
        timers: [world.clock.waiting, TIMERS_MAX],
        'requests without a response': [world.answering.waiting, WAITING_MAX],
      }),
    atRest: () => {
      if (!world.troubled('disk', DISK_AGAIN_MS)) hold({ ...pendingCounts(world), ...storedCounts(world) })
      hold({ 'MiB of memory more than at the first rest': [grown(), GROWN_MIB_MAX] })
    },
  }
}

/** Returns a function for the growth in MiB since its first call. It collects garbage only near the limit. */
function growth(): () => number {
  let begun: number | null = null
  return () => {
    begun ??= collected()
    const mib = (process.memoryUsage().heapUsed - begun) / MIB
    return Math.round(mib > GROWN_MIB_MAX ? (collected() - begun) / MIB : mib)
  }
}

function collected(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed
}

function pendingCounts(world: World): Counts {
  const { core, history } = world.life.files.stores
  return {
    timers: [world.clock.waiting, TIMERS_AT_REST_MAX],
    'requests without a response': [world.answering.waiting, 0],
    'rows in the outbox': [core.peek(1).length, 0],
    'entries that the history dropped': [history.writer.counts.shed, 0],
  }
}

function storedCounts({ life: { files, folder } }: World): Counts {
  const { db } = files.stores.core
  const most = (sql: string): number => db.prepare<[], number>(sql).pluck().get() ?? 0
  const mostOfOne = (table: string, of: string, where = 'true'): number =>
    most(`SELECT max(n) FROM (SELECT count(*) AS n FROM ${table} WHERE ${where} GROUP BY ${of})`)
  const ended = 'revoked_at IS NOT NULL OR expired_at IS NOT NULL'
  return {
    'ended credentials of one integration': [mostOfOne('credentials', 'integration', ended), ENDED_KEPT_MAX],
    'claimed times of one rule': [mostOfOne('rule_claims', 'owner'), CLAIMS_PER_OWNER_MAX],
    'keys of one credential': [mostOfOne('idempotency_keys', 'link'), KEYS_PER_CREDENTIAL_MAX],
    'incidents of the configuration': [most('SELECT count(*) FROM incidents'), INCIDENTS_MAX],
    'safety copies': [copiesOf(backupsIn(folder)).length, COPIES_KEPT + COPY_DAYS_KEPT],
  }
}

function hold(counts: Counts): void {
  for (const [what, [count, most]] of Object.entries(counts))
    if (count > most) throw new Violation('bounded', `There are ${count} ${what}; at most ${most} may be.`)
}
