import { expect } from 'vitest'
import type { Grant } from '../../../src/auth/agents/agent-request.ts'
import { AccessHome, ANNA } from './access-home.ts'
import { type Act, DAY, HOUR, MINUTE, SECOND } from './pairing-acts.ts'

/** A request in the model; times count from the start. */
interface Modelled {
  readonly code: string
  readonly userCode: string
  readonly source: number
  readonly name: string
  readonly record: number | null
  readonly asked: number
  polled: number | null
  interval: number
  state: 'pending' | 'accepted' | 'denied' | 'collected'
  decided: number
  grant: { readonly home: number; readonly kind: Grant['kind']; readonly replaces: string | null } | null
  /** The last collected token, while a crash may lose or has lost the response; an orderly stop loses none. */
  collected: Token | null
  lost: boolean
}

interface Token {
  readonly token: string
  readonly link: string
  readonly home: number
  readonly name: string
  readonly kind: Grant['kind']
  revoked: boolean
  readonly made: number
}

/** Pairing and its model, moved together. */
export class PairingWithModel implements Disposable {
  readonly home = new AccessHome()
  readonly ids = [
    this.home.integrate({ agent_access: 'on' }, { name: 'First' }).id,
    this.home.integrate({ agent_access: 'on' }, { name: 'Second' }).id,
  ]
  readonly on = [true, true]
  readonly requests: Modelled[] = []
  readonly tokens: Token[] = []
  readonly blocked = new Map<number, number>()
  passed = 0

  do(each: Act): void {
    switch (each.do) {
      case 'ask':
        return this.#ask(each.source, each.name, each.record)
      case 'poll':
        return this.#poll(this.#recent(each.which))
      case 'rush': {
        for (let count = 0; count < 3; count++) this.#poll(this.#recent(each.which))
        return
      }
      case 'accept':
        return this.#accept(this.#recent(each.which), each)
      case 'deny':
        return this.#deny(this.#recent(each.which), each.block)
      case 'wait':
        return this.#pass(each.ms)
      case 'jump':
        return this.home.clock.jumpWall(each.ms)
      case 'restart':
      case 'crash':
        return this.#again(each.do, each.ms)
      case 'agents': {
        this.on[each.home] = each.on
        return this.home.change(this.ids[each.home]!, { knobs: { agent_access: each.on ? 'on' : 'off' } })
      }
    }
  }

  check(): void {
    const pending = this.home.pairing.pending()
    expect(pending.map(({ userCode }) => userCode)).toEqual(
      this.requests.filter((each) => this.#status(each) === 'pending').map(({ userCode }) => userCode.replace('-', '')),
    )
    expect(pending.filter(({ notice }) => notice).length).toBeLessThanOrEqual(3)
    for (const { expiresAt } of pending) expect(expiresAt).toBeGreaterThan(this.home.clock.now())
    expect(this.home.credentials.list()).toHaveLength(this.tokens.length)
    for (const each of this.tokens) {
      const answer = this.home.authenticator.check(each.token, 'home')
      const over = each.kind === 'session' && this.passed - each.made >= HOUR
      const expected = each.revoked
        ? 'unauthorized'
        : over
          ? 'session_expired'
          : this.on[each.home]
            ? null
            : 'agent_access_disabled'
      expect(answer.ok ? null : answer.error).toBe(expected)
    }
  }

  [Symbol.dispose](): void {
    this.home[Symbol.dispose]()
  }

  #recent(which: number): Modelled | undefined {
    return this.requests.at(-1 - which)
  }

