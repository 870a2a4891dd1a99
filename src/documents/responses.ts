import { bearerChallenge } from '../lib/request-head.ts'
import { CONNECTION_REFUSALS } from '../lib/https-server.ts'
import { type ErrorCode, ERRORS } from '../wire/errors.ts'
import { errorExamples, errorSchema } from './response-schemas.ts'
import { byStatus } from './api-calls.ts'
import type { Json, JsonObject, SchemaRegistry } from './schema-registry.ts'

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  421: 'MisdirectedRequest',
  422: 'Validation',
  426: 'UpgradeRequired',
  429: 'RateLimited',
  500: 'Internal',
  503: 'Unavailable',
  504: 'Unreachable',
}

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds.', schema: { type: 'integer', minimum: 1, format: 'int32' } },
}

/** Headers of refusals by status. */
const HEADERS: Readonly<Record<number, JsonObject>> = {
  401: {
    'WWW-Authenticate': {
      description: 'How to authenticate.',
      schema: { enum: [bearerChallenge(null), bearerChallenge('sent')] },
    },
  },
  429: RETRY_AFTER,
  500: {
    'X-Request-Id': { description: 'Reference in the log of the gateway.', schema: { type: 'string' } },
  },
  503: RETRY_AFTER,
  504: RETRY_AFTER,
}

/** Shared responses of several operations. */
export class Responses {
  readonly #schemas: SchemaRegistry
  readonly #usual: readonly ErrorCode[]
  readonly #responses = new Map<string, Json>()

  /** @param usual common refusals of all operations; responses are named by their further codes. */
  constructor(schemas: SchemaRegistry, usual: readonly ErrorCode[]) {
    this.#schemas = schemas
    this.#usual = usual
  }

  /** References to the refusals of an operation, by status. */
  refusals(errors: readonly ErrorCode[]): JsonObject {
    return Object.fromEntries(byStatus(errors).map(([status, codes]) => [String(status), this.#refusal(status, codes)]))
  }

  /** References to the refusals of incomplete requests, which any address may get. */
  ofConnection(): JsonObject {
    return Object.fromEntries(
      Object.entries(CONNECTION_REFUSALS).map(([status, { reason, message }]) => {
        const name = reason.replaceAll(' ', '')
        this.#responses.set(name, {
          description: `${message} The connection ends.`,
          content: { 'application/json': { schema: errorSchema(this.#schemas) } },
          'x-error-codes': ['validation'],
        })
        return [status, { $ref: `#/components/responses/${name}` }]
      }),
    )
  }

  components(): JsonObject {
    return Object.fromEntries([...this.#responses].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  #refusal(status: number, codes: readonly ErrorCode[]): JsonObject {
    const name = responseName(status, codes, this.#usual)
    const headers = HEADERS[status]
    this.#responses.set(name, {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
      ...(headers === undefined ? {} : { headers }),
      content: { 'application/json': { schema: errorSchema(this.#schemas), examples: errorExamples(codes) } },
      'x-error-codes': codes,
    })
    return { $ref: `#/components/responses/${name}` }
  }
}

/** Name from the status and the codes beyond the common refusals. */
function responseName(status: number, codes: readonly ErrorCode[], all: readonly ErrorCode[]): string {
  const usual = all.filter((code) => ERRORS[code].status === status)
  const named = usual.every((code) => codes.includes(code))
    ? codes.filter((code) => !usual.some((usualCode) => usualCode === code))
    : codes
  const alone = Object.values(ERRORS).filter((error) => error.status === status).length === 1
  return [STATUS_NAMES[status] ?? `Status${status}`, ...(alone ? [] : named)].join('.')
}
