import type { Call } from '../api/call.ts'
import type { Dispatcher } from '../api/dispatch.ts'
import { errorBody, type Refusal } from '../api/errors.ts'
import type { Via } from '../auth/credential.ts'

/** The Error shape of Spec 7. */
export type ErrorBody = ReturnType<typeof errorBody>

/** A tool call that is refused: a tool error in the one Error shape. */
export class ToolRefusal extends Error {
  readonly body: ErrorBody

  constructor(body: ErrorBody) {
    super(body.error.message)
    this.body = body
  }

  static of(refusal: Refusal): ToolRefusal {
    return new ToolRefusal(errorBody(refusal.code, refusal.details))
  }
}

interface Asking {
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

/** An answer's fields; every answer carries `house`. */
export type Fields = Readonly<Record<string, unknown>>

/**
 * Who sends one MCP request. Whatever a tool does, it does by requests of this caller's own credential through the pipeline that
 * every transport uses: exposure, knobs, activity and refusals are the same (D10).
 */
export class McpCaller {
  readonly link: string
  readonly #dispatcher: Dispatcher
  readonly #identity: Pick<Call, 'token' | 'via' | 'peer'>

  constructor(
    dispatcher: Dispatcher,
    identity: { readonly token: string; readonly via: Via; readonly peer: string; readonly link: string },
  ) {
    const { token, via, peer, link } = identity
    this.#dispatcher = dispatcher
    this.#identity = { token, via, peer }
    this.link = link
  }

  /**
   * One request of the service; answers its fields.
   * @throws ToolRefusal with the Error shape that the request got.
   */
  async ask(method: string, path: string, { query = {}, body }: Asking = {}): Promise<Fields> {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const answer = await this.#dispatcher.answer({
      method,
      path,
      query: Object.fromEntries(given),
      body: body === undefined ? { kind: 'none' } : { kind: 'value', value: body },
      ...this.#identity,
    })
    const fields = JSON.parse(answer.body?.toString() ?? '{}') as Fields
    if (answer.status >= 400) throw new ToolRefusal(fields as unknown as ErrorBody)
    return fields
  }

  get(path: string, query: Asking['query'] = {}): Promise<Fields> {
    return this.ask('GET', path, { query })
  }
}

/** The path of a thing; an id is one segment, whatever is in it. */
export function pathOf(collection: string, id: string, rest = ''): string {
  return `/v1/${collection}/${segmentOf(id)}${rest}`
}

/** One segment of a path. Half a character cannot stand in one, and no id has any. */
export function segmentOf(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
