import { z } from 'zod'
import { AddressLimits } from '@hm-gateway/lib/address-limits.ts'
import { randomId } from '@hm-gateway/lib/random.ts'
import { fail, ok, type Result } from '@hm-gateway/lib/result.ts'
import { TokenBuckets } from '@hm-gateway/lib/token-bucket.ts'
import { type Account, HOMES_PER_ACCOUNT_MAX } from '../accounts/account.ts'
import type { Accounts, SignInFailure } from '../accounts/accounts.ts'
import { TABLES } from '../store/store.ts'
import { hashedId, Table } from '../store/table.ts'
import { Gateway, isFree, linkRefusal, type LinkRefusal } from './gateway.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** Rate of typed codes, per account and per address. */
export const LINK_TRIES = { perSecond: 10 / 60, burst: 10, keysMax: 20_000 }
const CODE_LETTERS = 8

/** `usedBy` is the account that confirmed the code; `done` is true once the account is linked. */
const Link = z.object({ serial: z.string(), key: z.string(), usedBy: z.string().nullable(), done: z.boolean() })
type Link = z.infer<typeof Link>

/** A `linked` gateway receives requests. Others may only be linked; `other_key` is a known serial with a new key. */
export type Standing = 'linked' | 'unlinked' | 'other_key'

/**
 * A change that the node with the gateway's tunnel must know. `account` is an e-mail address, or null if the account
 * was deleted. `key_replaced`: the operator assigned the serial to another key. `noticed`: there is a new notice.
 */
export type LinkChange =
  | { readonly kind: 'linked' | 'unlinked'; readonly gateway: string; readonly account: string | null }
  | { readonly kind: 'key_replaced' | 'noticed'; readonly gateway: string }

export interface LinkCode {
  /** `XXXX-XXXX`, for a person to type. */
  readonly code: string
  readonly url: string
  readonly expiresAt: number
}

/** Gateway of a code. `replaces` is true if the account is linked to this serial with another key. */
export interface CodeTarget {
  readonly serial: string
  readonly replaces: boolean
}

export type LinkFailure = SignInFailure | { readonly kind: 'unknown_code' | LinkRefusal }

export interface EnrolmentParts extends Pick<RelayParts, 'origin' | 'store' | 'clock' | 'random'> {
  readonly accounts: Accounts
  /** True if a gateway with this serial and its stored key is connected at any node. */
  readonly isConnected: (serial: string) => Promise<boolean>
  /** Tells the nodes; after a link, resolves when the home is reachable or after a few seconds. Never rejects. */
  readonly linkChanged: (change: LinkChange) => Promise<void>
}

/**
 * Links between gateways and accounts. `bin/hm relay connect` shows a code at the gateway; a person who is signed in
 * types it on the relay's page.
 */
export class Enrolment {
  readonly #parts: EnrolmentParts
  readonly #gateways: Table<Gateway>
  readonly #links: Table<Link>
  readonly #triesOfAccount: TokenBuckets
  readonly #triesOfAddress: AddressLimits

  constructor(parts: EnrolmentParts) {
    this.#parts = parts
    this.#gateways = new Table(parts.store, 'gateways', Gateway)
    this.#links = new Table(parts.store, 'links', Link)
    this.#triesOfAccount = new TokenBuckets(parts.clock, LINK_TRIES)
    this.#triesOfAddress = new AddressLimits(parts.clock, LINK_TRIES)
  }

  async standing(serial: string, key: string): Promise<Standing> {
    const gateway = await this.#gateways.get(serial)
    if (gateway === null) return 'unlinked'
    if (gateway.key !== key) return isFree(gateway) ? 'unlinked' : 'other_key'
    return gateway.accounts.length > 0 ? 'linked' : 'unlinked'
  }

  /** Records that the gateway has served a client: from now on its serial keeps its key. */
  async markServed(serial: string): Promise<void> {
    await this.#gateways.change(serial, (gateway) => (gateway.served ? null : { ...gateway, served: true }))
  }

