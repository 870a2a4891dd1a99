import { rmSync, type Stats, statfsSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, every } from '../lib/clock.ts'
import { errorCode, PRIVATE_FILE_MODE } from '../lib/files.ts'
import type { Log } from '../lib/log.ts'
import { RateLimitedLog } from '../lib/rate-limited-log.ts'

const CHECK_MS = 60_000
/** A disk that took no writes at the start is asked this often whether it does. */
export const WRITES_ASKED_MS = 10_000
/** Below this part of the disk administrators are warned. */
const LOW_SHARE = 0.1
/** A file that is given up when the disk is full, so that the configuration can be changed on. */
export const BALLAST_BYTES = 4 * 1024 * 1024
/** With less free than this the ballast is given up, and the history leaves entries out. */
const FULL_BYTES = 1024 * 1024
/** With more free than this, beside it, the ballast is made again. */
const ROOM_BYTES = 4 * BALLAST_BYTES

export type DiskState = 'ok' | 'low' | 'full' | 'failing'

export interface DiskUsage {
  readonly bytes: number
  readonly bytesFree: number
  /** `failing`: the configuration takes no changes now. */
  readonly state: DiskState
}

export interface DiskParts {
  /** The data folder. */
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
  /** Whether the configuration's file takes changes, and what to do once it does where it took none at the start. */
  readonly takesWrites: () => boolean
  readonly restart?: (() => void) | undefined
}

/** The configuration, as its disk is watched. */
interface Configuration {
  readonly takesNoChanges: boolean
  readonly disk: {
    /** Called with the error when a change fails, and with null when one succeeds again. */
    onFailing: (error: Error | null) => void
    /** A change that finds no room is tried again if this returns true. */
    onFull: () => boolean
  }
}

/** The history, as its disk is watched. */
interface History {
  readonly file: { readonly inMemory: boolean }
  readonly writer: { leaveOut(full: boolean): void }
}

/** Watches the disk under the data folder, warns before it is full, and keeps some of it for the configuration. */
export class Disk {
  readonly #parts: DiskParts
  /** A disk that fails by turns would be told of at each. */
  readonly #sparing: RateLimitedLog
  readonly #ballast: string
  #failing = false
  #making: Promise<void> | null = null
  #state: Exclude<DiskState, 'failing'> = 'ok'
  #onFull: (full: boolean) => void = () => {}
  readonly #stop: () => void
  #stopAsking = (): void => {}

  /** Looks at once: a start on a full disk needs the ballast's room. */
  constructor(parts: DiskParts) {
    this.#parts = parts
    this.#sparing = new RateLimitedLog(parts.log, parts.clock)
    this.#ballast = join(parts.folder, 'ballast')
    this.check()
    this.#stop = every(parts.clock, CHECK_MS, () => this.check())
  }

  /** The history is told when the disk gets full, and when there is room again. */
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

  /** Resolves when nothing is written any more. */
  async stop(): Promise<void> {
    this.#stop()
    this.#stopAsking()
    this.#sparing[Symbol.dispose]()
    await this.#making
  }

  /** What a start kept in memory goes to the disk with the next start alone. */
  #askForWrites(): void {
    const { clock, log, takesWrites, restart } = this.#parts
    this.#stopAsking = every(clock, WRITES_ASKED_MS, () => {
      if (!takesWrites()) return
      this.#stopAsking()
      log.warn({}, 'The disk takes writes again: the gateway starts anew.')
      restart?.()
    })
  }

  /** Gives up the ballast for a change that found no room. Returns true if the change may be tried again. */
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
    log.error({ err: error }, 'The disk takes no writes: changes are refused until it does. Everything else goes on.')
    this.check()
  }

  #enter(state: Exclude<DiskState, 'failing'>, bytesFree: number): void {
    if (state === this.#state) return
    const wasFull = this.#state === 'full'
    this.#state = state
    const { log, folder } = this.#parts
    if (state === 'full')
      log.error({ bytesFree, folder }, 'The disk is full: the history leaves entries out. Make room.')
    else if (state === 'low') log.warn({ bytesFree, folder }, 'The disk is nearly full. Make room before it is.')
    else log.warn({ bytesFree }, 'The disk has room again.')
    if (wasFull || state === 'full') this.#onFull(state === 'full')
  }

  #giveUpBallast(): void {
    try {
      rmSync(this.#ballast, { force: true })
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'The reserve on the disk could not be given up.')
    }
  }

  async #makeBallast(): Promise<void> {
    try {
      await using file = await open(this.#ballast, 'wx', PRIVATE_FILE_MODE)
      // Written, not only made long: a file with holes takes no room.
      await file.writeFile(Buffer.alloc(BALLAST_BYTES, 'ballast '))
      await file.sync()
    } catch (error) {
      this.#giveUpBallast()
      this.#parts.log.warn({ code: errorCode(error) }, 'No reserve could be made on the disk.')
    } finally {
      this.#making = null
    }
  }

  /** False, and removed, where a stop or a full disk cut it short; null if the disk fails. */
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

  /** Null where the disk does not even say. */
  #space(): { readonly bytes: number; readonly bytesFree: number } | null {
    try {
      const { bsize, blocks, bavail } = statfsSync(this.#parts.folder)
      return { bytes: blocks * bsize, bytesFree: bavail * bsize }
    } catch {
      return null
    }
  }
}
