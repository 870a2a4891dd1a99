import type { SecureContextOptions } from 'node:tls'
import { type Clock, every } from '@hm-gateway/lib/clock.ts'
import { replaceFile } from '@hm-gateway/lib/files.ts'
import { Emitter } from '@hm-gateway/lib/emitter.ts'
import type { Log } from '@hm-gateway/lib/log.ts'
import type { Random } from '@hm-gateway/lib/random.ts'
import { RELEASED_AT } from '@hm-gateway/lib/released-at.ts'
import type { TlsOwner } from './advice.ts'
import { type Authority, createAuthority, keepCopy, loadAuthority, replaceAuthority, warnOfEnd } from './authority.ts'
import { ClockTrouble } from './clock-trouble.ts'
import { datedAt, isBridge, isValidAt, type Leaf, leafText, readLeaf } from './leaf.ts'
import { bridgeEnd, mintNow, reasonNow } from './minting.ts'
import { type RenewableServer, ServedLeaf } from './served-leaf.ts'
import { TimeFloor } from './time-floor.ts'
import { prepareFolder, readPrivate, type TlsFiles, tlsFiles } from './tls-folder.ts'

export interface TlsOptions {
  /** The folder for keys and certificates; made when missing. */
  readonly dir: string
  /** Letters and digits. */
  readonly serial: string
  /** The current LAN addresses, asked at each check. */
  readonly addresses: () => readonly string[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Whose log it is; default: the gateway. */
  readonly owner?: TlsOwner
  /** No certificate is dated before this; default: when this release was made. */
  readonly releasedAt?: number
}

/** Times in epoch ms. */
export interface LeafInfo {
  readonly notBefore: number
  readonly notAfter: number
  readonly names: readonly string[]
  readonly fingerprint: string
}

export interface AuthorityInfo {
  readonly pem: string
  readonly fingerprint: string
  readonly notAfter: number
  /** Where the certificate (without its key) lies, for `curl --cacert`. */
  readonly file: string
}

export interface TlsChange {
  readonly reason: string
  readonly leaf: LeafInfo
  readonly caFingerprint: string
}

const NOT_RENEWED = 'The certificate could not be renewed; the old one stays in use.'
/** How often dates and clock are looked at; it costs a few comparisons. */
export const CHECK_MS = 60_000

/**
 * Bounds how often a certificate that is due at each check, as when the CA ends, is replaced. Changes of addresses do
 * not wait, nor does a certificate that is not valid yet: clients refuse it.
 */
export const TIMED_RENEWAL_MIN_MS = 3_600_000

/**
 * Opens the folder: checks the CA (makes it the first time), and the leaf (makes a new one when it has to be).
 * With a sound folder this takes a few milliseconds and loads no certificate library.
 * @throws TlsFolderError one sentence, when the CA is missing, damaged, open to others or another gateway's.
 */
export async function openTls(options: TlsOptions): Promise<GatewayTls> {
  const { serial, clock, log, random, releasedAt = RELEASED_AT } = options
  if (!/^[0-9a-z]{1,40}$/i.test(serial)) throw new Error(`the serial "${serial}" cannot be part of a host name`)
  prepareFolder(options.dir)
  const files = tlsFiles(options.dir)
  const stored = loadAuthority(files, serial)
  const leaf = stored && readLeaf(files, stored, log)
  const floor = new TimeFloor({
    clock,
    path: files.clock,
    stored: readPrivate(files.clock),
    releasedAt,
    datedAt: leaf && datedAt(leaf),
  })
  const authority = stored ?? (await createAuthority(files, { serial, now: floor.now(), releasedAt, random }))
  if (stored === null) log.info({ fingerprint: authority.fingerprint }, 'Made a CA of its own.')
  await keepCopy(files, authority, log)
  const inside = { ...options, files, floor, releasedAt }
  const kept = leaf !== null && (clock.now() <= leaf.notAfter || bridgeEnd(inside) === null) ? leaf : null
  const tls = new GatewayTls(inside, authority, {
    leaf: kept ?? mintNow(authority, inside, true),
    stored: kept !== null,
  })
  await tls.checkAddresses()
  warnOfEnd(authority, floor.now(), inside)
  return tls
}

interface Inside extends TlsOptions {
  readonly files: TlsFiles
  readonly floor: TimeFloor
  readonly releasedAt: number
}

/** The CA and the certificate in use; renews by itself, from the first check interval on, until it is stopped. */
export class GatewayTls {
  readonly #inside: Inside
  #authority: Authority
  readonly #served: ServedLeaf
  #stored: boolean
  #lastTimedRenewal = -Infinity
  #lastTrouble: string | null = null
  readonly #clockTrouble: ClockTrouble
  /** One change at a time, in the order asked. */
  #work: Promise<unknown> = Promise.resolve()
  readonly #listeners: Emitter<TlsChange>
  readonly #stopChecks: () => void

  /** @param first the leaf to begin with, and whether it is in its file. */
  constructor(inside: Inside, authority: Authority, first: { readonly leaf: Leaf; readonly stored: boolean }) {
    this.#inside = inside
    this.#authority = authority
    this.#served = new ServedLeaf(first.leaf)
    this.#stored = first.stored
    this.#clockTrouble = new ClockTrouble(inside)
    this.#listeners = new Emitter((error) =>
      inside.log.error({ err: error }, 'A listener of certificate changes failed.'),
    )
    this.#stopChecks = every(inside.clock, CHECK_MS, () => void this.checkAddresses())
  }