  #pass(ms: number): void {
    this.home.clock.advance(ms)
    this.passed += ms
    // Tokens stay unused here, so a lost one ends after an hour.
    for (const { lost, collected } of this.requests)
      if (lost && collected && this.passed - collected.made >= HOUR) collected.revoked = true
  }

  #again(how: 'restart' | 'crash', ms: number): void {
    for (const each of this.requests.filter(({ lost }) => !lost))
      if (how === 'restart') each.collected = null
      else each.lost = each.collected !== null && this.passed - each.collected.made < 10 * SECOND
    if (how === 'crash') this.home.crash()
    else this.home.stop()
    this.#pass(ms)
    this.home.start()
    for (const each of this.requests) each.polled = null
  }

  #status({ state, asked, decided }: Modelled): Modelled['state'] | 'expired' {
    if (state === 'denied' || state === 'collected') return state
    const end = state === 'accepted' ? Math.max(asked + 10 * MINUTE, decided + 2 * MINUTE) : asked + 10 * MINUTE
    return this.passed >= end ? 'expired' : state
  }

  #mayAsk(source: number): boolean {
    const isBlocked = (each: number): boolean => (this.blocked.get(each) ?? 0) > this.passed
    if (isBlocked(source)) return false
    const since = (ms: number, list: readonly Modelled[]): number =>
      list.filter(({ asked }) => this.passed - asked < ms).length
    const others = this.requests.filter((each) => !isBlocked(each.source))
    const own = this.requests.filter((each) => each.source === source)
    return since(MINUTE, others) < 5 && since(HOUR, others) < 30 && since(MINUTE, own) < 5 && since(HOUR, own) < 10
  }

  #ask(source: number, name: string, record: number | null): void {
    const asked = this.home.pairing.ask({
      name,
      platform: 'lab',
      record: record === null ? null : this.ids[record]!,
      hosted: null,
      suggested: null,
      via: 'home',
      peer: `10.0.0.${source}`,
    })
    if (record === null ? !this.on.includes(true) : !this.on[record])
      return expect(asked).toEqual({ ok: false, error: { kind: 'agent_access_disabled' } })
    if (!this.#mayAsk(source)) return expect(asked).toMatchObject({ ok: false, error: { kind: 'rate_limited' } })
    if (!asked.ok) throw new Error(`It was refused: ${asked.error.kind}`)
    const { code, userCode } = asked.value
    this.requests.push({
      code,
      userCode,
      source,
      name,
      record,
      asked: this.passed,
      polled: null,
      interval: 5,
      state: 'pending',
      decided: 0,
      grant: null,
      collected: null,
      lost: false,
    })
  }

  #poll(each: Modelled | undefined): void {
    if (!each) return
    const polled = this.home.pairing.poll(each.code)
    const status = this.#status(each)
    // An hour after its end a request may be forgotten.
    if (status === 'denied' && this.passed - each.asked >= 10 * MINUTE + HOUR)
      return expect(['denied', 'expired']).toContain(polled.kind)
    if (status === 'denied') return expect(polled).toEqual({ kind: 'denied' })
    if (status === 'accepted' && each.grant) return this.#collect(each, each.grant, polled)
    if (each.grant && this.#mayCollectAgain(each)) return this.#collect(each, each.grant, polled)
    if (status !== 'pending') return expect(polled).toEqual({ kind: 'expired' })
    const early = each.polled !== null && this.passed - each.polled < each.interval * SECOND - 500
    each.polled = this.passed
    if (early) each.interval += 5
    expect(polled).toEqual({ kind: early ? 'slow_down' : 'pending' })
  }

  #mayCollectAgain({ lost, collected, asked, decided }: Modelled): boolean {
    const made = collected?.made ?? 0
    const end = Math.max(asked + 10 * MINUTE, decided + 2 * MINUTE, made + 2 * MINUTE)
    return lost && collected?.revoked === false && this.passed < end
  }

  #collect(
    each: Modelled,
    grant: NonNullable<Modelled['grant']>,
    polled: ReturnType<AccessHome['pairing']['poll']>,
  ): void {
    if (!this.on[grant.home]) return expect(polled).toEqual({ kind: 'suspended' })
    if (polled.kind !== 'token') throw new Error(`It was answered ${polled.kind}.`)
    expect(polled.credentialKind).toBe(grant.kind)
    each.state = 'collected'
    const [, , link = ''] = polled.token.split('.')
    for (const token of this.tokens)
      if (token.link === grant.replaces || (each.lost && token === each.collected)) token.revoked = true
    const made = { name: each.name, kind: grant.kind, revoked: false, made: this.passed }
    const token: Token = { token: polled.token, link, home: grant.home, ...made }
    each.collected = token
    each.lost = false
    this.tokens.push(token)
  }

  #accept(each: Modelled | undefined, { home, kind, same }: Extract<Act, { do: 'accept' }>): void {
    if (!each) return
    const answer = this.home.pairing.accept(
      each.userCode,
      {
        kind,
        ...(home === null ? {} : { integration: this.ids[home]! }),
        ...(same === 'replace' ? { replaces: true } : {}),
        ...(same === 'add' ? { add: true } : {}),
      },
      ANNA,
    )
    const grant = this.#grant(each, home, kind, same)
    expect(answer.ok).toBe(grant !== null)
    if (grant) Object.assign(each, { state: 'accepted', decided: this.passed, grant })
  }

  #grant(
    each: Modelled,
    chosen: number | null,
    kind: Grant['kind'],
    same: 'none' | 'replace' | 'add',
  ): Modelled['grant'] {
    if (this.#status(each) !== 'pending' || (each.record !== null && chosen !== null && chosen !== each.record))
      return null
    const possible =
      each.record === null && chosen === null ? [0, 1].filter((index) => this.on[index]) : [each.record ?? chosen ?? 0]
    const [home] = possible
    if (home === undefined || possible.length !== 1 || !this.on[home]) return null
    const known = this.tokens.filter(
      (token) =>
        token.home === home &&
        token.name === each.name &&
        !token.revoked &&
        !(token.kind === 'session' && this.passed - token.made >= HOUR),
    )
    if (same === 'replace') return known.length === 1 ? { home, kind, replaces: known[0]!.link } : null
    return known.length === 0 || same === 'add' ? { home, kind, replaces: null } : null
  }

  #deny(each: Modelled | undefined, block: boolean): void {
    if (!each) return
    const answer = this.home.pairing.deny(each.userCode, { block }, ANNA)
    const may = this.#status(each) === 'pending'
    expect(answer.ok).toBe(may)
    if (!may) return
    const denied = block
      ? this.requests.filter((other) => other.source === each.source && this.#status(other) === 'pending')
      : [each]
    for (const other of denied) other.state = 'denied'
    if (block) this.blocked.set(each.source, this.passed + DAY)
  }
}
