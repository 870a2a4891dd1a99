import { join } from 'node:path'
import type { Manifest } from '../format/manifest.ts'
import { type CredentialAtRest, credentialsAtRest, type PersonAtRest, personsAtRest } from '../../db/core/at-rest.ts'
import { silentLog } from '../../lib/log.ts'
import { type BackupContents, contentsOf, CORE, SETTINGS } from '../keeping/parts.ts'
import { BackupSettings } from '../keeping/backup-settings.ts'
import { type DataFolder, readHomeId } from '../../settings/data-folder.ts'
import { linesOf } from './restore-swap.ts'
import { pathExists } from '../../lib/files.ts'

/** A credential that a restore ends or brings back. */
export type ChangedCredential = Omit<CredentialAtRest, 'live'>

/** Effects of a restore, before or after it. */
export interface RestoreEffects {
  /** Time of the backup, epoch ms. */
  readonly at: number
  readonly contents: BackupContents
  /** The home in the data folder: the home of the backup, another one, or none. */
  readonly present: 'none' | 'this' | 'another'
  /** Credentials of the backup that ended later. They stay ended unless the request revives them. */
  readonly ended: readonly ChangedCredential[]
  /** Credentials made after the backup, which end. */
  readonly lost: readonly ChangedCredential[]
  /** Administrators and members after the restore. */
  readonly persons: readonly RestoredPerson[]
  /** Names of persons added after the backup, who are lost. */
  readonly lostPersons: readonly string[]
  readonly phrase: RestoredPhrase
  /** Name of the folder in the data folder that the present files move to; null if there are none. */
  readonly aside: string | null
}

export interface RestoredPerson {
  readonly name: string
  /** `same`: the present password; `then`: a different one, from the backup; `none`: no password. */
  readonly password: 'same' | 'then' | 'none'
}

/** The recovery phrase after the restore: the present phrase, the phrase of the backup, or `none`. */
export interface RestoredPhrase {
  readonly from: 'now' | 'backup' | 'none'
  /** Epoch ms; null without a phrase. */
  readonly since: number | null
}

/**
 * Compares an unpacked backup with the present home.
 *
 * @param now epoch ms
 * @param parts the folder with the parts of the backup
 */
export function restoreEffects(
  { folder, now }: { readonly folder: DataFolder; readonly now: number },
  manifest: Manifest,
  parts: string,
): RestoreEffects {
  const home = readHomeId(folder)
  const present = home === null ? 'none' : home === manifest.gateway ? 'this' : 'another'
  const endedIds = new Set(present === 'this' ? linesOf(folder.revoked) : [])
  const homeCore = present === 'this' ? folder.coreDb : null
  return {
    at: manifest.at,
    contents: contentsOf(manifest),
    present,
    ...compareCredentials(join(parts, CORE), homeCore, endedIds),
    ...comparePersons(join(parts, CORE), homeCore, endedIds),
    phrase: phraseAfter(folder, present, parts),
    aside: home === null && !pathExists(folder.coreDb) ? null : freeAside({ folder, now }),
  }
}

function compareCredentials(
  backupCore: string,
  homeCore: string | null,
  endedIds: ReadonlySet<string>,
): Pick<RestoreEffects, 'ended' | 'lost'> {
  const inBackup = credentialsAtRest(backupCore)
  const inHome = readPresent(homeCore, credentialsAtRest) ?? []
  const ended = new Set([...inHome.filter(({ live }) => !live).map(({ link }) => link), ...endedIds])
  const backupLinks = new Set(inBackup.map(({ link }) => link))
  return {
    ended: inBackup.filter(({ link, live }) => live && ended.has(link)).map(withoutState),
    lost: inHome.filter(({ link, live }) => live && !backupLinks.has(link)).map(withoutState),
  }
}

function withoutState({ link, name, integration }: CredentialAtRest): ChangedCredential {
  return { link, name, integration }
}

/** Persons who were removed after the backup stay removed. */
function comparePersons(
  backupCore: string,
  homeCore: string | null,
  endedIds: ReadonlySet<string>,
): Pick<RestoreEffects, 'persons' | 'lostPersons'> {
  const inBackup = personsAtRest(backupCore).filter(({ id }) => !endedIds.has(id))
  const inHome = new Map((readPresent(homeCore, personsAtRest) ?? []).map((person) => [person.id, person]))
  const backupIds = new Set(inBackup.map(({ id }) => id))
  return {
    persons: inBackup.map((person) => ({ name: person.name, password: passwordAfter(person, inHome.get(person.id)) })),
    lostPersons: [...inHome.values()].filter(({ id }) => !backupIds.has(id)).map(({ name }) => name),
  }
}

function passwordAfter(inBackup: PersonAtRest, inHome: PersonAtRest | undefined): RestoredPerson['password'] {
  if (inBackup.password === null) return 'none'
  return inBackup.password === inHome?.password ? 'same' : 'then'
}

/** Reads the present configuration. Null if it is damaged: then only the file `revoked` knows the ended credentials. */
function readPresent<T>(core: string | null, read: (file: string) => T): T | null {
  try {
    return core !== null && pathExists(core) ? read(core) : null
  } catch {
    return null
  }
}

/** The recovery phrase after the restore. The present one stays, because the words of an older one may be lost. */
function phraseAfter(folder: DataFolder, present: RestoreEffects['present'], parts: string): RestoredPhrase {
  const inHome = present === 'this' ? new BackupSettings(folder.backupSettings, silentLog).phraseSince : null
  if (inHome !== null) return { from: 'now', since: inHome }
  const inBackup = new BackupSettings(join(parts, SETTINGS), silentLog).phraseSince
  return inBackup === null ? { from: 'none', since: null } : { from: 'backup', since: inBackup }
}

/** A free name for the folder of the former files, also for a second restore within a second. */
export function freeAside({ folder, now }: { readonly folder: DataFolder; readonly now: number }): string {
  const time = new Date(now).toISOString().slice(0, '2026-11-23T03:10:07'.length).replaceAll(':', '-')
  const name = `before-restore-${time}`
  let free = name
  for (let next = 2; pathExists(join(folder.path, free)); next += 1) free = `${name}-${next}`
  return free
}
