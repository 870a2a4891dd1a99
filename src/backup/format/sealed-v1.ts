import { createDecipheriv, createHash, hkdfSync, timingSafeEqual } from 'node:crypto'
import { type BackupKey, type KeyFinder, LOG2_MAX, SALT_BYTES } from './phrase.ts'
import { BackupProblem } from './problem.ts'

const MAGIC = Buffer.from('hm-backup-sealed')
/** After the mark and a byte for the version. */
const LOG2_AT = MAGIC.length + 1
const SALT_AT = LOG2_AT + 1
const FILE_SALT_AT = SALT_AT + SALT_BYTES
const CHECK_AT = FILE_SALT_AT + SALT_BYTES
const CHECK_BYTES = 16
const HEAD_BYTES = CHECK_AT + CHECK_BYTES
const TAG_BYTES = 16
const SEALED_CHUNK_BYTES = 64 * 1024 + TAG_BYTES
const HALF = 32

/** True for a file in the format of version 1, which is not an age file. */
export const isSealedV1 = (head: Buffer): boolean => head.subarray(0, MAGIC.length).equals(MAGIC)

/**
 * Decrypts a file of the former format: chunks of AES-256-GCM. The head, the number of the chunk and a mark of the last
 * chunk are authenticated with each.
 * @throws BackupProblem while the bytes are read, if they are damaged or the key is wrong.
 */
export async function* decryptSealedV1(stream: AsyncIterable<Uint8Array>, findKey: KeyFinder): AsyncGenerator<Buffer> {
  let head: Buffer | null = null
  let secret: Buffer = Buffer.alloc(0)
  let waiting: Buffer = Buffer.alloc(0)
  let number = 0
  for await (const bytes of stream) {
    waiting = Buffer.concat([waiting, bytes])
    if (head === null) {
      if (waiting.length < HEAD_BYTES) continue
      head = waiting.subarray(0, HEAD_BYTES)
      secret = await fileSecret(head, findKey)
      waiting = waiting.subarray(HEAD_BYTES)
    }
    // Only the end of the stream shows which chunk is the last.
    for (; waiting.length > SEALED_CHUNK_BYTES; number += 1) {
      yield decryptChunk(waiting.subarray(0, SEALED_CHUNK_BYTES), { secret, head, number, isLast: false })
      waiting = waiting.subarray(SEALED_CHUNK_BYTES)
    }
  }
  if (head === null) throw new BackupProblem('cut')
  yield decryptChunk(waiting, { secret, head, number, isLast: true })
}

interface ChunkPlace {
  readonly secret: Buffer
  readonly head: Buffer
  readonly number: number
  readonly isLast: boolean
}

function decryptChunk(bytes: Buffer, { secret, head, number, isLast }: ChunkPlace): Buffer {
  if (bytes.length < TAG_BYTES) throw new BackupProblem('cut')
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(number, 7)
  nonce[11] = isLast ? 1 : 0
  const end = bytes.length - TAG_BYTES
  const cipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: TAG_BYTES })
    .setAAD(head)
    .setAuthTag(bytes.subarray(end))
  const plain = cipher.update(bytes.subarray(0, end))
  try {
    return Buffer.concat([plain, cipher.final()])
  } catch {
    throw new BackupProblem(isLast ? 'cut' : 'damaged')
  }
}

async function fileSecret(head: Buffer, findKey: KeyFinder): Promise<Buffer> {
  const log2 = head[LOG2_AT] ?? 0
  if (log2 < 1 || log2 > LOG2_MAX) throw new BackupProblem('damaged')
  const key = await findKey(head.subarray(SALT_AT, FILE_SALT_AT), log2)
  if (key === null) throw new BackupProblem('phrase_needed')
  if (!timingSafeEqual(checkOf(key), head.subarray(CHECK_AT))) throw new BackupProblem('wrong_phrase')
  const salt = head.subarray(FILE_SALT_AT, CHECK_AT)
  return Buffer.from(hkdfSync('sha256', key.secret.subarray(0, HALF), salt, 'hm-backup file', HALF))
}

const checkOf = ({ secret }: BackupKey): Buffer =>
  createHash('sha256').update('hm-backup check').update(secret.subarray(HALF)).digest().subarray(0, CHECK_BYTES)
