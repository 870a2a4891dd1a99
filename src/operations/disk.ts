import { rmSync, type Stats, statfsSync, statSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, every } from '../lib/clock.ts'
import { errorCode, PRIVATE_FILE_MODE } from '../lib/files.ts'
import type { Log } from '../lib/log.ts'
import { RateLimitedLog } from '../lib/rate-limited-log.ts'

const CHECK_MS = 60_000
/** Interval of checking a disk that took no writes at the start. */
export const WRITE_CHECK_MS = 10_000
/** Free share of the disk below which administrators are warned. */
const LOW_SHARE = 0.1
/** Size of a reserve file, which is removed when the disk is full so that the configuration can still change. */
export const BALLAST_BYTES = 4 * 1024 * 1024
/** The reserve is written in parts, so that it takes less memory. */
const BALLAST_PARTS = 16
/** Free space below which the reserve is removed and the history leaves entries out. */
const FULL_BYTES = 1024 * 1024
/** Further free space above which the reserve is made again. */
const ROOM_BYTES = 4 * BALLAST_BYTES

export type DiskState = 'ok' | 'low' | 'full' | 'failing'

export interface DiskUsage {
  readonly bytes: number
  readonly bytesFree: number
  /** `failing`: the configuration takes no changes. */
  readonly state: DiskState
}

export interface DiskParts {
  /** The data folder. */
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
  /** Tests writes to the configuration's file, and acts when a disk that failed at the start accepts writes again. */
  readonly takesWrites: () => boolean
  readonly restart?: (() => void) | undefined
}

/** The configuration's part in watching the disk. */
interface Configuration {
  readonly takesNoChanges: boolean
  readonly disk: {
    /** Called with the error when a change fails, and with null when one succeeds again. */
    onFailing: (error: Error | null) => void
    /** Called when a change finds no space; the change is repeated if this returns true. */
    onFull: () => boolean
  }
}

/** The history's part in watching the disk. */
interface History {
  readonly file: { readonly inMemory: boolean }
  readonly writer: { leaveOut(full: boolean): void }
}

/** Watches the disk under the data folder, warns before it is full, and reserves space for the configuration. */
export class Disk {
  readonly #parts: DiskParts
  /** Limits log lines about a disk that fails intermittently. */
  readonly #sparing: RateLimitedLog
  readonly #ballast: string
  #failing = false
  #making: Promise<void> | null = null
  #state: Exclude<DiskState, 'failing'> = 'ok'
  #onFull: (full: boolean) => void = () => {}
  readonly #stop: () => void
  #stopAsking = (): void => {}

  /** Checks at once, because a start on a full disk needs the reserve's space. */
  constructor(parts: DiskParts) {
    this.#parts = parts
    this.#sparing = new RateLimitedLog(parts.log, parts.clock)
    this.#ballast = join(parts.folder, 'ballast')
    this.check()
    this.#stop = every(parts.clock, CHECK_MS, () => this.check())
  }

  /** Notifies the history when the disk becomes full or has space again. */
  protect(core: Configuration, history: History): void {
    const leaveOut = (full: boolean): void => history.writer.leaveOut(full)
    if (core.takesNoChanges) this.#failing = true
    if (core.takesNoChanges || history.file.inMemory) this.#askForWrites()
    core.disk.onFailing = (error) => this.#changesFail(error)
    core.disk.onFull = () => this.#makeRoom()
    this.#onFull = leaveOut
    leaveOut(this.#state === 'full')
  }

  usage(): DiskUsage {
    const space = this.#space()
    return { bytes: 0, bytesFree: 0, ...space, state: this.#failing || space === null ? 'failing' : this.#state }
  }

  check(): void {
    const space = this.#space()
    if (space === null) return
    const { bytes, bytesFree } = space
    const hasBallast = this.#hasBallast()
    if (hasBallast === null) return
    if (bytesFree < FULL_BYTES) {
      if (hasBallast) this.#giveUpBallast()
      this.#enter('full', bytesFree)
    } else if (hasBallast || bytesFree > ROOM_BYTES) {
      if (!hasBallast) this.#making = this.#makeBallast()
      this.#enter(bytesFree < bytes * LOW_SHARE ? 'low' : 'ok', bytesFree)
    }
  }

  /** Resolves when no write is running. */
  async stop(): Promise<void> {
    this.#stop()
    this.#stopAsking()
    this.#sparing[Symbol.dispose]()
    await this.#making
  }

  /** Restarts when the disk accepts writes again, because changes of this run are only in memory. */
  #askForWrites(): void {
    const { clock, log, takesWrites, restart } = this.#parts
    this.#stopAsking = every(clock, WRITE_CHECK_MS, () => {
      if (!takesWrites()) return
      this.#stopAsking()
      log.warn({}, 'The disk accepts writes again: the gateway restarts.')
      restart?.()
    })
  }

  /** Removes the reserve for a change that found no space. Returns true if the change may be repeated. */
  #makeRoom(): boolean {
    if (this.#hasBallast() !== true) return false
    this.#giveUpBallast()
    if (this.#hasBallast() !== false) return false
    this.#enter('full', this.#space()?.bytesFree ?? 0)
    return true
  }

  #changesFail(error: Error | null): void {
    const { log } = this.#sparing
    this.#failing = error !== null
    if (error === null) return log.warn({}, 'The configuration can be changed again.')
    log.error({ err: error }, 'The disk accepts no writes: changes are refused until it does. All else goes on.')
    this.check()
  }

  #enter(state: Exclude<DiskState, 'failing'>, bytesFree: number): void {
    if (state === this.#state) return
    const wasFull = this.#state === 'full'
    this.#state = state
    const { log, folder } = this.#parts
    if (state === 'full')
      log.error({ bytesFree, folder }, 'The disk is full: the history leaves entries out. Free space.')
    else if (state === 'low') log.warn({ bytesFree, folder }, 'The disk is nearly full. Free space before it is.')
    else log.warn({ bytesFree }, 'The disk has space again.')
    if (wasFull || state === 'full') this.#onFull(state === 'full')
  }

  #giveUpBallast(): void {
    try {
      rmSync(this.#ballast, { force: true })
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'The reserve on the disk could not be removed.')
    }
  }

  async #makeBallast(): Promise<void> {
    try {
      await using file = await open(this.#ballast, 'wx', PRIVATE_FILE_MODE)
      // Bytes are written, because a sparse file takes no space.
      const part = Buffer.alloc(BALLAST_BYTES / BALLAST_PARTS, 'ballast ')
      await writeFile(file, Array<Buffer>(BALLAST_PARTS).fill(part))
      await file.sync()
    } catch (error) {
      this.#giveUpBallast()
      this.#parts.log.warn({ code: errorCode(error) }, 'The reserve on the disk could not be made.')
    } finally {
      this.#making = null
    }
  }

  /** False for a reserve cut short by a stop or a full disk, which is removed; null if the disk fails. */
  #hasBallast(): boolean | null {
    let found: Stats | undefined
    try {
      found = statSync(this.#ballast, { throwIfNoEntry: false })
    } catch {
      return null
    }
    if (found !== undefined && found.size !== BALLAST_BYTES && this.#making === null) this.#giveUpBallast()
    return found?.size === BALLAST_BYTES || this.#making !== null
  }

  /** Null if the disk does not report its size. */
  #space(): { readonly bytes: number; readonly bytesFree: number } | null {
    try {
      const { bsize, blocks, bavail } = statfsSync(this.#parts.folder)
      return { bytes: blocks * bsize, bytesFree: bavail * bsize }
    } catch {
      return null
    }
  }
}