  /** E-mail addresses of the accounts that are linked to a home. */
  async accountsOf(serial: string): Promise<string[]> {
    const gateway = await this.#gateways.get(serial)
    const accounts = await Promise.all(gateway?.accounts.map((id) => this.#parts.accounts.get(id)) ?? [])
    return accounts.flatMap((account) => (account === null ? [] : [account.email]))
  }

  /** Makes a code for linking an account to an authenticated gateway. */
  async begin(serial: string, key: string): Promise<LinkCode> {
    const letters = randomId(this.#parts.random, CODE_LETTERS).toUpperCase()
    const code = `${letters.slice(0, CODE_LETTERS / 2)}-${letters.slice(CODE_LETTERS / 2)}`
    await this.#links.put(linkId(code), { serial, key, usedBy: null, done: false })
    return { code, url: `${this.#parts.origin}/link`, expiresAt: this.#parts.clock.now() + TABLES.links }
  }

  /** Returns the gateway of a code, for the person to compare. Each call counts towards `LINK_TRIES`. */
  async look(code: string, account: Account, peer: string): Promise<Result<CodeTarget, LinkFailure>> {
    const link = await this.#tryCode(code, account, peer)
    if (!link.ok) return link
    const { serial } = link.value
    return ok({ serial, replaces: await this.#replaces(link.value, account) })
  }

  /**
   * Links the account to the gateway of the code, once, and returns its serial.
   * @param password of the account; required to replace the key of a gateway.
   */
  async confirm(
    code: string,
    account: Account,
    peer: string,
    password: string | null = null,
  ): Promise<Result<string, LinkFailure>> {
    const link = await this.#tryCode(code, account, peer)
    if (!link.ok) return link
    const { serial, done } = link.value
    if (done) return (await this.isLinked(serial, account)) ? ok(serial) : fail({ kind: 'unknown_code' })
    const replaces = await this.#replaces(link.value, account)
    if (replaces) {
      const allowed = await this.#mayReplace(serial, account, { password, peer })
      if (!allowed.ok) return allowed
    }
    return this.#link(code, link.value, account, replaces)
  }

  async #replaces({ serial, key }: Link, account: Account): Promise<boolean> {
    const gateway = await this.#gateways.get(serial)
    return gateway !== null && gateway.key !== key && gateway.accounts.includes(account.id)
  }

  /** Requires the password, because any gateway can claim a serial and get a code for it. */
  async #mayReplace(
    serial: string,
    account: Account,
    { password, peer }: { readonly password: string | null; readonly peer: string },
  ): Promise<Result<void, LinkFailure>> {
    if (await this.#parts.isConnected(serial)) return fail({ kind: 'still_connected' })
    return password === null
      ? fail({ kind: 'replaces' })
      : this.#parts.accounts.checkPassword(account, password, { peer })
  }

  async #link(
    code: string,
    { serial, key }: Link,
    account: Account,
    replaces: boolean,
  ): Promise<Result<string, LinkFailure>> {
    const claimed = await this.#links.change(linkId(code), (stored) =>
      (stored.usedBy ?? account.id) === account.id ? { ...stored, usedBy: account.id } : null,
    )
    if (claimed === null) return fail({ kind: 'unknown_code' })
    const refusal = await this.#addAccount(serial, key, account, replaces)
    if (refusal !== null) {
      await this.#links.change(linkId(code), (stored) => ({ ...stored, usedBy: null }))
      return fail({ kind: refusal })
    }
    await this.#links.change(linkId(code), (stored) => ({ ...stored, done: true }))
    if (!(await this.#isStillListed(serial, account))) return fail({ kind: 'unknown_code' })
    await this.#parts.accounts.events.record('home_linked', account.id, serial)
    await this.#parts.linkChanged({ kind: 'linked', gateway: serial, account: account.email })
    return ok(serial)
  }

  /** Serials of the linked homes of an account, in the order of their linking. */
  async homesOf(account: Account): Promise<string[]> {
    const linked = await Promise.all(account.gateways.map((serial) => this.isLinked(serial, account)))
    return account.gateways.filter((_, index) => linked[index])
  }

  async isLinked(serial: string, { id }: Pick<Account, 'id'>): Promise<boolean> {
    return (await this.#gateways.get(serial))?.accounts.includes(id) ?? false
  }

  /** Unlinks an account; returns false if it was not linked. */
  async unlink(serial: string, account: Account): Promise<boolean> {
    const changed = await this.#gateways.change(serial, (gateway) =>
      gateway.accounts.includes(account.id)
        ? { ...gateway, accounts: gateway.accounts.filter((id) => id !== account.id) }
        : null,
    )
    await this.#forget(serial, account.id)
    if (changed === null) return false
    await this.#parts.accounts.notices.forget(serial, account.email)
    await this.#parts.accounts.events.record('home_unlinked', account.id, serial)
    await this.#parts.linkChanged({ kind: 'unlinked', gateway: serial, account: account.email })
    return true
  }

  /** Unlinks an account from every home and deletes it, including homes that were linked during the deletion. */
  async deleteAccount(account: Account): Promise<void> {
    const { accounts, store } = this.#parts
    const current = await accounts.get(account.id)
    for (const serial of current?.gateways ?? []) await this.unlink(serial, account)
    const deleted = await accounts.take(account.id)
    for (const serial of deleted?.gateways ?? []) await this.unlink(serial, account)
    if (deleted === null) return
    await accounts.events.forget(account.id)
    await store.erase()
  }

  /** Unlinks all accounts from a home, as its administrator requested. */
  async unlinkAll(serial: string): Promise<void> {
    const gateway = await this.#gateways.get(serial)
    for (const id of gateway?.accounts ?? []) {
      const account = await this.#parts.accounts.get(id)
      if (account === null) await this.#removeDeleted(serial, id)
      else await this.unlink(serial, account)
    }
  }

  /** Removes the id of a deleted account, which may remain in a gateway's record after a failure of the store. */
  async #removeDeleted(serial: string, id: string): Promise<void> {
    await this.#gateways.change(serial, (gateway) => ({
      ...gateway,
      accounts: gateway.accounts.filter((account) => account !== id),
    }))
    await this.#parts.linkChanged({ kind: 'unlinked', gateway: serial, account: null })
  }

  /**
   * Assigns the serial to the new key of the gateway that shows this code, as the relay's operator decided. Accounts
   * stay linked. Returns the serial; null if the code is unknown or the key does not change.
   */
  async replaceKey(code: string): Promise<string | null> {
    const link = await this.#links.get(linkId(code))
    if (link === null) return null
    const { serial, key } = link
    const changed = await this.#gateways.change(serial, (gateway) => (gateway.key === key ? null : { ...gateway, key }))
    if (changed === null) return null
    await this.#parts.linkChanged({ kind: 'key_replaced', gateway: serial })
    return serial
  }

  async #tryCode(code: string, account: Account, peer: string): Promise<Result<Link, LinkFailure>> {
    const retryAfter = Math.max(this.#triesOfAccount.take(account.id), this.#triesOfAddress.take(peer))
    if (retryAfter > 0) return fail({ kind: 'limited', retryAfter })
    const link = await this.#links.get(linkId(code))
    const isUsable = link !== null && (link.usedBy ?? account.id) === account.id
    return isUsable ? ok(link) : fail({ kind: 'unknown_code' })
  }

  /**
   * Adds the account to the gateway's record; returns the reason for a refusal, or null. The account's own list gets
   * the home first and loses it last, so that a gateway never has an account that does not list it.
   */
  async #addAccount(serial: string, key: string, { id }: Account, replaces: boolean): Promise<LinkRefusal | null> {
    let refusal: LinkRefusal | null = null
    await this.#parts.accounts.change(id, (stored) => {
      if (stored.gateways.includes(serial)) return null
      refusal = stored.gateways.length >= HOMES_PER_ACCOUNT_MAX ? 'too_many_homes' : null
      return refusal === null ? { ...stored, gateways: [...stored.gateways, serial] } : null
    })
    if (refusal !== null || (await this.#gateways.create(serial, { key, accounts: [id], served: false })))
      return refusal
    await this.#gateways.change(serial, (gateway) => {
      refusal = linkRefusal(gateway, key, id, replaces)
      if (refusal !== null) return null
      return { ...gateway, key, accounts: [...gateway.accounts.filter((account) => account !== id), id] }
    })
    if (refusal !== null && !(await this.isLinked(serial, { id }))) await this.#forget(serial, id)
    return refusal
  }

  /** Undoes the link if the account has been unlinked or deleted meanwhile. */
  async #isStillListed(serial: string, account: Account): Promise<boolean> {
    const stored = await this.#parts.accounts.get(account.id)
    if (stored?.gateways.includes(serial) === true) return true
    await this.unlink(serial, account)
    return false
  }

  /** Removes the home from the account's own list. */
  async #forget(serial: string, account: string): Promise<void> {
    await this.#parts.accounts.change(account, (stored) => ({
      ...stored,
      gateways: stored.gateways.filter((gateway) => gateway !== serial),
    }))
  }
}

/** Ignores case and hyphens, because people type the code by hand. */
const linkId = (code: string): string => hashedId(`link ${code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')}`)
