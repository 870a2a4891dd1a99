import { appendFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { Manifest } from '../format/manifest.ts'
import { BackupProblem } from '../format/problem.ts'
import { type KeyFinder, keyFinder } from '../format/phrase.ts'
import { prepareCore } from '../../db/core/at-rest.ts'
import { NEWEST_SCHEMAS } from '../../db/database.ts'
import { pathExists, PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE, syncFile, syncFolder } from '../../lib/files.ts'
import { silentLog } from '../../lib/log.ts'
import { checkBackup, CORE, HISTORY, HOUSE, isNewer, partPaths, SETTINGS } from '../keeping/parts.ts'
import { BackupSettings } from '../keeping/backup-settings.ts'
import { makeWorkFolder } from '../keeping/work-folder.ts'
import { BackupRefused } from '../keeping/backup-folder.ts'
import { type DataFolder, JUST_RESTORED } from '../../settings/data-folder.ts'
import { commitSwap, linesOf, presentPaths, REVOKED } from './restore-swap.ts'
import { freeAside, type RestoreEffects, restoreEffects } from './restore-effects.ts'

export interface RestoreRequest {
  readonly folder: DataFolder
  readonly file: string
  /** The phrase as typed; null to use the key of the present home. */
  readonly phrase: string | null
  /** Makes credentials valid again that ended after the backup. */
  readonly revive: boolean
  /** Epoch ms. */
  readonly now: number
}

/**
 * Opens a backup and returns the effects of its restore. Changes nothing.
 * @throws BackupProblem, SettingsError, or the file system's own error.
 */
export async function previewRestore(request: RestoreRequest): Promise<RestoreEffects> {
  await using work = await makeWorkFolder(request.folder.path)
  const manifest = await openBackup(request, work.path)
  return restoreEffects(request, manifest, work.path)
}

/**
 * Prepares the restored files in a folder of their own, then decides: from that moment every start finishes the restore
 * (`finishSwap`). A kill before the decision changes nothing.
 * @param requireStillAllowed called just before the decision; throws if the administrator may no longer restore.
 * @throws BackupRefused while another decided restore is unfinished; the errors of `previewRestore`.
 */
export async function decideRestore(
  request: RestoreRequest,
  requireStillAllowed: () => unknown,
): Promise<RestoreEffects> {
  const { folder } = request
  if (pathExists(folder.restoring))
    throw new BackupRefused('Another restore has begun already: the next start of the gateway finishes it.')
  const parts = await mkdtemp(`${folder.restored}-`)
  try {
    const manifest = await openBackup(request, parts)
    const effects = restoreEffects(request, manifest, parts)
    const take = await placeParts(request, manifest, { effects, parts })
    const away = presentPaths(folder, optionalFilesToMove(request, effects, take))
    const revived = effects.present === 'this' ? revivedLinks(request, effects) : null
    requireStillAllowed()
    await commitSwap(folder, { from: basename(parts), aside: freeAside(request), away, take, revived })
    return effects
  } catch (error) {
    // The note goes first: it must not decide for missing files.
    await rm(folder.restoring, { force: true })
    await rm(parts, { recursive: true, force: true })
    throw error
  }
}

/** True for each group of optional files of the present home that moves aside. */
function optionalFilesToMove(
  { folder }: RestoreRequest,
  { present }: RestoreEffects,
  take: readonly string[],
): { history: boolean; relay: boolean; settings: boolean } {
  return {
    // A history that this program cannot read moves aside too, and a new one begins.
    history: take.includes(HISTORY) || present !== 'this' || isNewer(folder.historyDb, NEWEST_SCHEMAS.history),
    relay: present !== 'this',
    settings: take.includes(SETTINGS) || present !== 'this',
  }
}

const revivedLinks = ({ revive }: RestoreRequest, { ended }: RestoreEffects): string[] =>
  revive ? ended.map(({ link }) => link) : []

function openBackup(request: RestoreRequest, into: string): Promise<Manifest> {
  return checkBackup(request.file, keyFinderOf(request), into)
}

function keyFinderOf({ folder, phrase }: RestoreRequest): KeyFinder {
  const { key } = new BackupSettings(folder.backupSettings, silentLog)
  return keyFinder(key, phrase)
}

/** Moves the parts to their places in the restored folder, as in a data folder. Returns its top-level names. */
async function placeParts(
  request: RestoreRequest,
  manifest: Manifest,
  { effects, parts }: { effects: RestoreEffects; parts: string },
): Promise<string[]> {
  const { folder, now } = request
  const revived = new Set(revivedLinks(request, effects))
  const ended = effects.present === 'this' ? linesOf(folder.revoked) : []
  prepareCore(join(parts, CORE), {
    revokedFile: join(parts, REVOKED),
    alsoEnded: [...ended, ...effects.ended.map(({ link }) => link)].filter((link) => !revived.has(link)),
    at: now,
    incident: incidentOf(effects),
    log: silentLog,
  })
  const unused = [HOUSE, ...(effects.phrase.from === 'now' ? [SETTINGS] : [])]
  for (const name of unused) await rm(join(parts, name), { force: true })
  // The exchange adds credentials to this file, so every restore needs one.
  await appendFile(join(parts, REVOKED), '', { mode: PRIVATE_FILE_MODE })
  await writeFile(join(parts, JUST_RESTORED), '', { mode: PRIVATE_FILE_MODE })
  const take = new Set<string>([REVOKED, JUST_RESTORED])
  for (const { name } of manifest.parts.filter((part) => !unused.includes(part.name))) {
    const path = partPaths(folder)[name]
    if (path === undefined) throw new BackupProblem('damaged')
    take.add(await movePart(join(parts, name), join(parts, relative(folder.path, path)), parts))
  }
  await syncFile(join(parts, REVOKED))
  await syncFolder(parts)
  return [...take]
}

/** Moves a part to its place. Returns the name of the file or folder in `top` that holds it. */
async function movePart(from: string, to: string, top: string): Promise<string> {
  await mkdir(dirname(to), { recursive: true, mode: PRIVATE_FOLDER_MODE })
  if (from !== to) await rename(from, to)
  await syncFile(to)
  await syncFolder(dirname(to))
  return relative(top, to).split('/')[0] ?? ''
}

/** The sentence that administrators acknowledge after the restore. */
function incidentOf({ at, aside }: RestoreEffects): string {
  const made = `${new Date(at).toISOString().slice(0, '2026-11-23T03:10'.length).replace('T', ' ')} UTC`
  const formerFiles = aside === null ? '' : ` The former files are in ${aside} in the data folder.`
  return `The home was restored from the backup of ${made}. Later changes are lost: check keys, exposures and knobs. Passwords are the ones from the backup.${formerFiles}`
}
