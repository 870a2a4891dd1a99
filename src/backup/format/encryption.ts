import { createHmac } from 'node:crypto'
import { ReadableStream } from 'node:stream/web'
import { type BackupKey, type KeyFinder, LOG2_MAX } from './phrase.ts'
import { BackupProblem, type StreamEnd, watched } from './problem.ts'
import { isSealedV1, unsealedV1 } from './sealed-v1.ts'

/** First line of every age file (https://age-encryption.org/v1). */
const AGE = Buffer.from('age-encryption.org/v1\n')
/** Stanza beside the one of the recipient. It says how the identity follows from the phrase; age skips it. */
const STANZA = 'hm-gateway-phrase'
const KEY_HINT = new RegExp(`^-> ${STANZA} ([0-9]{1,2}) ([A-Za-z0-9+/]{22})$`, 'm')
/** The header has about 220 bytes. */
export const HEADER_BYTES = 512
const HEADER_END = /^--- /m

/** Loaded by the first encrypted backup. */
const age = (): Promise<typeof import('age-encryption')> => import('age-encryption')

/** Whether a file that begins with these bytes is encrypted. */
export const isEncrypted = (head: Buffer): boolean => isAge(head) || isSealedV1(head)
const isAge = (head: Buffer): boolean => head.subarray(0, AGE.length).equals(AGE)

/** The age identity of a key, in the form that `age --identity` reads. */
async function identityOf({ secret }: BackupKey): Promise<string> {
  const { bech32 } = await import('@scure/base')
  const scalar = createHmac('sha256', secret.subarray(0, 32)).update('hm-gateway age identity').digest()
  return bech32.encodeFromBytes('AGE-SECRET-KEY-', scalar).toUpperCase()
}

/** Encrypts a stream as an age file, chunk by chunk (docs/backup.md#encryption). */
export async function* encrypted(plain: AsyncIterable<Uint8Array>, key: BackupKey): AsyncGenerator<Uint8Array> {
  const { Encrypter, identityToRecipient, Stanza } = await age()
  const salt = key.salt.toString('base64').replaceAll('=', '')
  const encrypter = new Encrypter()
  encrypter.addRecipient(await identityToRecipient(await identityOf(key)))
  encrypter.addRecipient({ wrapFileKey: () => [new Stanza([STANZA, String(key.log2), salt], new Uint8Array())] })
  yield* await encrypter.encrypt(ReadableStream.from(plain))
}

/**
 * Decrypts a file that begins with `head`.
 * @throws BackupProblem while it is read, where anything is not what was written or the key is not the right one.
 */
export async function* decrypted(
  stream: AsyncIterable<Uint8Array>,
  head: Buffer,
  find: KeyFinder,
): AsyncGenerator<Uint8Array> {
  if (isSealedV1(head)) {
    yield* unsealedV1(stream, find)
    return
  }
  const { Decrypter } = await age()
  const decrypter = new Decrypter()
  decrypter.addIdentity(await identityOf(await foundKey(head, find)))
  const end: StreamEnd = { failure: null, isWhole: false }
  try {
    yield* await decrypter.decrypt(ReadableStream.from(watched(stream, end)))
  } catch (error) {
    throw end.failure ?? new BackupProblem(isForeign(error) ? 'wrong_phrase' : end.isWhole ? 'cut' : 'damaged')
  }
}

/** The age identity that opens a file of this beginning. @throws BackupProblem */
export async function identityByHead(head: Buffer, find: KeyFinder): Promise<string> {
  if (!isAge(head))
    throw new BackupProblem(
      'not_a_backup',
      'This backup is no age file: it is not encrypted, or an earlier version made it.',
    )
  const { Decrypter } = await age()
  const decrypter = new Decrypter()
  const identity = await identityOf(await foundKey(head, find))
  decrypter.addIdentity(identity)
  await decrypter.decryptHeader(head).catch((error: unknown) => {
    throw new BackupProblem(isForeign(error) ? 'wrong_phrase' : 'damaged')
  })
  return identity
}

/** Message of the library where the identity is not the one of the recipient. */
const NO_IDENTITY = 'no identity matched'
const isForeign = (error: unknown): boolean => error instanceof Error && error.message.startsWith(NO_IDENTITY)

async function foundKey(head: Buffer, find: KeyFinder): Promise<BackupKey> {
  const header = head.toString('latin1')
  const [, log2, salt] = KEY_HINT.exec(header) ?? []
  if (log2 === undefined || salt === undefined || Number(log2) > LOG2_MAX)
    throw new BackupProblem(HEADER_END.test(header) || head.length === HEADER_BYTES ? 'damaged' : 'cut')
  const key = await find(Buffer.from(salt, 'base64'), Number(log2))
  if (key === null) throw new BackupProblem('phrase_needed')
  return key
}
