import { join } from 'node:path'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { syncFile } from '../../../src/lib/files.ts'

/** A disk that loses everything that core.db writes while it fails: the log and the checkpoints. */
export class FailingDisk {
  #reader: Database.Database | null = null

  constructor() {
    onTestFinished(() => this.heal())
  }

  readonly syncFile = async (file: string): Promise<void> => {
    if (this.#reader !== null) throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })
    await syncFile(file)
  }

  /** From now on a reader of the old state keeps commits in the log. */
  fail(dataDir: string): void {
    if (this.#reader !== null) return
    this.#reader = new Database(join(dataDir, 'core.db'))
    this.#reader.exec('BEGIN')
    this.#reader.prepare('SELECT count(*) FROM home').get()
  }

  heal(): void {
    this.#reader?.close()
    this.#reader = null
  }
}
