import type { Db } from '../database.ts'

/** Whether every row that another one names is there. */
export function hasItsReferences(db: Db): boolean {
  const broken: unknown = db.pragma('foreign_key_check')
  return Array.isArray(broken) && broken.length === 0
}

interface Reference {
  readonly table: string
  readonly column: string
  readonly parent: string
  readonly key: string
  readonly onDelete: string
}

const WORDS: Readonly<Record<string, string>> = { floors: 'floor', rooms: 'room', units: 'unit' }

/**
 * Puts right what names a row that there is not, as the removal of that row would have: it names none now, or goes with
 * it. Answers one sentence for each kind.
 */
export function mendReferences(db: Db): readonly string[] {
  if (hasItsReferences(db)) return []
  const told = referencesOf(db).flatMap((reference) => {
    const { table, column, parent, key, onDelete } = reference
    const change = onDelete === 'CASCADE' ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${column} = NULL`
    const { changes } = db.prepare(`${change} WHERE ${column} NOT IN (SELECT ${key} FROM ${parent})`).run()
    if (changes === 0) return []
    const outcome = onDelete === 'CASCADE' ? 'taken out' : 'left without one'
    return [
      `Damage in the configuration: ${changes} of the ${table} named a ${WORDS[parent] ?? parent} that there is not, and were ${outcome}.`,
    ]
  })
  // A scene is shown in its room, which may lie on no floor now.
  db.exec(`UPDATE scenes SET floor = NULL WHERE room IS NOT NULL
    AND floor IS NOT (SELECT rooms.floor FROM rooms WHERE rooms.id = scenes.room)`)
  return told
}

function referencesOf(db: Db): readonly Reference[] {
  return db
    .prepare<[], Reference>(
      `SELECT tables.name AS "table", keys."from" AS "column", keys."table" AS parent, keys."to" AS key, keys.on_delete AS onDelete
      FROM sqlite_master AS tables JOIN pragma_foreign_key_list(tables.name) AS keys WHERE tables.type = 'table' ORDER BY 1, 2`,
    )
    .all()
}
