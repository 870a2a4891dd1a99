import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { isObject } from '../../lib/json.ts'
import { homedir } from 'node:os'
import type { Commands } from './command-group.ts'

/** Places of the lists of trusted CAs on this machine. */
export interface TrustFolders {
  /** Home folder of the user; browsers keep their own lists there. */
  readonly home: string
  /** Source folder of the system's list, on Debian and similar systems. */
  readonly system: string
  /** Command that builds the system's list. */
  readonly update: readonly [string, ...string[]]
}

/** Result for one list. */
interface Trusted {
  /** The list in words. */
  readonly list: string
  readonly done: boolean
  /** One sentence: the result, or a manual step. */
  readonly said: string
}

/** The CA with its name in lists: `hm-4f2a91`. */
export interface ListedCa {
  readonly name: string
  readonly pem: string
}

const TIMEOUT_MS = 30_000
/** Limit of older CAs of the same gateway to remove from a list. */
const OLDER_MAX = 5
const NO_CERTUTIL =
  'certutil is missing: install it (apt install libnss3-tools) and run this again, or import the CA in the browser by hand.'

/** Adds the CA to the trusted CAs of the system and browsers of this machine, or removes it. */
export function trustEverywhere(ca: ListedCa, folders: TrustFolders, remove: boolean): readonly Trusted[] {
  return [inSystem(ca, folders, remove), ...inBrowsers(ca, folders, remove)]
}

function inSystem({ name, pem }: ListedCa, { system, update }: TrustFolders, remove: boolean): Trusted {
  const list = "the system's list"
  const result = (done: boolean, sentence: string): Trusted => ({ list, done, said: sentence })
  if (!existsSync(dirname(system)))
    return result(false, 'This system has another kind of list: add tls/ca.pem of the data folder to it by hand.')
  const file = join(system, `${name}.crt`)
  try {
    mkdirSync(system, { recursive: true })
    if (remove) rmSync(file, { force: true })
    else writeFileSync(file, pem)
  } catch (error) {
    if (!isObject(error) || (error['code'] !== 'EACCES' && error['code'] !== 'EPERM')) throw error
    return result(false, 'This needs root rights: run the command again with sudo.')
  }
  const [command, ...args] = update
  const failed = failureOf(command, args)
  if (failed !== null) return result(false, `${command} failed: ${failed}`)
  return result(true, remove ? 'It is no longer trusted.' : 'It is trusted by curl, wget and most programs.')
}

function inBrowsers(ca: ListedCa, { home }: TrustFolders, remove: boolean): readonly Trusted[] {
  const chromium = join(home, '.pki', 'nssdb')
  const lists = [
    { list: 'Chromium and Chrome', folder: chromium, isThere: existsSync(join(chromium, 'cert9.db')) },
    ...firefoxProfiles(home).map((folder) => ({ list: `Firefox (${folder})`, folder, isThere: true })),
  ]
  if (spawnSync('certutil', ['-H'], { timeout: TIMEOUT_MS }).error)
    return [{ list: 'browsers', done: false, said: NO_CERTUTIL }]
  return lists.filter(({ isThere }) => isThere || !remove).map((list) => inNss(ca, list, remove))
}

function inNss(
  { name, pem }: ListedCa,
  { list, folder, isThere }: { readonly list: string; readonly folder: string; readonly isThere: boolean },
  remove: boolean,
): Trusted {
  const database = ['-d', `sql:${folder}`]
  if (!isThere) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const failed = failureOf('certutil', ['-N', ...database, '--empty-password'])
    if (failed !== null) return { list, done: false, said: failed }
  }
  // Old ones are removed even before adding, because two CAs of one name would both be trusted.
  for (let older = 0; older < OLDER_MAX; older += 1)
    if (failureOf('certutil', ['-D', ...database, '-n', name]) !== null) break
  if (remove) return { list, done: true, said: 'It is no longer trusted.' }
  const failed = failureOf('certutil', ['-A', '-a', ...database, '-n', name, '-t', 'C,,'], pem)
  return failed === null
    ? { list, done: true, said: 'It is trusted after a restart of the browser.' }
    : { list, done: false, said: failed }
}

/** Folders of Firefox's lists, one for each profile. */
function firefoxProfiles(home: string): readonly string[] {
  return [join(home, '.mozilla', 'firefox'), join(home, 'snap', 'firefox', 'common', '.mozilla', 'firefox')]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((profile) => join(folder, profile)))
    .filter((profile) => existsSync(join(profile, 'cert9.db')))
}

/** Error of a command; null if it succeeded. */
function failureOf(command: string, args: readonly string[], input = ''): string | null {
  const { error, status, stderr } = spawnSync(command, args, { input, encoding: 'utf8', timeout: TIMEOUT_MS })
  if (error) return error.message
  return status === 0 ? null : stderr.trim() || `it ended with ${status}`
}

/** Folder of the machine's own CAs on Debian and similar systems. */
const SYSTEM = join(sep, 'usr', 'local', 'share', 'ca-certificates')

/** `hm tls trust`: makes this machine trust the gateway. Other machines open the console's page `/console/trust`. */
export function trustCommand(tls: Commands): void {
  tls
    .command('trust', 'make the system and browsers of this machine trust the CA')
    .option('--remove', 'stop trusting it', false)
    .action(async ({ remove }: { remove: boolean }) => {
      const { context } = tls
      const [{ ca }, { gateway }] = await Promise.all([
        context.client.ask('tls.show'),
        context.client.ask('status.get'),
      ])
      const folders = { home: homedir(), system: SYSTEM, update: ['update-ca-certificates'] } as const
      const lists = trustEverywhere({ name: `hm-${gateway}`, pem: ca.pem }, folders, remove)
      context.show({ fingerprint: ca.fingerprint, lists }, describe)
    })
}

function describe({
  fingerprint,
  lists,
}: {
  readonly fingerprint: string
  readonly lists: readonly Trusted[]
}): string {
  return [
    `CA ${fingerprint}`,
    '',
    ...lists.map((result) => `  ${result.done ? 'done' : 'NOT '}  ${result.list}: ${result.said}`),
    '',
    'Phones and other machines: open /console/trust of the gateway there.',
  ].join('\n')
}
