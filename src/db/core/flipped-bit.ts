import { hash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { errorCode, isThere, removeLeft, replaceFileNow, syncFolderNow } from '../../lib/files.ts'

const DIGEST_BYTES = 16
/** Divides every size of a page that SQLite writes; small, because each bit of a block may have to be tried. */
const BLOCK_BYTES = 512
const BITS = 8
/** Two bytes of the header name the journal mode: a database in memory has no write-ahead log. */
const JOURNAL_MODES_AT = [18, 20] as const
const ROLLBACK_JOURNAL = 1

/** Digests of a database that is closed, in a file beside it. */
const sealOf = (file: string): string => `${file}.seal`
/** The same while a gateway runs: the file stays as it is until its log is moved into it. */
const openSealOf = (file: string): string => `${file}.seal-open`

/** Writes digests of the database, once it is closed, by which the next start finds a bit that flipped. */
export function seal(file: string): void {
  unseal(file)
  write(file, sealOf(file))
}

function write(file: string, to: string): void {
  if (hasLog(file) || !isThere(file)) return
  const digests = digestsOf(readFileSync(file))
  replaceFileNow(to, Buffer.concat([digestOf(digests), digests]))
}

/** As `seal`, at a stop: no stop fails for a disk that does not take the digests. */
export function sealQuietly(file: string): void {
  quietly(() => seal(file))
}

/** Writes digests for the time in which the database is open: they hold as long as its log is not moved into it. */
export function openSeal(file: string): void {
  unseal(file)
  quietly(() => write(file, openSealOf(file)))
}

function quietly(run: () => void): void {
  try {
    run()
  } catch (error) {
    if (errorCode(error) === null) throw error
  }
}

/** Called before anything else than a flipped bit changes the file. */
export function unseal(file: string): void {
  const seals = [sealOf(file), openSealOf(file)].filter((each) => isThere(each))
  for (const each of seals) removeLeft(each)
  if (seals.length > 0) syncFolderNow(dirname(file))
}

/**
 * Puts right the one bit in which the file differs from its digests; answers its number, or null where nothing was
 * changed. A larger difference is left as it is: either somebody changed the file, or the checks of the database find
 * the damage.
 */
export function putRightBit(file: string): number | null {
  const digests = validDigests(file)
  if (digests === null) return null
  const content = readFileSync(file)
  const now = digestsOf(content)
  if (now.length !== digests.length) return null
  const changed = blocksOf(now, DIGEST_BYTES).filter((digest, index) => !digest.equals(nth(digests, index)))
  const [only] = changed
  if (only === undefined || changed.length > 1) return null
  const index = (only.byteOffset - now.byteOffset) / DIGEST_BYTES
  const at = index * BLOCK_BYTES
  const block = content.subarray(at, at + BLOCK_BYTES)
  const [bit] = flippedBits(block, (bytes) => digestOf(bytes).equals(nth(digests, index)))
  if (bit === undefined) return null
  const off = switchedOff(content)
  flipBit(block, bit)
  // Somebody may have switched an integration off by hand, which changes one bit: it stays off.
  if (off.some((id) => !switchedOff(content).includes(id))) return null
  writeByte(file, at + Math.floor(bit / BITS), block[Math.floor(bit / BITS)] ?? 0)
  return at * BITS + bit
}

/** Integrations that are off in a database of these bytes; none where the bytes cannot be read. */
function switchedOff(content: Buffer): readonly string[] {
  const readable = Buffer.from(content)
  readable.fill(ROLLBACK_JOURNAL, ...JOURNAL_MODES_AT)
  try {
    const db = new Database(readable)
    try {
      return db.prepare<[], string>('SELECT id FROM integrations WHERE enabled = 0').pluck().all()
    } finally {
      db.close()
    }
  } catch {
    return []
  }
}

/** Bits of which any one makes the bytes right when it is flipped; the bytes stay as they are. */
export function flippedBits(bytes: Buffer, isRight: (bytes: Buffer) => boolean): readonly number[] {
  const found: number[] = []
  for (let bit = 0; bit < bytes.length * BITS; bit++) {
    flipBit(bytes, bit)
    if (isRight(bytes)) found.push(bit)
    flipBit(bytes, bit)
  }
  return found
}

export function flipBit(bytes: Buffer, bit: number): void {
  const at = Math.floor(bit / BITS)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit % BITS))
}

/** Overwrites one byte of a file, on the disk when it returns. */
export function writeByte(file: string, at: number, byte: number): void {
  const opened = openSync(file, 'r+')
  try {
    writeSync(opened, Buffer.from([byte]), 0, 1, at)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

function validDigests(file: string): Buffer | null {
  const kept = hasLog(file) ? openSealOf(file) : sealOf(file)
  if (!isThere(kept) || !isThere(file)) return null
  const content = readFileSync(kept)
  const digests = content.subarray(DIGEST_BYTES)
  return digestOf(digests).equals(content.subarray(0, DIGEST_BYTES)) ? digests : null
}

const hasLog = (file: string): boolean => (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
const nth = (digests: Buffer, index: number): Buffer =>
  digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES)
const digestOf = (bytes: Buffer): Buffer => hash('sha256', bytes, 'buffer').subarray(0, DIGEST_BYTES)
const digestsOf = (content: Buffer): Buffer => Buffer.concat(blocksOf(content, BLOCK_BYTES).map(digestOf))

function blocksOf(content: Buffer, bytes: number): readonly Buffer[] {
  return Array.from({ length: Math.ceil(content.length / bytes) }, (_, index) =>
    content.subarray(index * bytes, (index + 1) * bytes),
  )
}
