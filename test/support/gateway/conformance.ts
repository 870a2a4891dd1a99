import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { adminOpenapiDocument } from '../../../src/documents/admin-openapi.ts'
import { asyncapiDocument } from '../../../src/documents/asyncapi.ts'
import { openapiDocument } from '../../../src/documents/openapi.ts'
import { adminOperations, type ApiCall as Declared, operations } from '../../../src/documents/api-calls.ts'
import { EVENT_KINDS } from '../../../src/api/contract/events.ts'
import { ERRORS, type ErrorCode } from '../../../src/wire/errors.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const FORMATS = {
  uuid: UUID,
  int32: { type: 'number', validate: (value: number) => Math.abs(value) < 2 ** 31 },
  int64: { type: 'number', validate: Number.isSafeInteger },
  double: { type: 'number', validate: Number.isFinite },
} as const

/** The validator of the documents: strict, except for union types, which null needs. */
export function documentValidator(document: object, id: string): Ajv2020 {
  // Compiles each schema to one unoptimized function: inlining and optimizing take most of the time and change no
  // result.
  const quick = { inlineRefs: false, code: { optimize: false } }
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, formats: FORMATS, ...quick })
  // For our own answers, extensible enums have only the listed values.
  ajv.addKeyword({
    keyword: 'x-extensible-enum',
    type: 'string',
    schemaType: 'array',
    validate: (words: readonly string[], value: string) => words.includes(value),
  })
  // The document is one schema with many inside; these keywords around them say nothing about values.
  ajv.addVocabulary(Object.keys(document))
  ajv.addSchema({ ...document, $id: id })
  return ajv
}

/**
 * Subschemas that test a value described elsewhere. Closing them would reject its other fields. OpenAPI and AsyncAPI
 * describe the documents themselves; Kotlin generators take no open schema of them.
 */
const LEFT_OPEN = ['not', 'if', 'then', 'else', '/openapi.json', '/asyncapi.json']

/**
 * Closes the schemas of a document: clients accept additional fields, but our answers must not have undocumented ones.
 * @param hasNames true if the keys are field names, not JSON Schema keywords
 */
function closedSchema<T>(document: T, hasNames = false): T {
  if (Array.isArray(document)) return document.map((part: unknown) => closedSchema(part)) as T
  if (typeof document !== 'object' || document === null) return document
  const parts = Object.fromEntries(
    Object.entries(document).map(([key, part]) => [
      key,
      !hasNames && LEFT_OPEN.includes(key)
        ? (part as unknown)
        : closedSchema(part as unknown, !hasNames && key === 'properties'),
    ]),
  )
  const isOpen = 'properties' in parts && parts['type'] === 'object' && !('additionalProperties' in parts)
  return (isOpen ? { ...parts, additionalProperties: false } : parts) as T
}

interface Response {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, unknown>>
}
interface Operation {
  readonly responses: Readonly<Record<string, Response>>
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly responses: Readonly<Record<string, Response>> }
}

/** Error codes of undocumented paths, for every caller. */
const UNDOCUMENTED: readonly ErrorCode[] = [
  'unauthorized',
  'session_expired',
  'record_disabled',
  'agent_access_disabled',
  'cloud_access_disabled',
  'rate_limited',
  'not_found',
  'method_not_allowed',
  'misdirected_request',
  'origin_not_allowed',
  'internal',
]

/** Error codes of undocumented paths, for administrators. */
const UNDOCUMENTED_TO_ADMINISTRATORS: readonly ErrorCode[] = ['not_found', 'internal']

