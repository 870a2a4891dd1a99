import { isJsonContentType } from '@modelcontextprotocol/server'
import {
  type Answer,
  BODY_BYTES_MAX,
  type McpAnswer,
  type McpHandler,
  type McpRequest,
  type McpSender,
} from '../api/call.ts'
import type { Dispatcher } from '../api/dispatch.ts'
import { refusalFor } from '../api/admission.ts'
import { refuse } from '../api/errors.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import { OpenChannels, RECHECK_EVERY_MS } from '../auth/open-channels.ts'
import type { AccessChange } from '../exposure/access-change.ts'
import { type Clock, every } from '../lib/clock.ts'
import type { Emitter } from '../lib/emitter.ts'
import { parseJson } from '../lib/json.ts'
import type { Log } from '../lib/log.ts'
import { answerOf, isEventStream, rpcError, STOPPING } from './answer.ts'
import { McpCaller } from './tools/mcp-caller.ts'
import {
  endable,
  type OpenRequest,
  REQUEST_LIMITS,
  type RequestOwner,
  McpSessions,
  type McpSessionsParts,
} from './mcp-sessions.ts'
import { type AdmittedMcpRequest, Revisions } from './revisions.ts'
import { mcpServer } from './server.ts'
import { LocalTimes } from './tools/times.ts'

/** Most messages in one body; clients of 2025-03-26 may send several. */
const BATCH_MAX = 20
const INVALID_REQUEST = -32_600
const PARSE_ERROR = -32_700

const NO_KEYS =
  'The MCP server takes agent and session credentials, not keys. Ask an administrator to accept this agent, or to create a credential for it: bin/hm agent create.'

export interface McpEndpointParts {
  readonly dispatcher: Dispatcher
  readonly authenticator: Authenticator
  readonly accessChanges: Pick<Emitter<AccessChange>, 'on'>
  /** Current time zone of the home. */
  readonly timeZone: () => string
  readonly clock: Clock
  readonly log: Log
  /** Ids of sessions. */
  readonly sessions: McpSessionsParts['ids']
}

/**
 * The MCP server (Spec 1 point 7, docs/agents.md#mcp): a codec over the pipeline of all requests, independent of
 * transports. It checks the credential of every request, and ends requests and sessions whose credential fails.
 */
export class McpEndpoint implements McpHandler {
  readonly #parts: McpEndpointParts
  readonly #sessions: McpSessions
  readonly #revisions: Revisions
  readonly #times: LocalTimes
  readonly #requests: OpenChannels<OpenRequest>
  readonly #stop: readonly (() => void)[]

  constructor(parts: McpEndpointParts) {
    this.#parts = parts
    this.#times = new LocalTimes(parts.timeZone, parts.clock)
    this.#requests = new OpenChannels({
      authenticator: parts.authenticator,
      limits: REQUEST_LIMITS,
      end: (open, failure) => this.#end(open, failure),
    })
    this.#sessions = new McpSessions({
      ids: parts.sessions,
      clock: parts.clock,
      serve: () => mcpServer({ sessionElicits: true }),
    })
    this.#revisions = new Revisions({ sessions: this.#sessions, log: parts.log })
    this.#stop = [
      parts.accessChanges.on(() => this.#requests.recheck()),
      every(parts.clock, RECHECK_EVERY_MS, () => {
        this.#requests.recheck()
        this.#sessions.restIdle()
      }),
    ]
  }

  /** Answers one MCP request; its stream, if it has one, ends with the credential or with `request.signal`. */
  async answer(request: McpRequest, from: McpSender): Promise<McpAnswer> {
    try {
      const token = bearer(request.headers)
      const caller = this.#admit(token, from)
      const owner = { token, via: from.via, audience: from.audience, link: caller.link }
      return await this.#serve(request, owner, caller)
    } catch (error) {
      return this.#parts.dispatcher.refused(error, { ...from, token: bearer(request.headers), method: request.method })
    }
  }

  /** Ends every request; the caller admits no request afterwards. */
  async stop(): Promise<void> {
    for (const stop of this.#stop) stop()
    for (const open of this.#requests.list()) this.#end(open, 'stopping')
    this.#sessions.restAll()
    await this.#revisions.close()
  }

  /**
   * @throws Refusal like any request of this credential, and for keys: they need no confirmations, so agents must not
   * use them.
   */
  #admit(token: string, from: McpSender): McpCaller {
    const { dispatcher } = this.#parts
    const identity = dispatcher.identify(token === '' ? null : token, from)
    if (identity.credential.kind === 'key') refuse('unauthorized', { message: NO_KEYS })
    const caller = new McpCaller(dispatcher, { ...from, token, identity }, this.#times)
    caller.count(1)
    if (this.#requests.full(caller.link) !== null)
      refuse('rate_limited', {
        message: 'Too many MCP requests of this credential are open at once.',
        retryAfter: 1,
      })
    return caller
  }

  async #serve(request: McpRequest, owner: RequestOwner, caller: McpCaller): Promise<McpAnswer> {
    const open: OpenRequest = { ...owner, abort: new AbortController(), ended: null }
    const { signal } = open.abort
    const abandon = (): void => open.abort.abort()
    request.signal.addEventListener('abort', abandon)
    this.#requests.add(open)
    const ended = (): void => {
      request.signal.removeEventListener('abort', abandon)
      this.#requests.remove(open)
    }
    try {
      if (request.signal.aborted) abandon()
      const answered = await this.#route({ request, caller, token: owner.token, signal })
      // If the credential failed during the request, its result is discarded.
      const end = open.ended ?? this.#requests.failureOf(owner)
      if (answered instanceof Response && end !== null) await answered.body?.cancel()
      if (end === 'stopping') refuse('overloaded', STOPPING)
      if (end !== null) throw refusalFor(end)
      if (answered instanceof Response && isEventStream(answered))
        return await answerOf(endable(answered, signal, ended))
      ended()
      return answered instanceof Response ? await answerOf(answered) : answered
    } catch (error) {
      ended()
      throw error
    }
  }

  #end(open: OpenRequest, why: NonNullable<OpenRequest['ended']>): void {
    open.ended ??= why
    this.#requests.remove(open)
    open.abort.abort()
  }

  async #route(admitted: AdmittedMcpRequest): Promise<Response | Answer> {
    const { request, caller } = admitted
    if (request.method === 'DELETE') return this.#revisions.end(admitted)
    if (request.method !== 'POST') return this.#revisions.listen(admitted)
    if (!isJsonContentType(request.headers.get('content-type'))) refuse('unsupported_media_type')
    const text = await request.text(BODY_BYTES_MAX)
    if (text === null) refuse('payload_too_large')
    const parsed = parseJson(text)
    if (!parsed.ok)
      return rpcError(
        400,
        PARSE_ERROR,
        parsed.error === 'too_deep' ? 'The body is nested too deeply.' : 'The body is not valid JSON.',
      )
    const messages = Array.isArray(parsed.value) ? parsed.value.length : 1
    if (messages > BATCH_MAX) return rpcError(400, INVALID_REQUEST, `At most ${BATCH_MAX} messages in one body.`)
    if (messages > 1) caller.count(messages - 1)
    return this.#revisions.post(admitted, parsed.value)
  }
}

/** Reads only the header, because tokens in URLs end up in logs and histories. */
function bearer(headers: Headers): string {
  const header = headers.get('authorization') ?? ''
  return /^bearer /i.test(header) ? header.slice('bearer '.length).trim() : ''
}
