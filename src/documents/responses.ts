import { bearerChallenge } from '../lib/request-head.ts'
import { CONNECTION_REFUSALS } from '../lib/https-server.ts'
import { type ErrorCode, ERRORS } from '../wire/errors.ts'
import { errorExamples, errorSchema } from './answers.ts'
import { byStatus } from './operations.ts'
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

/** What refusals of a status say in headers too. */
const HEADERS: Readonly<Record<number, JsonObject>> = {
  401: {
    'WWW-Authenticate': {
      description: 'How to authenticate.',
      schema: { enum: [bearerChallenge(null), bearerChallenge('sent')] },
    },
  },
  429: RETRY_AFTER,
  500: {
    'X-Request-Id': { description: 'What the log of the gateway has it under.', schema: { type: 'string' } },
  },
  503: RETRY_AFTER,
  504: RETRY_AFTER,
}

/** Responses that several operations share, kept once. */
export class Responses {
  readonly #schemas: SchemaRegistry
  readonly #usual: readonly ErrorCode[]
  readonly #kept = new Map<string, Json>()

  /**
   * @param usual what every operation of the document can be refused with; responses are named by what they hold beyond
   * it.
   */
  constructor(schemas: SchemaRegistry, usual: readonly ErrorCode[]) {
    this.#schemas = schemas
    this.#usual = usual
  }

  /** References to the refusals of an operation, by status. */
  refusals(errors: readonly ErrorCode[]): JsonObject {
    return Object.fromEntries(byStatus(errors).map(([status, codes]) => [String(status), this.#refusal(status, codes)]))
  }

  /** References to the refusals of bytes that are no whole request, which any address may get. */
  ofConnection(): JsonObject {
    return Object.fromEntries(
      Object.entries(CONNECTION_REFUSALS).map(([status, { reason, message }]) => {
        const name = reason.replaceAll(' ', '')
        this.#kept.set(name, {
          description: `${message} The connection ends.`,
          content: { 'application/json': { schema: errorSchema(this.#schemas) } },
          'x-error-codes': ['validation'],
        })
        return [status, { $ref: `#/components/responses/${name}` }]
      }),
    )
  }

  components(): JsonObject {
    return Object.fromEntries([...this.#kept].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  #refusal(status: number, codes: readonly ErrorCode[]): JsonObject {
    const name = responseName(status, codes, this.#usual)
    const headers = HEADERS[status]
    this.#kept.set(name, {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
      ...(headers === undefined ? {} : { headers }),
      content: { 'application/json': { schema: errorSchema(this.#schemas), examples: errorExamples(codes) } },
      'x-error-codes': codes,
    })
    return { $ref: `#/components/responses/${name}` }
  }
}

/** Named by the status, and by what goes beyond the usual refusals. */
function responseName(status: number, codes: readonly ErrorCode[], all: readonly ErrorCode[]): string {
  const usual = all.filter((code) => ERRORS[code].status === status)
  const named = usual.every((code) => codes.includes(code))
    ? codes.filter((code) => !usual.some((usualCode) => usualCode === code))
    : codes
  const alone = Object.values(ERRORS).filter((error) => error.status === status).length === 1
  return [STATUS_NAMES[status] ?? `Status${status}`, ...(alone ? [] : named)].join('.')
}
