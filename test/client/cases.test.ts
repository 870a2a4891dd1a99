import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { AnyInput, Method } from '../../client/src/call.ts'
import { Caller } from '../../client/src/caller.ts'
import { ConnectionError } from '../../client/src/error.ts'
import { type Followed, follow } from '../../client/src/follow.ts'
import { Home } from '../../client/src/home.ts'
import type { Transport } from '../../client/src/transport.ts'
import {
  type PlayedAnswer,
  type ExpectedRequest,
  expectRequest,
  httpAnswer,
  PlayedEnd,
  errorFields,
  type CaseStep,
} from '#support/client/played-end.ts'
import { PlayedReach } from '#support/client/played-reach.ts'
import { proves } from '#support/gateway/verifies.ts'

interface Outcome {
  readonly answer?: unknown
  readonly error?: Readonly<Record<string, unknown>>
}
interface CallCase {
  readonly name: string
  readonly calls: readonly { readonly method: Method; readonly path: string; readonly input?: AnyInput }[]
  readonly exchanges: readonly {
    readonly asks: ExpectedRequest
    readonly answer?: PlayedAnswer
    readonly fails?: true
  }[]
  readonly waits: readonly number[]
  readonly outcomes: readonly Outcome[]
}
interface FollowCase {
  readonly name: string
  readonly since?: number
  readonly steps: readonly CaseStep[]
}

interface ReachCase {
  readonly name: string
  readonly addresses: readonly string[]
  readonly steps: readonly CaseStep[]
}

const { calls, follows, homes, reaches } = JSON.parse(
  readFileSync(new URL('../../client/cases.json', import.meta.url), 'utf8'),
) as {
  readonly calls: readonly CallCase[]
  readonly follows: readonly FollowCase[]
  readonly homes: readonly FollowCase[]
  readonly reaches: readonly ReachCase[]
}

/** Plays what the other end says; time passes at once, and is written down. */
async function playCalls({ calls, exchanges, waits, outcomes }: CallCase): Promise<void> {
  const left = [...exchanges]
  const waited: number[] = []
  const transport: Transport = {
    request: (request) => {
      const next = left.shift()
      expect(next, `${request.method} ${request.path} is one request too many`).toBeDefined()
      expectRequest(request, next!.asks)
      if (next!.fails) return Promise.reject(new ConnectionError('It was lost.', { isSent: true }))
      return Promise.resolve(httpAnswer(next!.answer!))
    },
    stream: () => expect.fail('There is no stream here.'),
  }
  const timing = {
    after: (delayMs: number, run: () => void) => {
      waited.push(delayMs)
      queueMicrotask(run)
      return () => {}
    },
    random: () => 0.5,
  }
  const caller = new Caller<Record<string, Record<Method, { answer: unknown }>>>(transport, timing)
  for (const [index, { method, path, input = {} }] of calls.entries()) {
    const { answer, error } = outcomes[index]!
    const done = caller.call(method, path, withoutNulls(input))
    if (error) expect(errorFields(await done.catch((thrown: unknown) => thrown))).toMatchObject(error)
    else expect(await done).toEqual(answer)
  }
  expect([left, waited]).toEqual([[], waits])
}

/** JSON cannot express an unset value. */
function withoutNulls({ query, ...input }: AnyInput): AnyInput {
  const set = Object.entries(query ?? {}).map(([name, value]) => [name, value ?? undefined] as const)
  return { ...input, query: Object.fromEntries(set) }
}

/** The other end of a follower. */
class PlayedFollower extends PlayedEnd {
  readonly #following: AsyncGenerator<Followed, void, undefined>
  #next: Promise<unknown> | null = null

  constructor(since: number | undefined) {
    super()
    this.#following = follow(this.caller(), ['*'], since === undefined ? {} : { since })
    this.#listen()
  }

  protected async expectClient(kind: string, value: unknown): Promise<boolean> {
    if (kind === 'ends') expect(errorFields(await this.#next)).toMatchObject({ thrown: value })
    else if (kind === 'tells') {
      const item = (await this.#next) as Followed
      expect('error' in item ? { ...item, error: item.error && errorFields(item.error) } : item).toMatchObject(
        value as object,
      )
      this.#listen()
    } else return false
    return true
  }

  #listen(): void {
    this.#next = this.#following.next().then(
      ({ value }) => value,
      (error: unknown) => ({ thrown: errorFields(error) }),
    )
  }
}

/** The other end of a live home. */
class PlayedHome extends PlayedEnd {
  #home: Home | null = null
  #changes: string[] = []

  constructor() {
    super()
    void Home.open(this.caller()).then((home) => {
      this.#home = home
      home.onChange(({ what }) => this.#changes.push(what))
    })
  }

  protected async expectClient(kind: string, value: unknown): Promise<boolean> {
    await this.clock.advanceAsync(0)
    const { connected, error } = this.#home!
    if (kind === 'is') expect({ connected, error: error && errorFields(error) }).toMatchObject(value as object)
    else if (kind === 'changes') expect(this.#changes.splice(0)).toEqual(value)
    else return false
    return true
  }
}

describe('a call of the client', () => {
  test.each(calls)('$name', playCalls)

  proves('client.reads-again', 'reads again after 429, and never sends a change again', async () => {
    const about = calls.filter(({ name }) => /sent again|three times/.test(name))
    expect(about.length).toBeGreaterThan(8)
    for (const entry of about) await playCalls(entry)
  })
})

const holdsSteps = (end: PlayedEnd | PlayedReach, { steps }: Pick<FollowCase, 'steps'>): Promise<void> =>
  end.play(steps)

describe('following', () => {
  test.each(follows)('$name', async (entry) => {
    await holdsSteps(new PlayedFollower(entry.since), entry)
  })
})

describe('a live home', () => {
  test.each(homes)('$name', async (entry) => {
    await holdsSteps(new PlayedHome(), entry)
  })

  proves('client.home', 'is not current while its reads fail', async () => {
    await holdsSteps(
      new PlayedHome(),
      homes.find(({ name }) => name.includes('in vain'))!,
    )
  })
})

describe('looking for the address that answers', () => {
  test.each(reaches)('$name', async (entry) => {
    await holdsSteps(new PlayedReach(entry.addresses), entry)
  })
})
