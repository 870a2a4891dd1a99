import { ERRORS, type ErrorCode } from '../../../src/wire/errors.ts'
import type { HttpCaller, RawAnswer, RawCaller } from './callers.ts'
import { checkAnswer } from './conformance.ts'
import type { CarryingTool } from './tool-runs.ts'
import type { TestRequest } from './verifies.ts'

type Fields = Readonly<Record<string, unknown>>

/** The tool call for a request, and the conversion of the tool's answer to the response. */
interface ToolRequest {
  readonly name: CarryingTool
  readonly args: Fields
  readonly status?: number
  /** Null if the tool answers less than the request: then only refusals count, and the response comes over HTTPS. */
  readonly answer?: ((result: Fields) => unknown) | null
}

/** A request that a tool might perform: decoded ids of its path, its query, and the fields of its body. */
interface CarriedRequest {
  readonly ids: readonly string[]
  readonly query: Readonly<Record<string, string>>
  readonly body: Fields
}

const KIND_OF: Readonly<Record<string, string>> = { scenes: 'scene', automations: 'automation', schedules: 'schedule' }
const PAGE_MAX = 200
const PAGE_DEFAULT = 50

/** Service requests that one tool call performs. Other requests have no tool, or a tool with another answer. */
const CARRIED: readonly (readonly [pattern: RegExp, toolOf: (request: CarriedRequest) => ToolRequest | null])[] = [
  [
    /^POST \/v1\/devices\/([^/]+)\/control$/,
    ({ ids: [device], body: { op, args, ...other } }) =>
      nothingOf(other) && { name: 'control', args: { device, op, args } },
  ],
  [
    /^POST \/v1\/devices\/([^/]+)\/identify$/,
    ({ ids: [device], body }) => nothingOf(body) && { name: 'control', args: { device, op: 'identify' } },
  ],
  [
    /^POST \/v1\/control$/,
    ({ body: { room, floor, class: wanted, group, op, args, ...other } }) =>
      nothingOf(other) && { name: 'control', args: { room, floor, class: wanted, group, op, args } },
  ],
  [
    /^POST \/v1\/runs\/([^/]+)\/stop$/,
    // The tool takes any string with colons as a device id.
    ({ ids: [device = ''], body }) =>
      nothingOf(body) && !device.includes(':')
        ? { name: 'control', args: { device, op: 'stop' }, answer: ({ device: _device, ...answer }) => answer }
        : null,
  ],
  [
    /^GET \/v1\/runs\/([^/]+)$/,
    ({ ids: [id] }) => ({
      name: 'rules',
      args: { kind: 'run', id },
      answer: ({ house, rule }) => ({ house, run: rule }),
    }),
  ],
  [
    /^PUT \/v1\/mode$/,
    ({ body: { mode, until, ...other } }) =>
      nothingOf(other) && {
        name: 'control',
        args: {
          device: 'mode',
          op: 'set_mode',
          args: { mode, ...(until ? { until: new Date(Number(until)).toISOString() } : {}) },
        },
        answer: ({ device: _device, ...answer }) => answer,
      },
  ],
  [/^PATCH \/v1\/rooms\/([^/]+)$/, ({ ids: [id], body }) => renameRequest('room', id, body)],
  [/^PATCH \/v1\/devices\/([^/]+)$/, ({ ids: [id], body }) => renameRequest('device', id, body)],
  [
    /^PUT \/v1\/devices\/([^/]+)\/intents\/([^/]+)$/,
    ({ ids: [device, intent], body: { value, ...other } }) =>
      nothingOf(other) && { name: 'set_intent', args: { device, intent, value } },
  ],
  [
    /^POST \/v1\/(scenes|automations|schedules)\/try$/,
    ({ ids: [collection = ''], body: draft }) => ({ name: 'rules', args: { kind: KIND_OF[collection], draft } }),
  ],
  [
    /^POST \/v1\/(scenes|automations|schedules)\/([^/]+)\/try$/,
    ({ ids: [collection = '', id] }) => ({ name: 'rules', args: { kind: KIND_OF[collection], id, dryRun: true } }),
  ],
  [
    /^POST \/v1\/(scenes|automations|schedules)$/,
    ({ ids: [collection = ''], body }) => saveRequest(collection, { body }, 201),
  ],
  [
    /^PATCH \/v1\/(scenes|automations|schedules)\/([^/]+)$/,
    ({ ids: [collection = '', id], body: { ifRevision, ...body } }) =>
      saveRequest(collection, { id, body, ...(ifRevision === undefined ? {} : { ifRevision }) }, 200),
  ],
  [
    /^GET \/v1\/(scenes|automations|schedules)\/([^/]+)$/,
    ({ ids: [collection = '', id] }) => ({
      name: 'rules',
      args: { kind: KIND_OF[collection], id },
      answer: (result) => ruleOf(collection, result),
    }),
  ],
  [
    /^GET \/v1\/devices\/([^/]+)\/schedules$/,
    ({ ids: [id] }) => ({ name: 'rules', args: { kind: 'unit_schedules', id } }),
  ],
  [
    /^GET \/v1\/devices\/([^/]+)\/intents$/,
    ({ ids: [device] }) => ({ name: 'intents', args: { device }, answer: null }),
  ],
  [
    /^GET \/v1\/devices\/([^/]+)\/explain$/,
    ({ ids: [device], query }) => ({
      name: 'explain',
      args: { device, ...timesOf(query), limit: PAGE_MAX },
      answer: ({ more: _more, ...answer }) => answer,
    }),
  ],
  [
    /^GET \/v1\/activity$/,
    ({ query: { limit = PAGE_DEFAULT, ...query } }) => ({
      name: 'activity',
      args: { ...query, ...timesOf(query), limit: Number(limit) },
    }),
  ],
  [/^GET \/v1\/starters$/, () => ({ name: 'rules', args: { kind: 'starters' } })],
  [
    /^GET \/v1\/messages$/,
    ({ query: { limit = PAGE_DEFAULT, ...query } }) =>
      nothingOf(query) && { name: 'activity', args: { kind: 'messages', limit: Number(limit) }, answer: null },
  ],
  [/^GET \/v1\/energy$/, ({ query }) => ({ name: 'energy', args: { ...query, ...timesOf(query), series: true } })],
  [
    /^GET \/v1\/devices\/([^/]+)\/readings$/,
    ({ ids: [device], query: { kind, points, ...query } }) =>
      kind === undefined
        ? null
        : {
            name: 'sensors',
            args: {
              device,
              reading: kind,
              ...query,
              ...timesOf(query),
              ...(points === undefined ? {} : { points: Number(points) }),
            },
          },
  ],
  [
    /^GET \/v1\/sensors$/,
    ({ query }) => ({
      name: 'sensors',
      args: { ...query, limit: PAGE_MAX },
      answer: ({ total: _total, nextCursor: _nextCursor, ...answer }) => answer,
    }),
  ],
  [
    /^GET \/v1\/sensors\/([^/]+)\/detections$/,
    ({ ids: [device], query: { limit = PAGE_DEFAULT, ...query } }) => ({
      name: 'sensors',
      args: { device, ...query, limit: Number(limit) },
    }),
  ],
]

