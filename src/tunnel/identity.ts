import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createFile, isThere, PRIVATE_FOLDER_MODE } from '../lib/files.ts'
import type { Log } from '../lib/log.ts'

/** The key that a gateway proves itself to relays with. */
export interface Identity {
  /** Ed25519, raw 32 bytes, as base64url. */
  readonly publicKey: string
  /** 64 bytes. */
  sign(bytes: Buffer): Buffer
}

/**
 * The key in this file, which is read or made when it is needed first; null where that fails, which is tried anew each
 * time: a home whose key is damaged, or whose disk takes none, is served without a relay.
 */
export function identityIn(file: string, log: Log): () => Promise<Identity | null> {
  let opened: Promise<Identity | null> | null = null
  return () =>
    (opened ??= openIdentity(file).catch((error: unknown) => {
      log.error({ file, err: error }, 'The key for relays cannot be read, or made.')
      opened = null
      return null
    }))
}

/**
 * Reads the key in this file, and makes one where there is none. It is no part of backups: two gateways with one key
 * would take each other's place at the relay.
 * @throws the file system's own error, or that the file holds no Ed25519 key.
 */
async function openIdentity(file: string): Promise<Identity> {
  const key = isThere(file) ? createPrivateKey(readFileSync(file, 'utf8')) : await made(file)
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`The file ${file} holds no key of a gateway.`)
  return { publicKey: rawPublicKey(key), sign: (bytes) => sign(null, bytes, key) }
}

async function made(file: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ed25519')
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER_MODE })
  await createFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  return privateKey
}

function rawPublicKey(key: KeyObject): string {
  const { x } = createPublicKey(key).export({ format: 'jwk' })
  if (x === undefined) throw new Error('An Ed25519 key without its public half.')
  return x
}
