import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { isObject } from '../../lib/json.ts'
import { homedir } from 'node:os'
import type { Commands } from './commands.ts'

/** Where the lists of trusted CAs are on this machine. */
export interface TrustFolders {
  /** Of whoever runs the command: their browsers keep lists of their own there. */
  readonly home: string
  /** What the system's list is made of, on Debian and its like. */
  readonly system: string
  /** The command that makes it. */
  readonly update: readonly [string, ...string[]]
}

/** What became of the CA in one list. */
interface Trusted {
  /** The list in words. */
  readonly list: string
  readonly done: boolean
  /** One sentence: what was done, or what is to be done by hand. */
  readonly said: string
}

/** The CA as it is listed: `hm-4f2a91`. */
export interface ListedCa {
  readonly name: string
  readonly pem: string
}

const TIMEOUT_MS = 30_000
/** Older ones of the same gateway that may have been left in a list. */
const OLDER_MAX = 5
const NO_CERTUTIL =
  'certutil is not here: install it (apt install libnss3-tools) and run this again, or import the CA in the browser by hand.'

/** Has the system and the browsers of this machine trust the CA, or with `remove` trust it no more. */
export function trustEverywhere(ca: ListedCa, folders: TrustFolders, remove: boolean): readonly Trusted[] {
  return [inSystem(ca, folders, remove), ...inBrowsers(ca, folders, remove)]
}

function inSystem({ name, pem }: ListedCa, { system, update }: TrustFolders, remove: boolean): Trusted {
  const list = "the system's list"
  const told = (done: boolean, said: string): Trusted => ({ list, done, said })
  if (!existsSync(dirname(system)))
    return told(false, 'This system keeps it in a way of its own: add tls/ca.pem of the data folder to it by hand.')
  const file = join(system, `${name}.crt`)
  try {
    mkdirSync(system, { recursive: true })
    if (remove) rmSync(file, { force: true })
    else writeFileSync(file, pem)
  } catch (error) {
    if (!isObject(error) || (error['code'] !== 'EACCES' && error['code'] !== 'EPERM')) throw error
    return told(false, 'It takes root: run this command once more with sudo.')
  }
  const [command, ...args] = update
  const failed = failureOf(command, args)
  if (failed !== null) return told(false, `${command} did not go through: ${failed}`)
  return told(true, remove ? 'It is trusted no more.' : 'It is trusted: by curl, wget and most programs.')
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
  // Also before another one of the same name is added: two of a name would both be trusted.
  for (let older = 0; older < OLDER_MAX; older += 1)
    if (failureOf('certutil', ['-D', ...database, '-n', name]) !== null) break
  if (remove) return { list, done: true, said: 'It is trusted no more.' }
  const failed = failureOf('certutil', ['-A', '-a', ...database, '-n', name, '-t', 'C,,'], pem)
  return failed === null
    ? { list, done: true, said: 'It is trusted, once the browser was started again.' }
    : { list, done: false, said: failed }
}

/** Where Firefox keeps its lists: one for each profile. */
function firefoxProfiles(home: string): readonly string[] {
  return [join(home, '.mozilla', 'firefox'), join(home, 'snap', 'firefox', 'common', '.mozilla', 'firefox')]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((profile) => join(folder, profile)))
    .filter((profile) => existsSync(join(profile, 'cert9.db')))
}

/** What a command says against it; null where it went through. */
function failureOf(command: string, args: readonly string[], input = ''): string | null {
  const { error, status, stderr } = spawnSync(command, args, { input, encoding: 'utf8', timeout: TIMEOUT_MS })
  if (error) return error.message
  return status === 0 ? null : stderr.trim() || `it ended with ${status}`
}

/** Where Debian and its like take CAs of the machine's own from. */
const SYSTEM = join(sep, 'usr', 'local', 'share', 'ca-certificates')

/** `hm tls trust`: the machine that it runs on trusts the gateway. Others open the console's page `/console/trust`. */
export function trustCommand(tls: Commands): void {
  tls
    .command('trust', 'have the system and the browsers of this machine trust the CA')
    .option('--remove', 'have them trust it no more', false)
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
    ...lists.map(({ list, done, said }) => `  ${done ? 'done' : 'NOT '}  ${list}: ${said}`),
    '',
    'Phones and other machines: open /console/trust of the gateway there.',
  ].join('\n')
}
