import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { kindOfFile } from '../format/backup-file.ts'
import { HEADER_BYTES } from '../format/encryption.ts'
import { BackupProblem } from '../format/problem.ts'
import { errorCode, PRIVATE_FILE_MODE } from '../../lib/files.ts'
import { randomId } from '../../lib/random.ts'
import { requireRoom } from '../keeping/parts.ts'
import { makeWorkFolder, type WorkFolder } from '../keeping/work-folder.ts'
import { BackupRefused } from '../keeping/backup-folder.ts'
import type { BackupsParts } from '../keeping/backups.ts'

/** Twice the largest configuration and history (docs/limits.md). */
export const UPLOAD_BYTES_MAX = 8 * 1024 ** 3
/** An upload that is unused for this time is removed. */
export const UPLOAD_IDLE_MS = 30 * 60_000
const ID_LENGTH = 16
const MIB = 1024 * 1024

/** Progress of an upload. */
export interface UploadProgress {
  /** Bytes that have arrived. */
  readonly received: number
  /** Null until the head of the file has arrived. */
  readonly encrypted: boolean | null
}

interface Upload extends UploadProgress {
  readonly id: string
  readonly folder: WorkFolder
  readonly file: string
  /** Size of the whole file. */
  readonly bytes: number
}

type UploadParts = Pick<BackupsParts, 'folder' | 'clock' | 'random'>

/** Receives a backup from a browser, piece by piece. There is one upload at a time, in a work folder. */
export class UploadedBackup {
  readonly #parts: UploadParts
  #upload: Upload | null = null
  #work: Promise<unknown> = Promise.resolve()
  #cancel = (): void => {}

  constructor(parts: UploadParts) {
    this.#parts = parts
  }

  /**
   * Begins an upload of this size, which replaces any other. Returns its id.
   * @throws BackupRefused, BackupProblem
   */
  begin(bytes: number): Promise<string> {
    return this.#inTurn(async () => {
      const { folder, random } = this.#parts
      if (bytes === 0) throw new BackupProblem('not_a_backup')
      if (bytes > UPLOAD_BYTES_MAX) throw new BackupRefused(TOO_LARGE)
      // A refused upload replaces none. An accepted one gets the room of the upload that it replaces.
      await requireRoomForUpload(bytes, folder.path, this.#upload?.received ?? 0)
      await this.#drop()
      const id = randomId(random, ID_LENGTH)
      const work = await makeWorkFolder(folder.path)
      const file = join(work.path, 'uploaded.hmb')
      this.#upload = { id, folder: work, file, bytes, received: 0, encrypted: null }
      await using _handle = await open(file, 'wx', PRIVATE_FILE_MODE)
      this.#renewTimeout()
      return id
    })
  }

  /**
   * Takes the next piece. A repeated piece changes nothing, so a client may send a piece again after a lost response.
   * @throws BackupRefused, BackupProblem, or the file system's own error. The upload is unchanged then, or removed.
   */
  add(id: string, from: number, piece: Buffer): Promise<UploadProgress> {
    return this.#inTurn(async () => {
      const upload = this.#uploadOf(id)
      this.#renewTimeout()
      if (from !== upload.received || piece.length === 0) return upload
      if (from + piece.length > upload.bytes) throw new BackupRefused(FILE_GREW)
      await using file = await open(upload.file, 'r+')
      await writePiece(file, piece, { from, folder: this.#parts.folder.path })
      const received = from + piece.length
      const encrypted = upload.encrypted ?? (await this.#isEncrypted({ ...upload, received }))
      this.#upload = { ...upload, received, encrypted }
      return this.#upload
    })
  }

  /**
   * Passes the complete file to `work`. Changes of the upload wait until that is done.
   * @throws BackupRefused, or what `work` throws
   */
  use<T>(id: string, work: (file: string) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const upload = this.#uploadOf(id)
      this.#renewTimeout()
      if (upload.received < upload.bytes) throw new BackupRefused(INCOMPLETE)
      return work(upload.file)
    })
  }

  /** Removes the upload. @throws BackupRefused */
  drop(id: string): Promise<void> {
    return this.#inTurn(async () => {
      this.#uploadOf(id)
      await this.#drop()
    })
  }

  stop(): Promise<void> {
    return this.#inTurn(() => this.#drop())
  }

  #uploadOf(id: string): Upload {
    if (this.#upload?.id === id) return this.#upload
    throw new BackupRefused(UNKNOWN_UPLOAD, { code: 'not_found' })
  }

  /**
   * True if the head of the file is that of an encrypted backup; null before the head has arrived. Removes the upload
   * if the file is no backup.
   * @throws BackupProblem
   */
  async #isEncrypted({ file, received, bytes }: Upload): Promise<boolean | null> {
    if (received < Math.min(bytes, HEADER_BYTES)) return null
    const kind = await kindOfFile(file)
    if (kind !== null) return kind === 'encrypted'
    await this.#drop()
    throw new BackupProblem('not_a_backup')
  }

  async #drop(): Promise<void> {
    this.#cancel()
    const upload = this.#upload
    this.#upload = null
    await upload?.folder[Symbol.asyncDispose]()
  }

  #renewTimeout(): void {
    this.#cancel()
    this.#cancel = this.#parts.clock.after(UPLOAD_IDLE_MS, () => {
      const id = this.#upload?.id
      // If the disk refuses, the next start removes the file.
      if (id !== undefined) this.drop(id).catch(() => {})
    })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work)
    this.#work = done.catch(() => {})
    return done
  }
}

/** Writes a piece. @throws BackupRefused if the disk would have too little room left for the home itself. */
async function writePiece(
  file: FileHandle,
  piece: Buffer,
  { from, folder }: { readonly from: number; readonly folder: string },
): Promise<void> {
  try {
    await requireRoom(piece.length, folder)
    const { bytesWritten } = await file.write(piece, 0, piece.length, from)
    if (bytesWritten === piece.length) return
  } catch (error) {
    if (errorCode(error) !== 'ENOSPC') throw error
  }
  throw new BackupRefused(DISK_FULL, { code: 'storage_unavailable' })
}

/**
 * Requires room for an upload: for the file and for its unpacked parts. `freed` bytes will be free by then.
 * @throws BackupRefused
 */
async function requireRoomForUpload(bytes: number, folder: string, freed: number): Promise<void> {
  try {
    await requireRoom(2 * bytes - freed, folder)
  } catch (error) {
    if (errorCode(error) !== 'ENOSPC') throw error
    const neededMib = Math.ceil((2 * bytes) / MIB)
    throw new BackupRefused(
      `The gateway's disk has no room for this backup: opening it takes ${neededMib} MiB of free space.`,
      { code: 'storage_unavailable', cause: error },
    )
  }
}

const TOO_LARGE = `This file is larger than any backup of a home, which has ${UPLOAD_BYTES_MAX / 1024 ** 3} GiB at most. Choose a file whose name ends in .hmb.`
const DISK_FULL = "The gateway's disk is full: free space on it, then choose the file again."
const FILE_GREW = 'This file has grown since the upload began: choose it again.'
const INCOMPLETE = 'This file has not arrived completely: choose it again.'
const UNKNOWN_UPLOAD =
  'The gateway no longer has this file: it waited too long, or another upload replaced it. Choose it again.'
