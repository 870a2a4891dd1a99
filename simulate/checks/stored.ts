import type { Exchange, Got } from '../world/answering.ts'
import { join } from 'node:path'
import { REVOKED, textIn, backupsIn } from '../world/stores.ts'
import { configurationOf, configurationIn } from '../world/truth.ts'
import { Violation } from '../world/journal.ts'
import type { World } from '../world/world.ts'
import type { Check } from './check.ts'
import Database from 'better-sqlite3'
import { COPIES_APART_MS, COPY_AFTER_MS, copiesOf, COPIES_KEPT, COPY_DAYS_KEPT } from '../../src/db/core/core-copies.ts'
import { ENDED_KEPT_MAX } from '../../src/auth/credentials/credentials.ts'
import { KEYS_PER_CREDENTIAL_MAX } from '../../src/auth/credentials/idempotency-keys.ts'
import { INCIDENTS_MAX } from '../../src/db/core/incident-store.ts'
import { CLAIMS_PER_OWNER_MAX } from '../../src/home/ports/rule-store.ts'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const UNANSWERED: Got = { status: 0, text: '', body: {}, code: null }

/** The name that a thing must have, `ended` for a credential, or null for what must be gone. */
type Promised = string | null

/** Before a name that a refused write would have given. */
const NAMED = 'named'

/** What acknowledged writes have promised, by what they changed: `scene:evening`, `link:k2`, `named:Evening`. */
export class Ledger {
  /** Undefined: a later change may have undone it. */
  readonly #promised = new Map<string, Promised | undefined>()
  /** What was promised before each write: what is refused because of the disk leaves it so. */
  #before = new WeakMap<Exchange, ReadonlyMap<string, Promised | undefined>>()
  /** Writes under way, by what they change. */
  readonly #underWay = new Map<string, Set<Exchange>>()
  /** Of two writes of one thing at a time nobody knows which was made last: their answers wait for the disk. */
  readonly #contested = new WeakSet<Exchange>()

