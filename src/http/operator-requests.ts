import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AdminDispatcher, byOperator } from '../admin/dispatch.ts'
import { refusalAnswer, refusedWith } from '../api/answers.ts'
import { BODY_BYTES_MAX } from '../api/call.ts'
import { Refusal } from '../api/errors.ts'
import { OPERATORS_MAX, type Operators } from '../auth/operators/operators.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { bearer } from '../lib/request-head.ts'
import { TokenBuckets } from '../lib/token-bucket.ts'
import { type BackupDownloads, backupNameIn, sendBackup } from './backup-download.ts'
import type { Connections } from './connections.ts'
import { answerWithBody, withConsoleHeaders } from './console-answers.ts'
import { send } from './reply.ts'
import { zipped } from './zipped-answer.ts'

/** Rate limit of one operator token. */
export const OPERATOR_RATE = { perSecond: 2, burst: 30 }

export interface OperatorParts {
  readonly operators: Pick<Operators, 'of' | 'used'>
  /** The administrators' pipeline; null until it opens, after the network. */
  readonly admin: () => Pick<AdminDispatcher, 'forOperator'> | null
  /** Backup downloads for the scope `backup`; null until the administrators' pipeline opens. */
  readonly downloads: () => BackupDownloads | null
  readonly log: Log
}

interface OperatorRequestParts {
  readonly operators: OperatorParts
  readonly connections: Connections
  readonly clock: Clock
}

/**
 * Makes the handler of requests with operator tokens from the home network (docs/operations.md#tokens). The handler
 * answers a request that the token's scopes allow, and returns false for all others: they get the response to an
 * invalid token.
 */
export function operatorHandler({
  operators: { operators, admin, downloads, log },
  connections,
  clock,
}: OperatorRequestParts): (request: FastifyRequest, reply: FastifyReply, path: string) => boolean {
  const rates = new TokenBuckets(clock, { ...OPERATOR_RATE, keysMax: OPERATORS_MAX })
  return (request, reply, path) => {
    const operator = operators.of(bearer(request.raw))
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const backup = operator?.scopes.includes('backup') === true && method === 'GET' ? backupNameIn(path) : null
    const backupDownloads = backup === null ? null : downloads()
    const answerByScope = operator && admin()?.forOperator({ method, path }, operator)
    if (!operator || (!answerByScope && !backupDownloads)) return false
    connections.markAdmitted(request.socket)
    const wait = rates.take(operator.id)
    if (wait > 0) {
      send(reply, withConsoleHeaders(refusedWith('rate_limited', { retryAfter: wait })))
      return true
    }
    operators.used(operator)
    if (backup !== null && backupDownloads)
      void sendBackup(reply, backup, { downloads: backupDownloads, by: byOperator(operator), log })
    else if (answerByScope)
      answerWithBody(request, reply, { bytesMax: BODY_BYTES_MAX, log }, async (body) => {
        const query = request.query as Record<string, string>
        const isStillValid = operators.of(bearer(request.raw)) !== null
        const answer = isStillValid
          ? await answerByScope({ query, body })
          : refusalAnswer(new Refusal('unauthorized'), { token: bearer(request.raw) })
        return withConsoleHeaders(await zipped(answer, request.headers['accept-encoding']?.toString()))
      })
    return true
  }
}
