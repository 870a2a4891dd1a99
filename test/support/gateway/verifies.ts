import { describe, test } from 'vitest'
import type { Transports } from '../../requirements.ts'
import { requirement } from '../../requirements/index.ts'
import { LONG } from '#support/long.ts'
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

/** How long and under which conditions one test runs, as vitest takes it. */
interface TestOptions {
  readonly timeout?: number
}

type Ids = string | readonly string[]
export type Verifies<Context> = (
  ids: Ids,
  title: string,
  body: (context: Context) => Promise<void>,
  options?: TestOptions,
) => void

/**
 * Makes the `verifies` of a test harness. A test of requirements runs once for each transport that all of them are
 * about, with a context that `open` makes for that transport and that is disposed of when the test ends. Over the tools
 * of agents most run in `npm run test:long` only (tool-runs.ts).
 */
export function verifiesWith<Context extends Caller & AsyncDisposable>(
  open: (transport: Transport) => Promise<Context>,
): Verifies<Context> {
  return (ids, title, body, options = {}) => {
    describe.each(transportsNow(ids).map((transport) => ({ transport })))(
      `[${[ids].flat().join(', ')}] over $transport`,
      ({ transport }) => {
        test(title, options, async () => {
          await using context = await open(transport)
          await body(context)
        })
      },
    )
  }
}

/** A test of requirements that needs no transport: of TLS, a store, a document, a pure function. */
export function proves(ids: Ids, title: string, body: () => Promise<void> | void, options: TestOptions = {}): void {
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

function transportsNow(ids: Ids): readonly Transport[] {
  const withTools = LONG || [ids].flat().some((id) => RUN_WITH_TOOLS.has(id))
  return sharedTransports(ids).filter((transport) => withTools || transport !== 'mcp')
}