  /** Until it is answered it may be made or not. */
  asked(exchange: Exchange): void {
    const before = new Map<string, Promised | undefined>()
    this.#before.set(exchange, before)
    for (const [key] of entriesOf(exchange, UNANSWERED)) {
      before.set(key, this.#promised.get(key))
      this.#promised.set(key, undefined)
      const writes = this.#underWay.get(key) ?? new Set()
      this.#underWay.set(key, writes.add(exchange))
      if (writes.size > 1) writes.forEach((each) => this.#contested.add(each))
    }
  }

  answered(exchange: Exchange, got: Got): void {
    const known = entriesOf(exchange, UNANSWERED).map(([key]) => key)
    for (const key of known) this.#underWay.get(key)?.delete(exchange)
    const before = this.#before.get(exchange)
    if (got.code === 'storage_unavailable' && !this.#contested.has(exchange))
      for (const key of known) this.#promised.set(key, before?.get(key))
    for (const [key, value] of entriesOf(exchange, got)) {
      // What was made is there before its answer is: somebody may have changed it by then.
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

/** What of an answer nobody knows whether it was made. */
const isUnknown = ({ status, code }: Got): boolean =>
  status === 0 || code === 'outcome_unknown' || (status >= 500 && code !== 'storage_unavailable')

/** What an answer promises. Of what was not answered nothing is known. */
function entriesOf({ request, caller }: Exchange, got: Got): [string, Promised | undefined][] {
  if (request.method === 'GET') return []
  const { status, body } = got
  // What the disk has not taken yet may be undone by a start.
  const acknowledged = status >= 200 && status < 300 && body['unstored'] !== true
  const unknown = isUnknown(got)
  const named = (request.body ?? {}) as { readonly name?: string }
  const kind = /^(scene|automation|schedule)s\./.exec(request.name)?.[1]
  if (kind !== undefined && caller !== null) {
    const made = body[kind] as { readonly id: string } | undefined
    const id = made?.id ?? decodeURIComponent(request.path.split('/')[3] ?? '')
    const key = `${kind}:${id.split(':')[3] ?? ''}`
    const its = named.name === undefined ? [] : [nameKey(named.name)]
    if (acknowledged && made !== undefined && named.name !== undefined) return [[key, named.name], ...its.map(undone)]
    // Nothing has a name that was given to nothing.
    if (got.code === 'storage_unavailable') return its.map((name): [string, Promised] => [name, null])
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

/** Changes that wait for the disk at once. */
const VERSIONS_KEPT = 8

/** What was acknowledged is there, also after a crash; what was cut off is there whole or not at all. */
export function durable(world: World): Check {
  const ledger = new Ledger()
  /** The configuration before the change that is cut off, and all that it may be after the crash. */
  let before: string | null = null
  let atCrash: readonly string[] | null = null
  /** Whether credentials may have ended, although the disk took no writes, and are noted beside the configuration. */
  let mayHold = false
  /** The configuration before each of the last changes that are synced later. */
  const versions: string[] = []
  world.answering.watch({
    asked: (exchange) => ledger.asked(exchange),
    answered: (exchange, got) => ledger.answered(exchange, got),
  })
  world.watch({
    marked: () => {
      before = world.configuration()
    },
    ends: () => {
      atCrash = [...(before === null ? [] : [before]), ...versions.splice(0), world.configuration()]
      before = null
      mayHold = world.troubled('disk')
    },
    begun: () => {
      versions.length = 0
      // A gateway that stops finishes what is under way.
      const { files, folder } = world.life
      files.onDeferred(() => versions.push(configurationOf(files.stores.core)))
      if (atCrash === null) return
      const now = world.configuration()
      const noted = new Set(mayHold ? textIn(join(folder, REVOKED)).split('\n') : [])
      if (!atCrash.some((each) => each === now || ended(each, noted) === now))
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

/** A configuration without the integrations and credentials that are noted as ended. */
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

/** The first lines that no version before the crash had. */
function differenceOf(versions: readonly string[], now: string): string {
  const texts = versions.map((version) => lostAndGained(version, now))
  return `After the crash the configuration is none of those before it: ${texts.join('; or ')}`
}

/** The rows of each of two configurations that the other one does not have. */
function lostAndGained(before: string, after: string): string {
  const [had, has] = [rowsOf(before), rowsOf(after)]
  const lost = had.filter((row) => !has.includes(row))
  const gained = has.filter((row) => !had.includes(row))
  return `lost ${shortened(lost, gained)}, gained ${shortened(gained, lost)}`
}

const rowsOf = (configuration: string): string[] => configuration.split('\n').filter((row) => row !== '')

/** Of each row that much is told in any case: its table and its id. */
const CELLS_TOLD = 2

/** Rows with only those cells that stand in none of the others. */
function shortened(rows: readonly string[], others: readonly string[]): string {
  const known = new Set(others.flatMap(cellsOf))
  const texts = rows.map((row) => cellsOf(row).filter((cell, place) => place < CELLS_TOLD || !known.has(cell)))
  return texts.map((cells) => cells.join(' ').slice(0, 200)).join(' | ') || 'nothing'
}

/** Each with the name of its column before it. */
function cellsOf(row: string): string[] {
  const cells = (JSON.parse(row) as readonly unknown[]).map((cell) => JSON.stringify(cell))
  return cells.flatMap((cell, place) => (place % 2 === 0 ? `${cell},${cells[place + 1]}` : []))
}

const MINUTE_MS = 60_000
/** By then a change is in a copy. */
const COPIED_MS = COPIES_APART_MS + COPY_AFTER_MS + MINUTE_MS

/** The newest safety copy has what was configured a while ago and is still. */
export function copied(world: World): Check {
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
        `The copy ${newest ?? 'that there is none of'} is not the configuration: ${lostAndGained(copy, text)}`,
      )
  }
  // Its wait begins anew with a start, and after a disk that took no writes.
  const again = (): void => {
    seen = { text: '', at: 0 }
    looked = ''
  }
  world.watch({ begun: again })
  return {
    afterAct: () => {
      if (world.running && !world.troubled('disk', COPIED_MS)) look()
      else again()
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

/** Far more than a home of this size ever has under way. */
const TIMERS_MAX = 400
const WAITING_MAX = 200
/** At rest: the pulse, one for each rule and run that waits, and what was asked of agents and copies. */
const TIMERS_AT_REST_MAX = 100
/** Memory that a home has more than at its first rest, after collection: some caches fill only with time. */
const GROWN_MIB_MAX = 96
const MIB = 2 ** 20
/** Rows that the history did not take are tried again by then. */
const DISK_AGAIN_MS = 5 * 60_000

/** What there is, with how much of it there may be. */
type Counts = Readonly<Record<string, readonly [count: number, most: number]>>

/** Nothing piles up, and at rest nothing is left; what is kept stays within the bounds of docs/limits.md. */
export function bounded(world: World): Check {
  const grown = growth()
  return {
    afterAct: () =>
      hold({
        timers: [world.clock.waiting, TIMERS_MAX],
        'requests without an answer': [world.answering.waiting, WAITING_MAX],
      }),
    atRest: () => {
      if (!world.troubled('disk', DISK_AGAIN_MS)) hold({ ...left(world), ...kept(world) })
      hold({ 'MiB of memory more than at the first rest': [grown(), GROWN_MIB_MAX] })
    },
  }
}

/** Tells how many MiB more are used than when it was asked first. Collects only where it seems too much. */
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

function left(world: World): Counts {
  const { core, history } = world.life.files.stores
  return {
    timers: [world.clock.waiting, TIMERS_AT_REST_MAX],
    'requests without an answer': [world.answering.waiting, 0],
    'rows in the outbox': [core.peek(1).length, 0],
    'entries that the history had no room for': [history.writer.counts.shed, 0],
  }
}

function kept({ life: { files, folder } }: World): Counts {
  const { db } = files.stores.core
  const most = (sql: string): number => db.prepare<[], number>(sql).pluck().get() ?? 0
  const mostOfOne = (table: string, of: string, where = 'true'): number =>
    most(`SELECT max(n) FROM (SELECT count(*) AS n FROM ${table} WHERE ${where} GROUP BY ${of})`)
  const ended = 'revoked_at IS NOT NULL OR expired_at IS NOT NULL'
  return {
    'ended credentials of one integration': [mostOfOne('credentials', 'integration', ended), ENDED_KEPT_MAX],
    'times that came round of one rule': [mostOfOne('rule_claims', 'owner'), CLAIMS_PER_OWNER_MAX],
    'keys of one credential': [mostOfOne('idempotency_keys', 'link'), KEYS_PER_CREDENTIAL_MAX],
    'things that befell the configuration': [most('SELECT count(*) FROM incidents'), INCIDENTS_MAX],
    'safety copies': [copiesOf(backupsIn(folder)).length, COPIES_KEPT + COPY_DAYS_KEPT],
  }
}

function hold(counts: Counts): void {
  for (const [what, [count, most]] of Object.entries(counts))
    if (count > most) throw new Violation('bounded', `There are ${count} ${what}; at most ${most} may be.`)
}
