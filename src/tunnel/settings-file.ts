import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { StorageUnavailable } from '../home/ports/activity-log.ts'
import { errorCode, pathExists, PRIVATE_FOLDER_MODE, replaceFile } from '../lib/files.ts'
import { parsedAs } from '../lib/json.ts'
import type { Log } from '../lib/log.ts'
import { ACCOUNTS_OF_HOME_MAX, type PassthroughMode, PASSTHROUGH } from '../wire/relay-messages.ts'

const url = z
  .string()
  .max(300)
  .refine((text) => URL.canParse(text))
/** A request of an administrator that the relay at `url` has not confirmed yet. */
const pending = z.strictObject({ wish: z.enum(['link', 'unlink']), url, since: z.int() })
export type PendingRelayRequest = Readonly<z.output<typeof pending>>
/** Another gateway with the same key, found at this relay; `gaveWay`: this gateway left the home to it. */
const rival = z.strictObject({ at: z.int(), gaveWay: z.boolean() })
export type Rival = Readonly<z.output<typeof rival>>

const shape = z.strictObject({
  url,
  /** PEM, or null for the machine's own list of CAs. */
  ca: z.string().max(16_384).nullable(),
  /** Linked accounts, as reported by the relay. */
  accounts: z.array(z.string().max(254)).max(ACCOUNTS_OF_HOME_MAX),
  /** Mode for clients that connect to the gateway's own TLS through the relay. */
  passthrough: z.enum(PASSTHROUGH).default('off'),
  pending: pending.optional(),
  rival: rival.optional(),
})
/** Settings without a relay, which apply to the next one. */
const disconnected = shape.pick({ passthrough: true, pending: true })
/** Settings of the gateway's relay. */
export type TunnelSettings = Readonly<z.output<typeof shape>>

type StoredSettings = TunnelSettings | z.output<typeof disconnected>

/**
 * File with the relay chosen by an administrator, next to the key. Backups leave out both, because a restored copy of a
 * home must not replace it at the relay.
 */
export class RelaySettingsFile {
  readonly #file: string
  readonly #log: Log
  #stored: StoredSettings
  /** Serialises writes in order. */
  #work: Promise<void> = Promise.resolve()

  /** Reads the file. A damaged file names no relay; the safe mode then applies, because it may have been set. */
  constructor(file: string, log: Log) {
    this.#file = file
    this.#log = log
    const loaded = pathExists(file)
      ? parsedAs(shape.or(disconnected), readFileSync(file, 'utf8'))
      : { passthrough: 'off' as const }
    this.#stored = loaded ?? { passthrough: 'only' }
    if (loaded === null)
      log.error(
        { file },
        'The file with the relay settings is damaged: connect the relay again with `bin/hm relay connect`. Until you run `bin/hm relay passthrough`, only end-to-end connections are accepted.',
      )
  }

  get current(): TunnelSettings | null {
    return 'url' in this.#stored ? this.#stored : null
  }

  /** Applies to the next relay if none is connected. */
  get passthrough(): PassthroughMode {
    return this.#stored.passthrough
  }

  /** Unconfirmed request. A request to unlink stays after disconnecting, and is sent again to that relay. */
  get pending(): PendingRelayRequest | null {
    return this.#stored.pending ?? null
  }

  /**
   * Replaces the settings with the result of `change`, after earlier changes are stored. New settings apply once they
   * are on the disk.
   *
   * @param record called right before the final step of storing, to record the change in the activity
   * @throws StorageUnavailable if the disk refuses them, or the error of `record`; the settings then stay as they were
   */
  replace(
    change: (current: TunnelSettings | null) => TunnelSettings | null,
    record: () => unknown = () => {},
  ): Promise<void> {
    const stored = this.#work.then(async () => {
      const { current, passthrough, pending } = this
      const settings = change(current)
      if (settings === current) return
      const loaded = settings ?? { passthrough, ...(pending?.wish === 'unlink' ? { pending } : {}) }
      await this.#write(loaded, record)
      this.#stored = loaded
    })
    this.#work = stored.catch(() => {})
    return stored
  }

  /** Resolves once every change so far is stored or has failed. */
  settled(): Promise<void> {
    return this.#work
  }

  async #write(settings: StoredSettings, record: () => unknown): Promise<void> {
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: PRIVATE_FOLDER_MODE })
      await replaceFile(this.#file, `${JSON.stringify(settings)}\n`, record)
    } catch (error) {
      if (errorCode(error) === null) throw error
      this.#log.error({ err: error }, 'The relay settings could not be stored and stay unchanged.')
      throw new StorageUnavailable(error)
    }
  }
}
