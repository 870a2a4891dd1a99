import { relative } from 'node:path'
import { pino } from 'pino'
import type { Logbook } from './admin/gateway.ts'
import { CoreDamaged } from './db/core/open-core.ts'
import { NewerDatabase } from './db/database.ts'
import { banner } from './operations/banner.ts'
import { UpdateRefused } from './backup/keeping/before-update.ts'
import { type DataFolder, lockDataFolder, prepareDataFolder } from './settings/data-folder.ts'
import { FAILED_STARTS_MAX, FailedStarts, linuxKills, MemoryEnds, reportFullHeap } from './operations/failed-starts.ts'
import { type RunningGateway, openGateway } from './gateway/gateway.ts'
import { unitLine } from './gateway/line.ts'
import { Liveness, ServiceManager } from './operations/service-manager.ts'
import { openLogbook } from './operations/logbook.ts'
import { guardLoop } from './operations/loop-guard.ts'
import { noticeOf } from './operations/notice.ts'
import type { NewHome, UnitLine } from './gateway/options.ts'
import { namesHere, originAt } from './settings/place.ts'
import { Restarts } from './operations/restarts.ts'
import { finishSwap } from './backup/restoring/restore-swap.ts'
import { openSafeMode } from './gateway/safe-mode.ts'
import { isLoopback, readSettings, type GatewaySettings, SettingsError } from './settings/settings.ts'
import { systemClock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'
import { reasonOf } from './lib/file-reasons.ts'
import { systemRandom } from './lib/random.ts'
import { isStorageFailure } from './lib/storage-failure.ts'
import { TlsFolderError } from './tls/tls-folder.ts'
import { pathExists } from './lib/files.ts'

/** A stop that takes longer is cut off. */
const STOP_MS = 10_000
/** Time in which an ended gateway leaves the event loop empty. */
const IDLE_MS = 1_000

/** The process, from its settings to its end. */
interface Process {
  readonly settings: GatewaySettings
  readonly folder: DataFolder
  /** The folder is this process's as long as it is held. */
  lock: Disposable
  readonly log: Log
  readonly logbook: Logbook
  readonly liveness: Liveness
  readonly starts: FailedStarts
  readonly restarts: Restarts
  /** What a signal stops: the gateway, or safe mode. */
  running: { readonly stop: () => Promise<void> } | null
}

// Not awaited: a loop that runs empty in safe mode would end an awaited module with exit code 13.
run().catch(endsUnstarted)

/** A reason that the user can mend is one sentence; anything else is a defect and shows where it happened. */
function endsUnstarted(error: unknown): void {
  const mendable =
    error instanceof SettingsError ||
    error instanceof TlsFolderError ||
    error instanceof CoreDamaged ||
    error instanceof NewerDatabase ||
    error instanceof UpdateRefused
  process.stderr.write(`${mendable ? error.message : whyNotStarted(error)}\n`)
  exitSoon(1)
}

/**
 * Lets the event loop run empty. `process.exit` joins V8's threads, and one that compiles may wait for the main thread
 * to collect garbage, which an exit no longer does: the process would hang.
 */
function exitSoon(code: number): void {
  process.exitCode = code
  // Something may hold the loop, but nothing compiles after such a time.
  setTimeout(() => process.exit(code), IDLE_MS).unref()
}

function whyNotStarted(error: unknown): string {
  if (isStorageFailure(error))
    return `The gateway cannot read or write its data folder: ${reasonOf(error)}. Repair the disk, then start the gateway again.`
  return `The gateway could not start. ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
}

async function run(): Promise<void> {
  const settings = readSettings(process.env, process.argv.slice(2))
  const folder = prepareDataFolder(settings.dataDir, process.env)
  // Before what other starts left is read, and any mark of this one made.
  const lock = lockDataFolder(folder)
  await finishSwap(folder)
  const stderr = pino.destination({ fd: 2, sync: true })
  const { log, logbook } = openLogbook(settings.logLevel, (line) => void stderr.write(line))
  const liveness = new Liveness({
    manager: new ServiceManager({ env: process.env, pid: process.pid, clock: systemClock, log }),
    guard: () => guardLoop({ clock: systemClock, log }),
  })
  const starts = new FailedStarts(folder.failedStarts, log, systemClock, memoryEndsIn(folder))
  const restarts = new Restarts({
    reopen: () => reopen(process_, line).catch(endsUnstarted),
    isWanted: () => pathExists(folder.restoring),
  })
  const process_: Process = {
    ...{ settings, folder, lock, log, logbook, liveness, starts, restarts },
    running: null,
  }
  endsBySignal(process_)
  await waitInSafeMode(process_)
  const line = await unitLine(settings.hmhc, systemClock, Intl.DateTimeFormat().resolvedOptions().timeZone)
  await opened(process_, line)
}

function memoryEndsIn({ opening, fullHeap }: DataFolder): MemoryEnds {
  const { id: boot } = systemClock.boot()
  return new MemoryEnds({ mark: opening, report: fullHeap, boot, reportTo: reportFullHeap, kills: linuxKills })
}

/** Closes the gateway and opens it again, in this process. */
async function reopen(process_: Process, line: UnitLine): Promise<void> {
  await process_.running?.stop()
  process_.running = null
  // A disk that took no writes gave no lock either.
  process_.lock[Symbol.dispose]()
  process_.lock = lockDataFolder(process_.folder)
  await finishSwap(process_.folder)
  await opened(process_, line)
}

/** Opens the gateway; an opening that fails is counted. */
async function opened(process_: Process, line: UnitLine): Promise<void> {
  const { settings, folder, log, logbook, liveness, starts, restarts } = process_
  starts.opens()
  try {
    const gateway = await openGateway({
      settings,
      folder,
      log,
      logbook,
      clock: systemClock,
      random: systemRandom,
      openPort: line.openPort,
      newHome: process.stdout.isTTY ? line.newHome : withoutKey(line.newHome),
      restart: restarts.ofOpening(),
      updating: () => liveness.updating(),
      defaultZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      announce: !isLoopback(settings.host),
    })
    process_.running = gateway
    starts.opened()
    greet(gateway, settings, folder, line)
    liveness.serves(`Serving on port ${gateway.port}`)
  } catch (error) {
    starts.failed(error)
    throw error
  }
}

/** A log is no place for a key: the first one is made at a terminal, else by `bin/hm key create`. */
function withoutKey(home: NewHome): NewHome {
  return { ...home, integration: null }
}

/** After too many failed starts the gateway serves in safe mode for a while before it tries again. */
async function waitInSafeMode(process_: Process): Promise<void> {
  const { settings, folder, log, starts } = process_
  const failed = starts.read()
  if (failed === null || failed.count < FAILED_STARTS_MAX) return
  const safe = await openSafeMode({ settings, folder, log, failed, clock: systemClock, random: systemRandom })
  starts.tryAgain(failed)
  process_.running = safe
  process.stdout.write(`\n  Safe mode: \`bin/hm status\` says what failed and what to do.\n\n  Ctrl-C stops it.\n`)
  process_.liveness.serves(`Safe mode on port ${safe.port ?? settings.port}`)
  await safe.over
  await safe.stop()
  process_.running = null
}

