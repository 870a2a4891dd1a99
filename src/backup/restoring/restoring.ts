import { join } from 'node:path'
import type { Manifest } from '../format/manifest.ts'
import { type CredentialAtRest, credentialsAtRest, type PersonAtRest, personsAtRest } from '../../db/core/at-rest.ts'
import { silentLog } from '../../lib/log.ts'
import { type BackupContents, contentsOf, CORE, SETTINGS } from '../keeping/parts.ts'
import { BackupSettings } from '../keeping/settings.ts'
import { type DataFolder, readHomeId } from '../../settings/data-folder.ts'
import { linesOf } from './restore-swap.ts'
import { isThere } from '../../lib/files.ts'

/** A credential that a restore ends or brings back. */
export type ChangedCredential = Omit<CredentialAtRest, 'live'>

/** What a restore would do, or has done. */
export interface Restoring {
  /** Time of the backup, epoch ms. */
  readonly at: number
  readonly contents: BackupContents
  /** Whether the data folder holds this home already, another, or none. */
  readonly present: 'none' | 'this' | 'another'
  /** Credentials that have ended since the backup was made, and would live again without a word about it. */
  readonly ended: readonly ChangedCredential[]
  /** Those made since: no backup has them, so they end. */
  readonly lost: readonly ChangedCredential[]
  /** Who administers the home afterwards. */
  readonly persons: readonly RestoredPerson[]
  /** Names of persons who came since: no backup has them. */
  readonly lostPersons: readonly string[]
  readonly phrase: RestoredPhrase
  /** The folder in the data folder that what is there moves to; null where nothing is there. */
  readonly aside: string | null
}

export interface RestoredPerson {
  readonly name: string
  /** `same` as now; `then`: that of the backup counts, another than now or than anybody knows; `none`. */
  readonly password: 'same' | 'then' | 'none'
}

/** Which recovery phrase backups are encrypted with afterwards; `none`, and null, where there is none. */
export interface RestoredPhrase {
  readonly from: 'now' | 'backup' | 'none'
  /** Epoch ms. */
  readonly since: number | null
}

/**
 * What restoring the backup does whose parts lie in `parts`, by their names.
 *
 * @param now epoch ms
 */
export function restoringOf(
  { folder, now }: { readonly folder: DataFolder; readonly now: number },
  manifest: Manifest,
  parts: string,
): Restoring {
  const home = readHomeId(folder)
  const present = home === null ? 'none' : home === manifest.gateway ? 'this' : 'another'
  const endedIds = new Set(present === 'this' ? linesOf(folder.revoked) : [])
  const coreNow = present === 'this' ? folder.coreDb : null
  return {
    at: manifest.at,
    contents: contentsOf(manifest),
    present,
    ...credentialsChanged(join(parts, CORE), coreNow, endedIds),
    ...personsChanged(join(parts, CORE), coreNow, endedIds),
    phrase: phraseAfter(folder, present, parts),
    aside: home === null && !isThere(folder.coreDb) ? null : freeAside({ folder, now }),
  }
}

function credentialsChanged(
  coreThen: string,
  coreNow: string | null,
  endedIds: ReadonlySet<string>,
): Pick<Restoring, 'ended' | 'lost'> {
  const then = credentialsAtRest(coreThen)
  const now = readNow(coreNow, credentialsAtRest) ?? []
  const endedNow = new Set([...now.filter(({ live }) => !live).map(({ link }) => link), ...endedIds])
  const known = new Set(then.map(({ link }) => link))
  return {
    ended: then.filter(({ link, live }) => live && endedNow.has(link)).map(changed),
    lost: now.filter(({ link, live }) => live && !known.has(link)).map(changed),
  }
}

function changed({ link, name, integration }: CredentialAtRest): ChangedCredential {
  return { link, name, integration }
}

/** Whoever was removed since stays so. */
function personsChanged(
  coreThen: string,
  coreNow: string | null,
  endedIds: ReadonlySet<string>,
): Pick<Restoring, 'persons' | 'lostPersons'> {
  const then = personsAtRest(coreThen).filter(({ id }) => !endedIds.has(id))
  const now = new Map((readNow(coreNow, personsAtRest) ?? []).map((person) => [person.id, person]))
  const known = new Set(then.map(({ id }) => id))
  return {
    persons: then.map((person) => ({ name: person.name, password: passwordAfter(person, now.get(person.id)) })),
    lostPersons: [...now.values()].filter(({ id }) => !known.has(id)).map(({ name }) => name),
  }
}

function passwordAfter(then: PersonAtRest, now: PersonAtRest | undefined): RestoredPerson['password'] {
  if (then.password === null) return 'none'
  return then.password === now?.password ? 'same' : 'then'
}

/** A configuration that is damaged tells nothing; `revoked` still does. */
function readNow<T>(core: string | null, read: (file: string) => T): T | null {
  try {
    return core !== null && isThere(core) ? read(core) : null
  } catch {
    return null
  }
}

/** A phrase of now is not replaced by an older one, whose words may be lost, nor by none. */
function phraseAfter(folder: DataFolder, present: Restoring['present'], parts: string): RestoredPhrase {
  const now = present === 'this' ? new BackupSettings(folder.backupSettings, silentLog).phraseSince : null
  if (now !== null) return { from: 'now', since: now }
  const then = new BackupSettings(join(parts, SETTINGS), silentLog).phraseSince
  return then === null ? { from: 'none', since: null } : { from: 'backup', since: then }
}

/** The name of a folder that is not there: a second restore within a second has one of its own too. */
export function freeAside({ folder, now }: { readonly folder: DataFolder; readonly now: number }): string {
  const time = new Date(now).toISOString().slice(0, '2026-11-23T03:10:07'.length).replaceAll(':', '-')
  const name = `before-restore-${time}`
  let free = name
  for (let next = 2; isThere(join(folder.path, free)); next += 1) free = `${name}-${next}`
  return free
}