/** Checks responses against an OpenAPI document. */
class DocumentedAnswers {
  /** Response schemas by documented method and path, then by status. Null if the response has no JSON body. */
  readonly schemas: ReadonlyMap<string, ReadonlyMap<number, string | null>>
  readonly #id: string
  readonly #ajv: Ajv2020
  readonly #undocumented: readonly ErrorCode[]
  /** Declared error codes by method and path. */
  readonly #declared: ReadonlyMap<string, readonly ErrorCode[]>
  readonly #routes: readonly {
    readonly key: string
    readonly method: string
    readonly pattern: RegExp
    readonly literal: boolean
  }[]
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(document: OpenApi, id: string, undocumented: readonly ErrorCode[], declared: readonly Declared[]) {
    this.#id = id
    this.#ajv = documentValidator(closedSchema(document), id)
    this.#undocumented = undocumented
    this.#declared = new Map(declared.map(({ method, path, errors }) => [`${method} ${path}`, errors]))
    this.schemas = schemasOf(document, id)
    this.#routes = [...this.schemas.keys()].map((key) => {
      const [method = '', path = ''] = key.split(' ')
      return {
        key,
        method,
        pattern: new RegExp(`^${path.replaceAll('.', String.raw`\.`).replace(/\{\w+\}/g, '[^/]+')}$`),
        literal: !path.includes('{'),
      }
    })
  }

  /** @throws on an undocumented status, an undeclared code, or a body that does not match */
  check(method: string, path: string, status: number, body: unknown): void {
    const plain = path.split('?', 1)[0] ?? ''
    const fitting = this.#routes.filter((route) => route.method === method && route.pattern.test(plain))
    const route = fitting.find((candidate) => candidate.literal) ?? fitting[0]
    if (!route) return this.#checkUndocumented(method, plain, status, body)
    const place = this.schemas.get(route.key)?.get(status)
    if (place === undefined)
      throw new Error(`${route.key} does not document the status ${status}: ${JSON.stringify(body)}`)
    if (place === null) return undefined
    this.#checkCode(route.key, status, body)
    const validate = this.#validatorOf(place)
    if (!validate(body))
      throw new Error(
        `The answer ${status} of ${route.key} does not fit its schema: ${this.#ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`,
      )
    return undefined
  }

  #checkCode(operation: string, status: number, body: unknown): void {
    const { error } = body as { error?: string | { code?: string } }
    if (typeof error !== 'object') return
    const code = this.#declared.get(operation)?.find((code) => code === error.code)
    if (code === undefined) throw new Error(`${operation} does not declare the refusal ${error.code}.`)
    if (ERRORS[code].status !== status) throw new Error(`The refusal ${code} does not have the status ${status}.`)
  }

  #checkUndocumented(method: string, path: string, status: number, body: unknown): void {
    const { error } = body as { error?: { code?: string } }
    const code = this.#undocumented.find((code) => code === error?.code)
    if (!code || ERRORS[code].status !== status)
      throw new Error(`${method} ${path} is not documented, but was answered ${status}: ${JSON.stringify(body)}`)
    if (!this.#validatorOf(`${this.#id}#/components/schemas/Error`)(body))
      throw new Error(`A refusal does not have the Error shape: ${JSON.stringify(body)}`)
  }

  #validatorOf(place: string): ValidateFunction {
    const known = this.#compiled.get(place)
    if (known) return known
    const validate = this.#ajv.compile({ $ref: place })
    this.#compiled.set(place, validate)
    return validate
  }
}

function schemasOf(document: OpenApi, id: string): DocumentedAnswers['schemas'] {
  return new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        new Map(
          Object.entries(operation.responses).map(([status, response]) => [
            Number(status),
            schemaPlace(document, id, [path, method, status], response),
          ]),
        ),
      ]),
    ),
  )
}

const service = new DocumentedAnswers(openapiDocument() as unknown as OpenApi, 'openapi', UNDOCUMENTED, operations())
const administration = new DocumentedAnswers(
  adminOpenapiDocument() as unknown as OpenApi,
  'admin',
  UNDOCUMENTED_TO_ADMINISTRATORS,
  adminOperations(),
)
const eventsAs = eventValidators()

/** Documented calls of the service, such as `GET /v1/house`. */
export const documentedCalls = (): readonly string[] => [...service.schemas.keys()]

/** Documented calls of the administrators' API. */
export const documentedAdminCalls = (): readonly string[] => [...administration.schemas.keys()]

/**
 * Checks a response of any transport against the OpenAPI document. `path` is the requested one, with or without query;
 * `body` is the parsed body, or text.
 */
export function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  service.check(method, path, status, body)
}

/** Checks a response of the administrators' socket against its OpenAPI document. */
export function checkAdminAnswer(method: string, path: string, status: number, body: unknown): void {
  administration.check(method, path, status, body)
}

/** Checks a stream event against the AsyncAPI document. */
export function checkEvent(event: unknown): void {
  const { event: kind } = event as { event?: unknown }
  const validate = typeof kind === 'string' ? eventsAs(kind) : undefined
  if (!validate) throw new Error(`The event ${JSON.stringify(event)} is not documented.`)
  if (!validate(event))
    throw new Error(
      `A ${String(kind)} event does not fit its schema: ${JSON.stringify(validate.errors)}\n${JSON.stringify(event)}`,
    )
}

/** The validator of an event kind, compiled at its first use; undefined for an unknown kind. */
function eventValidators(): (kind: string) => ValidateFunction | undefined {
  const events = documentValidator(closedSchema(asyncapiDocument()), 'asyncapi')
  const kinds: ReadonlySet<string> = new Set(EVENT_KINDS)
  const compiled = new Map<string, ValidateFunction>()
  return (kind) => {
    const known = compiled.get(kind)
    if (known !== undefined || !kinds.has(kind)) return known
    const component = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Event`
    const made = events.compile({ $ref: `asyncapi#/components/schemas/${component}/schema` })
    compiled.set(kind, made)
    return made
  }
}

function schemaPlace(
  document: OpenApi,
  id: string,
  [path, method, status]: readonly [string, string, string],
  response: Response,
): string | null {
  const name = response.$ref?.split('/').at(-1)
  const content = (name === undefined ? response : document.components.responses[name])?.content ?? {}
  const type = 'application/json' in content ? 'application/json' : Object.keys(content)[0]
  if (type === undefined) return null
  const before = name === undefined ? ['paths', path, method, 'responses', status] : ['components', 'responses', name]
  return `${id}#/${[...before, 'content', type, 'schema'].map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
}
