import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import type { ParsedTarEntry, TarPackController } from 'modern-tar'
import { errorCode, PRIVATE_FILE_MODE } from '../../lib/files.ts'
import { type BackupPart, type Manifest, readManifest } from './manifest.ts'
import { BackupProblem, type StreamEnd, watched } from './problem.ts'

/** It comes first, so that a list of backups reads no more of each. */
export const MANIFEST = 'manifest.json'
const MANIFEST_BYTES_MAX = 64 * 1024

/** Loaded by the first backup that is written or read: a start needs none of it. */
const tar = (): Promise<typeof import('modern-tar')> => import('modern-tar')

/**
 * A backup as a tar file: the manifest, then the parts, which lie in `folder` by their names. Whoever leaves it early
 * has waited until nothing is read any more.
 */
export async function* packed(manifest: Manifest, folder: string): AsyncGenerator<Uint8Array> {
  const { createTarPacker } = await tar()
  const { readable, controller } = createTarPacker()
  const filling = fill(controller, manifest, folder).catch((error: unknown) => controller.error(error))
  try {
    yield* readable
  } finally {
    await filling
  }
}

async function fill(controller: TarPackController, manifest: Manifest, folder: string): Promise<void> {
  const mtime = new Date(manifest.at)
  const entry = async (name: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void> => {
    const writer = controller.add({ name, size, mtime, mode: PRIVATE_FILE_MODE, uid: 0, gid: 0 }).getWriter()
    for await (const chunk of content) await writer.write(new Uint8Array(chunk))
    await writer.close()
  }
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  await entry(MANIFEST, text.length, Readable.from([text]))
  for (const { name, bytes } of manifest.parts) await entry(name, bytes, createReadStream(join(folder, name)))
  controller.finalize()
}

/** Reads no further than the manifest. @throws BackupProblem */
export function manifestIn(stream: AsyncIterable<Uint8Array>): Promise<Manifest> {
  return reading(stream, async (entries) => {
    for await (const entry of entries) return await manifestOf(entry)
    throw new BackupProblem('not_a_backup')
  })
}

/**
 * Takes every part into `folder`, by its name, and holds it to the manifest.
 * @throws BackupProblem where anything is missing or is not what was written; the file system's own error.
 */
export function unpacked(
  stream: AsyncIterable<Uint8Array>,
  folder: string,
  begins: (manifest: Manifest) => Promise<void> = () => Promise.resolve(),
): Promise<Manifest> {
  return reading(stream, (entries) => takeAll(entries, folder, begins))
}

async function takeAll(
  entries: Entries,
  folder: string,
  begins: (manifest: Manifest) => Promise<void>,
): Promise<Manifest> {
  let manifest: Manifest | null = null
  const missing = new Map<string, BackupPart>()
  for await (const entry of entries) {
    if (manifest === null) {
      manifest = await manifestOf(entry)
      await begins(manifest)
      for (const part of manifest.parts) missing.set(part.name, part)
      continue
    }
    const part = missing.get(entry.header.name)
    if (part === undefined) throw new BackupProblem('damaged')
    missing.delete(part.name)
    await takePart(entry, part, folder)
  }
  if (manifest === null) throw new BackupProblem('not_a_backup')
  if (missing.size > 0) throw new BackupProblem('cut')
  return manifest
}

async function takePart({ body }: ParsedTarEntry, part: BackupPart, folder: string): Promise<void> {
  await using file = await open(join(folder, part.name), 'wx', PRIVATE_FILE_MODE)
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // No more is written than there was room for.
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
  return readManifest(Buffer.concat(chunks).toString('utf8'))
}

type Entries = AsyncIterable<ParsedTarEntry>

/** Hands on the entries of a tar file, each to be read before the next. @throws BackupProblem where it is none. */
async function reading<T>(stream: AsyncIterable<Uint8Array>, read: (entries: Entries) => Promise<T>): Promise<T> {
  const end: StreamEnd = { failure: null, isWhole: false }
  let any = false
  async function* entries(): AsyncGenerator<ParsedTarEntry> {
    const { createTarDecoder } = await tar()
    const decoder = createTarDecoder({ strict: true })
    for await (const entry of ReadableStream.from(watched(stream, end)).pipeThrough<ParsedTarEntry>(decoder)) {
      any = true
      yield entry
    }
  }
  try {
    return await read(entries())
  } catch (error) {
    // The error of the stream says more than the decoder's error about it.
    throw problemOf(end.failure ?? error, any)
  }
}

function problemOf(error: unknown, any: boolean): unknown {
  if (error instanceof BackupProblem || errorCode(error) !== null) return error
  if (!any) return new BackupProblem('not_a_backup')
  const isCut = error instanceof Error && /truncat/i.test(error.message)
  return new BackupProblem(isCut ? 'cut' : 'damaged')
}
