import { describe, test } from 'vitest'
import type { Transports } from '../../requirements/requirement.ts'
import { requirement } from '../../requirements/index.ts'
import { doesMoreWhenLong, LONG } from '#support/long.ts'
import { THROUGH_RELAY } from '#support/relay/mode.ts'
import { RUN_WITH_TOOLS } from './tool-runs.ts'

export type Transport = 'http' | 'stream' | 'mcp'

/**
 * A request of the service, the same for every transport. `token` null: without a credential; left out: the context's
 * own.
 */
export interface TestRequest {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The `Idempotency-Key`. */
  readonly key?: string
  readonly token?: string | null
}

export interface TestAnswer {
  readonly status: number
  /** Parsed; text where the answer is no JSON. */
  readonly body: unknown
  /** Only HTTP has them. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A client of the gateway over one transport. */
export interface Caller {
  readonly transport: Transport
  call(request: TestRequest): Promise<TestAnswer>
}

export interface TestOptions {
  /** Milliseconds, as vitest takes it. */
  readonly timeout?: number
  /**
   * Over which of HTTPS and the stream alone it runs in `npm test`, where its requirements are about both: for what
   * takes long, and what either shows as well. `npm run test:long` runs it over the others.
   */
  readonly over?: 'http' | 'stream'
  /** Why it is so at home alone: `npm run test:relay` leaves it out. */
  readonly atHome?: string
}

type Ids = string | readonly string[]
type Register<Body, Options> = (ids: Ids, title: string, body: Body, options?: Options) => void
/** `long`: what `npm test` leaves to `npm run test:long`, since it takes long and another test cites the same. */
type WithLong<Body, Options> = Register<Body, Options> & { readonly long: Register<Body, Options> }
export type Verifies<Context> = WithLong<(context: Context) => Promise<void>, TestOptions>

/**
 * Makes the `verifies` of a test harness. A test of requirements runs once for each transport that all of them are
 * about, with a context that `open` makes for that transport and that is disposed of when the test ends. Over the tools
 * of agents most run in `npm run test:long` only (tool-runs.ts). `usual` is what a test says that says nothing else.
 */
export function verifiesWith<Context extends Caller & AsyncDisposable>(
  open: (transport: Transport) => Promise<Context>,
  usual: TestOptions = {},
): Verifies<Context> {
  type Test = Register<(context: Context) => Promise<void>, TestOptions>
  const register = (isLong: boolean, [ids, title, body, options = {}]: Parameters<Test>): void => {
    const { over, atHome, ...conditions } = { ...usual, ...options }
    const now = isLong ? longTransports(ids, over) : transportsNow(ids, over)
    // A file of which `npm test` has run everything shows that it was seen.
    const listed = LONG || isLong ? sharedTransports(ids) : now
    describe.each(listed.map((transport) => ({ transport })))(
      `[${[ids].flat().join(', ')}] over $transport`,
      ({ transport }) => {
        test.skipIf(!now.includes(transport) || (THROUGH_RELAY && atHome !== undefined))(
          title,
          conditions,
          async () => {
            await using context = await open(transport)
            await body(context)
          },
        )
      },
    )
  }
  const verifies: Test = (...args) => register(false, args)
  return Object.assign(verifies, { long: ((...args) => register(true, args)) satisfies Test })
}

/** A test of requirements that needs no transport: of TLS, a store, a document, a pure function. */
export const proves: WithLong<() => Promise<void> | void, Pick<TestOptions, 'timeout'>> = Object.assign(
  provingWhen(() => !THROUGH_RELAY && (!LONG || doesMoreWhenLong())),
  { long: provingWhen(() => LONG) },
)

function provingWhen(isNow: () => boolean): Register<() => Promise<void> | void, Pick<TestOptions, 'timeout'>> {
  return (ids, title, body, options = {}) => {
    for (const id of [ids].flat()) requirement(id)
    test.runIf(isNow())(`[${[ids].flat().join(', ')}] ${title}`, options, body)
  }
}

/** The same for what has no transport of its own and holds for whoever comes through a relay too. */
export function provesAlsoRelayed(
  ids: Ids,
  title: string,
  body: () => Promise<void> | void,
  options: Pick<TestOptions, 'timeout'> = {},
): void {
  for (const id of [ids].flat()) requirement(id)
  test(`[${[ids].flat().join(', ')}] ${title}`, options, body)
}

const TRANSPORTS = ['http', 'stream', 'mcp'] as const
const TRANSPORTS_OF: Readonly<Record<Transports, readonly Transport[]>> = {
  http: ['http'],
  stream: ['stream'],
  both: ['http', 'stream'],
  all: TRANSPORTS,
  none: [],
}

/** @throws when an id is unknown, or the requirements have no transport in common. */
export function sharedTransports(ids: Ids): readonly Transport[] {
  const each = [ids].flat().map((id): readonly Transport[] => TRANSPORTS_OF[requirement(id).transports])
  const shared = TRANSPORTS.filter((transport) => each.every((transports) => transports.includes(transport)))
  if (shared.length === 0)
    throw new Error(`${[ids].flat().join(', ')} have no transport in common: write a test for each, or use proves.`)
  return shared
}

/** The same for what `npm test` leaves to the long run; from outside the home it runs as others do. */
function longTransports(ids: Ids, over: TestOptions['over']): readonly Transport[] {
  if (LONG) return sharedTransports(ids)
  return THROUGH_RELAY ? transportsNow(ids, over) : []
}

/**
 * The transports over which a test of requirements runs now: in `npm run test:long` those that `npm test` leaves out,
 * and all of them where the test file does more then.
 */
export function transportsNow(ids: Ids, over: TestOptions['over']): readonly Transport[] {
  const shared = sharedTransports(ids)
  if (LONG && doesMoreWhenLong()) return shared
  const withTools = [ids].flat().some((id) => RUN_WITH_TOOLS.has(id))
  const alone = over !== undefined && shared.includes(over)
  const isUsual = (transport: Transport): boolean => (transport === 'mcp' ? withTools : !alone || transport === over)
  return shared.filter((transport) => isUsual(transport) !== LONG)
}
