import type { ServerResponse } from 'node:http'
import { bearerChallenge } from '@hm-gateway/lib/request-head.ts'
import { type ErrorCode, ERRORS, errorBody, type RefusalDetails } from '@hm-gateway/wire/errors.ts'

/** `retryAfter` of a gateway that is offline. */
export const OFFLINE_RETRY_SECONDS = 15

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' }

export interface RefusalHeaders {
  readonly details?: RefusalDetails
  /** Replaces the status of the code. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends an error response (Spec 7) with the same headers as the gateway, unless a response has begun. */
export function refuse(
  response: ServerResponse,
  code: ErrorCode,
  { details, status, headers }: RefusalHeaders = {},
): void {
  if (response.headersSent || response.destroyed) return
  const body = JSON.stringify(errorBody(code, details))
  const statusCode = status ?? ERRORS[code].status
  const retryAfter = details?.retryAfter
  response
    .writeHead(statusCode, {
      ...JSON_HEADERS,
      ...(statusCode === 401 ? { 'www-authenticate': bearerChallenge(null) } : {}),
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...headers,
      'content-length': Buffer.byteLength(body),
    })
    .end(response.req.method === 'HEAD' ? undefined : body)
}
