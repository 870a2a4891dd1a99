import type { Cell } from './cell.ts'

export const BY_ID = ['id']
export const RULE_KEY = ['kind', 'id']
export const GANG_KEY = ['unit', 'gang']
/** Words of the things whose names, ids and revisions people and clients read. */
export const NAMED = { floors: 'floor', rooms: 'room', units: 'unit', scenes: 'scene', rules: 'rule' } as const
type Named = keyof typeof NAMED
export const NAMED_TABLES: readonly Named[] = ['floors', 'rooms', 'units', 'scenes', 'rules']
export const keyOf = (table: Named): readonly string[] => (table === 'rules' ? RULE_KEY : BY_ID)

export const named = (table: string, key: readonly string[], otherwise: string, what: string): Cell => ({
  table,
  key,
  column: 'name',
  plain: true,
  sound: (value, _row, forms) => forms.name(value),
  mended: ['name = @name'],
  otherwise: `name = ${otherwise}`,
  words: [what, 'it has another name now'],
})

/** A revision that an earlier state had must not come back: clients would edit by it what they have not read. */
const REVISION_AFRESH = 1_000_000
export const revised = (table: 'scenes' | 'rules'): Cell => ({
  table,
  key: keyOf(table),
  column: 'revision',
  plain: true,
  sound: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  mended: [],
  otherwise: `revision = ${REVISION_AFRESH}`,
  words: [NAMED[table], 'it has a new revision'],
})

/** Who names things of a table by their ids, as far as the database knows. */
const NAMED_BY: Readonly<Record<Named, readonly string[]>> = {
  floors: ['SELECT floor AS name FROM rooms', 'SELECT floor FROM scenes'],
  rooms: ['SELECT room AS name FROM units', 'SELECT room FROM gangs', 'SELECT room FROM scenes'],
  units: ['SELECT unit AS name FROM gangs'],
  scenes: [],
  rules: [],
}

/** The one id that others name and no row has; else a new one, by which nobody names it. */
function idOf(table: Named): string {
  const fresh = `'${NAMED[table]}-mended-' || rowid`
  const names = NAMED_BY[table].join(' UNION ')
  if (names === '') return fresh
  const missing = `SELECT min(name) FROM (${names}) WHERE name NOT IN (SELECT id FROM ${table}) HAVING count(*) = 1`
  return `coalesce((${missing}), ${fresh})`
}

export const identified = (table: Named): Cell => ({
  table,
  key: keyOf(table),
  column: 'id',
  plain: true,
  sound: (value, _row, forms) => forms.localId(value),
  mended: [],
  otherwise: `id = ${idOf(table)}`,
  words: [NAMED[table], 'it has the id by which others name it, or a new one'],
})
