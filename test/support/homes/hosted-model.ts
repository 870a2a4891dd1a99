import fc from 'fast-check'
import { expect } from 'vitest'
import { REFRESHES } from '../../../src/auth/hosted/hosted-agents.ts'
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/durations.ts'
import { TokenBuckets } from '../../../src/lib/token-bucket.ts'
import { AccessHome, ANNA } from './access-home.ts'
import { CLAUDE, connectedAgent, errorOf, linkOf } from './hosted-agents.ts'

export type HostedAct =
  | { readonly do: 'refresh' | 'revoke'; readonly family: number; readonly which: number }
  | { readonly do: 'burst'; readonly family: number; readonly which: number; readonly times: number }
  | { readonly do: 'wait' | 'jump' | 'restart' | 'crash'; readonly ms: number }
  | { readonly do: 'agents'; readonly on: boolean }
  | { readonly do: 'end'; readonly family: number }

const family = fc.nat(1)
/** Mostly one of the latest. */
const which = fc.oneof({ weight: 4, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(40) })
const does = <T extends string>(...words: readonly T[]) => fc.constantFrom(...words)
export const hostedAct: fc.Arbitrary<HostedAct> = fc.oneof(
  { weight: 16, arbitrary: fc.record({ do: does('refresh'), family, which }) },
  { weight: 2, arbitrary: fc.record({ do: does('burst'), family, which, times: fc.constantFrom(3, 12, 22) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      do: does('wait'),
      ms: fc.constantFrom(1, 1_000, MINUTE_MS, MINUTE_MS, 2 * MINUTE_MS, 20 * MINUTE_MS, HOUR_MS - 1, HOUR_MS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: does('jump'), ms: fc.constantFrom(HOUR_MS, -HOUR_MS, 9_000 * HOUR_MS) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: does('restart', 'crash'), ms: fc.constantFrom(0, MINUTE_MS, 3 * MINUTE_MS, HOUR_MS) }),
  },
  { weight: 1, arbitrary: fc.record({ do: does('agents'), on: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: does('revoke'), family, which }) },
)
/** As the last action: an administrator ends a family. */
export const hostedEnd: fc.Arbitrary<HostedAct> = fc.record({ do: does('end'), family })

/** A token in the model; times count from the start. */
interface Modelled {
  readonly text: string
  readonly generation: number
  readonly made: number
  used: number | null
}

interface Family {
  readonly link: string
  ended: boolean
  access: Modelled[]
  refresh: Modelled[]
  /** Earlier access tokens. */
  readonly forgotten: Modelled[]
}

/** Hosted agents and their model, moved together. */
export class HostedWithModel implements Disposable {
  readonly home = new AccessHome()
  readonly #integration = this.home.integrate().id
  readonly #families: readonly Family[] = ['One', 'Two'].map((name) => this.#connect(name))
  #buckets = this.#newBuckets()
  #passed = 0
  #on = true
  #reused = 0
  /** Number of issued token pairs. */
  pairs = 0

  constructor() {
    // Uses each first token, so that no family counts as unused.
    for (const { access } of this.#families) this.home.authenticator.authenticate(access[0]!.text, 'cloud', 'mcp')
    this.home.lastUsed.write()
  }

  do(act: HostedAct): void {
    switch (act.do) {
      case 'refresh':
        return this.#refresh(this.#families[act.family]!, act.which)
      case 'burst': {
        const family = this.#families[act.family]!
        const token = family.refresh.at(-1 - act.which)
        if (token) for (let count = 0; count < act.times; count++) this.#use(family, token)
        return
      }
      case 'revoke':
        return this.#revoke(this.#families[act.family]!, act.which)
      case 'wait':
        return this.#pass(act.ms)
      case 'jump':
        return this.home.clock.jumpWall(act.ms)
      case 'restart':
      case 'crash': {
        if (act.do === 'crash') this.home.crash()
        else this.home.stop()
        this.#pass(act.ms)
        this.home.start()
        this.#buckets = this.#newBuckets()
        return
      }
      case 'agents': {
        this.#on = act.on
        return this.home.change(this.#integration, { knobs: { agent_access: act.on ? 'on' : 'off' } })
      }
      case 'end': {
        const family = this.#families[act.family]!
        const credential = this.home.credentials.get(family.link)!
        if (credential.revokedAt === null) this.home.credentials.revoke(credential, ANNA)
        family.ended = true
      }
    }
  }

  check(): void {
    for (const { access, forgotten, ended, link } of this.#families) {
      for (const token of access)
        expect(this.#failure(token)).toBe(ended ? 'unauthorized' : this.#expectedFailure(token))
      for (const token of forgotten.slice(-3)) expect(this.#failure(token)).toBe('unauthorized')
      const rows = this.home.core.db.prepare('SELECT * FROM hosted_tokens WHERE link = ?').all(link)
      expect(rows.length).toBeLessThanOrEqual(16 + 64)
    }
    expect(this.home.events.filter(({ kind }) => kind === 'agent_ended')).toHaveLength(this.#reused)
  }

  [Symbol.dispose](): void {
    this.home[Symbol.dispose]()
  }

  #connect(name: string): Family {
    const pair = connectedAgent(this.home, { name })
    const first = (text: string): Modelled => ({ text, generation: 0, made: 0, used: null })
    return {
      link: linkOf(pair.access),
      ended: false,
      access: [first(pair.access)],
      refresh: [first(pair.refresh)],
      forgotten: [],
    }
  }

  #newBuckets(): TokenBuckets {
    return new TokenBuckets(this.home.clock, REFRESHES)
  }

  #pass(ms: number): void {
    this.home.clock.advance(ms)
    this.#passed += ms
  }

  #failure({ text }: Modelled): unknown {
    return errorOf(this.home.authenticator.check(text, 'cloud', 'mcp'))
  }

  #expectedFailure({ made }: Modelled): string | null {
    if (this.#passed - made >= HOUR_MS) return 'token_expired'
    return this.#on ? null : 'agent_access_disabled'
  }

  #refresh(family: Family, back: number): void {
    const token = family.refresh.at(-1 - back)
    if (token) this.#use(family, token)
  }

  #use(family: Family, token: Modelled): void {
    const answer = this.home.hosted.refresh({ refresh: token.text, client: CLAUDE })
    const isKnown = !family.ended && family.refresh.includes(token)
    if (!isKnown) return expect(answer).toEqual({ ok: false, error: { kind: 'invalid_grant' } })
    if (token.used !== null && this.#passed - token.used > 2 * MINUTE_MS) {
      expect(answer).toEqual({ ok: false, error: { kind: 'invalid_grant' } })
      family.ended = true
      this.#reused += 1
      return
    }
    const wait = this.#buckets.take(family.link)
    if (wait > 0) return expect(answer).toEqual({ ok: false, error: { kind: 'slow_down', retryAfter: wait } })
    if (!answer.ok) throw new Error(`It was refused: ${answer.error.kind}`)
    // The first use ends all branches that are still unused.
    if (token.used === null)
      family.refresh = family.refresh.filter((refresh) => refresh === token || refresh.used !== null)
    token.used ??= this.#passed
    const made = { generation: token.generation + 1, made: this.#passed, used: null }
    family.access.push({ ...made, text: answer.value.access })
    family.refresh.push({ ...made, text: answer.value.refresh })
    this.pairs += 1
    this.#trim(family)
  }

  #trim(family: Family): void {
    family.forgotten.push(...family.access.slice(0, -16))
    family.access = family.access.slice(-16)
    const refresh = family.refresh.slice(-64)
    const newest = Math.max(...refresh.map(({ generation }) => generation))
    family.refresh = refresh.filter(({ generation }) => generation > newest - 8)
  }

  #revoke(family: Family, back: number): void {
    const token = family.access.at(-1 - back)
    if (!token) return
    this.home.hosted.revoke({ token: token.text, client: CLAUDE })
    if (family.ended) return
    family.access = family.access.filter((access) => access !== token)
    family.forgotten.push(token)
  }
}
