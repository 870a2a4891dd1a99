import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { pathExists, PRIVATE_FOLDER_MODE, removeLeftover, replaceFile, syncFolder } from '../../lib/files.ts'
import { parsedAs } from '../../lib/json.ts'
import { removeAbandoned } from '../keeping/work-folder.ts'
import type { DataFolder } from '../../settings/data-folder.ts'
import { SettingsError } from '../../settings/settings.ts'

/** Paths inside the data folder; none leads out of it. */
const path = z.string().regex(/^[a-zA-Z0-9][\w.-]*(?:\/[a-zA-Z0-9][\w.-]*)?$/)

const shape = z.strictObject({
  /** The folder with the restored files. */
  from: path,
  /** The folder that the present files move to. */
  aside: path,
  /** Present paths that move aside. */
  away: z.array(path).max(1_000),
  /** Paths of `from` that take their places. */
  take: z.array(path).max(50),
  /** Ended credentials that become valid again; all others stay ended. Null if the data folder has another home. */
  revived: z.array(z.string()).max(100_000).nullable(),
})
/** The note of a decided restore: it exchanges the files of a data folder. */
export type Swap = Readonly<z.output<typeof shape>>

/** The file of ended credentials, which every restore brings. */
export const REVOKED = 'revoked'
/** Copies of the configuration, as `core-copies.ts` names them. Other files beside them stay. */
const COPY = /^core-(?:\d{6,15}-)?\d{4}-[\w.-]+\.db$/

/** Files of a restore that was not decided, and work files that only earlier programs make. */
const UNUSED = /^(?:restored(?:-.*)?|restoring\.json\.new|backup-work|brought-backup-.*)$/

/** Renames a file or folder. A test interrupts the exchange here. */
type Rename = (from: string, to: string) => void

/** Decides for a restore: from now on, every start on the folder finishes it first. */
export async function commitSwap(folder: DataFolder, swap: Swap): Promise<void> {
  await replaceFile(folder.restoring, `${JSON.stringify(shape.parse(swap))}\n`)
}

/**
 * The recovery at every start: finishes a decided restore from any point, and removes the rest of undecided ones and of
 * killed processes. The caller has the lock of the folder and has read nothing in it. True if a restore was finished.
 * @throws SettingsError if restored files are missing.
 */
export async function finishSwap(folder: DataFolder, rename: Rename = renameSync): Promise<boolean> {
  const swap = readNote(folder)
  if (swap !== null) await exchange(folder, swap, rename)
  for (const name of readdirSync(folder.path)) if (UNUSED.test(name)) removeLeftover(join(folder.path, name))
  removeAbandoned(folder.path)
  return swap !== null
}

/** Moves the present files aside and the restored files to their places; each step may have been done before. */
async function exchange(folder: DataFolder, swap: Swap, rename: Rename): Promise<void> {
  const { aside, take } = swap
  // The gateway may have copied the present configuration after the decision.
  const away = new Set([...swap.away, ...copiesIn(folder)])
  refuseMissing(folder, swap)
  await addEndedCredentials(folder, swap)
  const asideFolder = join(folder.path, aside)
  const putAside = (name: string): void => move(join(folder.path, name), join(asideFolder, name), rename)
  for (const name of away) if (!take.includes(name)) putAside(name)
  for (const name of take) {
    const fresh = join(folder.path, swap.from, name)
    // An interrupted exchange has put it in its place already.
    if (!pathExists(fresh)) continue
    putAside(name)
    move(fresh, join(folder.path, name), rename)
  }
  for (const changed of [asideFolder, folder.backups, folder.path]) if (pathExists(changed)) await syncFolder(changed)
  rmSync(folder.restoring, { force: true })
  await syncFolder(folder.path)
}

/** Refuses before any move: half of one home and half of another would be neither. */
function refuseMissing(folder: DataFolder, { from, aside, away, take }: Swap): void {
  const has = (...names: string[]): boolean => pathExists(join(folder.path, ...names))
  const isInPlace = (name: string): boolean => has(name) && (!away.includes(name) || has(aside, name))
  const missing = take.filter((name) => !has(from, name) && !isInPlace(name))
  if (missing.length === 0) return
  throw new SettingsError(
    `A restore was begun and cannot be finished: ${missing.join(', ')} is missing in ${join(folder.path, from)}. ${wayBack(folder, aside)}`,
  )
}

const wayBack = ({ path: top, restoring }: DataFolder, aside: string): string =>
  `To undo it, move the content of ${join(top, aside)}, if it exists, back to ${top} and remove ${restoring}. Then restore again.`

/** Ends credentials that ended after the decision in the restored home too. */
async function addEndedCredentials(folder: DataFolder, { from, aside, revived }: Swap): Promise<void> {
  const fresh = join(folder.path, from, REVOKED)
  if (revived === null || !pathExists(fresh)) return
  const present = [join(folder.path, REVOKED), join(folder.path, aside, REVOKED)].flatMap(linesOf)
  const ended = present.filter((link) => !revived.includes(link))
  await replaceFile(fresh, [...new Set([...linesOf(fresh), ...ended])].map((link) => `${link}\n`).join(''))
}

/** Links and ids in a file of ended credentials; none if there is no file. */
export function linesOf(file: string): readonly string[] {
  return pathExists(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}

function move(from: string, to: string, rename: Rename): void {
  if (!pathExists(from)) return
  mkdirSync(dirname(to), { recursive: true, mode: PRIVATE_FOLDER_MODE })
  rename(from, to)
}

function readNote(folder: DataFolder): Swap | null {
  if (!pathExists(folder.restoring)) return null
  const swap = parsedAs(shape, readFileSync(folder.restoring, 'utf8'))
  if (swap !== null) return swap
  throw new SettingsError(
    `A restore was begun, but its note ${folder.restoring} is unreadable. ${wayBack(folder, 'the newest folder before-restore-…')}`,
  )
}

/** Present paths that a restore moves aside: the files of the home without its backups. */
export function presentPaths(
  folder: DataFolder,
  { history, relay, settings }: { history: boolean; relay: boolean; settings: boolean },
): string[] {
  const names = [
    ...['core.db', 'core.db-wal', 'core.db-shm', 'tls', 'home-id', REVOKED, 'failed-starts.json'],
    ...(settings ? ['backup.json'] : []),
    ...(history ? ['history.db', 'history.db-wal', 'history.db-shm', 'history.db-rows'] : []),
    ...(relay ? ['relay'] : []),
  ]
  return [...names.filter((name) => pathExists(join(folder.path, name))), ...copiesIn(folder)]
}

function copiesIn({ backups }: DataFolder): string[] {
  if (!pathExists(backups)) return []
  return readdirSync(backups)
    .filter((name) => COPY.test(name))
    .map((name) => `backups/${name}`)
}
