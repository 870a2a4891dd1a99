import { copyFileSync, existsSync, linkSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { CoreDb } from '../src/db/core/core-db.ts'
import { copiesOf } from '../src/db/core/core-copies.ts'
import { NARROWED, REVISIONS } from './files.ts'

const BACKUPS = 'backups'
/** The time in a copy's name: `2027-03-03T10-50-00.000Z`. */
const TIME_IN_NAME = /(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-([\d.]+Z)/

export function backupsIn(folder: string): string {
  return join(folder, BACKUPS)
}

/** Copies that a start finds are as old as their names say: the files themselves have the machine's time. */
export function datedByName(backups: string): void {
  for (const copy of copiesOf(backups)) {
    const at = new Date(
      basename(copy)
        .replace(/^core-\d+-/, '')
        .replace(TIME_IN_NAME, '$1$2:$3:$4')
        .replace('.db', ''),
    )
    utimesSync(copy, at, at)
  }
}

/** Copies are made at once: a real one is made by threads of the machine. */
export function copyingAtOnce(core: CoreDb): void {
  core.backup = (file) => {
    const bytes = core.db.serialize()
    writeFileSync(file, bytes)
    return Promise.resolve(bytes.length)
  }
}

/** All copies are on the disk when they have their names: a power cut leaves them. */
export function keepOverCrash(from: string, to: string): void {
  for (const name of [REVISIONS, NARROWED])
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name))
  if (!existsSync(backupsIn(from))) return
  mkdirSync(backupsIn(to))
  // A copy that has its name is never written again: both lives may have the same file.
  for (const copy of copiesOf(backupsIn(from))) linkSync(copy, join(backupsIn(to), basename(copy)))
}
