import { createCipheriv, createDecipheriv, createHash, hkdfSync, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Random } from '../../lib/random.ts'
import { type Chunk, chunked } from './chunks.ts'
import { BackupProblem } from './problem.ts'

/** What a recovery phrase gives: whoever has it opens and makes backups without asking for the phrase. */
export interface SealKey {
  readonly salt: Buffer
  /** The cost: 2 to the power of it KiB of memory. */
  readonly log2: number
  /** 64 bytes: the first half seals, the second tells whether a phrase is the right one. */
  readonly secret: Buffer
}

/** Finds the key of a sealed backup by its salt and cost; null where nobody has it. */
export type KeyFinder = (salt: Buffer, log2: number) => Promise<SealKey | null>

/** The phrase has 128 bits by chance, so that a guess need not cost much: 32 MiB. */
export const SEAL_LOG2 = 15
const LOG2_MAX = 18
export const SALT_BYTES = 16
const SECRET_BYTES = 64
const HALF = SECRET_BYTES / 2
/** Plain bytes of each chunk but the last. */
export const CHUNK_BYTES = 64 * 1024
const TAG_BYTES = 16
const NONCE_BYTES = 12
const CHECK_BYTES = 16
const VERSION = 1
const MAGIC = Buffer.from('hm-backup-sealed')
const SALT_AT = MAGIC.length + 2
const FILE_SALT_AT = SALT_AT + SALT_BYTES
const CHECK_AT = FILE_SALT_AT + SALT_BYTES
const HEAD_BYTES = CHECK_AT + CHECK_BYTES
const CIPHER = 'aes-256-gcm'

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

/** The key of a phrase in the form that `phrase.ts` gives it. */
export async function keyOf(phrase: string, salt: Buffer, log2 = SEAL_LOG2): Promise<SealKey> {
  const cost = { N: 2 ** log2, r: 8, p: 1, maxmem: 2 ** log2 * 2048 }
  return { salt, log2, secret: await derive(phrase, salt, SECRET_BYTES, cost) }
}

/** Whether a file that begins with these bytes is sealed. */
export const isSealed = (head: Buffer): boolean => head.subarray(0, MAGIC.length).equals(MAGIC)

/**
 * Encrypts a stream in chunks, each authenticated with its number, whether it is the last, and the head: so a file that
 * was cut, put together anew or changed does not open (docs/backup.md#encryption).
 */
export async function* sealed(plain: AsyncIterable<Uint8Array>, key: SealKey, random: Random): AsyncGenerator<Buffer> {
  const head = headOf(key, random.bytes(SALT_BYTES))
  yield head
  const secret = fileSecret(key, head)
  let number = 0
  for await (const { bytes, isLast } of chunked(plain, CHUNK_BYTES)) {
    const cipher = createCipheriv(CIPHER, secret, nonceOf(number, isLast)).setAAD(head)
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
    number += 1
  }
}

/** @throws BackupProblem while it is read, where anything is not what was written, or the key is not the right one. */
export async function* unsealed(stream: AsyncIterable<Uint8Array>, find: KeyFinder): AsyncGenerator<Buffer> {
  const { head, rest } = await headFirst(stream)
  const secret = fileSecret(await foundKey(head, find), head)
  let number = 0
  for await (const chunk of chunked(rest, CHUNK_BYTES + TAG_BYTES)) {
    yield opened(chunk, secret, number, head)
    number += 1
  }
}

function opened({ bytes, isLast }: Chunk, secret: Buffer, number: number, head: Buffer): Buffer {
  if (bytes.length < TAG_BYTES) throw new BackupProblem('cut')
  const end = bytes.length - TAG_BYTES
  const cipher = createDecipheriv(CIPHER, secret, nonceOf(number, isLast), { authTagLength: TAG_BYTES })
    .setAAD(head)
    .setAuthTag(bytes.subarray(end))
  const plain = cipher.update(bytes.subarray(0, end))
  try {
    return Buffer.concat([plain, cipher.final()])
  } catch {
    throw new BackupProblem(isLast ? 'cut' : 'damaged')
  }
}

async function foundKey(head: Buffer, find: KeyFinder): Promise<SealKey> {
  if (head.length < HEAD_BYTES) throw new BackupProblem('cut')
  if ((head[MAGIC.length] ?? 0) > VERSION) throw new BackupProblem('newer')
  const log2 = head[MAGIC.length + 1] ?? 0
  if (log2 < 1 || log2 > LOG2_MAX) throw new BackupProblem('damaged')
  const key = await find(head.subarray(SALT_AT, FILE_SALT_AT), log2)
  if (key === null) throw new BackupProblem('phrase_needed')
  if (!timingSafeEqual(checkOf(key), head.subarray(CHECK_AT))) throw new BackupProblem('wrong_phrase')
  return key
}

function headOf(key: SealKey, fileSalt: Buffer): Buffer {
  return Buffer.concat([MAGIC, Buffer.from([VERSION, key.log2]), key.salt, fileSalt, checkOf(key)])
}

const checkOf = ({ secret }: SealKey): Buffer =>
  createHash('sha256').update('hm-backup check').update(secret.subarray(HALF)).digest().subarray(0, CHECK_BYTES)

/** Each file has a key of its own, so that no two chunks anywhere share key and nonce. */
function fileSecret({ secret }: SealKey, head: Buffer): Buffer {
  const salt = head.subarray(FILE_SALT_AT, CHECK_AT)
  return Buffer.from(hkdfSync('sha256', secret.subarray(0, HALF), salt, 'hm-backup file', HALF))
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUInt32BE(number, NONCE_BYTES - 1 - 4)
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0
  return nonce
}

/** The head of a stream, and the stream behind it. */
async function headFirst(
  stream: AsyncIterable<Uint8Array>,
): Promise<{ readonly head: Buffer; readonly rest: AsyncGenerator<Uint8Array> }> {
  const source = stream[Symbol.asyncIterator]()
  let start = Buffer.alloc(0)
  while (start.length < HEAD_BYTES) {
    const part = await source.next()
    if (part.done === true) break
    start = Buffer.concat([start, part.value])
  }
  return { head: start.subarray(0, HEAD_BYTES), rest: behind(start.subarray(HEAD_BYTES), source) }
}

async function* behind(first: Buffer, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value
  } finally {
    await source.return?.()
  }
}
