import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { StorageUnavailable } from '../home/ports/activity-log.ts'
import { errorCode, isThere, PRIVATE_FOLDER_MODE, replaceFile } from '../lib/files.ts'
import { parsedAs } from '../lib/json.ts'
import type { Log } from '../lib/log.ts'
import { ACCOUNTS_OF_HOME_MAX, type Passthrough, PASSTHROUGH } from '../wire/control.ts'

const url = z
  .string()
  .max(300)
  .refine((text) => URL.canParse(text))
/** A request of an administrator that the relay at `url` has not confirmed yet. */
const pending = z.strictObject({ wish: z.enum(['link', 'unlink']), url, since: z.int() })
export type PendingRequest = Readonly<z.output<typeof pending>>
/** Another gateway with the same key, found at this relay; `gaveWay`: this gateway left the home to it. */
const rival = z.strictObject({ at: z.int(), gaveWay: z.boolean() })
export type Rival = Readonly<z.output<typeof rival>>

const shape = z.strictObject({
  url,
  /** PEM, or null for the machine's own list of CAs. */
  ca: z.string().max(16_384).nullable(),
  /** Accounts that may choose this home, as the relay told. */
  accounts: z.array(z.string().max(254)).max(ACCOUNTS_OF_HOME_MAX),
  /** Whether clients reach the gateway's own TLS through it. */
  passthrough: z.enum(PASSTHROUGH).default('off'),
  pending: pending.optional(),
  rival: rival.optional(),
})
/** Without a relay, what holds of the next one. */
const disconnected = shape.pick({ passthrough: true, pending: true })
/** Which relay the gateway uses. */
export type RelaySettings = Readonly<z.output<typeof shape>>

type Kept = RelaySettings | z.output<typeof disconnected>

/**
 * The relay that an administrator chose, in a file beside the key: neither is part of a backup, since a restored copy
 * of a home must not take its place at the relay.
 */
export class RelaySettingsFile {
  readonly #file: string
  readonly #log: Log
  #kept: Kept
  /** One write at a time, in the order asked. */
  #work: Promise<void> = Promise.resolve()

  /** A damaged file names no relay, and may have said that none may read: the safe mode counts, as the log tells. */
  constructor(file: string, log: Log) {
    this.#file = file
    this.#log = log
    const kept = isThere(file)
      ? parsedAs(shape.or(disconnected), readFileSync(file, 'utf8'))
      : { passthrough: 'off' as const }
    this.#kept = kept ?? { passthrough: 'only' }
    if (kept === null)
      log.error(
        { file },
        'The file that names the relay is damaged: connect the relay anew with `bin/hm relay connect`. The home is reached end to end alone until `bin/hm relay passthrough` says otherwise.',
      )
  }

  get current(): RelaySettings | null {
    return 'url' in this.#kept ? this.#kept : null
  }

  /** Also of the next relay, where none is connected. */
  get passthrough(): Passthrough {
    return this.#kept.passthrough
  }

  /** A request to unlink outlives the connection to its relay: it is repeated once that relay is connected again. */
  get pending(): PendingRequest | null {
    return this.#kept.pending ?? null
  }

  /**
   * Makes of the settings what `change` says, which is asked when those before are stored: they hold once they are on the
   * disk, and not before.
   *
   * @param told tells of it, once nothing but what it throws keeps them from being stored: what is told is so
   * @throws StorageUnavailable where the disk takes them not, or what `told` throws; all stays as it was then.
   */
  replace(
    change: (current: RelaySettings | null) => RelaySettings | null,
    told: () => unknown = () => {},
  ): Promise<void> {
    const stored = this.#work.then(async () => {
      const { current, passthrough, pending } = this
      const settings = change(current)
      if (settings === current) return
      const kept = settings ?? { passthrough, ...(pending?.wish === 'unlink' ? { pending } : {}) }
      await this.#write(kept, told)
      this.#kept = kept
    })
    this.#work = stored.catch(() => {})
    return stored
  }

  /** Resolves once every change so far is stored, or was refused. */
  settled(): Promise<void> {
    return this.#work
  }

  async #write(settings: Kept, told: () => unknown): Promise<void> {
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: PRIVATE_FOLDER_MODE })
      await replaceFile(this.#file, `${JSON.stringify(settings)}\n`, told)
    } catch (error) {
      if (errorCode(error) === null) throw error
      this.#log.error({ err: error }, 'The settings of the relay could not be stored: they stay as they were.')
      throw new StorageUnavailable(error)
    }
  }
}