function renameRequest(kind: string, id: string | undefined, { name, ...other }: Fields): ToolRequest | null {
  return nothingOf(other) && { name: 'rename', args: { kind, id, name } }
}

/** Null for fields that the tool's arguments cannot express. */
function nothingOf(fields: Fields): true | null {
  return Object.keys(fields).length === 0 ? true : null
}

function saveRequest(collection: string, args: Fields, status: number): ToolRequest {
  return {
    name: 'save_rule',
    args: { kind: KIND_OF[collection], ...args },
    status,
    answer: (result) => ruleOf(collection, result),
  }
}

function ruleOf(collection: string, { house, rule }: Fields): unknown {
  return { house, [KIND_OF[collection] ?? '']: rule }
}

/** Tools take ISO 8601 times where queries have epoch ms. */
function timesOf(query: Readonly<Record<string, string>>): Fields {
  const times = Object.entries(query).filter(([name]) => name === 'from' || name === 'to')
  return Object.fromEntries(times.map(([name, at]) => [name, new Date(Number(at)).toISOString()]))
}

/** The tool call for a request, or null if no tool performs exactly this. */
function toolRequestOf({ method, path, query = {}, body, key }: TestRequest): ToolRequest | null {
  if (key !== undefined) return null
  for (const [pattern, toolOf] of CARRIED) {
    const match = pattern.exec(`${method} ${path}`)
    if (!match) continue
    if (body === undefined ? method !== 'GET' && !/\/(?:try|stop|identify)$/.test(path) : !isFields(body)) return null
    try {
      return toolOf({ ids: match.slice(1).map(decodeURIComponent), query, body: isFields(body) ? body : {} })
    } catch {
      // A tool cannot take an unreadable path or time.
      return null
    }
  }
  return null
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Every answer of a tool names the time zone of its times; the service uses epoch ms. */
function withoutZone({ timeZone: _timeZone, ...fields }: Fields): Fields {
  return fields
}

/** A tool's answer with its times in epoch ms, as in the service. */
function inMilliseconds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inMilliseconds)
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/.test(value))
    return Date.parse(value)
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, inMilliseconds(field)]))
}

/** Sends requests by tools of the MCP server, and requests without a tool over HTTPS with the same credential. */
export class ToolCaller implements RawCaller {
  readonly transport = 'mcp'
  readonly #https: HttpCaller
  #carried = 0

  constructor(https: HttpCaller) {
    this.#https = https
  }

  async call(request: TestRequest): Promise<RawAnswer> {
    const tool = toolRequestOf(request)
    if (tool === null) return this.#https.call(request)
    this.#carried += 1
    const { status, body } = await this.#perform(tool, request.token)
    if (tool.answer === null && status === 200) return this.#https.call(request)
    checkAnswer(request.method, request.path, status, body)
    return { status, body, text: JSON.stringify(body) }
  }

  async #perform(
    { name, args, status = 200, answer = (result) => result }: ToolRequest,
    token: string | null | undefined,
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const response = await this.#https.send('POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      token,
      accept: 'application/json, text/event-stream',
    })
    if (response.status !== 200) return response
    const { isError, content, structuredContent } = resultOf(response)
    if (isError !== true) return { status, body: inMilliseconds(answer?.(withoutZone(structuredContent ?? {}))) }
    const refusal = JSON.parse(content[0]?.text ?? '') as { error: { code: ErrorCode } }
    return { status: ERRORS[refusal.error.code].status, body: refusal }
  }

  /** @throws if no tool performed anything: such a test proves nothing about the MCP server */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#https[Symbol.asyncDispose]()
    if (this.#carried === 0) throw new Error('No tool performed a request of this test: it is not about MCP.')
  }
}

interface ToolResult {
  readonly isError?: boolean
  readonly content: readonly { readonly text: string }[]
  readonly structuredContent?: Fields
}

/** The result in a response of the MCP server, which is JSON or a stream of one event. */
function resultOf({ text }: RawAnswer): ToolResult {
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text
  const { result, error } = JSON.parse(data) as { result?: ToolResult; error?: unknown }
  if (!result) throw new Error(`The MCP server failed: ${JSON.stringify(error)}`)
  return result
}
