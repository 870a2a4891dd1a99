import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { isThere, PRIVATE_FOLDER_MODE, removeLeft, replaceFile, syncFolder } from '../../lib/files.ts'
import { parsedAs } from '../../lib/json.ts'
import { removeAbandoned } from '../keeping/work-folder.ts'
import type { DataFolder } from '../../settings/data-folder.ts'
import { SettingsError } from '../../settings/settings.ts'

/** Paths inside the data folder; none leads out of it. */
const path = z.string().regex(/^[a-zA-Z0-9][\w.-]*(?:\/[a-zA-Z0-9][\w.-]*)?$/)

const shape = z.strictObject({
  /** The folder that was put together, which nothing but this restore knows. */
  from: path,
  /** The folder that what was there is moved to. */
  aside: path,
  /** All that is there and gives way, */
  away: z.array(path).max(1_000),
  /** and what takes its place, out of `from`. */
  take: z.array(path).max(50),
  /** Links that live again; what else has ended by the swap stays so. Null where what is there is not this home. */
  revived: z.array(z.string()).max(100_000).nullable(),
})
/** How a data folder changes into a restored one. */
export type Swap = Readonly<z.output<typeof shape>>

/** The file of what has ended, which every restore brings. */
export const REVOKED = 'revoked'
/** Copies of the configuration, as `core-copies.ts` names them; somebody's own files beside them stay. */
const COPY = /^core-(?:\d{6,15}-)?\d{4}-[\w.-]+\.db$/

/** Names that a restore uses before it is decided, and work files of version 2.0.0 and earlier. */
const UNUSED = /^(?:restored(?:-.*)?|restoring\.json\.new|backup-work|brought-backup-.*)$/

/** How a file or folder gets another name; a test ends in the midst of it. */
type Rename = (from: string, to: string) => void

/** From here on the folder is the restored one: whoever starts on it goes on with the swap first. */
export async function commitSwap(folder: DataFolder, swap: Swap): Promise<void> {
  await replaceFile(folder.restoring, `${JSON.stringify(shape.parse(swap))}\n`)
}

/**
 * Finishes a restore that was decided, however far it came before; a restore that was not decided leaves the folder as
 * it was. Called before anything in the folder is read, by whoever has its lock. Answers whether it was restored now.
 * @throws SettingsError where what was to take the place is not there any more.
 */
export async function finishSwap(folder: DataFolder, rename: Rename = renameSync): Promise<boolean> {
  const swap = decided(folder)
  if (swap !== null) await swapped(folder, swap, rename)
  for (const name of readdirSync(folder.path)) if (UNUSED.test(name)) removeLeft(join(folder.path, name))
  removeAbandoned(folder.path)
  return swap !== null
}

async function swapped(folder: DataFolder, swap: Swap, rename: Rename): Promise<void> {
  const { aside, take } = swap
  // A gateway that ran on after the decision made copies of what gives way.
  const away = new Set([...swap.away, ...copiesIn(folder)])
  refuseLost(folder, swap)
  await keepEnded(folder, swap)
  const asideFolder = join(folder.path, aside)
  const putAside = (name: string): void => moved(join(folder.path, name), join(asideFolder, name), rename)
  for (const name of away) if (!take.includes(name)) putAside(name)
  for (const name of take) {
    const fresh = join(folder.path, swap.from, name)
    // Not there any more: it is in its place since a swap that was cut short.
    if (!isThere(fresh)) continue
    putAside(name)
    moved(fresh, join(folder.path, name), rename)
  }
  for (const place of [asideFolder, folder.backups, folder.path]) if (isThere(place)) await syncFolder(place)
  rmSync(folder.restoring, { force: true })
  await syncFolder(folder.path)
}

/** Before anything is moved: half of one home and half of another would be neither. */
function refuseLost(folder: DataFolder, { from, aside, away, take }: Swap): void {
  const has = (...names: string[]): boolean => isThere(join(folder.path, ...names))
  const isInPlace = (name: string): boolean => has(name) && (!away.includes(name) || has(aside, name))
  const lost = take.filter((name) => !has(from, name) && !isInPlace(name))
  if (lost.length === 0) return
  throw new SettingsError(
    `A restore was decided and cannot be finished: ${lost.join(', ')} of it is not in ${join(folder.path, from)} any more. ${WAY_BACK(folder, aside)}`,
  )
}

const WAY_BACK = ({ path: top, restoring }: DataFolder, aside: string): string =>
  `Move what is in ${join(top, aside)}, if it is there, back to ${top}, remove ${restoring}, and the home is what it was before; then restore again.`

/** What ended after the restore was decided ends in the restored home too. */
async function keepEnded(folder: DataFolder, { from, aside, revived }: Swap): Promise<void> {
  const fresh = join(folder.path, from, REVOKED)
  if (revived === null || !isThere(fresh)) return
  const now = [join(folder.path, REVOKED), join(folder.path, aside, REVOKED)].flatMap(linesOf)
  const ended = now.filter((link) => !revived.includes(link))
  await replaceFile(fresh, [...new Set([...linesOf(fresh), ...ended])].map((link) => `${link}\n`).join(''))
}

/** The links and ids in a file of what has ended; none where there is no file. */
export function linesOf(file: string): readonly string[] {
  return isThere(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}

function moved(from: string, to: string, rename: Rename): void {
  if (!isThere(from)) return
  mkdirSync(dirname(to), { recursive: true, mode: PRIVATE_FOLDER_MODE })
  rename(from, to)
}

function decided(folder: DataFolder): Swap | null {
  if (!isThere(folder.restoring)) return null
  const swap = parsedAs(shape, readFileSync(folder.restoring, 'utf8'))
  if (swap !== null) return swap
  throw new SettingsError(
    `A restore was decided, and its note ${folder.restoring} cannot be read. ${WAY_BACK(folder, 'the newest folder before-restore-…')}`,
  )
}

/** What is moved aside of the present folder: all that belongs to the home, but not its backups. */
export function presentPaths(
  folder: DataFolder,
  { history, relay, settings }: { history: boolean; relay: boolean; settings: boolean },
): string[] {
  const names = [
    ...['core.db', 'core.db-wal', 'core.db-shm', 'tls', 'home-id', REVOKED, 'failed-starts.json'],
    ...(settings ? ['backup.json'] : []),
    ...(history ? ['history.db', 'history.db-wal', 'history.db-shm'] : []),
    ...(relay ? ['relay'] : []),
  ]
  return [...names.filter((name) => isThere(join(folder.path, name))), ...copiesIn(folder)]
}

function copiesIn({ backups }: DataFolder): string[] {
  if (!isThere(backups)) return []
  return readdirSync(backups)
    .filter((name) => COPY.test(name))
    .map((name) => `backups/${name}`)
}
