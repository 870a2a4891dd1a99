import type { FastifyReply, FastifyRequest } from 'fastify'
import { refusedWith } from '../api/answers.ts'
import type { Answer, Body } from '../api/call.ts'
import type { Log } from '../lib/log.ts'
import { readBody } from '../transport/body.ts'
import { send } from './reply.ts'

/** What goes with every answer of the console: no guessing of types, no address told on, no window of another page. */
export const PLAIN_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Nothing that an administrator reads is kept by a cache, or shown in a frame. */
export function withHeaders(answer: Answer): Answer {
  return { ...answer, headers: { ...PLAIN_HEADERS, ...answer.headers, 'cache-control': 'no-store' } }
}

/** Reads the body and sends what is answered to it; a defect is logged. */
export function answerBody(
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
      (each) => send(reply, each),
      (error: unknown) => {
        log.error({ err: error, method: request.method }, 'A request of the console failed.')
        send(reply, withHeaders(refusedWith('internal')))
      },
    )
  })
}
