import { createPrivateKey, generateKeyPairSync, sign, verify, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { createFile, pathExists, replaceFile } from '@hm-gateway/lib/files.ts'
import type { Log } from '@hm-gateway/lib/log.ts'
import type { Random } from '@hm-gateway/lib/random.ts'
import { adviceOf, type WarningParts } from './advice.ts'
import { buildCertificate, keyIdentifier } from './certificate.ts'
import { dnsNames } from './leaf-names.ts'
import { readPrivate, refuseOpenModes, TlsFolderError } from './tls-folder.ts'
import type { TlsFiles } from './tls-folder.ts'
import { DAY_MS } from '@hm-gateway/lib/durations.ts'

/** The gateway's own CA. A client with `certificate` trusts only this gateway (Spec 4 rule 10). */
export interface Authority {
  readonly certificate: X509Certificate
  readonly key: KeyObject
  readonly pem: string
  /** SHA-256 of the certificate's DER: upper-case hex pairs joined by colons (docs/tls.md#why). */
  readonly fingerprint: string
}

export interface AuthorityPlan {
  readonly serial: string
  /** Epoch milliseconds, not before the time floor. */
  readonly now: number
  readonly releasedAt: number
  readonly random: Random
}

/** About 20 years. */
export const AUTHORITY_LIFE_MS = 7305 * DAY_MS

/** Certificates start in the past, for clients whose clock is behind. */
export const BACKDATE_MS = 2 * DAY_MS

export const SERIAL_NUMBER_BYTES = 16

/**
 * The folder's CA, or null if it never had one. Every byte of its file is checked: the certificate by its own
 * signature, the key by signing, the rest by writing it again. @throws TlsFolderError if it is missing, damaged, open
 * to others or of another gateway
 */
export function loadAuthority(files: TlsFiles, serial: string): Authority | null {
  const text = readPrivate(files.authority)
  if (text === null) {
    const remaining = [files.leaf, files.authorityCopy, files.clock].find((path) => pathExists(path))
    if (remaining === undefined) return null
    throw new TlsFolderError(
      `The CA ${files.authority} is missing although ${remaining} is still there: ${remedy(files)}`,
    )
  }
  refuseOpenModes(files.authority, '600', 'file')
  const authority = parseAuthority(text)
  if (authority === null) throw new TlsFolderError(`The CA ${files.authority} is damaged: ${remedy(files)}`)
  if (!authority.certificate.subject.startsWith(`CN=${authorityName(serial)} `)) {
    throw new TlsFolderError(
      `The CA ${files.authority} belongs to another gateway (${authority.certificate.subject}), not to ${serial}: ${remedy(files)}`,
    )
  }
  return authority
}

/**
 * Creates the first CA of a folder. @throws if there is already one, or if it cannot be stored: clients notice when a
 * lost CA is replaced
 */
export async function createAuthority(files: TlsFiles, plan: AuthorityPlan): Promise<Authority> {
  const { authority, text } = newAuthority(plan)
  await createFile(files.authority, text)
  return authority
}

/** Replaces the CA; every client must then trust the new one. */
export async function replaceAuthority(files: TlsFiles, plan: AuthorityPlan): Promise<Authority> {
  const { authority, text } = newAuthority(plan)
  await replaceFile(files.authority, text)
  return authority
}

/** Rewrites the public copy of the CA if it is missing or different. */
export async function keepCopy(files: TlsFiles, authority: Authority, log: Log): Promise<void> {
  const copy = readPrivate(files.authorityCopy)
  if (copy === authority.pem) return
  if (copy !== null)
    log.warn({ file: files.authorityCopy }, 'The public copy of the CA was wrong; it is written again.')
  await replaceFile(files.authorityCopy, authority.pem)
}

function newAuthority({ serial, now, releasedAt, random }: AuthorityPlan): { authority: Authority; text: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const pem = buildCertificate({
    kind: 'ca',
    // The key's fingerprint distinguishes a CA from its successor in a list of trusted CAs.
    commonName: `${authorityName(serial)} ${keyIdentifier(publicKey).toString('hex', 0, 4).toUpperCase()}`,
    names: dnsNames(serial),
    publicKey,
    // Starts at the release date: the clock may be years ahead when the CA is made.
    notBefore: Math.min(now, releasedAt) - BACKDATE_MS,
    notAfter: now + AUTHORITY_LIFE_MS,
    serialNumber: random.bytes(SERIAL_NUMBER_BYTES),
    issuer: null,
    signingKey: privateKey,
  })
  const text = pem + privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const authority = parseAuthority(text)
  if (authority === null) throw new Error('a new CA does not pass its own check')
  return { authority, text }
}

/** Parses a CA with its key; null unless it is exactly as this file writes it. */
export function parseAuthority(text: string): Authority | null {
  try {
    const certificate = new X509Certificate(text)
    const key = createPrivateKey(text)
    const pem = certificate.toString()
    const whole = pem + key.export({ type: 'pkcs8', format: 'pem' }).toString()
    const sound =
      whole === text &&
      certificate.ca &&
      certificate.verify(certificate.publicKey) &&
      keysMatch(certificate.publicKey, key)
    return sound ? { certificate, key, pem, fingerprint: certificate.fingerprint256 } : null
  } catch {
    // Invalid PEM, DER or key; OpenSSL's reasons ("wrong tag") would not help to repair the file.
    return null
  }
}

/** Checks the key by a signature. Comparing the public key stored with it would not detect a changed secret. */
export function keysMatch(publicKey: KeyObject, privateKey: KeyObject): boolean {
  const probe = Buffer.from('hm-gateway')
  return verify('sha256', probe, publicKey, sign('sha256', probe, privateKey))
}

function authorityName(serial: string): string {
  return `hm-${serial.toLowerCase()} CA`
}

function remedy(files: TlsFiles): string {
  return `restore it from a backup, or remove the folder ${files.dir} to get a new CA, which every client then has to trust again.`
}

const ENDS_SOON_MS = 365 * DAY_MS

/** Logs that the CA ends within a year; `now` in epoch ms. */
export function warnOfEnd({ certificate }: Authority, now: number, parts: WarningParts): void {
  const leftMs = certificate.validToDate.getTime() - now
  if (leftMs >= ENDS_SOON_MS) return
  parts.log.warn({ days: Math.floor(leftMs / DAY_MS) }, `The CA ends soon: ${adviceOf(parts).newCa}.`)
}
