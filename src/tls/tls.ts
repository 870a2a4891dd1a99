import type { SecureContextOptions } from 'node:tls'
import { type Clock, every } from '@hm-gateway/lib/clock.ts'
import { replaceFile } from '@hm-gateway/lib/files.ts'
import { Emitter } from '@hm-gateway/lib/emitter.ts'
import type { Log } from '@hm-gateway/lib/log.ts'
import type { Random } from '@hm-gateway/lib/random.ts'
import { RELEASED_AT } from '@hm-gateway/lib/released-at.ts'
import type { TlsOwner } from './advice.ts'
import { type Authority, createAuthority, keepCopy, loadAuthority, replaceAuthority, warnOfEnd } from './authority.ts'
import { ClockTrouble, isTroubled } from './clock-trouble.ts'
import { datedAt, isBridge, isValidAt, type Leaf, leafText, readLeaf } from './leaf.ts'
import { bridgeEnd, mintNow, reasonNow } from './minting.ts'
import { type RenewableServer, ServedLeaf } from './served-leaf.ts'
import { TimeFloor } from './time-floor.ts'
import { prepareFolder, readPrivate, type TlsFiles, tlsFiles } from './tls-folder.ts'

export interface TlsOptions {
  /** Folder for keys and certificates; created if missing. */
  readonly dir: string
  /** Letters and digits. */
  readonly serial: string
  /** Current LAN addresses, read at each check. */
  readonly addresses: () => readonly string[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Program that owns the log; default: the gateway. */
  readonly owner?: TlsOwner
  /** Earliest date of certificates; default: the date of this release. */
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
  /** File with the certificate (without its key), for `curl --cacert`. */
  readonly file: string
}

export interface TlsChange {
  readonly reason: string
  readonly leaf: LeafInfo
  readonly caFingerprint: string
}

const NOT_RENEWED = 'The certificate could not be renewed; the old one stays in use.'
/** Interval of checking dates and clock, which costs a few comparisons. */
export const CHECK_MS = 60_000

/**
 * Least time between replacements of a certificate that is due at each check, as when the CA ends. Changed addresses
 * and certificates that are not valid yet do not wait, because clients refuse them.
 */
export const TIMED_RENEWAL_MIN_MS = 3_600_000

/**
 * Opens the folder, and checks CA and leaf. Creates the CA the first time, and a leaf if needed. With a sound folder
 * this takes a few milliseconds and loads no certificate library. @throws TlsFolderError with one sentence if the CA is
 * missing, damaged, open to others or of another gateway
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
  if (stored === null) log.info({ fingerprint: authority.fingerprint }, 'The program created its own CA.')
  await keepCopy(files, authority, log)
  const inside = { ...options, files, floor, releasedAt }
  const usable = leaf !== null && (clock.now() <= leaf.notAfter || bridgeEnd(inside) === null) ? leaf : null
  const tls = new GatewayTls(inside, authority, {
    leaf: usable ?? mintNow(authority, inside, true),
    stored: usable !== null,
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

/** The CA and the current certificate, which is renewed automatically until it is stopped. */
export class GatewayTls {
  readonly #inside: Inside
  #authority: Authority
  readonly #served: ServedLeaf
  #stored: boolean
  #lastTimedRenewal = -Infinity
  #lastTrouble: string | null = null
  readonly #clockTrouble: ClockTrouble
  /** Serialises changes in order. */
  #work: Promise<unknown> = Promise.resolve()
  readonly #listeners: Emitter<TlsChange>
  readonly #stopChecks: () => void

  /** @param first initial leaf, and whether its file has it */
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

  /** True while the clock is behind an earlier time, or was set ahead less than an hour ago. */
  get isClockDoubted(): boolean {
    return isTroubled(this.#inside.floor)
  }

  /** Epoch ms now, or null while it is unknown: the gateway started with a clock that is not trusted yet. */
  get knownNow(): number | null {
    return this.#inside.floor.known
  }

  /** True if certificates are dated by the clock. */
  get clock(): ClockTrouble['clock'] {
    return this.#clockTrouble.clock
  }

  leaf(): LeafInfo {
    const { notBefore, notAfter, names, fingerprint } = this.#served.current
    return { notBefore, notAfter, names, fingerprint }
  }

  /** Current TLS options of a server. */
  secureContextOptions(): SecureContextOptions {
    return this.#served.secureContextOptions()
  }

  /** Keeps the server's certificate current, now and after each renewal, until it closes. */
  attach(server: RenewableServer): void {
    this.#served.attach(server, () => this.#beforeHandshake())
  }

  /** Calls the listener with every new leaf, once it is in use; returns a function that removes the listener. */
  onChange(listener: (change: TlsChange) => void): () => void {
    return this.#listeners.on(listener)
  }

  /**
   * Compares the certificate with the current addresses and dates, replaces it if needed, and stores one that is not in
   * its file. Never rejects.
   */
  checkAddresses(): Promise<void> {
    return this.#exclusive(() => this.#check())
  }

  /**
   * Creates a new leaf now, for an administrator, dated by the clock even if it has shown a later time before. Calls
   * `ready` after earlier changes; if it throws, nothing changes.
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
   * Creates a new CA and a leaf, and deletes the old CA's key; every client must trust the new one. `ready` as for
   * `renew`. @throws if it cannot be stored; then nothing changes
   */
  regenerateCa(ready = (): void => {}): Promise<AuthorityInfo> {
    return this.#exclusive(async () => {
      ready()
      const { files, floor, log, random, releasedAt, serial } = this.#inside
      const old = this.#authority.fingerprint
      this.#authority = await replaceAuthority(files, { serial, now: floor.now(), releasedAt, random })
      log.warn(
        { old, fingerprint: this.#authority.fingerprint },
        'The gateway has a new CA. Set up every client to trust it.',
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

  /** Ends the checks; resolves when a running change is done. */
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

  /** Replaces a certificate that is not valid by the clock, which may have been set since the last check. */
  #beforeHandshake(): void {
    if (isValidAt(this.#served.current, this.#inside.clock.now())) return
    try {
      if (this.#renewWhereNeeded()) void this.checkAddresses()
    } catch (error) {
      this.#troubled(error, NOT_RENEWED)
    }
  }

  /** Runs synchronously, so that a handshake can wait for it. */
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

  /** Uses the new leaf at once and marks it as not stored. */
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

  /** If the disk is full, the server uses the new certificate anyway; a later check stores it. */
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

  /** Logs a problem once, not at every check. */
  #troubled(error: unknown, sentence: string): void {
    if (this.#lastTrouble !== sentence) this.#inside.log.error({ err: error }, sentence)
    this.#lastTrouble = sentence
  }
}
