import type { RawAnswer } from './callers.ts'
import type { TestHome, TestIntegration } from './harness.ts'

export type RuleObjectKind = 'scene' | 'automation' | 'schedule'

/** A scene, automation or schedule in a response. */
export interface RuleObject {
  readonly id: string
  readonly name: string
  readonly enabled?: boolean
  readonly revision: number
  readonly origin: { readonly integration: string; readonly link: string } | null
  readonly next?: number | null
  readonly paused?: boolean
  readonly members?: readonly string[]
  readonly hiddenMembers?: number
  readonly running?: boolean
  readonly steps?: readonly object[]
  readonly [field: string]: unknown
}

/** Calls about one kind of objects, for one integration. */
export class RuleCalls {
  readonly home: TestHome
  readonly kind: RuleObjectKind
  readonly who: TestIntegration

  constructor(home: TestHome, kind: RuleObjectKind, who: TestIntegration = home.main) {
    this.home = home
    this.kind = kind
    this.who = who
  }

  /** Makes these calls for another integration. */
  as(who: TestIntegration): RuleCalls {
    return new RuleCalls(this.home, this.kind, who)
  }

  send(method: string, id?: string, body?: unknown): Promise<RawAnswer> {
    const path = `/v1/${this.kind}s${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
    return this.home.call({ method, path, token: this.who.token, ...(body === undefined ? {} : { body }) })
  }

  /** Every call about objects of this kind: about their list, and about each of these ids. */
  every(body: object, ids: readonly string[]): Promise<RawAnswer[]> {
    return Promise.all([
      this.send('GET'),
      this.send('POST', undefined, body),
      this.send('POST', undefined, { nonsense: 1 }),
      ...ids.flatMap((id) => [
        this.send('GET', id),
        this.send('PATCH', id, { ifRevision: 1 }),
        this.send('PUT', id, {}),
        this.send('DELETE', id),
      ]),
    ])
  }

  async list(): Promise<RuleObject[]> {
    return (await this.#fields(this.send('GET'), 200))[`${this.kind}s`] as RuleObject[]
  }

  async get(id: string): Promise<RuleObject> {
    return (await this.#fields(this.send('GET', id), 200))[this.kind] as RuleObject
  }

  async create(body: object): Promise<RuleObject> {
    return (await this.#fields(this.send('POST', undefined, body), 201))[this.kind] as RuleObject
  }

  async edit(id: string, body: object): Promise<RuleObject> {
    return (await this.#fields(this.send('PATCH', id, body), 200))[this.kind] as RuleObject
  }

  /** This integration's id of an object whose id comes from another integration. */
  mine(id: string): string {
    return this.home.id(id.split(':').slice(2).join(':'), this.who)
  }

  async #fields(answer: Promise<RawAnswer>, status: number): Promise<Record<string, unknown>> {
    const { status: got, body, text } = await answer
    if (got !== status) throw new Error(`${this.kind}: ${got} instead of ${status}: ${text}`)
    return body as Record<string, unknown>
  }
}

/** A step that turns a device on or off. */
export function power(
  home: TestHome,
  local: string,
  on: boolean,
  who: TestIntegration = home.main,
): { device: string; op: 'set_power'; args: { on: boolean } } {
  return { device: home.id(local, who), op: 'set_power', args: { on } }
}

/** Status and code of a refusal. */
export function statusAndCode(answer: RawAnswer): [status: number, code: string | undefined] {
  return [answer.status, (answer.body as { error?: { code: string } }).error?.code]
}
