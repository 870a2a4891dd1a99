import { expect } from 'vitest'
import type { TestHome, TestIntegration } from './harness.ts'
import { MINUTE } from '#support/homes/intent-house.ts'
import type { PassingClock } from '#support/clocks/passing-clock.ts'
import { awaitState } from './await-home.ts'

interface Item {
  readonly kind: string
  readonly source: string
  readonly at: number | null
  readonly what: string
  readonly cause: { readonly source: string; readonly name: string; readonly by?: object } | null
  readonly device: string | null
  readonly asOf?: number
}
export interface ExplainAnswer {
  readonly house: string
  readonly device: string
  readonly from: number
  readonly to: number
  readonly items: readonly Item[]
  readonly note: string
}

/** Calls and home events for tests of explanations, on their clock. */
export class ExplainCalls {
  readonly #clock: PassingClock

  constructor(clock: PassingClock) {
    this.#clock = clock
  }

  /** Asks by GET and by POST, which must agree, over the same range. */
  async explain(
    home: TestHome,
    local: string,
    who: TestIntegration = home.main,
    range: { from?: number; to?: number } = {},
  ): Promise<ExplainAnswer> {
    // Pending events arrive first, so that both calls see the same.
    await this.#clock.pass(500)
    const to = range.to ?? this.#clock.now() + 1
    const from = range.from ?? to - 24 * 60 * MINUTE
    const got = await home.call({
      method: 'GET',
      path: home.at(local, '/explain', who),
      query: { from: `${from}`, to: `${to}` },
      token: who.token,
    })
    const posted = await home.call({
      method: 'POST',
      path: '/v1/explain',
      body: { device: home.id(local, who), from, to },
      token: who.token,
    })
    expect(got.status, got.text).toBe(200)
    expect(posted.text).toBe(got.text)
    return got.body as ExplainAnswer
  }

  async first(home: TestHome, local: string, who?: TestIntegration): Promise<string> {
    return (await this.explain(home, local, who)).items[0]?.what ?? ''
  }

  async order(
    home: TestHome,
    local: string,
    op: string,
    args?: object,
    who: TestIntegration = home.main,
  ): Promise<number> {
    return (
      await this.#clock.hasten(
        home.call({
          method: 'POST',
          path: home.at(local, '/control', who),
          token: who.token,
          body: { op, ...(args ? { args } : {}) },
        }),
      )
    ).status
  }

  async put(home: TestHome, local: string, intent: string, value: unknown): Promise<void> {
    const answer = await this.#clock.hasten(
      home.call({ method: 'PUT', path: home.at(local, `/intents/${intent}`), body: { value } }),
    )
    expect(answer.status, answer.text).toBe(200)
  }

  async lit(home: TestHome, on: boolean): Promise<void> {
    await this.#clock.hasten(awaitState(home, 'hall-light', (state) => state['on'] === on))
  }

  /** The hall light, unit 11: off and in Manual, with its keys to press one by one. */
  async dark(home: TestHome): Promise<void> {
    await this.put(home, 'hall-light', 'single_touch', false)
    await this.order(home, 'hall-light', 'set_mode', { mode: 'manual' })
    await this.order(home, 'hall-light', 'set_power', { on: false })
  }
}
