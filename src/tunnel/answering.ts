import { constants, type ServerHttp2Stream } from 'node:http2'
import type { z } from 'zod'
import { refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import { abandon, closeAnsweredHead } from '../wire/half-open.ts'

/** Ends a stream without an answer. */
export function refuseStream(stream: ServerHttp2Stream, code: number = constants.NGHTTP2_REFUSED_STREAM): void {
  abandon(stream, code)
}

/**
 * Sends the headers of an answer; false where the stream takes none any more. Every answer goes through here:
 * responding to a stream that is gone, or a second time, throws.
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

/** Sends a whole answer. */
export function send(stream: ServerHttp2Stream, answer: Answer, withBody = true): void {
  const body = withBody ? answer.body : null
  const isEmpty = body === null || body.length === 0
  const { status, headers } = answer
  const length = (): string => String(Buffer.byteLength(answer.body ?? ''))
  const sized = answer.body === null ? headers : { ...headers, 'content-length': length() }
  if (!respond(stream, status, sized, isEmpty)) return
  if (!isEmpty) stream.end(body)
}

/** A whole answer of JSON to the relay's own questions. */
export function jsonAnswer(content: object): Answer {
  return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(content) }
}

/** Answers a body. */
export type Answering = (body: unknown) => Answer | Promise<Answer>

/** Answers bodies of this shape, and refuses all others. */
export const taking =
  <S extends z.ZodType>(shape: S, take: (ask: z.output<S>) => Answer | Promise<Answer>): Answering =>
  (body) => {
    const ask = shape.safeParse(body)
    return ask.success ? take(ask.data) : refusedWith('validation')
  }
