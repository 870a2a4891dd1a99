import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { BackupKey } from '../format/phrase.ts'
import { pathExists, replaceFile } from '../../lib/files.ts'
import { parsedAs } from '../../lib/json.ts'
import type { Log } from '../../lib/log.ts'

const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/)

const shape = z.strictObject({
  /** Encrypts backups outside the data folder. */
  encrypted: z.boolean(),
  /** Includes the history in nightly backups. */
  history: z.boolean(),
  /** Key of the recovery phrase, and its age as epoch ms; null before the first phrase. */
  key: z.strictObject({ salt: base64, log2: z.int(), secret: base64, since: z.number() }).nullable(),
  /** External folder that has had a backup: if it is empty now, its disk may not be mounted. */
  filled: z.string().nullable(),
})
type Stored = Readonly<z.output<typeof shape>>

export type BackupChoice = Pick<Stored, 'encrypted' | 'history'>

const DEFAULTS: Stored = { encrypted: true, history: false, key: null, filled: null }

/** Settings of the backups, in a file of the data folder. It has the key of the phrase, never the phrase itself. */
export class BackupSettings {
  readonly #file: string
  #current: Stored
  /** One write at a time. */
  #work: Promise<void> = Promise.resolve()

  /** A damaged file counts as missing: by default, backups outside the data folder need encryption. */
  constructor(file: string, log: Log) {
    this.#file = file
    const stored = pathExists(file) ? parsedAs(shape, readFileSync(file, 'utf8')) : DEFAULTS
    if (stored === null)
      log.error({ file }, 'The backup settings are damaged: create a new recovery phrase with `bin/hm backup phrase`.')
    this.#current = stored ?? DEFAULTS
  }

  get choice(): BackupChoice {
    const { encrypted, history } = this.#current
    return { encrypted, history }
  }

  /** External folder that has had a backup, or null. */
  get usedFolder(): string | null {
    return this.#current.filled
  }

  /** Epoch ms; null if there is no recovery phrase. */
  get phraseSince(): number | null {
    return this.#current.key?.since ?? null
  }

  get key(): BackupKey | null {
    const { key } = this.#current
    return key && { salt: Buffer.from(key.salt, 'base64'), log2: key.log2, secret: Buffer.from(key.secret, 'base64') }
  }

  choose(choice: Partial<BackupChoice>): Promise<void> {
    return this.#store((current) => ({ ...current, ...choice }))
  }

  setKey({ salt, log2, secret }: BackupKey, since: number): Promise<void> {
    const key = { salt: salt.toString('base64'), log2, secret: secret.toString('base64'), since }
    return this.#store((current) => ({ ...current, key }))
  }

  async setUsedFolder(folder: string): Promise<void> {
    if (this.#current.filled !== folder) await this.#store((current) => ({ ...current, filled: folder }))
  }

  /** A change is valid once it is on the disk. @throws the file system's own error; nothing changes then. */
  #store(change: (current: Stored) => Stored): Promise<void> {
    const stored = this.#work.then(async () => {
      const settings = change(this.#current)
      await replaceFile(this.#file, `${JSON.stringify(settings)}\n`)
      this.#current = settings
    })
    this.#work = stored.catch(() => {})
    return stored
  }
}
