import type { Answer } from '../../api/call.ts'
import { ContractClient, type ClientRequest } from '../../api/contract-client.ts'
import { contract } from '../../api/contract/index.ts'
import type { Dispatcher } from '../../api/dispatch.ts'
import type { errorBody, Naming } from '../../wire/errors.ts'
import { partOfList } from '../../api/cached-lists.ts'
import type { Identity } from '../../auth/authenticator.ts'
import type { Via, TokenAudience } from '../../auth/credentials/credentials.ts'
import type { LocalTimes } from './times.ts'

/** The Error shape of Spec 7. */
export type ErrorBody = ReturnType<typeof errorBody>

/** Refused tool call: a tool error in the Error shape. */
export class ToolRefusal extends Error {
  readonly body: ErrorBody

  constructor(body: ErrorBody) {
    super(body.error.message)
    this.body = body
  }
}

/** Tool arguments with other names than the request's fields. */
export type ArgumentNames = Readonly<Record<string, string>> | Naming

/** Parts of a request that tools do not have. */
const WHOLES: readonly string[] = ['body', 'query', 'message']

function namingOf(names: ArgumentNames): Naming {
  if (typeof names === 'function') return names
  return (field) => names[field] ?? (WHOLES.includes(field) ? '' : field)
}

/** Fields of a response. */
export type Fields = Readonly<Record<string, unknown>>

type ListName = 'scenes' | 'automations' | 'schedules' | 'runs'

interface Listed {
  readonly house: string
  readonly items: readonly Fields[]
  /** Length of the whole list. */
  readonly total: number
}

/** Fields of every API response in addition to the declared ones (Spec 1 point 5). */
type Housed = { readonly house: string }

/** Weight of one message in requests, because the protocol itself costs work. */
export const MESSAGE_WEIGHT = 4

/**
 * Caller of one MCP request. Tools act only by API requests with this caller's credential, through the pipeline of all
 * transports: exposure, knobs, activity and refusals are the same (docs/agents.md#mcp). A refused request rejects with
 * a `ToolRefusal` that has the Error shape.
 */
export class McpCaller extends ContractClient<typeof contract, Housed> {
  readonly link: string
  readonly times: LocalTimes
  readonly #dispatcher: Dispatcher
  readonly #identity: Identity
  readonly #answered: (request: ClientRequest, naming?: Naming) => Promise<Answer>

  constructor(
    dispatcher: Dispatcher,
    from: {
      readonly token: string
      readonly via: Via
      readonly audience: TokenAudience
      readonly peer: string
      readonly identity: Identity
    },
    times: LocalTimes,
  ) {
    const { token, via, audience, peer, identity } = from
    const answered = async ({ body, ...request }: ClientRequest, naming = namingOf({})): Promise<Answer> => {
      const answer = await dispatcher.answer({
        ...request,
        token,
        via,
        audience,
        peer,
        naming,
        body: body === undefined ? { kind: 'none' } : { kind: 'value', value: body },
      })
      if (answer.status >= 400) throw new ToolRefusal(JSON.parse(String(answer.body)) as ErrorBody)
      return answer
    }
    super(contract, async (request) => fieldsOf(await answered(request)))
    this.#answered = answered
    this.#dispatcher = dispatcher
    this.#identity = identity
    this.link = identity.credential.link
    this.times = times
  }

  /** Copy of this caller for requests whose fields have other names in the tool. */
  naming(names: ArgumentNames): ContractClient<typeof contract, Housed> {
    const naming = namingOf(names)
    return new ContractClient(contract, async (request) => fieldsOf(await this.#answered(request, naming)))
  }

  /** One page of a list and its total length; only the page is parsed. */
  async listed(many: ListName, from: number, limit: number): Promise<Listed> {
    const { method, path } = contract[`${many}.list`]
    const { body, items } = await this.#answered({ method, path, query: {}, body: undefined })
    if (items !== undefined && body instanceof Buffer) {
      const part = JSON.parse(partOfList(body, items, from, from + limit)) as Fields
      return { house: String(part['house']), items: part[many] as readonly Fields[], total: items.length }
    }
    const all = JSON.parse(String(body)) as Fields
    const list = all[many] as readonly Fields[]
    return { house: String(all['house']), items: list.slice(from, from + limit), total: list.length }
  }

  /** Counts messages of this caller. @throws Refusal beyond the rate limit */
  count(messages: number): void {
    this.#dispatcher.count(this.#identity, messages * MESSAGE_WEIGHT)
  }

  /** Converts an error to the Error shape; a defect is logged, and the response has the log's reference. */
  refused(error: unknown): ErrorBody {
    if (error instanceof ToolRefusal) return error.body
    // The tool's own refusals name its arguments (one is called `body`).
    const naming: Naming = (field) => field
    const head = { method: 'tools/call', audience: 'mcp', naming } as const
    return fieldsOf(this.#dispatcher.refused(error, head)) as ErrorBody
  }
}

function fieldsOf({ body }: Answer): unknown {
  return JSON.parse(String(body ?? '{}')) as unknown
}
