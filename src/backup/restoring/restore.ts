import { appendFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { Manifest } from '../format/manifest.ts'
import { BackupProblem } from '../format/problem.ts'
import { type KeyFinder, keyFinder } from '../format/phrase.ts'
import { prepareCore } from '../../db/core/at-rest.ts'
import { NEWEST_SCHEMAS } from '../../db/database.ts'
import { isThere, PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE, syncFile, syncFolder } from '../../lib/files.ts'
import { silentLog } from '../../lib/log.ts'
import { checkBackup, CORE, HISTORY, HOUSE, isNewer, placesOf, SETTINGS } from '../keeping/parts.ts'
import { BackupSettings } from '../keeping/settings.ts'
import { makeWorkFolder } from '../keeping/work-folder.ts'
import { BackupRefused } from '../keeping/backup-folder.ts'
import { type DataFolder, JUST_RESTORED } from '../../settings/data-folder.ts'
import { commitSwap, linesOf, presentPaths, REVOKED } from './restore-swap.ts'
import { freeAside, type Restoring, restoringOf } from './restoring.ts'

export interface RestoreWish {
  readonly folder: DataFolder
  readonly file: string
  /** As somebody typed it; null where the key of the present home is to open it. */
  readonly phrase: string | null
  /** Whether credentials live again that have ended since. */
  readonly revive: boolean
  /** Epoch ms. */
  readonly now: number
  /** Asked just before it is decided; throws where it must not be any more. */
  readonly ready?: () => void
}

/**
 * Opens a backup and says what restoring it would do; nothing is changed.
 * @throws BackupProblem, SettingsError, or the file system's own error.
 */
export async function previewRestore(wish: RestoreWish): Promise<Restoring> {
  await using work = await makeWorkFolder(wish.folder.path)
  const manifest = await opened(wish, work.path)
  return restoringOf(wish, manifest, work.path)
}

/**
 * Puts everything in place beside what is there, and decides for it: from then on whoever starts on the folder finishes
 * the restore (`finishSwap`). Killed before that, the folder is as it was.
 * @throws BackupRefused where another was decided and is not finished; as `previewRestore` otherwise.
 */
export async function decideRestore(wish: RestoreWish): Promise<Restoring> {
  const { folder } = wish
  if (isThere(folder.restoring))
    throw new BackupRefused('Another restore is decided already: it is finished when the gateway starts anew.')
  // A folder of its own: what another restore has put together is none of this one's business.
  const parts = await mkdtemp(`${folder.restored}-`)
  try {
    const manifest = await opened(wish, parts)
    const restoring = restoringOf(wish, manifest, parts)
    const take = await laidOut(wish, manifest, { restoring, parts })
    const away = presentPaths(folder, givesWay(wish, restoring, take))
    const revived = restoring.present === 'this' ? revivedOf(wish, restoring) : null
    wish.ready?.()
    await commitSwap(folder, { from: basename(parts), aside: freeAside(wish), away, take, revived })
    return restoring
  } catch (error) {
    // The note first: it must never decide for what is not there.
    await rm(folder.restoring, { force: true })
    await rm(parts, { recursive: true, force: true })
    throw error
  }
}

function givesWay(
  { folder }: RestoreWish,
  { present }: Restoring,
  take: readonly string[],
): { history: boolean; relay: boolean; settings: boolean } {
  return {
    // A history that this program cannot read moves aside too, and a new one begins.
    history: take.includes(HISTORY) || present !== 'this' || isNewer(folder.historyDb, NEWEST_SCHEMAS.history),
    relay: present !== 'this',
    settings: take.includes(SETTINGS) || present !== 'this',
  }
}

const revivedOf = ({ revive }: RestoreWish, { ended }: Restoring): string[] =>
  revive ? ended.map(({ link }) => link) : []

function opened(wish: RestoreWish, into: string): Promise<Manifest> {
  return checkBackup(wish.file, finderOf(wish), into)
}

/** Opens what the present home's key opens, and what the phrase does. */
function finderOf({ folder, phrase }: RestoreWish): KeyFinder {
  const { key } = new BackupSettings(folder.backupSettings, silentLog)
  return keyFinder(key, phrase)
}

/** Each part at its place below `parts`; answers the paths in the top folder that take their place. */
async function laidOut(
  wish: RestoreWish,
  manifest: Manifest,
  { restoring, parts }: { restoring: Restoring; parts: string },
): Promise<string[]> {
  const { folder, now } = wish
  const revived = new Set(revivedOf(wish, restoring))
  const ended = restoring.present === 'this' ? linesOf(folder.revoked) : []
  prepareCore(join(parts, CORE), {
    revokedFile: join(parts, REVOKED),
    alsoEnded: [...ended, ...restoring.ended.map(({ link }) => link)].filter((link) => !revived.has(link)),
    at: now,
    incident: toldOf(restoring),
    log: silentLog,
  })
  const left = [HOUSE, ...(restoring.phrase.from === 'now' ? [SETTINGS] : [])]
  for (const name of left) await rm(join(parts, name), { force: true })
  // Also of a backup that has none: what ends until the swap is noted there.
  await appendFile(join(parts, REVOKED), '', { mode: PRIVATE_FILE_MODE })
  await writeFile(join(parts, JUST_RESTORED), '', { mode: PRIVATE_FILE_MODE })
  const take = new Set<string>([REVOKED, JUST_RESTORED])
  for (const { name } of manifest.parts.filter((part) => !left.includes(part.name))) {
    const place = placesOf(folder)[name]
    if (place === undefined) throw new BackupProblem('damaged')
    take.add(await placed(join(parts, name), join(parts, relative(folder.path, place)), parts))
  }
  await syncFile(join(parts, REVOKED))
  await syncFolder(parts)
  return [...take]
}

/** Moves a part to its place and answers the path in the top folder that has it. */
async function placed(from: string, to: string, top: string): Promise<string> {
  await mkdir(dirname(to), { recursive: true, mode: PRIVATE_FOLDER_MODE })
  if (from !== to) await rename(from, to)
  await syncFile(to)
  await syncFolder(dirname(to))
  return relative(top, to).split('/')[0] ?? ''
}

function toldOf({ at, aside }: Restoring): string {
  const made = `${new Date(at).toISOString().slice(0, '2026-11-23T03:10'.length).replace('T', ' ')} UTC`
  const kept = aside === null ? '' : ` What was there before is kept in ${aside} in the data folder.`
  return `The home was restored from the backup of ${made}. What was changed after it is lost: check keys, exposures and knobs. Passwords are those of then.${kept}`
}
