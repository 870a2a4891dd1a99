import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { pathExists, PRIVATE_FOLDER_MODE, replaceFile } from '../lib/files.ts'

/** Own epochs that stay in memory; the relay cannot mention older ones. */
const OWN_MAX = 64
/** Larger epochs of another gateway are ignored, because the file could not hold one that exceeds them. */
const EXCEEDED_MAX = 1e14
/**
 * Epochs reserved on the disk at once (one hour of the clock), to avoid a write for each dial while the relay is away.
 */
export const EPOCHS_AHEAD = 3_600_000

/** Stored upper bound of a gateway's epochs. */
type StoredEpochs = Pick<EpochsFile, 'reservedTo' | 'store'>

/**
 * Assigns epochs to this gateway's tunnels, by which the relay knows the newer of two tunnels. Each is greater than all
 * before, even after a restart with a slow clock. A repeated epoch would look like another gateway with the same key.
 */
export class Epochs {
  readonly #clock: Clock
  readonly #stored: StoredEpochs
  readonly #log: Log
  #own: readonly number[] = []
  #last: number
  #reservedTo: number
  /** Serialises writes. */
  #work: Promise<void> = Promise.resolve()

  constructor({ clock, stored, log }: { readonly clock: Clock; readonly stored: StoredEpochs; readonly log: Log }) {
    this.#clock = clock
    this.#stored = stored
    this.#log = log
    this.#last = stored.reservedTo
    this.#reservedTo = stored.reservedTo
  }

  /**
   * Resolves with the next epoch once it is stored. A failed write is only logged, so that a home with a full disk
   * stays reachable.
   */
  async next(): Promise<number> {
    const epoch = Math.max(this.#clock.now(), this.#last + 1)
    this.#last = epoch
    this.#own = [...this.#own, epoch].slice(-OWN_MAX)
    this.#work = this.#work.then(() => this.#store(epoch))
    await this.#work
    return epoch
  }

  /** Ensures that the next epoch is greater than another gateway's. */
  exceed(epoch: number): void {
    if (epoch < EXCEEDED_MAX) this.#last = Math.max(this.#last, epoch)
  }

  /** True if this epoch is one of this gateway's tunnels. */
  isOwn(epoch: number): boolean {
    return this.#own.includes(epoch)
  }

  async #store(epoch: number): Promise<void> {
    if (epoch <= this.#reservedTo) return
    try {
      await this.#stored.store(epoch + EPOCHS_AHEAD)
      this.#reservedTo = epoch + EPOCHS_AHEAD
    } catch (error) {
      this.#log.warn({ err: error }, 'The epoch of a connection to the relay could not be stored.')
    }
  }
}

const NUMBER = /^\d{1,15}\n$/

/** File next to the gateway's key with the upper bound of used epochs. A damaged or missing file counts as 0. */
export class EpochsFile {
  /** Epochs up to this one may be in use. */
  readonly reservedTo: number
  readonly #file: string

  constructor(file: string, log: Log) {
    this.#file = file
    const text = pathExists(file) ? readFileSync(file, 'utf8') : '0\n'
    this.reservedTo = NUMBER.test(text) ? Number(text) : 0
    if (!NUMBER.test(text))
      log.warn({ file }, 'The file with the epochs of earlier connections to the relay is damaged.')
  }

  /** Rejects with the file system's own error. */
  async store(reservedTo: number): Promise<void> {
    mkdirSync(dirname(this.#file), { recursive: true, mode: PRIVATE_FOLDER_MODE })
    await replaceFile(this.#file, `${reservedTo}\n`)
  }
}
