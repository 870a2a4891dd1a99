import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { asyncapiDocument } from '../../../src/api/documents/asyncapi.ts'
import { openapiDocument } from '../../../src/api/documents/openapi.ts'
import { EVENT_KINDS } from '../../../src/api/contract/events.ts'
import { ERRORS, type ErrorCode } from '../../../src/api/errors.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The validator that the documents are held to: strict, but for unions of types, which null needs. */
export function documentValidator(document: object, id: string): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, formats: { uuid: UUID } })
  // The document is one schema with many inside; these words around them say nothing about values.
  ajv.addVocabulary(Object.keys(document))
  ajv.addSchema({ ...document, $id: id })
  return ajv
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

const document = openapiDocument() as unknown as OpenApi
const ajv = documentValidator(document, 'openapi')
const compiled = new Map<string, ValidateFunction>()

/** What anybody can get who asks for something that the documents do not name. */
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

/** Every answer of the service as a JSON Schema: by method and path as documented, then by status. Null where the answer has no JSON. */
export function answerSchemas(): ReadonlyMap<string, ReadonlyMap<number, string | null>> {
  return new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        new Map(
          Object.entries(operation.responses).map(([status, response]) => [
            Number(status),
            schemaPlace(path, method, status, response),
          ]),
        ),
      ]),
    ),
  )
}

const eventSchemas = eventValidators()
const schemas = answerSchemas()
const routes = [...schemas.keys()].map((key) => {
  const [method = '', path = ''] = key.split(' ')
  return {
    key,
    method,
    pattern: new RegExp(`^${path.replaceAll('.', String.raw`\.`).replace(/\{\w+\}/g, '[^/]+')}$`),
    literal: !path.includes('{'),
  }
})

/**
 * Holds an answer of any transport against the OpenAPI document: throws on a status that the operation does not document, and on a
 * body that does not fit. `path` is the one that was asked for, with or without its query; `body` is the parsed body, or text.
 */
export function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  const plain = path.split('?', 1)[0] ?? ''
  const fitting = routes.filter((route) => route.method === method && route.pattern.test(plain))
  const route = fitting.find((each) => each.literal) ?? fitting[0]
  if (!route) return checkUndocumented(method, plain, status, body)
  const place = schemas.get(route.key)?.get(status)
  if (place === undefined)
    throw new Error(`${route.key} does not document the status ${status}: ${JSON.stringify(body)}`)
  if (place === null) return undefined
  const validate = compiled.get(place) ?? compile(place)
  if (!validate(body))
    throw new Error(
      `The answer ${status} of ${route.key} does not fit its schema: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`,
    )
  return undefined
}

/** Holds an event of the stream against the AsyncAPI document. */
export function checkEvent(event: unknown): void {
  const { event: kind } = event as { event?: unknown }
  const validate = typeof kind === 'string' ? eventSchemas.get(kind) : undefined
  if (!validate) throw new Error(`The event ${JSON.stringify(event)} is not documented.`)
  if (!validate(event))
    throw new Error(
      `A ${String(kind)} event does not fit its schema: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(event)}`,
    )
}

function eventValidators(): ReadonlyMap<string, ValidateFunction> {
  const events = documentValidator(asyncapiDocument(), 'asyncapi')
  const component = (kind: string): string =>
    `asyncapi#/components/schemas/${kind.charAt(0).toUpperCase()}${kind.slice(1)}Event/schema`
  return new Map(EVENT_KINDS.map((kind) => [kind, events.compile({ $ref: component(kind) })]))
}

function checkUndocumented(method: string, path: string, status: number, body: unknown): void {
  const { error } = body as { error?: { code?: string } }
  const code = UNDOCUMENTED.find((each) => each === error?.code)
  if (!code || ERRORS[code].status !== status)
    throw new Error(`${method} ${path} is not documented, but was answered ${status}: ${JSON.stringify(body)}`)
  const validate = compiled.get(ERROR) ?? compile(ERROR)
  if (!validate(body)) throw new Error(`A refusal does not have the Error shape: ${JSON.stringify(body)}`)
}

const ERROR = 'openapi#/components/schemas/Error'

function compile(place: string): ValidateFunction {
  const validate = ajv.compile({ $ref: place })
  compiled.set(place, validate)
  return validate
}

function schemaPlace(path: string, method: string, status: string, response: Response): string | null {
  const name = response.$ref?.split('/').at(-1)
  const content = (name === undefined ? response : document.components.responses[name])?.content ?? {}
  const type = 'application/json' in content ? 'application/json' : Object.keys(content)[0]
  if (type === undefined) return null
  const before = name === undefined ? ['paths', path, method, 'responses', status] : ['components', 'responses', name]
  return `openapi#/${[...before, 'content', type, 'schema'].map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
}
