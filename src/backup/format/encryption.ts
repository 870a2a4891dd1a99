import { createHmac } from 'node:crypto'
import { ReadableStream } from 'node:stream/web'
import { type BackupKey, type KeyFinder, LOG2_MAX } from './phrase.ts'
import { BackupProblem, type StreamEnd, watchEnd } from './problem.ts'
import { decryptSealedV1, isSealedV1 } from './sealed-v1.ts'

/** First line of every age file (https://age-encryption.org/v1). */
const AGE = Buffer.from('age-encryption.org/v1\n')
/** A second stanza of the header, which age skips: cost and salt, from which the phrase gives the identity. */
const PHRASE_STANZA = 'hm-gateway-phrase'
const KEY_HINT = new RegExp(`^-> ${PHRASE_STANZA} ([0-9]{1,2}) ([A-Za-z0-9+/]{22})$`, 'm')
/** Bytes that are read to find the header, which has about 220. */
export const HEADER_BYTES = 512
const HEADER_END = /^--- /m

/** Loads the library with the first encrypted backup. */
const loadAge = (): Promise<typeof import('age-encryption')> => import('age-encryption')

/** True if a file with this head is encrypted. */
export const isEncrypted = (head: Buffer): boolean => isAge(head) || isSealedV1(head)
const isAge = (head: Buffer): boolean => head.subarray(0, AGE.length).equals(AGE)

/** The age identity of a key, in the form that `age --identity` reads. */
async function identityOf({ secret }: BackupKey): Promise<string> {
  const { bech32 } = await import('@scure/base')
  const scalar = createHmac('sha256', secret.subarray(0, 32)).update('hm-gateway age identity').digest()
  return bech32.encodeFromBytes('AGE-SECRET-KEY-', scalar).toUpperCase()
}

/** Encrypts a stream as an age file, chunk by chunk (docs/backup.md#encryption). */
export async function* encrypt(plain: AsyncIterable<Uint8Array>, key: BackupKey): AsyncGenerator<Uint8Array> {
  const { Encrypter, identityToRecipient, Stanza } = await loadAge()
  const salt = key.salt.toString('base64').replaceAll('=', '')
  const encrypter = new Encrypter()
  encrypter.addRecipient(await identityToRecipient(await identityOf(key)))
  encrypter.addRecipient({ wrapFileKey: () => [new Stanza([PHRASE_STANZA, String(key.log2), salt], new Uint8Array())] })
  yield* await encrypter.encrypt(ReadableStream.from(plain))
}

/**
 * Decrypts a file that begins with `head`.
 * @throws BackupProblem while the bytes are read, if they are damaged or the key is wrong.
 */
export async function* decrypt(
  stream: AsyncIterable<Uint8Array>,
  head: Buffer,
  findKey: KeyFinder,
): AsyncGenerator<Uint8Array> {
  if (isSealedV1(head)) {
    yield* decryptSealedV1(stream, findKey)
    return
  }
  const { Decrypter } = await loadAge()
  const decrypter = new Decrypter()
  decrypter.addIdentity(await identityOf(await keyForHead(head, findKey)))
  const end: StreamEnd = { failure: null, isWhole: false }
  try {
    yield* await decrypter.decrypt(ReadableStream.from(watchEnd(stream, end)))
  } catch (error) {
    throw problemOf(error, end)
  }
}

function problemOf(error: unknown, { failure, isWhole }: StreamEnd): unknown {
  return failure ?? new BackupProblem(isOtherKey(error) ? 'wrong_phrase' : isWhole ? 'cut' : 'damaged')
}

/** The age identity that opens a file with this head. @throws BackupProblem */
export async function identityByHead(head: Buffer, findKey: KeyFinder): Promise<string> {
  if (!isAge(head))
    throw new BackupProblem(
      'not_a_backup',
      'This backup is not an age file: it is not encrypted, or an earlier version made it.',
    )
  const { Decrypter } = await loadAge()
  const decrypter = new Decrypter()
  const identity = await identityOf(await keyForHead(head, findKey))
  decrypter.addIdentity(identity)
  await decrypter.decryptHeader(head).catch((error: unknown) => {
    throw new BackupProblem(isOtherKey(error) ? 'wrong_phrase' : 'damaged')
  })
  return identity
}

/** Message of the library for a file that is encrypted for another identity. */
const NO_IDENTITY = 'no identity matched'
const isOtherKey = (error: unknown): boolean => error instanceof Error && error.message.startsWith(NO_IDENTITY)

async function keyForHead(head: Buffer, findKey: KeyFinder): Promise<BackupKey> {
  const header = head.toString('latin1')
  const [, log2, salt] = KEY_HINT.exec(header) ?? []
  if (log2 === undefined || salt === undefined || Number(log2) > LOG2_MAX)
    throw new BackupProblem(HEADER_END.test(header) || head.length === HEADER_BYTES ? 'damaged' : 'cut')
  const key = await findKey(Buffer.from(salt, 'base64'), Number(log2))
  if (key === null) throw new BackupProblem('phrase_needed')
  return key
}
