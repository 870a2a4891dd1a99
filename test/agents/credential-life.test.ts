// @module-tag repeated
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import type { AuthFailure } from '../../src/auth/authenticator.ts'
import {
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
  STALE_AFTER_MS,
  type CredentialKind,
} from '../../src/auth/credentials/credentials.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A credential as the specification has it: its times are time that passed, whatever any clock shows. */
interface Modelled {
  readonly kind: CredentialKind
  readonly token: string
  readonly link: string
  readonly made: number
  used: number | null
  revoked: boolean
}

type Act =
  | { readonly do: 'make'; readonly kind: CredentialKind }
  | { readonly do: 'use' | 'look' | 'revoke'; readonly which: number }
  | { readonly do: 'wait' | 'sleep' | 'restart'; readonly ms: number }
  | { readonly do: 'jump'; readonly to: Jump }
  | { readonly do: 'reboot'; readonly ms: number; readonly to: Jump }
  | { readonly do: 'agents' | 'enabled'; readonly on: boolean }

type Jump = number | '1970' | 'right'

const which = fc.nat(7)
const short = fc.constantFrom(0, 1, 29_999, 30_000, 10 * MINUTE, HOUR - 1, HOUR, 90 * MINUTE)
const long = fc.constantFrom(0, 1, HOUR - 1, HOUR, SESSION_LIFE_MS, DAY, STALE_AFTER_MS, STALE_AFTER_MS + 1)
const jump = fc.constantFrom<Jump>(HOUR, -HOUR, 400 * DAY, -400 * DAY, '1970', 'right')
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('make' as const),
      kind: fc.constantFrom<CredentialKind>('key', 'agent', 'session', 'session'),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('use' as const, 'look' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke' as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: short }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restart' as const), ms: long }) },
  // Less than a second of sleep is not told from two clocks that differ a little.
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sleep' as const), ms: long.filter((ms) => ms !== 1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('jump' as const), to: jump }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reboot' as const), ms: long, to: jump }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('agents' as const, 'enabled' as const), on: fc.boolean() }) },
)

/** The home and the model beside it, moved together. */
class Side implements Disposable {
  readonly home = new AccessHome()
  readonly integration = this.home.integrate().id
  readonly credentials: Modelled[] = []
  agents = true
  enabled = true
  passed = 0
  /** How far the wall clock is from what a right one would show. */
  #wrong = 0

  do(each: Act): void {
    const { clock } = this.home
    switch (each.do) {
      case 'make':
        return this.#make(each.kind)
      case 'use':
        return this.#ask(each.which, true)
      case 'look':
        return this.#ask(each.which, false)
      case 'revoke':
        return this.#revoke(each.which)
      case 'wait': {
        this.passed += each.ms
        return clock.advance(each.ms)
      }
      case 'sleep': {
        this.passed += each.ms
        clock.sleep(each.ms)
        return this.home.steady.noticeSleep()
      }
      case 'restart':
        return this.#restart(each.ms)
      case 'jump':
        return this.#jump(each.to)
      case 'reboot':
        return this.#reboot(each.ms, each.to)
      case 'agents': {
        this.agents = each.on
        return this.home.change(this.integration, { knobs: { agent_access: each.on ? 'on' : 'off' } })
      }
      case 'enabled': {
        this.enabled = each.on
        return this.home.change(this.integration, { enabled: each.on })
      }
    }
  }

  /** Everything that can be seen without using anything. */
  check(): void {
    for (const each of this.credentials) {
      expect([each.kind, this.#failureOf(this.home.authenticator.check(each.token, 'home'))]).toEqual([
        each.kind,
        this.#expected(each),
      ])
      const stored = this.home.credentials.get(each.link)
      const quiet = this.passed - (each.used ?? each.made)
      expect(stored && this.home.lastUsed.stale(stored)).toBe(
        each.kind !== 'session' && !each.revoked && quiet > STALE_AFTER_MS,
      )
    }
  }

  [Symbol.dispose](): void {
    this.home[Symbol.dispose]()
  }