  get ca(): AuthorityInfo {
    const { pem, fingerprint, certificate } = this.#authority
    return { pem, fingerprint, notAfter: certificate.validToDate.getTime(), file: this.#inside.files.authorityCopy }
  }

  /** Whether certificates are dated by the clock. */
  get clock(): ClockTrouble['clock'] {
    return this.#clockTrouble.clock
  }

  leaf(): LeafInfo {
    const { notBefore, notAfter, names, fingerprint } = this.#served.current
    return { notBefore, notAfter, names, fingerprint }
  }

  /** What a server listens with, as of now. */
  secureContextOptions(): SecureContextOptions {
    return this.#served.secureContextOptions()
  }

  /** New handshakes with this server get the current certificate, now and after each renewal, until it closes. */
  attach(server: RenewableServer): void {
    this.#served.attach(server, () => this.#beforeHandshake())
  }

  /** The listener is called with every new leaf, once it is in use; the returned function removes it. */
  onChange(listener: (change: TlsChange) => void): () => void {
    return this.#listeners.on(listener)
  }

  /**
   * Compares the certificate with the current addresses and dates and replaces it at once where it has to be; stores it
   * where it is not in its file. Never rejects.
   */
  checkAddresses(): Promise<void> {
    return this.#exclusive(() => this.#check())
  }

  /**
   * Makes a new leaf now, for an administrator, dated by the clock even where it has shown a later time before.
   * `ready` is called once the changes before it are done: what that throws ends it, and nothing changes.
   */
  renew(reason: string, ready = (): void => {}): Promise<LeafInfo> {
    return this.#exclusive(async () => {
      ready()
      this.#inside.floor.trustClock()
      this.#replaceLeaf(reason)
      await this.#storeLeaf()
      await this.#saveFloor()
      return this.leaf()
    })
  }

  /**
   * Makes a new CA and a leaf by it, and deletes the old CA's key; every client has to trust the new one. `ready` as above.
   * @throws when it cannot be stored; all stays as it was then.
   */
  regenerateCa(ready = (): void => {}): Promise<AuthorityInfo> {
    return this.#exclusive(async () => {
      ready()
      const { files, floor, log, random, releasedAt, serial } = this.#inside
      const old = this.#authority.fingerprint
      this.#authority = await replaceAuthority(files, { serial, now: floor.now(), releasedAt, random })
      log.warn(
        { old, fingerprint: this.#authority.fingerprint },
        'The gateway has a new CA; clients trust it only after they are told to.',
      )
      this.#replaceLeaf('ca')
      await this.#storeLeaf()
      try {
        await replaceFile(files.authorityCopy, this.#authority.pem)
      } catch (error) {
        this.#troubled(error, 'The public copy of the new CA could not be written; the next start writes it.')
      }
      return this.ca
    })
  }

  /** Ends the checks; resolves when a change under way is done. */
  async stop(): Promise<void> {
    this.#stopChecks()
    await this.#exclusive(async () => {
      this.#inside.floor.observe()
      if (this.#inside.floor.wantsSaving) await this.#saveFloor()
    })
    this.#served.detachAll()
  }

  #exclusive<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#work.then(run)
    this.#work = result.catch(() => {})
    return result
  }

  async #check(): Promise<void> {
    const { floor } = this.#inside
    try {
      floor.observe()
      this.#clockTrouble.report(floor)
      if (floor.wantsSaving) await this.#saveFloor()
      this.#renewWhereNeeded()
      if (!this.#stored) await this.#storeLeaf()
    } catch (error) {
      this.#troubled(error, NOT_RENEWED)
    }
  }

  /** The clock may have been set since the last check: what is not valid by it is replaced before anybody sees it. */
  #beforeHandshake(): void {
    if (isValidAt(this.#served.current, this.#inside.clock.now())) return
    try {
      if (this.#renewWhereNeeded()) void this.checkAddresses()
    } catch (error) {
      this.#troubled(error, NOT_RENEWED)
    }
  }

  /** In one go, so that a handshake can wait for it. */
  #renewWhereNeeded(): boolean {
    const reason = reasonNow(this.#served.current, this.#inside)
    if (reason === null || (reason === 'due' && this.#renewedLately())) return false
    if (reason === 'due') this.#lastTimedRenewal = this.#inside.clock.monotonic()
    this.#replaceLeaf(reason)
    return true
  }

  #renewedLately(): boolean {
    return this.#inside.clock.monotonic() - this.#lastTimedRenewal < TIMED_RENEWAL_MIN_MS
  }

  /** The new one is in use at once, and has to be stored. */
  #replaceLeaf(reason: string): void {
    const { log } = this.#inside
    this.#stored = false
    this.#served.replace(mintNow(this.#authority, this.#inside, isBridge(this.#served.current)))
    const leaf = this.leaf()
    log.info(
      { reason, notAfter: new Date(leaf.notAfter).toISOString(), names: leaf.names },
      'The server certificate was renewed.',
    )
    this.#listeners.emit({ reason, leaf, caFingerprint: this.#authority.fingerprint })
  }

  /** A full disk does not keep the server from using the new certificate: a later check stores it. */
  async #storeLeaf(): Promise<void> {
    const leaf = this.#served.current
    try {
      await replaceFile(this.#inside.files.leaf, leafText(leaf))
      this.#stored = leaf === this.#served.current
      this.#lastTrouble = null
    } catch (error) {
      this.#troubled(error, 'The new certificate could not be stored; it is in use all the same.')
    }
  }

  async #saveFloor(): Promise<void> {
    try {
      await this.#inside.floor.save()
    } catch (error) {
      this.#troubled(error, 'The time last seen could not be stored.')
    }
  }

  /** Logs a trouble once, not at every check. */
  #troubled(error: unknown, sentence: string): void {
    if (this.#lastTrouble !== sentence) this.#inside.log.error({ err: error }, sentence)
    this.#lastTrouble = sentence
  }
}
