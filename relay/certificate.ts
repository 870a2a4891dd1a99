import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { watchAddresses } from '@hm-gateway/lib/lan-addresses.ts'
import { every } from '@hm-gateway/lib/clock.ts'
import { PRIVATE_FOLDER_MODE } from '@hm-gateway/lib/files.ts'
import { openTls } from '@hm-gateway/tls/tls.ts'
import { type RelaySettings, SettingsError } from './model/relay-settings.ts'
import type { RelayParts } from './store/relay-parts.ts'

/** The relay's TLS certificate for clients and gateways. */
export interface Certificate extends AsyncDisposable {
  /** Current certificate and key. They include `minVersion`, because a context without it accepts older versions. */
  readonly options: () => SecureContextOptions
  /** Host names and addresses of the certificate in lower case; null for the operator's, which are not checked. */
  readonly names: () => readonly string[] | null
  /** The relay's own CA; null with the operator's certificate. */
  readonly authority: { readonly fingerprint: string; readonly pem: string; readonly file: string } | null
  /** Calls back after each change of the certificate. */
  readonly onChange: (changed: () => void) => void
}

export interface CertificateParts extends Pick<RelayParts, 'clock' | 'random' | 'log'> {
  readonly settings: Pick<RelaySettings, 'tls' | 'dataDir'>
}

/** Interval at which the operator's files are read again. */
const RELOAD_INTERVAL_MS = 60_000
/** Used in place of a gateway's serial. */
const NAME = 'relay'
const TLS_1_3 = { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3', ecdhCurve: 'X25519:P-256' } as const

/** @throws SettingsError if the operator's files cannot be read. */
export function openCertificate(parts: CertificateParts): Promise<Certificate> {
  const { tls } = parts.settings
  return tls === null ? ownCertificate(parts) : Promise.resolve(operatorCertificate(parts, tls))
}

/** A certificate for this machine's addresses, signed by the relay's own CA, as in a gateway. */
async function ownCertificate({ settings, clock, random, log }: CertificateParts): Promise<Certificate> {
  await using opened = new AsyncDisposableStack()
  if (!existsSync(settings.dataDir)) mkdirSync(settings.dataDir, { recursive: true, mode: PRIVATE_FOLDER_MODE })
  const addresses = opened.adopt(watchAddresses({ clock, log }), (watcher) => watcher.stop())
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
    // The chain includes the CA, so that a gateway can compare its fingerprint.
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

/** The operator's certificate, which is reloaded when its files change. */
function operatorCertificate({ clock, log }: CertificateParts, files: NonNullable<RelaySettings['tls']>): Certificate {
  const read = (): { readonly cert: string; readonly key: string } => {
    const found = { cert: readFileSync(files.certificate, 'utf8'), key: readFileSync(files.key, 'utf8') }
    // Half-written and invalid files throw here. An empty file must be checked separately, because TLS ignores it.
    if (!new X509Certificate(found.cert).checkPrivateKey(createPrivateKey(found.key)))
      throw new Error('the key does not belong to the certificate')
    createSecureContext({ ...found, ...TLS_1_3 })
    return found
  }
  let current = readFirst(read)
  const listeners: (() => void)[] = []
  const stop = every(clock, RELOAD_INTERVAL_MS, () => {
    try {
      const found = read()
      if (found.cert === current.cert && found.key === current.key) return
      current = found
      for (const changed of listeners) changed()
    } catch (error) {
      log.warn({ err: error }, 'The certificate could not be reloaded. The old one stays in use.')
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

function readFirst<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new SettingsError(
      `The certificate cannot be read (${error instanceof Error ? error.message : 'unknown reason'}): check HM_RELAY_TLS_CERT and HM_RELAY_TLS_KEY.`,
    )
  }
}
