import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import type { Log } from '@hm-gateway/lib/log.ts'
import type { Random } from '@hm-gateway/lib/random.ts'
import { BACKDATE_MS, keysMatch, SERIAL_NUMBER_BYTES } from './authority.ts'
import type { Authority } from './authority.ts'
import { buildCertificate } from './certificate.ts'
import { namesOf, sameNames } from './leaf-names.ts'
import { openMode, readPrivate, type TlsFiles } from './tls-folder.ts'

/** The server's certificate with its key. Times in epoch milliseconds. */
export interface Leaf {
  readonly certificate: X509Certificate
  readonly certificatePem: string
  readonly keyPem: string
  readonly notBefore: number
  readonly notAfter: number
  readonly names: readonly string[]
  readonly fingerprint: string
}

/** 397 days with the back-dating, the last second included. */
export const LEAF_LIFE_MS = 397 * 86_400_000 - 1000

/** Longest life that all clients accept under a user-installed CA (https://support.apple.com/en-us/103769). */
export const BRIDGE_LIFE_MS = 825 * 86_400_000 - 1000

/** `due`: a third of its life is left; `not_yet`: the clock was set back before its start. */
export type RenewalReason = 'due' | 'not_yet' | 'names'

/** Reason for replacing a leaf now, or null. */
export function renewalReason(
  leaf: Pick<Leaf, 'notBefore' | 'notAfter' | 'names'>,
  names: readonly string[],
  now: number,
): RenewalReason | null {
  if (!sameNames(leaf.names, names)) return 'names'
  if (now < leaf.notBefore) return 'not_yet'
  return now >= renewAt(leaf) ? 'due' : null
}

export function isValidAt({ notBefore, notAfter }: Pick<Leaf, 'notBefore' | 'notAfter'>, now: number): boolean {
  return notBefore <= now && now <= notAfter
}

/** True for a leaf valid by two different clocks; it is replaced once the right clock is known. */
export function isBridge({ notBefore, notAfter }: Pick<Leaf, 'notBefore' | 'notAfter'>): boolean {
  return notAfter - notBefore > LEAF_LIFE_MS
}

/** Time by which the leaf was dated. */
export function datedAt({ notBefore }: Pick<Leaf, 'notBefore'>): number {
  return notBefore + BACKDATE_MS
}

/** Time at which a third of its life is left. */
export function renewAt(leaf: Pick<Leaf, 'notBefore' | 'notAfter'>): number {
  return leaf.notAfter - Math.floor((leaf.notAfter - leaf.notBefore) / 3)
}

/**
 * A new key and a certificate for it.
 *
 * @param now epoch milliseconds, not before the time floor
 * @param until extends its life to this time
 */
export function mintLeaf(
  authority: Authority,
  names: readonly string[],
  now: number,
  random: Random,
  until = -Infinity,
): Leaf {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const notBefore = now - BACKDATE_MS
  const certificatePem = buildCertificate({
    kind: 'leaf',
    commonName: names.find((name) => isIP(name) === 0) ?? 'localhost',
    names,
    publicKey,
    notBefore,
    // No verifier accepts a leaf that outlives its CA; an old CA is reported at the start.
    notAfter: Math.max(
      notBefore,
      Math.min(Math.max(notBefore + LEAF_LIFE_MS, until), authority.certificate.validToDate.getTime()),
    ),
    serialNumber: random.bytes(SERIAL_NUMBER_BYTES),
    issuer: authority.certificate,
    signingKey: authority.key,
  })
  return describe(new X509Certificate(certificatePem), privateKey)
}

/** Parses a leaf; null if it is damaged or of another CA. Unlike a CA, it is then replaced. */
export function parseLeaf(text: string, authority: Authority): Leaf | null {
  try {
    const certificate = new X509Certificate(text)
    const key = createPrivateKey(text)
    const sound =
      certificate.checkIssued(authority.certificate) &&
      certificate.verify(authority.certificate.publicKey) &&
      keysMatch(certificate.publicKey, key)
    return sound ? describe(certificate, key) : null
  } catch {
    return null
  }
}

export function leafText(leaf: Leaf): string {
  return leaf.certificatePem + leaf.keyPem
}

function describe(certificate: X509Certificate, key: KeyObject): Leaf {
  return {
    certificate,
    certificatePem: certificate.toString(),
    keyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
    names: namesOf(certificate),
    fingerprint: certificate.fingerprint256,
  }
}

/** The folder's leaf, or null; logs a warning for an unusable one. */
export function readLeaf(files: TlsFiles, authority: Authority, log: Log): Leaf | null {
  const text = readPrivate(files.leaf)
  if (text === null) return null
  const mode = openMode(files.leaf)
  const leaf = mode === null ? parseLeaf(text, authority) : null
  if (mode !== null)
    log.warn({ file: files.leaf, mode }, 'The server key was open to other users; a new one takes its place.')
  else if (leaf === null)
    log.warn({ file: files.leaf }, "The server certificate was damaged or not this CA's; a new one takes its place.")
  return leaf
}