  #make(kind: CredentialKind): void {
    const { token, credential } = this.home.credentials.create(
      { integration: this.integration, kind, name: 'Robot', platform: 'lab' },
      ANNA,
    )
    this.credentials.push({ kind, token, link: credential.link, made: this.passed, used: null, revoked: false })
  }

  #ask(index: number, use: boolean): void {
    const each = this.credentials[index]
    if (!each) return
    const { authenticator } = this.home
    const failure = this.#failureOf(
      use ? authenticator.authenticate(each.token, 'home') : authenticator.check(each.token, 'home'),
    )
    expect(failure).toBe(this.#expected(each))
    if (use && failure === null) each.used = this.passed
  }

  #revoke(index: number): void {
    const each = this.credentials[index]
    const stored = each && this.home.credentials.get(each.link)
    if (!each || !stored) return
    this.home.credentials.revoke(stored, ANNA)
    each.revoked = true
  }

  #restart(ms: number): void {
    this.home.stop()
    this.home.clock.advance(ms)
    this.passed += ms
    this.home.start()
  }

  /** Only the wall clock tells how long the machine was off; one that went back tells nothing. */
  #reboot(ms: number, to: Jump): void {
    this.home.stop()
    const before = this.home.clock.now()
    this.home.clock.advance(ms)
    this.home.clock.reboot()
    this.#jump(to)
    this.passed += Math.max(0, this.home.clock.now() - before)
    this.home.start()
  }

  #jump(to: Jump): void {
    const { clock } = this.home
    const by = to === '1970' ? -clock.now() : to === 'right' ? -this.#wrong : to
    this.#wrong += by
    clock.jumpWall(by)
  }

  #expected(each: Modelled): AuthFailure | null {
    if (each.revoked) return 'unauthorized'
    if (
      each.kind === 'session' &&
      (this.passed - (each.used ?? each.made) >= SESSION_IDLE_MS || this.passed - each.made >= SESSION_LIFE_MS)
    )
      return 'session_expired'
    if (!this.enabled) return 'record_disabled'
    return each.kind !== 'key' && !this.agents ? 'agent_access_disabled' : null
  }

  #failureOf(answer: ReturnType<AccessHome['authenticator']['check']>): AuthFailure | null {
    return answer.ok ? null : answer.error
  }
}

describe('the life of a credential', () => {
  proves('credentials.steady', 'is that of the model, whatever is done and however the clocks jump', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40, size: 'max' }), (acts) => {
        using side = new Side()
        for (const each of acts) {
          side.do(each)
          side.check()
        }
      }),
      { numRuns: times(20, 300) },
    )
  })

  proves(
    'credentials.steady',
    'of a session is one hour after its last use to the millisecond, and never begins again',
    () => {
      using side = new Side()
      const { clock } = side.home
      side.do({ do: 'make', kind: 'session' })
      const use = (): unknown => side.home.authenticator.authenticate(side.credentials[0]!.token, 'home')
      clock.advance(SESSION_IDLE_MS - 1)
      expect(use()).toMatchObject({ ok: true })
      clock.advance(SESSION_IDLE_MS - 1)
      expect(use()).toMatchObject({ ok: true })
      clock.advance(SESSION_IDLE_MS)
      expect(use()).toEqual({ ok: false, error: 'session_expired' })
      for (const by of [-HOUR, -400 * DAY, -clock.now()]) {
        clock.jumpWall(by)
        expect(use()).toEqual({ ok: false, error: 'session_expired' })
      }
      side.home.stop()
      expect(side.home.stored.list()[0]!.expiredAt).not.toBeNull()
      // This holds even if all stored times were lost.
      side.home.core.db.prepare('DELETE FROM steady_time').run()
      clock.jumpWall(Date.UTC(2027, 0, 1) - clock.now())
      side.home.start()
      expect(use()).toEqual({ ok: false, error: 'session_expired' })
    },
  )

  proves('credentials.steady', 'of a session in use ends twelve hours after it was made, to the millisecond', () => {
    using side = new Side()
    side.do({ do: 'make', kind: 'session' })
    const use = (): unknown => side.home.authenticator.authenticate(side.credentials[0]!.token, 'home')
    for (let half = 1; half < 24; half++) {
      side.home.clock.advance(HOUR / 2)
      expect(use()).toMatchObject({ ok: true })
    }
    side.home.clock.advance(HOUR / 2 - 1)
    expect(use()).toMatchObject({ ok: true })
    side.home.clock.advance(1)
    expect(use()).toEqual({ ok: false, error: 'session_expired' })
  })

  proves('credentials.steady', 'loses no more than its last 30 seconds of use in a power cut', () => {
    using side = new Side()
    side.do({ do: 'make', kind: 'session' })
    const { token } = side.credentials[0]!
    side.home.clock.advance(50 * MINUTE)
    side.home.authenticator.authenticate(token, 'home')
    side.home.clock.advance(30_000)
    side.home.authenticator.authenticate(token, 'home')
    side.home.crash()
    side.home.start()
    side.home.clock.advance(HOUR - 30_001)
    expect(side.home.authenticator.check(token, 'home').ok).toBe(true)
    side.home.clock.advance(1)
    expect(side.home.authenticator.check(token, 'home')).toEqual({ ok: false, error: 'session_expired' })
  })

  proves('3.stale', 'of a key or an agent is shown as stale after 90 days without use, and goes on', () => {
    using side = new Side()
    for (const kind of ['key', 'agent', 'session'] as const) side.do({ do: 'make', kind })
    const stale = (): boolean[] => side.home.stored.list().map((each) => side.home.lastUsed.stale(each))
    side.do({ do: 'restart', ms: STALE_AFTER_MS })
    expect(stale()).toEqual([false, false, false])
    side.do({ do: 'restart', ms: 1 })
    const byKind = Object.fromEntries(
      side.home.stored.list().map((each) => [each.kind, side.home.lastUsed.stale(each)]),
    )
    expect(byKind).toEqual({ key: true, agent: true, session: false })
    for (const { kind, token } of side.credentials) {
      expect(side.home.authenticator.authenticate(token, 'home').ok).toBe(kind !== 'session')
    }
    expect(stale()).toEqual([false, false, false])
  })
})
