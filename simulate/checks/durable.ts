import type { Exchange, Got } from '../answering.ts'
import { Violation } from '../violation.ts'
import type { World } from '../world.ts'
import type { Check } from './check.ts'

const UNANSWERED: Got = { status: 0, text: '', body: {}, code: null }
/** Changes that wait for the disk at once. */
const VERSIONS_KEPT = 8

/** What an acknowledged write made, as it must stand in the tables; undefined: a later change may have undone it. */
type Ledger = Map<string, string | null | undefined>

/** What was acknowledged is there, also after a crash; what was cut off is there whole or not at all. */
export function durable(world: World): Check {
  const ledger: Ledger = new Map()
  /** The configuration before the change that is cut off, and all that it may be after the crash. */
  let before: string | null = null
  let atCrash: readonly string[] | null = null
  /** The configuration before each of the last changes that are synced later. */
  const versions: string[] = []
  world.answering.watch({
    // Until it is answered it may be made or not.
    asked: (exchange) => {
      for (const [key] of entriesOf(exchange, UNANSWERED)) ledger.set(key, undefined)
    },
    answered: (exchange, got) => {
      for (const [key, value] of entriesOf(exchange, got)) ledger.set(key, value)
      if (exchange.request.name === 'house.import') ledger.clear()
    },
  })
  world.watch({
    marked: () => {
      before = world.configuration()
    },
    ends: () => {
      atCrash = [...(before === null ? [] : [before]), ...versions.splice(0), world.configuration()]
      before = null
    },
    begun: () => {
      world.life.files.onDeferred(() => versions.push(world.configuration()))
      if (atCrash === null) return
      const now = world.configuration()
      if (!atCrash.includes(now)) throw new Violation('durable', differenceOf(atCrash, now))
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

/** What an answer promises. Of what was not answered nothing is known. */
function entriesOf({ request, caller }: Exchange, { status, body }: Got): [string, string | null | undefined][] {
  if (request.method === 'GET') return []
  const acknowledged = status >= 200 && status < 300
  const unknown = status === 0 || status >= 500
  const named = (request.body ?? {}) as { readonly name?: string }
  const kind = /^(scene|automation|schedule)s\./.exec(request.name)?.[1]
  if (kind !== undefined && caller !== null) {
    const made = body[kind] as { readonly id: string } | undefined
    const id = made?.id ?? decodeURIComponent(request.path.split('/')[3] ?? '')
    const key = `${kind}:${id.split(':')[3] ?? ''}`
    if (acknowledged && made !== undefined && named.name !== undefined) return [[key, named.name]]
    return unknown ? [[key, undefined]] : []
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

function compare(world: World, ledger: Ledger): void {
  const { rules, credentials, integrations } = world.facts()
  for (const [key, promised] of ledger) {
    if (promised === undefined) continue
    const [kind = '', id = ''] = key.split(':')
    const found =
      kind === 'link'
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
  const texts = versions.map((version) => {
    const [had, has] = [version.split('\n'), now.split('\n')]
    const lost = had.filter((line) => !has.includes(line))
    const gained = has.filter((line) => !had.includes(line))
    return `lost ${shortened(lost, gained)}, gained ${shortened(gained, lost)}`
  })
  return `After the crash the configuration is none of those before it: ${texts.join('; or ')}`
}

/** Rows with only those cells that stand in none of the others. */
function shortened(rows: readonly string[], others: readonly string[]): string {
  const known = new Set(others.flatMap(cellsOf))
  const texts = rows.map((row) => cellsOf(row).filter((cell, place) => place === 0 || !known.has(cell)))
  return texts.map((cells) => cells.join(' ').slice(0, 200)).join(' | ') || 'nothing'
}

function cellsOf(row: string): string[] {
  return row.startsWith('[') ? (JSON.parse(row) as readonly unknown[]).map((cell) => JSON.stringify(cell)) : [row]
}