/** Says where the gateway is and, at a terminal, what calls for an administrator. */
function greet(gateway: RunningGateway, settings: GatewaySettings, folder: DataFolder, line: UnitLine): void {
  process.stdout.write(
    banner({
      homeName: gateway.home.house.info.name,
      origins: namesHere({ ...gateway, host: settings.host }).map((name) => originAt(name, gateway.port)),
      fingerprint: gateway.fingerprint,
      caFile: shortest(gateway.caFile),
      dataDir: shortest(folder.path),
      line: line.text,
      // A log is no place for a code that opens the home.
      consoleLink: process.stdout.isTTY ? gateway.consoleLink : null,
      needsLink: gateway.consoleLink !== null,
      backupsFound: gateway.backupsFound,
      firstKey: gateway.firstKey,
      incidents: gateway.stores.incidents.list().map(({ what }) => what),
      disk: gateway.stores.disk.usage().state,
      socket: gateway.adminSocket === folder.adminSocket ? 'in the data folder' : gateway.adminSocket,
    }),
  )
  // At a terminal somebody may read it at once; a log is no place for the code of a confirmation.
  if (!process.stdout.isTTY) return
  gateway.adminEvents.watch((event) => {
    if ('notice' in event && event.notice) process.stdout.write(`${noticeOf(event)}\n`)
  })
}

/** Stops what runs in order on a signal; ends the process at once on a defect. */
function endsBySignal(process_: Process): void {
  const { liveness, log, starts, restarts } = process_
  let stopping = false
  const stop = (): void => {
    if (process_.running === null) process.exit(0)
    if (stopping) return
    stopping = true
    restarts.end()
    liveness.stopping()
    starts.stops()
    const cut = setTimeout(() => {
      log.error({}, 'The gateway did not stop in time and is cut off; parts that hang are named above.')
      process.exit(1)
    }, STOP_MS)
    process_.running.stop().then(
      () => {
        clearTimeout(cut)
        exitSoon(0)
      },
      (error: unknown) => {
        log.error({ err: error }, 'The gateway did not stop cleanly.')
        clearTimeout(cut)
        exitSoon(1)
      },
    )
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  const crash = (error: unknown): void => {
    // Timers try again, and requests were refused.
    if (isStorageFailure(error))
      return log.error({ err: error }, 'The disk under the data folder fails; the gateway goes on.')
    log.error({ err: error }, 'A defect ends the gateway; a restart is quick and loses nothing that was acknowledged.')
    starts.failed(error)
    process.exit(1)
  }
  process.on('uncaughtException', crash).on('unhandledRejection', crash)
}

/** As the user would name it from here. */
function shortest(path: string): string {
  const from = relative(process.cwd(), path)
  return from.length > 0 && from.length < path.length && !from.startsWith('..') ? from : path
}
