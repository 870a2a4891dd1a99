import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { isThere, PRIVATE_FOLDER_MODE, replaceFile } from '../lib/files.ts'

/** Later ones than the relay can still speak of. */
const KEPT_MAX = 64
/** A number of another gateway beyond this is no reason to count on from it: the file could not hold the next ones. */
const PASSED_MAX = 1e14
/** The disk is told of so many at once, an hour of the clock, and not of each dial while the relay is away. */
export const EPOCHS_AHEAD = 3_600_000

/** What outlives the process of a gateway's numbers. */
type KeptEpochs = Pick<EpochsFile, 'spent' | 'keep'>

/**
 * The numbers of this gateway's tunnels: each is greater than those before, also over a restart with the clock behind.
 * The relay goes by them, and one that it had from here already would tell of somebody else with the gateway's key.
 */
export class Epochs {
  readonly #clock: Clock
  readonly #kept: KeptEpochs
  readonly #log: Log
  #own: readonly number[] = []
  #last: number
  #spent: number
  /** One write at a time. */
  #work: Promise<void> = Promise.resolve()

  constructor({ clock, kept, log }: { readonly clock: Clock; readonly kept: KeptEpochs; readonly log: Log }) {
    this.#clock = clock
    this.#kept = kept
    this.#log = log
    this.#last = kept.spent
    this.#spent = kept.spent
  }

  /** Resolves once the disk knows of it, or does not take it: a home with a full disk is reached all the same. */
  async next(): Promise<number> {
    const epoch = Math.max(this.#clock.now(), this.#last + 1)
    this.#last = epoch
    this.#own = [...this.#own, epoch].slice(-KEPT_MAX)
    this.#work = this.#work.then(() => this.#keep(epoch))
    await this.#work
    return epoch
  }

  /** Another gateway has this number: the next own one is greater. */
  passed(epoch: number): void {
    if (epoch < PASSED_MAX) this.#last = Math.max(this.#last, epoch)
  }

  /** Whether a tunnel of this number is one of this gateway's. */
  isOwn(epoch: number): boolean {
    return this.#own.includes(epoch)
  }

  async #keep(epoch: number): Promise<void> {
    if (epoch <= this.#spent) return
    try {
      await this.#kept.keep(epoch + EPOCHS_AHEAD)
      this.#spent = epoch + EPOCHS_AHEAD
    } catch (error) {
      this.#log.warn({ err: error }, 'The number of a connection to the relay could not be stored.')
    }
  }
}

const NUMBER = /^\d{1,15}\n$/

/**
 * Up to which number the gateway's tunnels may have been numbered, in a file beside its key, with which it belongs. A
 * damaged file says nothing, as one that is not there yet.
 */
export class EpochsFile {
  /** No number up to this one is free any more. */
  readonly spent: number
  readonly #file: string

  constructor(file: string, log: Log) {
    this.#file = file
    const text = isThere(file) ? readFileSync(file, 'utf8') : '0\n'
    this.spent = NUMBER.test(text) ? Number(text) : 0
    if (!NUMBER.test(text)) log.warn({ file }, 'The numbers of earlier connections to the relay are not known.')
  }

  /** Rejects with the file system's own error. */
  async keep(spent: number): Promise<void> {
    mkdirSync(dirname(this.#file), { recursive: true, mode: PRIVATE_FOLDER_MODE })
    await replaceFile(this.#file, `${spent}\n`)
  }
}
