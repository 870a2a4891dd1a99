import { join } from 'node:path'
import { REVOKED, textIn } from '../files.ts'
import { configurationOf } from '../truth.ts'
import { Violation } from '../violation.ts'
import type { World } from '../world.ts'
import type { Check } from './check.ts'
import { Ledger, NAMED } from './ledger.ts'

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
  const texts = versions.map((version) => {
    const [had, has] = [version.split('\n'), now.split('\n')]
    const lost = had.filter((line) => !has.includes(line))
    const gained = has.filter((line) => !had.includes(line))
    return `lost ${shortened(lost, gained)}, gained ${shortened(gained, lost)}`
  })
  return `After the crash the configuration is none of those before it: ${texts.join('; or ')}`
}

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
