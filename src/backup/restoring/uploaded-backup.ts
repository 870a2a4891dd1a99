import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { kindOfFile } from '../format/backup-file.ts'
import { HEADER_BYTES } from '../format/encryption.ts'
import { BackupProblem } from '../format/problem.ts'
import { errorCode, PRIVATE_FILE_MODE } from '../../lib/files.ts'
import { randomId } from '../../lib/random.ts'
import { refuseFull } from '../keeping/parts.ts'
import { makeWorkFolder, type WorkFolder } from '../keeping/work-folder.ts'
import { BackupRefused } from '../keeping/backup-folder.ts'
import type { BackupsParts } from '../keeping/backups.ts'

/** A configuration and a history as large as it may become (docs/limits.md), each twice over. */
export const BROUGHT_BYTES_MAX = 8 * 1024 ** 3
/** So long one is kept after its last piece, or after it was last looked into. */
export const BROUGHT_KEPT_MS = 30 * 60_000
const ID_LENGTH = 16
const MIB = 1024 * 1024

/** How far a file that is brought has arrived. */
export interface Arrived {
  readonly received: number
  /** Null before its first pieces, which tell. */
  readonly encrypted: boolean | null
}

interface Held extends Arrived {
  readonly id: string
  readonly folder: WorkFolder
  readonly file: string
  readonly bytes: number
}

type BroughtParts = Pick<BackupsParts, 'folder' | 'clock' | 'random'>

/**
 * A backup that somebody brings from elsewhere, piece by piece, until it is restored: on the disk alone, and one at a
 * time.
 */
export class UploadedBackup {
  readonly #parts: BroughtParts
  #held: Held | null = null
  #work: Promise<unknown> = Promise.resolve()
  #cancel = (): void => {}

  constructor(parts: BroughtParts) {
    this.#parts = parts
  }

  /**
   * Makes room for one of this size, in the place of any other; answers its id.
   * @throws BackupRefused, BackupProblem
   */
  begin(bytes: number): Promise<string> {
    return this.#inTurn(async () => {
      const { folder, random } = this.#parts
      if (bytes === 0) throw new BackupProblem('not_a_backup')
      if (bytes > BROUGHT_BYTES_MAX) throw new BackupRefused(TOO_LARGE)
      // What is refused takes nobody's place; what is not gets the room of the other one too.
      await refuseWithoutRoom(bytes, folder.path, this.#held?.received ?? 0)
      await this.#drop()
      const id = randomId(random, ID_LENGTH)
      const work = await makeWorkFolder(folder.path)
      const file = join(work.path, 'uploaded.hmb')
      this.#held = { id, folder: work, file, bytes, received: 0, encrypted: null }
      await using _made = await open(file, 'wx', PRIVATE_FILE_MODE)
      this.#touched()
      return id
    })
  }

  /**
   * Takes a piece where it is the next one; one that came already changes nothing, so that whoever got no answer sends
   * it again.
   * @throws BackupRefused, BackupProblem, or the file system's own error; it is as it was before then, or gone.
   */
  add(id: string, from: number, piece: Buffer): Promise<Arrived> {
    return this.#inTurn(async () => {
      const held = this.#of(id)
      this.#touched()
      if (from !== held.received || piece.length === 0) return held
      if (from + piece.length > held.bytes) throw new BackupRefused(LONGER)
      await using file = await open(held.file, 'r+')
      await written(file, piece, { from, folder: this.#parts.folder.path })
      const received = from + piece.length
      const encrypted = held.encrypted ?? (await this.#judged({ ...held, received }))
      this.#held = { ...held, received, encrypted }
      return this.#held
    })
  }

  /**
   * Hands on the file, once it is whole: whoever drops it or brings another waits until `work` is done with it.
   * @throws BackupRefused, or what `work` throws
   */
  opened<T>(id: string, work: (file: string) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const held = this.#of(id)
      this.#touched()
      if (held.received < held.bytes) throw new BackupRefused(NOT_WHOLE)
      return work(held.file)
    })
  }

  /** Removes it. @throws BackupRefused */
  drop(id: string): Promise<void> {
    return this.#inTurn(async () => {
      this.#of(id)
      await this.#drop()
    })
  }

  stop(): Promise<void> {
    return this.#inTurn(() => this.#drop())
  }

  #of(id: string): Held {
    if (this.#held?.id === id) return this.#held
    throw new BackupRefused(NOT_HELD, { code: 'not_found' })
  }

  /**
   * Whether it is encrypted, once so much is there that it can be told: whoever chose another file need not send all of
   * it.
   * @throws BackupProblem
   */
  async #judged({ file, received, bytes }: Held): Promise<boolean | null> {
    if (received < Math.min(bytes, HEADER_BYTES)) return null
    const kind = await kindOfFile(file)
    if (kind !== null) return kind === 'encrypted'
    await this.#drop()
    throw new BackupProblem('not_a_backup')
  }

  async #drop(): Promise<void> {
    this.#cancel()
    const held = this.#held
    this.#held = null
    await held?.folder[Symbol.asyncDispose]()
  }

  #touched(): void {
    this.#cancel()
    this.#cancel = this.#parts.clock.after(BROUGHT_KEPT_MS, () => {
      const id = this.#held?.id
      // A disk that does not let it go keeps it until the next start.
      if (id !== undefined) this.drop(id).catch(() => {})
    })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work)
    this.#work = done.catch(() => {})
    return done
  }
}

/** @throws BackupRefused where the disk has no room for it beside what the home itself needs. */
async function written(
  file: FileHandle,
  piece: Buffer,
  { from, folder }: { readonly from: number; readonly folder: string },
): Promise<void> {
  try {
    await refuseFull(piece.length, folder)
    const { bytesWritten } = await file.write(piece, 0, piece.length, from)
    if (bytesWritten === piece.length) return
  } catch (error) {
    if (errorCode(error) !== 'ENOSPC') throw error
  }
  throw new BackupRefused(FULL, { code: 'storage_unavailable' })
}

/** It lies there once as it came and once opened; `freed` bytes are free by then. */
async function refuseWithoutRoom(bytes: number, folder: string, freed: number): Promise<void> {
  try {
    await refuseFull(2 * bytes - freed, folder)
  } catch (error) {
    if (errorCode(error) !== 'ENOSPC') throw error
    const wanted = Math.ceil((2 * bytes) / MIB)
    throw new BackupRefused(
      `The gateway's disk has no room for this backup: to be opened it takes ${wanted} MiB that are free.`,
      { code: 'storage_unavailable', cause: error },
    )
  }
}

const TOO_LARGE = `This file is larger than any backup of a home: ${BROUGHT_BYTES_MAX / 1024 ** 3} GiB at most. Its name ends in .hmb.`
const FULL = "The gateway's disk is full: make room on it, then choose the file again."
const LONGER = 'More of this file came than was said: choose it again.'
const NOT_WHOLE = 'This file has not arrived as a whole yet: choose it again.'
const NOT_HELD =
  'The gateway does not have this file any more: it waited too long, or another one was brought. Choose it again.'
