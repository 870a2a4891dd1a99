import { z } from 'zod'
import { AddressLimits } from '@hm-gateway/lib/address-limits.ts'
import { randomId } from '@hm-gateway/lib/random.ts'
import { fail, ok, type Result } from '@hm-gateway/lib/result.ts'
import { TokenBuckets } from '@hm-gateway/lib/token-bucket.ts'
import { type Account, HOMES_PER_ACCOUNT_MAX } from '../accounts/account.ts'
import type { Accounts, SignInFailure } from '../accounts/accounts.ts'
import { TABLES } from '../store/store.ts'
import { hashedId, Table } from '../store/table.ts'
import { Gateway, isFree, type Refused, whyNot } from './gateway.ts'
import type { RelayParts } from '../store/parts.ts'

/** Codes that one account tries, and one address. */
export const LINK_TRIES = { perSecond: 10 / 60, burst: 10, keysMax: 20_000 }
const CODE_LETTERS = 8

/** `usedBy` is the account that confirmed the code; `done`: it is linked by it, and the code links nobody any more. */
const Link = z.object({ serial: z.string(), key: z.string(), usedBy: z.string().nullable(), done: z.boolean() })
type Link = z.infer<typeof Link>

/** `linked` may carry requests; `unlinked` may only be linked, as may `other_key`: a known serial with a new key. */
export type Standing = 'linked' | 'unlinked' | 'other_key'

/**
 * What the holder of a gateway's tunnel is told, on whichever node it is: `account` is an e-mail address, null of
 * an account that is gone;
 * `key_replaced`: the operator let another key have the serial; `noticed`: there is news of an account.
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

/** What is behind a code; `replaces`: the account is linked to this serial with another key, which would lose it. */
export interface Looked {
  readonly serial: string
  readonly replaces: boolean
}

export type LinkFailure = SignInFailure | { readonly kind: 'unknown_code' | Refused }

export interface EnrolmentParts extends Pick<RelayParts, 'origin' | 'store' | 'clock' | 'random'> {
  readonly accounts: Accounts
  /** Whether a gateway with this serial and the key that the relay knows is connected, at any node. */
  readonly isConnected: (serial: string) => Promise<boolean>
  /** Resolves once a home that was linked is reached, or is not for a while; never rejects. */
  readonly tell: (change: LinkChange) => Promise<void>
}

