import { constants, type ServerHttp2Stream } from 'node:http2'
import type { z } from 'zod'
import { refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import { abandon, closeAnsweredHead } from '../wire/half-open.ts'

/** Resets a stream without a response. */
export function refuseStream(stream: ServerHttp2Stream, code: number = constants.NGHTTP2_REFUSED_STREAM): void {
  abandon(stream, code)
}

/**
 * Sends response headers; false if the stream no longer accepts them. Every response goes through here, because
 * responding twice or to a closed stream throws.
 */
export function respond(
  stream: ServerHttp2Stream,
  status: number,
  headers: Readonly<Record<string, string>>,
  endStream = false,
): boolean {
  if (stream.destroyed || stream.closed || stream.headersSent) return false
  try {
    stream.respond({ ...headers, ':status': status }, { endStream })
    closeAnsweredHead(stream)
    return true
  } catch {
    refuseStream(stream, constants.NGHTTP2_INTERNAL_ERROR)
    return false
  }
}

/** Sends a complete response. */
export function send(stream: ServerHttp2Stream, answer: Answer, withBody = true): void {
  const body = withBody ? answer.body : null
  const isEmpty = body === null || body.length === 0
  const { status, headers } = answer
  const length = (): string => String(Buffer.byteLength(answer.body ?? ''))
  const sized = answer.body === null ? headers : { ...headers, 'content-length': length() }
  if (!respond(stream, status, sized, isEmpty)) return
  if (!isEmpty) stream.end(body)
}

/** A JSON response to a control request of the relay. */
export function jsonAnswer(content: object): Answer {
  return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(content) }
}

/** Handler of a request body. */
export type BodyHandler = (body: unknown) => Answer | Promise<Answer>

/** Makes a handler that validates bodies by a schema and refuses invalid ones. */
export const validating =
  <S extends z.ZodType>(shape: S, handle: (value: z.output<S>) => Answer | Promise<Answer>): BodyHandler =>
  (body) => {
    const parsed = shape.safeParse(body)
    return parsed.success ? handle(parsed.data) : refusedWith('validation')
  }
