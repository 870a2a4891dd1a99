import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import type { ParsedTarEntry, TarPackController } from 'modern-tar'
import { errorCode, PRIVATE_FILE_MODE } from '../../lib/files.ts'
import { type BackupPart, type Manifest, parseManifest } from './manifest.ts'
import { BackupProblem, type StreamEnd, watchEnd } from './problem.ts'

/** The first entry: a list of backups reads no further in each file. */
export const MANIFEST = 'manifest.json'
const MANIFEST_BYTES_MAX = 64 * 1024

/** Loads the library with the first backup that is written or read: a start does not need it. */
const loadTar = (): Promise<typeof import('modern-tar')> => import('modern-tar')

/**
 * Packs a backup as a tar file: the manifest, then the parts, which are files of `folder` with the same names. A
 * consumer that stops early waits here until no part is being read any more.
 */
export async function* pack(manifest: Manifest, folder: string): AsyncGenerator<Uint8Array> {
  const { createTarPacker } = await loadTar()
  const { readable, controller } = createTarPacker()
  const filling = addEntries(controller, manifest, folder).catch((error: unknown) => controller.error(error))
  try {
    yield* readable
  } finally {
    await filling
  }
}

async function addEntries(controller: TarPackController, manifest: Manifest, folder: string): Promise<void> {
  const mtime = new Date(manifest.at)
  const addEntry = async (name: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void> => {
    const writer = controller.add({ name, size, mtime, mode: PRIVATE_FILE_MODE, uid: 0, gid: 0 }).getWriter()
    for await (const chunk of content) await writer.write(new Uint8Array(chunk))
    await writer.close()
  }
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  await addEntry(MANIFEST, text.length, Readable.from([text]))
  for (const { name, bytes } of manifest.parts) await addEntry(name, bytes, createReadStream(join(folder, name)))
  controller.finalize()
}

/** Reads the manifest of a tar file, and no part. @throws BackupProblem */
export function readManifest(stream: AsyncIterable<Uint8Array>): Promise<Manifest> {
  return readEntries(stream, async (entries) => {
    for await (const entry of entries) return await manifestOf(entry)
    throw new BackupProblem('not_a_backup')
  })
}

/**
 * Unpacks every part into `folder` under its name, and compares it with the manifest.
 *
 * @param accept checks the manifest before any part is written; an error of it ends the work
 * @throws BackupProblem if a part is missing or differs; the file system's own error.
 */
export function unpack(
  stream: AsyncIterable<Uint8Array>,
  folder: string,
  accept: (manifest: Manifest) => Promise<void> = () => Promise.resolve(),
): Promise<Manifest> {
  return readEntries(stream, (entries) => unpackEntries(entries, folder, accept))
}

async function unpackEntries(
  entries: Entries,
  folder: string,
  accept: (manifest: Manifest) => Promise<void>,
): Promise<Manifest> {
  let manifest: Manifest | null = null
  const missing = new Map<string, BackupPart>()
  for await (const entry of entries) {
    if (manifest === null) {
      manifest = await manifestOf(entry)
      await accept(manifest)
      for (const part of manifest.parts) missing.set(part.name, part)
      continue
    }
    const part = missing.get(entry.header.name)
    if (part === undefined) throw new BackupProblem('damaged')
    missing.delete(part.name)
    await unpackPart(entry, part, folder)
  }
  if (manifest === null) throw new BackupProblem('not_a_backup')
  if (missing.size > 0) throw new BackupProblem('cut')
  return manifest
}

async function unpackPart({ body }: ParsedTarEntry, part: BackupPart, folder: string): Promise<void> {
  await using file = await open(join(folder, part.name), 'wx', PRIVATE_FILE_MODE)
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // The free room was checked for the size in the manifest.
    if (bytes > part.bytes) throw new BackupProblem('damaged')
    hash.update(chunk)
    await file.writeFile(chunk)
  }
  if (bytes !== part.bytes || hash.digest('hex') !== part.sha256) throw new BackupProblem('damaged')
  await file.sync()
}

async function manifestOf({ header, body }: ParsedTarEntry): Promise<Manifest> {
  if (header.name !== MANIFEST || header.size > MANIFEST_BYTES_MAX) throw new BackupProblem('not_a_backup')
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return parseManifest(Buffer.concat(chunks).toString('utf8'))
}

type Entries = AsyncIterable<ParsedTarEntry>

/** Passes the entries of a tar file to `read`, which reads each before the next. @throws BackupProblem */
async function readEntries<T>(stream: AsyncIterable<Uint8Array>, read: (entries: Entries) => Promise<T>): Promise<T> {
  const end: StreamEnd = { failure: null, isWhole: false }
  let hasEntries = false
  async function* entries(): AsyncGenerator<ParsedTarEntry> {
    const { createTarDecoder } = await loadTar()
    const decoder = createTarDecoder({ strict: true })
    for await (const entry of ReadableStream.from(watchEnd(stream, end)).pipeThrough<ParsedTarEntry>(decoder)) {
      hasEntries = true
      yield entry
    }
  }
  try {
    return await read(entries())
  } catch (error) {
    // The error of the stream says more than the decoder's error about it.
    throw problemOf(end.failure ?? error, hasEntries)
  }
}

function problemOf(error: unknown, hasEntries: boolean): unknown {
  if (error instanceof BackupProblem || errorCode(error) !== null) return error
  if (!hasEntries) return new BackupProblem('not_a_backup')
  const isCut = error instanceof Error && /truncat/i.test(error.message)
  return new BackupProblem(isCut ? 'cut' : 'damaged')
}
