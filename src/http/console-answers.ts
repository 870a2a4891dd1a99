import type { FastifyReply, FastifyRequest } from 'fastify'
import { refusedWith } from '../api/answers.ts'
import type { Answer, Body } from '../api/call.ts'
import type { Log } from '../lib/log.ts'
import { readBody } from '../transport/body.ts'
import { send } from './reply.ts'

/** Headers of all console responses: no type sniffing, no referrer, no access by other windows or origins. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Adds the security headers and forbids caching. */
export function withConsoleHeaders(answer: Answer): Answer {
  return { ...answer, headers: { ...SECURITY_HEADERS, ...answer.headers, 'cache-control': 'no-store' } }
}

/**
 * Reads the body, calls `answer` with it and sends the result. An unexpected error of `answer` is logged and becomes
 * 500.
 */
export function answerWithBody(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytesMax, log }: { readonly bytesMax: number; readonly log: Log },
  answer: (body: Body) => Promise<Answer>,
): void {
  readBody(request.headers, request.raw, bytesMax, (error, body) => {
    if (error || !body) {
      request.raw.destroy()
      return
    }
    answer(body).then(
      (response) => send(reply, response),
      (error: unknown) => {
        log.error({ err: error, method: request.method }, 'A request of the console failed.')
        send(reply, withConsoleHeaders(refusedWith('internal')))
      },
    )
  })
}
