import type Database from 'better-sqlite3'
import type { Cell, CellForms } from './cell.ts'
import { CELLS } from './cells.ts'

type Db = Database.Database
/** Of an id in a sentence. */
const SHOWN_LENGTH_MAX = 60

type Row = Readonly<Record<string, unknown>>

/** What is told of a cell whose row another damaged cell took out, its own or that of the unit it belongs to. */
const GONE = 'it was taken out because of other damage'

/** A row with a cell that is not what it should be. */
export interface DamagedCell {
  readonly cell: Cell
  readonly row: Row
}

/** A copy of core.db: where it is, and how to look into it; null where it cannot be read. */
export interface Copy {
  readonly name: string
  readonly look: <T>(read: (db: Db) => T) => T | null
}

/** Every row of core.db with a damaged cell, which the domain's forms tell. */
export function damagedCells(db: Db, forms: CellForms): readonly DamagedCell[] {
  const tables = new Map<string, readonly Row[]>()
  const rowsOf = (table: string): readonly Row[] => {
    const rows = tables.get(table) ?? readRows(db, table)
    tables.set(table, rows)
    return rows
  }
  return CELLS.flatMap((cell) =>
    rowsOf(cell.table)
      .filter((row) => !isSound(cell, row, forms))
      .map((row) => ({ cell, row })),
  )
}

/**
 * Whether every cell of JSON can be parsed at all: what SQLite itself tells in a moment, for copies that are made while
 * the home is served. A copy that is put back is read by the forms.
 */
export function isWellFormed(db: Db): boolean {
  return db.prepare<[], number>(ANY_MALFORMED).pluck().get() === 0
}

const ANY_MALFORMED = `SELECT ${CELLS.filter(({ plain }) => !plain)
  .map(({ table, column }) => `EXISTS (SELECT 1 FROM ${table} WHERE NOT json_valid(${column}))`)
  .join(' OR ')}`

/**
 * Mends the rows, each from the newest copy in which the cell is sound or else as the cell says; answers one sentence
 * for each.
 */
export function mend(
  db: Db,
  damaged: readonly DamagedCell[],
  { copies, forms }: { readonly copies: readonly Copy[]; readonly forms: CellForms },
): readonly string[] {
  const mendings = damaged.map((each) => mendingOf(each, { copies, forms }))
  // First what takes rows out: what another cell of such a row was mended to would be told, and then be gone.
  const inOrder = [...mendings.filter(({ removes }) => removes), ...mendings.filter(({ removes }) => !removes)]
  const outcomes = new Map(inOrder.map((each) => [each, outcomeOf(db, each)]))
  return mendings.map((each) => `${each.told}: ${outcomes.get(each)}.`)
}

/** How a damaged cell is to be mended, and what is told of that. */
interface Mending {
  readonly told: string
  readonly outcome: string
  readonly removes: boolean
  readonly sql: string
  readonly values: object
}

function mendingOf(
  { cell, row }: DamagedCell,
  sources: { readonly copies: readonly Copy[]; readonly forms: CellForms },
): Mending {
  const [what, otherwise] = cell.words
  const name = cell.key.map((column) => shown(row[column])).join(':')
  const told = `The ${what} ${name} was damaged in the configuration (${cell.column})`
  const found = cell.mended.length === 0 ? null : soundRow(cell, row, sources)
  if (found !== null) {
    const sql = `UPDATE ${cell.table} SET ${cell.mended.join(', ')} WHERE ${placeOf(cell, row)}`
    const values = { ...found.row, ...keyOf(cell, row) }
    return { told, outcome: `it is as in the copy ${found.copy}`, removes: false, sql, values }
  }
  const removes = cell.otherwise === 'removed'
  const change = removes ? `DELETE FROM ${cell.table}` : setting(cell)
  return { told, outcome: otherwise, removes, sql: `${change} WHERE ${placeOf(cell, row)}`, values: keyOf(cell, row) }
}

/** A damaged id must not disguise what is told of it. */
const shown = (id: unknown): string =>
  String(id)
    .replaceAll(/[\p{C}\p{Z}]/gu, '?')
    .slice(0, SHOWN_LENGTH_MAX)

/** With its place, where its table has places: a damaged id may be no text that could be asked for. */
function readRows(db: Db, table: string): readonly Row[] {
  const hasNone = db.prepare<[string], number>('SELECT wr FROM pragma_table_list(?)').pluck().get(table) === 1
  return db.prepare<[], Row>(`SELECT ${hasNone ? '' : 'rowid AS rowid, '}* FROM ${table}`).all()
}

/** What became of the row: of one that is gone already, a removal tells the same. */
function outcomeOf(db: Db, { outcome, removes, sql, values }: Mending): string {
  const { changes } = db.prepare(sql).run(values)
  return changes > 0 || removes ? outcome : GONE
}

function soundRow(
  cell: Cell,
  row: Row,
  { copies, forms }: { readonly copies: readonly Copy[]; readonly forms: CellForms },
): { readonly row: Row; readonly copy: string } | null {
  for (const { name, look } of copies) {
    const found = look((db) =>
      db.prepare<[object], Row>(`SELECT * FROM ${cell.table} WHERE ${whereOf(cell)}`).get(keyOf(cell, row)),
    )
    if (found && isSound(cell, found, forms)) return { row: found, copy: name }
  }
  return null
}

function isSound(cell: Cell, row: Row, forms: CellForms): boolean {
  const value = row[cell.column]
  if (value === null) return true
  if (cell.plain) return cell.sound(value, row, forms)
  try {
    return typeof value === 'string' && cell.sound(JSON.parse(value), row, forms)
  } catch {
    return false
  }
}

const setting = ({ table, otherwise }: Cell): string => `UPDATE ${table} SET ${otherwise}`
const whereOf = ({ key }: Cell): string => key.map((column) => `${column} IS @key_${column}`).join(' AND ')
const placeOf = (cell: Cell, row: Row): string => ('rowid' in row ? 'rowid = @key_rowid' : whereOf(cell))
const keyOf = ({ key }: Cell, row: Row): object =>
  Object.fromEntries(['rowid', ...key].map((column) => [`key_${column}`, row[column] ?? null]))
