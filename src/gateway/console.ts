import { join } from 'node:path'
import type { AdminDispatcher } from '../admin/dispatch.ts'
import type { AdminTopicSources } from '../admin/events.ts'
import { SignIn } from '../auth/persons/sign-in.ts'
import { ConsoleFiles } from '../http/console-files.ts'
import type { BackupDownloads } from '../http/backup-download.ts'
import type { ConsoleParts } from '../http/console-pages.ts'
import type { Presences } from '../home/live/presences.ts'
import { type AddressWatcher, isInHomeNetwork } from '../lib/lan-addresses.ts'
import type { AccessParts } from './access.ts'
import type { GatewayOptions } from './options.ts'
import { namesHere, originAt } from '../settings/place.ts'
import { isLoopback, type GatewaySettings } from '../settings/settings.ts'

/** Folder of the built console pages. */
const BUILT = join(import.meta.dirname, '..', '..', 'console', 'dist')

/** The console, before its handlers are open. */
export interface Console {
  readonly signIn: SignIn
  /** For the network; null if the console is off. */
  readonly parts: ConsoleParts | null
  /** Sets the administrators' pipeline, topics and downloads, which open after the network. */
  readonly serve: (admin: AdminDispatcher, topics: AdminTopicSources, downloads: BackupDownloads) => void
  /** The administrators' pipeline, for operator tokens too; null until then. */
  readonly admin: () => AdminDispatcher | null
  readonly downloads: () => BackupDownloads | null
  /** Stream topics for persons; null until then. */
  readonly topics: () => AdminTopicSources | null
}

/** Parts that notice who is at home. */
interface ConsoleGround {
  readonly presences: Pick<Presences, 'usedAtHome'>
  readonly addresses: Pick<AddressWatcher, 'current'>
  readonly push: ConsoleParts['push']
}

/** Addresses of a browser on the gateway's own machine. */
const THIS_MACHINE: readonly string[] = ['127.0.0.1', '::1']

export function openConsole(
  options: GatewayOptions,
  access: AccessParts,
  gateway: string,
  { presences, addresses, push }: ConsoleGround,
): Console {
  const { settings, clock, log, pages = BUILT } = options
  const { sessions, persons, passkeys, failures } = access
  const failed = (peer: string): void => failures.note(peer, 'home')
  const isAtHome = (peer: string): boolean => THIS_MACHINE.includes(peer) || isInHomeNetwork(peer, addresses.current())
  const signIn = new SignIn({ ...access, clock, isAtHome, setupCode: settings.setupCode, failed })
  let admin: AdminDispatcher | null = null
  let topics: AdminTopicSources | null = null
  let downloads: BackupDownloads | null = null
  const { console: reach } = settings
  return {
    signIn,
    parts:
      reach === 'off'
        ? null
        : {
            reach,
            gateway,
            sessions,
            isAtHome,
            persons,
            used: (session, peer) => {
              const person = sessions.state(session)?.person ?? null
              // A member reports nothing while the record is closed.
              const isServed = person !== null && access.authenticator.check(session, 'home').ok
              if (isServed && isInHomeNetwork(peer, addresses.current())) presences.usedAtHome(person)
            },
            signIn,
            passkeys,
            push,
            takesSetupCode: settings.setupCode !== null,
            files: new ConsoleFiles(pages),
            admin: () => admin,
            downloads: () => downloads,
            log,
          },
    serve: (dispatcher, adminTopics, taken) => {
      admin = dispatcher
      topics = adminTopics
      downloads = taken
    },
    admin: () => admin,
    downloads: () => downloads,
    topics: () => topics,
  }
}

/** The console's address at each name and address of the gateway, the most reliable first; none if it is off. */
export function consoleAddresses(
  { console: reach, host }: Pick<GatewaySettings, 'console' | 'host'>,
  {
    port,
    serial,
    addresses,
  }: { readonly port: number; readonly serial: string; readonly addresses: readonly string[] },
): readonly string[] {
  if (reach === 'off') return []
  const names = namesHere({ serial, host, addresses }).filter((name) => reach === 'on' || isLoopback(name))
  return names.map((name) => `${originAt(name, port)}/console/`)
}
