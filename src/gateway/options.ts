import type { Logbook } from '../admin/gateway.ts'
import type { PastParts } from '../demo/past.ts'
import type { DataFolder } from '../settings/data-folder.ts'
import type { Port } from '../hmhc/port/port.ts'
import type { HouseContent } from '../home/ports/house-store.ts'
import type { ServerPlugins } from '../http/server.ts'
import type { RuleFile } from '../home/rules/rule-file.ts'
import type { InterfaceList } from '../lib/lan-addresses.ts'
import type { RequestParts } from '../lib/checked-request.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Random } from '../lib/random.ts'
import type { OpenSocket } from '../mdns/socket.ts'
import type { GatewaySettings } from '../settings/settings.ts'

/** Everything that a gateway would otherwise read from the machine. */
export interface GatewayOptions {
  readonly settings: GatewaySettings
  readonly folder: DataFolder
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Log lines for administrators; default: none. */
  readonly logbook?: Logbook
  /** Creates a new line to the unit adapter at each call. */
  readonly openPort: () => Port
  readonly newHome: NewHome
  /** Called when an unwritable disk accepts writes again, because only a new start can use it. */
  readonly restart?: () => void
  /** Called before a start migrates the databases, which may take minutes: for programs that wait for the start. */
  readonly updating?: () => void
  /** Folder of the console's pages; default: the set-up's. */
  readonly pages?: string
  /** Time zone of a house file without one. */
  readonly defaultZone: string
  /** False disables multicast on the network: for tests. */
  readonly announce: boolean
  /** Opens the announcement's sockets; default: the network's multicast. */
  readonly announcementSockets?: () => Promise<OpenSocket>
  /** The network interfaces of the machine; default: the system's. */
  readonly interfaces?: InterfaceList
  /** Syncs configuration files to the disk; default: the system's. */
  readonly syncFile?: ((file: string) => Promise<void>) | undefined
  /** Clock of the relay connection, if a test lets the home's clock run faster than any network. */
  readonly relayClock?: Clock
  /** The network of webhooks and calendars: resolver and own addresses, for tests; default: the system's. */
  readonly outsideNetwork?: Omit<RequestParts, 'clock'>
  /** Registers fastify plugins before all routes. */
  readonly plugins?: ServerPlugins
  /** Connections in total and per address, for load tests. */
  readonly connections?: { readonly all: number; readonly perAddress: number }
  /** Sockets in total and per credential, for load tests beyond docs/limits.md#stream. */
  readonly streamLimits?: { readonly all: number; readonly perCredential: number }
}

/** Initial content of the home in a new data folder. */
export interface NewHome {
  readonly house: () => HouseContent
  /** Its automations and schedules, about things in the house. */
  readonly rules: () => RuleFile
  /** Name of its integration with a key; null for none. */
  readonly integration: string | null
  /** Creates its made-up history; null for an empty one. */
  readonly past: ((parts: PastParts) => Promise<void>) | null
}

/** The gateway's connection to its units, and the initial content of a new home behind it. */
export interface UnitLine extends Pick<GatewayOptions, 'openPort' | 'newHome'> {
  /** For the banner. */
  readonly text: string
}
