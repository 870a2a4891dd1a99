import type { Logbook } from '../admin/gateway.ts'
import type { PastParts } from '../demo/past.ts'
import type { DataFolder } from '../settings/data-folder.ts'
import type { Port } from '../hmhc/port/port.ts'
import type { HouseContent } from '../home/ports/house-store.ts'
import type { ServerPlugins } from '../http/server.ts'
import type { RuleFile } from '../home/rules/rule-file.ts'
import type { InterfaceList } from '../lib/addresses.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Random } from '../lib/random.ts'
import type { OpenSocket } from '../mdns/socket.ts'
import type { Settings } from '../settings/settings.ts'

/** What a gateway is opened with: everything that it would otherwise have to ask the machine. */
export interface GatewayOptions {
  readonly settings: Settings
  readonly folder: DataFolder
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** What is kept of the log for administrators; nothing unless given. */
  readonly logbook?: Logbook
  /** The line to the unit adapter: a new one at each call. */
  readonly openPort: () => Port
  readonly newHome: NewHome
  /** Called where the disk took no writes at the start and takes them now: only another start makes use of it. */
  readonly restart?: () => void
  /** Called where the start changes the databases first, which may take minutes: for whoever waits for the start. */
  readonly updating?: () => void
  /** Where the pages of the console are; where the set-up builds them unless a test has others. */
  readonly pages?: string
  /** Time zone of a house file that names none. */
  readonly defaultZone: string
  /** False keeps the gateway off the network's multicast: for tests. */
  readonly announce: boolean
  /** Opens the sockets of the announcement; the network's own multicast unless given. */
  readonly announcementSockets?: () => Promise<OpenSocket>
  /** The network interfaces of the machine; the system's unless given. */
  readonly interfaces?: InterfaceList
  /** Makes what was written to the configuration outlive a power cut; the system's unless a test has a slower disk. */
  readonly syncFile?: ((file: string) => Promise<void>) | undefined
  /** The time of the line to a relay, where a test lets the home's go faster than any network is. */
  readonly relayClock?: Clock
  /** Registers fastify plugins before all routes. */
  readonly plugins?: ServerPlugins
  /** Connections in all and for each address, where a load test needs more. */
  readonly connections?: { readonly all: number; readonly perAddress: number }
  /** Sockets in all and for each credential, where a load test needs more than docs/limits.md#stream allows. */
  readonly streamLimits?: { readonly all: number; readonly perCredential: number }
}

/** What the home of a new data folder begins with. */
export interface NewHome {
  readonly house: () => HouseContent
  /** The automations and schedules that it begins with; they name what is in the house. */
  readonly rules: () => RuleFile
  /** Name of the integration that it gets, with a key; null for none. */
  readonly integration: string | null
  /** Gives it a made-up past; null for a history that begins empty. */
  readonly past: ((parts: PastParts) => Promise<void>) | null
}

/** How the gateway reaches its units, and what a new home behind that line begins with. */
export interface UnitLine extends Pick<GatewayOptions, 'openPort' | 'newHome'> {
  /** For the banner. */
  readonly text: string
}
