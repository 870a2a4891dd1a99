import { describe, test, type TestOptions as VitestTestOptions } from 'vitest'
import type { Transports } from '../../requirements/requirement.ts'
import { requirement } from '../../requirements/index.ts'
import type { TestTag } from '../tags.ts'
import { RUN_WITH_TOOLS } from './tool-runs.ts'

export type TransportName = 'http' | 'stream' | 'mcp'

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
  /** Parsed JSON, or text. */
  readonly body: unknown
  /** HTTP only. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A client of the gateway over one transport. */
export interface TestCaller {
  readonly transport: TransportName
  call(request: TestRequest): Promise<TestAnswer>
}

type VitestOptions = Pick<VitestTestOptions, 'timeout' | 'tags'>

export interface TestOptions extends VitestOptions {
  /**
   * The transport in `npm test`, if the requirements are about both HTTPS and the stream. `npm run test:long` uses the
   * other one. Without this option, rules of the specification use both, and decisions one of them.
   */
  readonly over?: 'http' | 'stream'
  /** Reason why the test holds only at home: `npm run test:relay` leaves it out. */
  readonly atHome?: string
}

type Ids = string | readonly string[]
/** Declares a test of requirements; the options stand before the body, as vitest takes them. */
type Register<Body, Options> = (
  ids: Ids,
  title: string,
  ...rest: readonly [body: Body] | readonly [options: Options, body: Body]
) => void
export type Verifies<Context> = Register<(context: Context) => Promise<void>, TestOptions>

/**
 * Makes the `verifies` of a test harness. A test runs once for each transport that all its requirements are about.
 * `open` makes its context, which is disposed when the test ends. The tags say which command runs it
 * (test/support/tags.ts). `usual` holds default options.
 */
export function verifiesWith<Context extends TestCaller & AsyncDisposable>(
  open: (transport: TransportName) => Promise<Context>,
  usual: TestOptions = {},
): Verifies<Context> {
  return (ids, title, ...rest) => {
    const body = rest.at(-1) as (context: Context) => Promise<void>
    const own = rest.length === 2 ? rest[0] : {}
    const { over, atHome, tags = [], timeout } = { ...usual, ...own }
    for (const transport of sharedTransports(ids)) {
      const options = { tags: [...[tags].flat(), ...tagsOver(transport, ids, title, { over, atHome })], timeout }
      describe(`[${[ids].flat().join(', ')}] over ${transport}`, () => {
        test(title, options, async () => {
          await using context = await open(transport)
          await body(context)
        })
      })
    }
  }
}

/** Registers a test of requirements without a transport: of TLS, a store, a document, a pure function. */
export const proves: Register<() => Promise<void> | void, VitestOptions> = (ids, title, ...rest) => {
  for (const id of [ids].flat()) requirement(id)
  const options = rest.length === 2 ? rest[0] : {}
  test(`[${[ids].flat().join(', ')}] ${title}`, options, rest.at(-1) as () => Promise<void> | void)
}

const TRANSPORTS = ['http', 'stream', 'mcp'] as const
const TRANSPORTS_OF: Readonly<Record<Transports, readonly TransportName[]>> = {
  http: ['http'],
  stream: ['stream'],
  both: ['http', 'stream'],
  all: TRANSPORTS,
  none: [],
}

/** @throws if an id is unknown, or the requirements have no transport in common */
export function sharedTransports(ids: Ids): readonly TransportName[] {
  const transportsOfIds = [ids].flat().map((id): readonly TransportName[] => TRANSPORTS_OF[requirement(id).transports])
  const shared = TRANSPORTS.filter((transport) => transportsOfIds.every((transports) => transports.includes(transport)))
  if (shared.length === 0)
    throw new Error(`${[ids].flat().join(', ')} have no transport in common: write a test for each, or use proves.`)
  return shared
}

/** The transports of a test in `npm test`; `npm run test:long` runs the others. */
export function usualTransports(ids: Ids, title: string, over: TestOptions['over']): readonly TransportName[] {
  const shared = sharedTransports(ids)
  const withTools = [ids].flat().some((id) => RUN_WITH_TOOLS.has(id))
  const one = over ?? (isOfSpecification(ids) ? null : oneFor(title))
  const alone = one !== null && shared.includes(one)
  return shared.filter((transport) => (transport === 'mcp' ? withTools : !alone || transport === one))
}

/** True if one of the requirements is a rule of the specification, whose ids begin with its section. */
const isOfSpecification = (ids: Ids): boolean => [ids].flat().some((id) => /^\d/.test(id))

/** A transport for tests of decisions, which the gateway serves over all transports by the same pipeline. */
const oneFor = (title: string): 'http' | 'stream' => (title.length % 2 === 0 ? 'http' : 'stream')

function tagsOver(
  transport: TransportName,
  ids: Ids,
  title: string,
  { over, atHome }: TestOptions,
): readonly TestTag[] {
  const usual = usualTransports(ids, title, over).includes(transport) ? [] : (['long'] as const)
  const isRelayed = atHome === undefined && (usual.length === 0 || (over === undefined && transport !== 'mcp'))
  return isRelayed ? [...usual, 'relay'] : usual
}
