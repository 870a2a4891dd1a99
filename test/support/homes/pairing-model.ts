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
  readonly requestedAt: number
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

  do(act: Act): void {
    switch (act.do) {
      case 'ask':
        return this.#ask(act.source, act.name, act.record)
      case 'poll':
        return this.#poll(this.#recent(act.which))
      case 'rush': {
        for (let count = 0; count < 3; count++) this.#poll(this.#recent(act.which))
        return
      }
      case 'accept':
        return this.#accept(this.#recent(act.which), act)
      case 'deny':
        return this.#deny(this.#recent(act.which), act.block)
      case 'wait':
        return this.#pass(act.ms)
      case 'jump':
        return this.home.clock.jumpWall(act.ms)
      case 'restart':
      case 'crash':
        return this.#again(act.do, act.ms)
      case 'agents': {
        this.on[act.home] = act.on
        return this.home.change(this.ids[act.home]!, { knobs: { agent_access: act.on ? 'on' : 'off' } })
      }
    }
  }

  check(): void {
    const pending = this.home.pairing.pending()
    expect(pending.map(({ userCode }) => userCode)).toEqual(
      this.requests
        .filter((request) => this.#status(request) === 'pending')
        .map(({ userCode }) => userCode.replace('-', '')),
    )
    expect(pending.filter(({ notice }) => notice).length).toBeLessThanOrEqual(3)
    for (const { expiresAt } of pending) expect(expiresAt).toBeGreaterThan(this.home.clock.now())
    expect(this.home.credentials.list()).toHaveLength(this.tokens.length)
    for (const token of this.tokens) {
      const answer = this.home.authenticator.check(token.token, 'home')
      const over = token.kind === 'session' && this.passed - token.made >= HOUR
      const expected = token.revoked
        ? 'unauthorized'
        : over
          ? 'session_expired'
          : this.on[token.home]
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
    for (const request of this.requests.filter(({ lost }) => !lost))
      if (how === 'restart') request.collected = null
      else request.lost = request.collected !== null && this.passed - request.collected.made < 10 * SECOND
    if (how === 'crash') this.home.crash()
    else this.home.stop()
    this.#pass(ms)
    this.home.start()
    for (const request of this.requests) request.polled = null
  }

  #status({ state, requestedAt, decided }: Modelled): Modelled['state'] | 'expired' {
    if (state === 'denied' || state === 'collected') return state
    const end =
      state === 'accepted' ? Math.max(requestedAt + 10 * MINUTE, decided + 2 * MINUTE) : requestedAt + 10 * MINUTE
    return this.passed >= end ? 'expired' : state
  }

  #mayAsk(source: number): boolean {
    const isBlocked = (source: number): boolean => (this.blocked.get(source) ?? 0) > this.passed
    if (isBlocked(source)) return false
    const since = (ms: number, list: readonly Modelled[]): number =>
      list.filter(({ requestedAt }) => this.passed - requestedAt < ms).length
    const others = this.requests.filter((request) => !isBlocked(request.source))
    const own = this.requests.filter((request) => request.source === source)
    return since(MINUTE, others) < 5 && since(HOUR, others) < 30 && since(MINUTE, own) < 5 && since(HOUR, own) < 10
  }

  #ask(source: number, name: string, record: number | null): void {
    const answer = this.home.pairing.startDeviceFlow({
      name,
      platform: 'lab',
      record: record === null ? null : this.ids[record]!,
      hosted: null,
      suggested: null,
      via: 'home',
      peer: `10.0.0.${source}`,
    })
    if (record === null ? !this.on.includes(true) : !this.on[record])
      return expect(answer).toEqual({ ok: false, error: { kind: 'agent_access_disabled' } })
    if (!this.#mayAsk(source)) return expect(answer).toMatchObject({ ok: false, error: { kind: 'rate_limited' } })
    if (!answer.ok) throw new Error(`It was refused: ${answer.error.kind}`)
    const { code, userCode } = answer.value
    this.requests.push({
      code,
      userCode,
      source,
      name,
      record,
      requestedAt: this.passed,
      polled: null,
      interval: 5,
      state: 'pending',
      decided: 0,
      grant: null,
      collected: null,
      lost: false,
    })
  }

  #poll(request: Modelled | undefined): void {
    if (!request) return
    const polled = this.home.pairing.poll(request.code)
    const status = this.#status(request)
    // An hour after its end a request may be forgotten.
    if (status === 'denied' && this.passed - request.requestedAt >= 10 * MINUTE + HOUR)
      return expect(['denied', 'expired']).toContain(polled.kind)
    if (status === 'denied') return expect(polled).toEqual({ kind: 'denied' })
    if (status === 'accepted' && request.grant) return this.#collect(request, request.grant, polled)
    if (request.grant && this.#mayCollectAgain(request)) return this.#collect(request, request.grant, polled)
    if (status !== 'pending') return expect(polled).toEqual({ kind: 'expired' })
    const early = request.polled !== null && this.passed - request.polled < request.interval * SECOND - 500
    request.polled = this.passed
    if (early) request.interval += 5
    expect(polled).toEqual({ kind: early ? 'slow_down' : 'pending' })
  }

  #mayCollectAgain({ lost, collected, requestedAt, decided }: Modelled): boolean {
    const made = collected?.made ?? 0
    const end = Math.max(requestedAt + 10 * MINUTE, decided + 2 * MINUTE, made + 2 * MINUTE)
    return lost && collected?.revoked === false && this.passed < end
  }

  #collect(
    request: Modelled,
    grant: NonNullable<Modelled['grant']>,
    polled: ReturnType<AccessHome['pairing']['poll']>,
  ): void {
    if (!this.on[grant.home]) return expect(polled).toEqual({ kind: 'suspended' })
    if (polled.kind !== 'token') throw new Error(`It was answered ${polled.kind}.`)
    expect(polled.credentialKind).toBe(grant.kind)
    request.state = 'collected'
    const [, , link = ''] = polled.token.split('.')
    for (const token of this.tokens)
      if (token.link === grant.replaces || (request.lost && token === request.collected)) token.revoked = true
    const made = { name: request.name, kind: grant.kind, revoked: false, made: this.passed }
    const token: Token = { token: polled.token, link, home: grant.home, ...made }
    request.collected = token
    request.lost = false
    this.tokens.push(token)
  }

  #accept(request: Modelled | undefined, { home, kind, same }: Extract<Act, { do: 'accept' }>): void {
    if (!request) return
    const answer = this.home.pairing.accept(
      request.userCode,
      {
        kind,
        ...(home === null ? {} : { integration: this.ids[home]! }),
        ...(same === 'replace' ? { replaces: true } : {}),
        ...(same === 'add' ? { add: true } : {}),
      },
      ANNA,
    )
    const grant = this.#grant(request, home, kind, same)
    expect(answer.ok).toBe(grant !== null)
    if (grant) Object.assign(request, { state: 'accepted', decided: this.passed, grant })
  }

  #grant(
    request: Modelled,
    chosen: number | null,
    kind: Grant['kind'],
    same: 'none' | 'replace' | 'add',
  ): Modelled['grant'] {
    if (
      this.#status(request) !== 'pending' ||
      (request.record !== null && chosen !== null && chosen !== request.record)
    )
      return null
    const possible =
      request.record === null && chosen === null
        ? [0, 1].filter((index) => this.on[index])
        : [request.record ?? chosen ?? 0]
    const [home] = possible
    if (home === undefined || possible.length !== 1 || !this.on[home]) return null
    const known = this.tokens.filter(
      (token) =>
        token.home === home &&
        token.name === request.name &&
        !token.revoked &&
        !(token.kind === 'session' && this.passed - token.made >= HOUR),
    )
    if (same === 'replace') return known.length === 1 ? { home, kind, replaces: known[0]!.link } : null
    return known.length === 0 || same === 'add' ? { home, kind, replaces: null } : null
  }

  #deny(request: Modelled | undefined, block: boolean): void {
    if (!request) return
    const answer = this.home.pairing.deny(request.userCode, { block }, ANNA)
    const may = this.#status(request) === 'pending'
    expect(answer.ok).toBe(may)
    if (!may) return
    const denied = block
      ? this.requests.filter((other) => other.source === request.source && this.#status(other) === 'pending')
      : [request]
    for (const other of denied) other.state = 'denied'
    if (block) this.blocked.set(request.source, this.passed + DAY)
  }
}
