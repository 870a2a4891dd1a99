import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { watchAddresses } from '@hm-gateway/lib/addresses.ts'
import { every } from '@hm-gateway/lib/clock.ts'
import { PRIVATE_FOLDER_MODE } from '@hm-gateway/lib/files.ts'
import { openTls } from '@hm-gateway/tls/tls.ts'
import { type RelaySettings, SettingsError } from './model/settings.ts'
import type { RelayParts } from './store/parts.ts'

/** What the relay shows to clients and gateways. */
export interface Certificate extends AsyncDisposable {
  /** With certificate and key as of now; `minVersion` is in it, because a context without it lets older versions in. */
  readonly options: () => SecureContextOptions
  /** Host names and addresses that it is for, in lower case; null: the operator's, which may be for any. */
  readonly names: () => readonly string[] | null
  /** The relay's own CA, where it signs for itself. */
  readonly authority: { readonly fingerprint: string; readonly pem: string; readonly file: string } | null
  /** Calls back with each new certificate. */
  readonly onChange: (changed: () => void) => void
}

export interface CertificateParts extends Pick<RelayParts, 'clock' | 'random' | 'log'> {
  readonly settings: Pick<RelaySettings, 'tls' | 'dataDir'>
}

/** How often the operator's files are looked at. */
const LOOK_EACH_MS = 60_000
/** Stands where a gateway's certificates have its serial. */
const NAME = 'relay'
const TLS_1_3 = { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3', ecdhCurve: 'X25519:P-256' } as const

/** @throws SettingsError where the operator's files cannot be read. */
export function openCertificate(parts: CertificateParts): Promise<Certificate> {
  const { tls } = parts.settings
  return tls === null ? ownCertificate(parts) : Promise.resolve(givenCertificate(parts, tls))
}

/** Signed by a CA of the relay's own, for this machine's addresses, as every gateway has one. */
async function ownCertificate({ settings, clock, random, log }: CertificateParts): Promise<Certificate> {
  await using opened = new AsyncDisposableStack()
  if (!existsSync(settings.dataDir)) mkdirSync(settings.dataDir, { recursive: true, mode: PRIVATE_FOLDER_MODE })
  const addresses = opened.adopt(watchAddresses({ clock, log }), (each) => each.stop())
  const dir = join(settings.dataDir, 'tls')
  const tls = await openTls({
    dir,
    serial: NAME,
    owner: 'relay',
    addresses: () => addresses.texts(),
    clock,
    random,
    log,
  })
  opened.defer(() => tls.stop())
  addresses.onChange(() => void tls.checkAddresses())
  const running = opened.move()
  return {
    // The CA goes with it, so that a gateway finds the one whose fingerprint it was told.
    options: () => {
      const options = tls.secureContextOptions()
      return { ...options, cert: `${String(options.cert)}${tls.ca.pem}` }
    },
    names: () => tls.leaf().names,
    authority: tls.ca,
    onChange: (changed) => void tls.onChange(changed),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** The operator's own, read anew when its files have changed. */
function givenCertificate({ clock, log }: CertificateParts, files: NonNullable<RelaySettings['tls']>): Certificate {
  const read = (): { readonly cert: string; readonly key: string } => {
    const found = { cert: readFileSync(files.certificate, 'utf8'), key: readFileSync(files.key, 'utf8') }
    // What is half written, or TLS does not take, throws here; an empty file TLS itself would pass over.
    if (!new X509Certificate(found.cert).checkPrivateKey(createPrivateKey(found.key)))
      throw new Error('the key is not that of the certificate')
    createSecureContext({ ...found, ...TLS_1_3 })
    return found
  }
  let current = firstOf(read)
  const listeners: (() => void)[] = []
  const stop = every(clock, LOOK_EACH_MS, () => {
    try {
      const found = read()
      if (found.cert === current.cert && found.key === current.key) return
      current = found
      for (const changed of listeners) changed()
    } catch (error) {
      log.warn({ err: error }, 'The certificate could not be read again; the old one stays in use.')
    }
  })
  return {
    options: () => ({ ...current, ...TLS_1_3 }),
    names: () => null,
    authority: null,
    onChange: (changed) => void listeners.push(changed),
    [Symbol.asyncDispose]: async () => stop(),
  }
}

function firstOf<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new SettingsError(
      `The certificate cannot be read (${error instanceof Error ? error.message : 'unknown reason'}): see HM_RELAY_TLS_CERT and HM_RELAY_TLS_KEY.`,
    )
  }
}
