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

/** Expected state of a credential. Its times are steady time. */
interface ModelCredential {
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
  // A sleep of less than a second looks like a small difference between two clocks.
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sleep' as const), ms: long.filter((ms) => ms !== 1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('jump' as const), to: jump }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reboot' as const), ms: long, to: jump }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('agents' as const, 'enabled' as const), on: fc.boolean() }) },
)

/** The home and its model, which take the same actions. */
class Side implements Disposable {
  readonly home = new AccessHome()
  readonly integration = this.home.integrate().id
  readonly credentials: ModelCredential[] = []
  agents = true
  enabled = true
  passed = 0
  /** Error of the wall clock in milliseconds. */
  #clockError = 0

  do(act: Act): void {
    const { clock } = this.home
    switch (act.do) {
      case 'make':
        return this.#make(act.kind)
      case 'use':
        return this.#authenticate(act.which, true)
      case 'look':
        return this.#authenticate(act.which, false)
      case 'revoke':
        return this.#revoke(act.which)
      case 'wait': {
        this.passed += act.ms
        return clock.advance(act.ms)
      }
      case 'sleep': {
        this.passed += act.ms
        clock.sleep(act.ms)
        return this.home.steady.noticeSleep()
      }
      case 'restart':
        return this.#restart(act.ms)
      case 'jump':
        return this.#jump(act.to)
      case 'reboot':
        return this.#reboot(act.ms, act.to)
      case 'agents': {
        this.agents = act.on
        return this.home.change(this.integration, { knobs: { agent_access: act.on ? 'on' : 'off' } })
      }
      case 'enabled': {
        this.enabled = act.on
        return this.home.change(this.integration, { enabled: act.on })
      }
    }
  }

  /** Compares all credentials with the model, without using them. */
  check(): void {
    for (const credential of this.credentials) {
      expect([credential.kind, this.#failureOf(this.home.authenticator.check(credential.token, 'home'))]).toEqual([
        credential.kind,
        this.#expected(credential),
      ])
      const stored = this.home.credentials.get(credential.link)
      const quiet = this.passed - (credential.used ?? credential.made)
      expect(stored && this.home.lastUsed.stale(stored)).toBe(
        credential.kind !== 'session' && !credential.revoked && quiet > STALE_AFTER_MS,
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

  #authenticate(index: number, use: boolean): void {
    const credential = this.credentials[index]
    if (!credential) return
    const { authenticator } = this.home
    const failure = this.#failureOf(
      use ? authenticator.authenticate(credential.token, 'home') : authenticator.check(credential.token, 'home'),
    )
    expect(failure).toBe(this.#expected(credential))
    if (use && failure === null) credential.used = this.passed
  }

  #revoke(index: number): void {
    const credential = this.credentials[index]
    const stored = credential && this.home.credentials.get(credential.link)
    if (!credential || !stored) return
    this.home.credentials.revoke(stored, ANNA)
    credential.revoked = true
  }

  #restart(ms: number): void {
    this.home.stop()
    this.home.clock.advance(ms)
    this.passed += ms
    this.home.start()
  }

  /** Only the wall clock measures the time without power; a clock that went back adds none. */
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
    const by = to === '1970' ? -clock.now() : to === 'right' ? -this.#clockError : to
    this.#clockError += by
    clock.jumpWall(by)
  }

  #expected({ kind, made, used, revoked }: ModelCredential): AuthFailure | null {
    if (revoked) return 'unauthorized'
    if (
      kind === 'session' &&
      (this.passed - (used ?? made) >= SESSION_IDLE_MS || this.passed - made >= SESSION_LIFE_MS)
    )
      return 'session_expired'
    if (!this.enabled) return 'record_disabled'
    return kind !== 'key' && !this.agents ? 'agent_access_disabled' : null
  }

  #failureOf(answer: ReturnType<AccessHome['authenticator']['check']>): AuthFailure | null {
    return answer.ok ? null : answer.error
  }
}

describe('the life of a credential', () => {
  proves('credentials.steady', 'follows the model through all actions and clock jumps', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40, size: 'max' }), (acts) => {
        using side = new Side()
        for (const act of acts) {
          side.do(act)
          side.check()
        }
      }),
      { numRuns: times(8, 300) },
    )
  })

  proves('credentials.steady', 'ends for a session exactly one hour after its last use, and never begins again', () => {
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
  })

  proves('credentials.steady', 'ends for a session in use exactly twelve hours after its creation', () => {
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

  proves('credentials.steady', 'loses at most its last 30 seconds of use in a power cut', () => {
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

  proves('3.stale', 'is stale for a key or an agent after 90 days without use, but does not end', () => {
    using side = new Side()
    for (const kind of ['key', 'agent', 'session'] as const) side.do({ do: 'make', kind })
    const stale = (): boolean[] => side.home.stored.list().map((credential) => side.home.lastUsed.stale(credential))
    side.do({ do: 'restart', ms: STALE_AFTER_MS })
    expect(stale()).toEqual([false, false, false])
    side.do({ do: 'restart', ms: 1 })
    const byKind = Object.fromEntries(
      side.home.stored.list().map((credential) => [credential.kind, side.home.lastUsed.stale(credential)]),
    )
    expect(byKind).toEqual({ key: true, agent: true, session: false })
    for (const { kind, token } of side.credentials) {
      expect(side.home.authenticator.authenticate(token, 'home').ok).toBe(kind !== 'session')
    }
    expect(stale()).toEqual([false, false, false])
  })
})
