import { relative } from 'node:path'
import { pino } from 'pino'
import { CoreDamaged } from './db/core/core-files.ts'
import { NewerDatabase } from './db/database.ts'
import { banner } from './gateway/banner.ts'
import { type DataFolder, prepareDataFolder } from './gateway/data-folder.ts'
import { type Gateway, openGateway } from './gateway/gateway.ts'
import { type UnitLine, unitLine } from './gateway/line.ts'
import { guardLoop } from './gateway/loop-guard.ts'
import { noticeOf } from './gateway/notice.ts'
import { ServiceManager } from './gateway/service-manager.ts'
import { isLoopback, readSettings, type Settings, SettingsError } from './gateway/settings.ts'
import { systemClock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'
import { systemRandom } from './lib/random.ts'
import { TlsFolderError } from './tls/tls-folder.ts'

/** A stop that takes longer is cut off. */
const STOP_MS = 10_000

try {
  await run()
} catch (error) {
  // What the user can mend is one sentence; anything else is a defect and shows where it happened.
  const mendable =
    error instanceof SettingsError ||
    error instanceof TlsFolderError ||
    error instanceof CoreDamaged ||
    error instanceof NewerDatabase
  process.stderr.write(
    mendable
      ? `${error.message}\n`
      : `The gateway could not start. ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
  process.exitCode = 1
}

async function run(): Promise<void> {
  const settings = readSettings(process.env, process.argv.slice(2))
  const folder = prepareDataFolder(settings.dataDir)
  const log = pino(
    { level: settings.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  )
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const line = unitLine(settings.hmhc, systemClock, timeZone)
  const open = async (): Promise<Gateway> => {
    const gateway = await openGateway({
      settings,
      folder,
      log,
      clock: systemClock,
      random: systemRandom,
      openPort: line.openPort,
      newHome: line.newHome,
      restart: () => void reopen(running, open),
      defaultZone: timeZone,
      announce: !isLoopback(settings.host),
    })
    greet(gateway, settings, folder, line)
    return gateway
  }
  const running: Running = { gateway: await open() }
  const manager = new ServiceManager({ env: process.env, pid: process.pid, clock: systemClock, log })
  manager.ready(`Serving on port ${running.gateway.port}`)
  // A thread for what the service manager does already would be memory for nothing.
  if (!manager.watches) guardLoop({ clock: systemClock, log })
  endWithProcess(running, manager, log)
}

interface Running {
  gateway: Gateway
}

/** Closes the gateway and opens it again, in this process. What fails is a defect: `unhandledRejection` ends it then. */
async function reopen(running: Running, open: () => Promise<Gateway>): Promise<void> {
  await running.gateway.stop()
  running.gateway = await open()
}

/** Says where the gateway is and, at a terminal, what calls for an administrator. */
function greet(gateway: Gateway, settings: Settings, folder: DataFolder, line: UnitLine): void {
  process.stdout.write(
    banner({
      homeName: gateway.home.house.info.name,
      port: gateway.port,
      serial: gateway.serial,
      addresses: isLoopback(settings.host) ? [] : gateway.addresses,
      fingerprint: gateway.fingerprint,
      caFile: shortest(gateway.caFile),
      dataDir: shortest(folder.path),
      line: line.text,
      incidents: gateway.stores.incidents.list().map(({ what }) => what),
      firstKey: gateway.firstKey,
    }),
  )
  // At a terminal somebody may read it at once; a log is no place for the code of a confirmation.
  if (!process.stdout.isTTY) return
  gateway.adminEvents.watch((event) => {
    if ('notice' in event && event.notice) process.stdout.write(`${noticeOf(event)}\n`)
  })
}

/** Stops the gateway in order on a signal; ends the process at once on a defect. */
function endWithProcess(running: Running, manager: ServiceManager, log: Log): void {
  let stopping = false
  const stop = (): void => {
    if (stopping) return
    stopping = true
    manager.stopping()
    setTimeout(() => process.exit(1), STOP_MS).unref()
    running.gateway.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'The gateway did not stop cleanly.')
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  const crash = (error: unknown): void => {
    log.error({ err: error }, 'A defect ends the gateway; a restart is quick and loses nothing that was acknowledged.')
    process.exit(1)
  }
  process.on('uncaughtException', crash).on('unhandledRejection', crash)
}

/** As the user would name it from here. */
function shortest(path: string): string {
  const from = relative(process.cwd(), path)
  return from.length > 0 && from.length < path.length && !from.startsWith('..') ? from : path
}