/**
 * Which gateway is whose. A gateway proves its key; a person types the code that `bin/hm relay connect` shows there,
 * and so links an account to it.
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

  /** A code that links whoever types it to the gateway of this key, whose proof was right. */
  async begin(serial: string, key: string): Promise<LinkCode> {
    const letters = randomId(this.#parts.random, CODE_LETTERS).toUpperCase()
    const code = `${letters.slice(0, CODE_LETTERS / 2)}-${letters.slice(CODE_LETTERS / 2)}`
    await this.#links.put(linkId(code), { serial, key, usedBy: null, done: false })
    return { code, url: `${this.#parts.origin}/link`, expiresAt: this.#parts.clock.now() + TABLES.links }
  }

  /** What is behind a code, for a person to compare. Each look counts as a try. */
  async look(code: string, account: Account, peer: string): Promise<Result<Looked, LinkFailure>> {
    const link = await this.#tried(code, account, peer)
    if (!link.ok) return link
    const { serial } = link.value
    return ok({ serial, replaces: await this.#replaces(link.value, account) })
  }

  /**
   * Links the account to the gateway behind the code; answers its serial. Sent twice, it is done once.
   * @param password of the account, which replaces the key of a gateway that it is linked to.
   */
  async confirm(
    code: string,
    account: Account,
    peer: string,
    password: string | null = null,
  ): Promise<Result<string, LinkFailure>> {
    const link = await this.#tried(code, account, peer)
    if (!link.ok) return link
    const { serial, done } = link.value
    if (done) return (await this.isLinked(serial, account)) ? ok(serial) : fail({ kind: 'unknown_code' })
    const replaces = await this.#replaces(link.value, account)
    if (replaces) {
      const allowed = await this.#mayReplace(serial, account, { password, peer })
      if (!allowed.ok) return allowed
    }
    return this.#linked(code, link.value, account, replaces)
  }

  async #replaces({ serial, key }: Link, account: Account): Promise<boolean> {
    const gateway = await this.#gateways.get(serial)
    return gateway !== null && gateway.key !== key && gateway.accounts.includes(account.id)
  }

  /** Whoever knows a serial gets a code for it, so that a click alone must not give the home away. */
  async #mayReplace(
    serial: string,
    account: Account,
    { password, peer }: { readonly password: string | null; readonly peer: string },
  ): Promise<Result<void, LinkFailure>> {
    if (await this.#parts.isConnected(serial)) return fail({ kind: 'still_connected' })
    return password === null ? fail({ kind: 'replaces' }) : this.#parts.accounts.proves(account, password, { peer })
  }

  async #linked(
    code: string,
    { serial, key }: Link,
    account: Account,
    replaces: boolean,
  ): Promise<Result<string, LinkFailure>> {
    const claimed = await this.#links.change(linkId(code), (now) =>
      (now.usedBy ?? account.id) === account.id ? { ...now, usedBy: account.id } : null,
    )
    if (claimed === null) return fail({ kind: 'unknown_code' })
    const refused = await this.#join(serial, key, account, replaces)
    if (refused !== null) {
      await this.#links.change(linkId(code), (now) => ({ ...now, usedBy: null }))
      return fail({ kind: refused })
    }
    await this.#links.change(linkId(code), (now) => ({ ...now, done: true }))
    if (!(await this.#stays(serial, account))) return fail({ kind: 'unknown_code' })
    await this.#parts.accounts.events.record('home_linked', account.id, serial)
    await this.#parts.tell({ kind: 'linked', gateway: serial, account: account.email })
    return ok(serial)
  }

  /** Serials of the homes that the account is linked to, in the order in which they were. */
  async homesOf(account: Account): Promise<string[]> {
    const linked = await Promise.all(account.gateways.map((serial) => this.isLinked(serial, account)))
    return account.gateways.filter((_, index) => linked[index])
  }

  async isLinked(serial: string, { id }: Pick<Account, 'id'>): Promise<boolean> {
    return (await this.#gateways.get(serial))?.accounts.includes(id) ?? false
  }

  /** Whether the account was linked and is not any more. */
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
    await this.#parts.tell({ kind: 'unlinked', gateway: serial, account: account.email })
    return true
  }

  /** Unlinks an account from every home and deletes it; what it was linked to meanwhile it is unlinked from as well. */
  async deleteAccount(account: Account): Promise<void> {
    const { accounts, store } = this.#parts
    const before = await accounts.get(account.id)
    for (const serial of before?.gateways ?? []) await this.unlink(serial, account)
    const last = await accounts.take(account.id)
    for (const serial of last?.gateways ?? []) await this.unlink(serial, account)
    if (last === null) return
    await accounts.events.forget(account.id)
    await store.erase()
  }

  /** Unlinks every account from a home: its administrator asked for it. */
  async unlinkAll(serial: string): Promise<void> {
    const gateway = await this.#gateways.get(serial)
    for (const id of gateway?.accounts ?? []) {
      const account = await this.#parts.accounts.get(id)
      if (account === null) await this.#removeGone(serial, id)
      else await this.unlink(serial, account)
    }
  }

  /** An account that was deleted while the store failed may stand at a home still. */
  async #removeGone(serial: string, id: string): Promise<void> {
    await this.#gateways.change(serial, (gateway) => ({
      ...gateway,
      accounts: gateway.accounts.filter((each) => each !== id),
    }))
    await this.#parts.tell({ kind: 'unlinked', gateway: serial, account: null })
  }

  /**
   * Lets the gateway behind a code have its serial with a new key, at the word of the relay's operator; whoever is
   * linked stays. Answers the serial, or null where there is no such code, or the serial has this key or none.
   */
  async replaceKey(code: string): Promise<string | null> {
    const link = await this.#links.get(linkId(code))
    if (link === null) return null
    const { serial, key } = link
    const changed = await this.#gateways.change(serial, (gateway) => (gateway.key === key ? null : { ...gateway, key }))
    if (changed === null) return null
    await this.#parts.tell({ kind: 'key_replaced', gateway: serial })
    return serial
  }

  async #tried(code: string, account: Account, peer: string): Promise<Result<Link, LinkFailure>> {
    const retryAfter = Math.max(this.#triesOfAccount.take(account.id), this.#triesOfAddress.take(peer))
    if (retryAfter > 0) return fail({ kind: 'limited', retryAfter })
    const link = await this.#links.get(linkId(code))
    const isTheirs = link !== null && (link.usedBy ?? account.id) === account.id
    return isTheirs ? ok(link) : fail({ kind: 'unknown_code' })
  }

  /**
   * Why the account is not linked to the gateway, or null: it is. The account's own list has the home first and loses
   * it last, so that a home that it does not list has never the account.
   */
  async #join(serial: string, key: string, { id }: Account, replaces: boolean): Promise<Refused | null> {
    let refused: Refused | null = null
    await this.#parts.accounts.change(id, (now) => {
      if (now.gateways.includes(serial)) return null
      refused = now.gateways.length >= HOMES_PER_ACCOUNT_MAX ? 'too_many_homes' : null
      return refused === null ? { ...now, gateways: [...now.gateways, serial] } : null
    })
    if (refused !== null || (await this.#gateways.create(serial, { key, accounts: [id], served: false })))
      return refused
    await this.#gateways.change(serial, (gateway) => {
      refused = whyNot(gateway, key, id, replaces)
      if (refused !== null) return null
      return { ...gateway, key, accounts: [...gateway.accounts.filter((each) => each !== id), id] }
    })
    if (refused !== null && !(await this.isLinked(serial, { id }))) await this.#forget(serial, id)
    return refused
  }

  /** An account that left meanwhile, or was deleted, is not linked after all. */
  async #stays(serial: string, account: Account): Promise<boolean> {
    const now = await this.#parts.accounts.get(account.id)
    if (now?.gateways.includes(serial) === true) return true
    await this.unlink(serial, account)
    return false
  }

  /** The account's own list loses the home. */
  async #forget(serial: string, account: string): Promise<void> {
    await this.#parts.accounts.change(account, (now) => ({
      ...now,
      gateways: now.gateways.filter((each) => each !== serial),
    }))
  }
}

/** People type letters of either case, with or without the hyphen. */
const linkId = (code: string): string => hashedId(`link ${code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')}`)
