import { Client } from '../api/client.ts'
import { contract } from '../api/contract/index.ts'
import type { Dispatcher } from '../api/dispatch.ts'
import type { errorBody } from '../api/errors.ts'
import type { Via } from '../auth/credential.ts'
import type { LocalTimes } from './times.ts'

/** The Error shape of Spec 7. */
export type ErrorBody = ReturnType<typeof errorBody>

/** A tool call that is refused: a tool error in the one Error shape. */
export class ToolRefusal extends Error {
  readonly body: ErrorBody

  constructor(body: ErrorBody) {
    super(body.error.message)
    this.body = body
  }
}

/** An answer's fields. */
export type Fields = Readonly<Record<string, unknown>>

/** What every answer of the service carries beside what is declared (Spec 1 point 5). */
type Housed = { readonly house: string }

/**
 * Who sends one MCP request. Whatever a tool does, it does by requests of this caller's own credential through the
 * pipeline that every transport uses: exposure, knobs, activity and refusals are the same (docs/agents.md#mcp). A
 * refused request rejects with a `ToolRefusal` that holds the Error shape.
 */
export class McpCaller extends Client<typeof contract, Housed> {
  readonly link: string
  readonly times: LocalTimes
  readonly #dispatcher: Dispatcher

  constructor(
    dispatcher: Dispatcher,
    identity: { readonly token: string; readonly via: Via; readonly peer: string; readonly link: string },
    times: LocalTimes,
  ) {
    const { token, via, peer, link } = identity
    super(contract, async ({ body, ...request }) => {
      const answer = await dispatcher.answer({
        ...request,
        token,
        via,
        peer,
        body: body === undefined ? { kind: 'none' } : { kind: 'value', value: body },
      })
      const fields: unknown = JSON.parse(answer.body?.toString() ?? '{}')
      if (answer.status >= 400) throw new ToolRefusal(fields as ErrorBody)
      return fields
    })
    this.#dispatcher = dispatcher
    this.link = link
    this.times = times
  }

  /**
   * What was thrown on the way to an answer, in the Error shape; a defect is logged, and told with the log's reference.
   */
  refused(error: unknown): ErrorBody {
    if (error instanceof ToolRefusal) return error.body
    return JSON.parse(String(this.#dispatcher.refused(error, { method: 'tools/call' }).body)) as ErrorBody
  }
}
