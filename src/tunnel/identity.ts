import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createFile, pathExists, PRIVATE_FOLDER_MODE } from '../lib/files.ts'
import type { Log } from '../lib/log.ts'

/** Key that authenticates a gateway to relays. */
export interface GatewayIdentity {
  /** Ed25519, raw 32 bytes, as base64url. */
  readonly publicKey: string
  /** 64 bytes. */
  sign(bytes: Buffer): Buffer
}

/**
 * Reads or creates the key at the first use. Null if that fails, and the next use tries again. A home with a damaged
 * key or a full disk works without a relay.
 */
export function lazyIdentity(file: string, log: Log): () => Promise<GatewayIdentity | null> {
  let opening: Promise<GatewayIdentity | null> | null = null
  return () =>
    (opening ??= openIdentity(file).catch((error: unknown) => {
      log.error({ file, err: error }, 'The key for relays cannot be read or created.')
      opening = null
      return null
    }))
}

/**
 * Reads the key, or creates one if the file is missing. Backups leave it out: two gateways with one key would replace
 * each other at the relay. @throws the file system's own error, or that the file holds no Ed25519 key.
 */
async function openIdentity(file: string): Promise<GatewayIdentity> {
  const key = pathExists(file) ? createPrivateKey(readFileSync(file, 'utf8')) : await createKey(file)
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`The file ${file} does not contain an Ed25519 key.`)
  return { publicKey: rawPublicKey(key), sign: (bytes) => sign(null, bytes, key) }
}

async function createKey(file: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ed25519')
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER_MODE })
  await createFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  return privateKey
}

function rawPublicKey(key: KeyObject): string {
  const { x } = createPublicKey(key).export({ format: 'jwk' })
  if (x === undefined) throw new Error('The Ed25519 key has no public half.')
  return x
}
