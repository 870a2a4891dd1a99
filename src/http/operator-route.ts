import type { Server as HttpsServer } from 'node:https'
import type { FastifyInstance } from 'fastify'
import { type AdminDispatcher, byOperator } from '../admin/dispatch.ts'
import { refusalAnswer, refusedWith } from '../api/answers.ts'
import { BODY_BYTES_MAX } from '../api/call.ts'
import { Refusal } from '../api/errors.ts'
import { type Operator, OPERATORS_MAX, type Operators } from '../auth/operators/operators.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { bearer } from '../lib/request-head.ts'
import { TokenBuckets } from '../lib/token-bucket.ts'
import { type BackupDownloads, nameOfBackup, sendBackup } from './backup-download.ts'
import type { Connections } from './connections.ts'
import { answerBody, withHeaders } from './console-answers.ts'
import { sendRaw } from './reply.ts'
import { zipped } from './zipped-answer.ts'

/** Requests of one operator token. */
export const OPERATOR_RATE = { perSecond: 2, burst: 30 }

const ADMIN = '/admin/v1/'

export interface OperatorRouteParts {
  readonly operators: Pick<Operators, 'of' | 'used'>
  /** The administrators' pipeline; it opens after the network. */
  readonly admin: () => Pick<AdminDispatcher, 'forOperator'> | null
  /** Backups that are taken away, by the scope `backup`; they open with the administrators' pipeline. */
  readonly downloads: () => BackupDownloads | null
  readonly log: Log
}

/**
 * What the scopes of an operator token let do, at home alone; everything else that it is sent with goes on as a request
 * of an invented token does (docs/operations.md#tokens).
 */
export function operatorRoute(
  server: FastifyInstance<HttpsServer>,
  { operators, admin, downloads, log }: OperatorRouteParts,
  { connections, clock }: { readonly connections: Connections; readonly clock: Clock },
): void {
  const rates = new TokenBuckets(clock, { ...OPERATOR_RATE, keysMax: OPERATORS_MAX })
  const operatorOf = (request: Parameters<typeof bearer>[0], isAtHome: boolean): Operator | null =>
    isAtHome ? operators.of(bearer(request)) : null
  server.addHook('onRequest', (request, reply, done) => {
    const [path = '/'] = request.originalUrl.split('?', 1)
    const isAtHome = path.startsWith(ADMIN) && connections.viaOf(request.socket) === 'home'
    const operator = operatorOf(request.raw, isAtHome)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const backup = operator?.scopes.includes('backup') === true && method === 'GET' ? nameOfBackup(path) : null
    const taken = backup === null ? null : downloads()
    const answering = operator && admin()?.forOperator({ method, path }, operator)
    if (!operator || (!answering && !taken)) return done()
    connections.admitted(request.socket)
    const wait = rates.take(operator.id)
    if (wait > 0) {
      sendRaw(reply, withHeaders(refusedWith('rate_limited', { retryAfter: wait })))
      return undefined
    }
    operators.used(operator)
    if (backup !== null && taken) {
      void sendBackup(reply, backup, { downloads: taken, by: byOperator(operator), log })
      return undefined
    }
    if (!answering) return undefined
    answerBody(request, reply, { bytesMax: BODY_BYTES_MAX, log }, async (body) => {
      const query = request.query as Record<string, string>
      const holds = operatorOf(request.raw, true) !== null
      const answer = holds
        ? await answering({ query, body })
        : refusalAnswer(new Refusal('unauthorized'), { token: bearer(request.raw) })
      return withHeaders(await zipped(answer, request.headers['accept-encoding']?.toString()))
    })
    return undefined
  })
}
