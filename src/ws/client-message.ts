import type { RawData } from 'ws'
import { ClientMessage, MESSAGE_ID_LENGTH_MAX, METHOD_LENGTH_MAX, PATH_LENGTH_MAX } from '../api/contract/events.ts'
import { Refusal, refuse } from '../api/errors.ts'
import { validated } from '../api/validate.ts'
import { isObject, parseJson } from '../lib/json.ts'

/** A valid message, or its refusal. Both have the client's message id if it can be read. */
export type Read =
  | { readonly kind: 'request'; readonly id: string | null; readonly request: StreamRequest }
  | {
      readonly kind: 'subscribe'
      readonly id: string | null
      readonly topics: readonly string[]
      readonly since: number | null
    }
  | { readonly kind: 'refused'; readonly id: string | null; readonly message: string }

export interface StreamRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  readonly idempotencyKey: string | undefined
}

export function readMessage(data: RawData, binary: boolean): Read {
  if (binary) return refused(null, 'Messages are JSON text, not binary.')
  const parsed = parseJson(textOf(data))
  if (!parsed.ok)
    return refused(
      null,
      parsed.error === 'too_deep'
        ? 'The message is nested too deeply: 32 levels at most.'
        : 'The message is not valid JSON.',
    )
  const id = idOf(parsed.value)
  const plain = plainRequest(parsed.value)
  if (plain !== null) return { kind: 'request', id, request: plain }
  try {
    return { ...classified(validated(ClientMessage, parsed.value, 'message')), id }
  } catch (error) {
    if (error instanceof Refusal) return refused(id, error.message)
    throw error
  }
}

const NO_QUERY: StreamRequest['query'] = Object.freeze(Object.create(null) as Record<string, string>)

/**
 * Reads a simple message (method, path, optional body) without the schema, which would take most of the time. Returns
 * null for all others, which the schema validates.
 */
function plainRequest(value: unknown): StreamRequest | null {
  if (!isObject(value)) return null
  for (const name of Object.keys(value))
    if (name !== 'id' && name !== 'method' && name !== 'path' && name !== 'body') return null
  const { id = null, method, path, body } = value
  if (id !== null && !isText(id, MESSAGE_ID_LENGTH_MAX)) return null
  if (!isText(method, METHOD_LENGTH_MAX) || !isText(path, PATH_LENGTH_MAX)) return null
  if (method === '' || path === '' || path.includes('?')) return null
  return { method, path, query: NO_QUERY, body, idempotencyKey: undefined }
}

function isText(value: unknown, lengthMax: number): value is string {
  return typeof value === 'string' && value.length <= lengthMax
}

type ClassifiedMessage =
  | { readonly kind: 'request'; readonly request: StreamRequest }
  | { readonly kind: 'subscribe'; readonly topics: readonly string[]; readonly since: number | null }

/** Distinguishes requests and subscriptions. @throws Refusal if a message is neither, or both. */
function classified(message: ClientMessage): ClassifiedMessage {
  const { method, path, query, body, subscribe, since, idempotencyKey } = message
  const isRequest = [method, path, query, body, idempotencyKey].some((field) => field !== undefined && field !== null)
  if (subscribe !== undefined && subscribe !== null) {
    if (isRequest) refuse('validation', { message: 'A message is either a request or a subscribe list, not both.' })
    return { kind: 'subscribe', topics: subscribe, since: since ?? null }
  }
  if (since !== undefined && since !== null) refuse('validation', { message: 'since: belongs to subscribe.' })
  if (!method || !path) refuse('validation', { message: 'A message needs method and path, or subscribe.' })
  return {
    kind: 'request',
    request: { method, ...target(path, query ?? {}), body, idempotencyKey: idempotencyKey ?? undefined },
  }
}

/** Separates the query from a path, as over HTTPS. Values become text, as in a URL. */
function target(path: string, query: NonNullable<ClientMessage['query']>): Pick<StreamRequest, 'path' | 'query'> {
  // No prototype, so that a parameter may have any name, even the name of an object's method.
  const pairs = Object.create(null) as Record<string, string>
  for (const [name, value] of Object.entries(query)) if (value !== null) pairs[name] = String(value)
  const question = path.indexOf('?')
  if (question < 0) return { path, query: pairs }
  for (const [name, value] of new URLSearchParams(path.slice(question + 1))) {
    if (Object.hasOwn(pairs, name))
      refuse('validation', { message: `query: ${JSON.stringify(name.slice(0, 64))} occurs twice.` })
    pairs[name] = value
  }
  return { path: path.slice(0, question), query: pairs }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8')
  return (Buffer.isBuffer(data) ? data : Buffer.from(data)).toString('utf8')
}

function idOf(value: unknown): string | null {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null
  return isText(id, MESSAGE_ID_LENGTH_MAX) ? id : null
}

function refused(id: string | null, message: string): Read {
  return { kind: 'refused', id, message }
}
