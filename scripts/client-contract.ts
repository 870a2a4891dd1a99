/**
 * The types of the TypeScript client, made from the OpenAPI and the AsyncAPI document: a type for each schema, `Paths`
 * with the parameters and responses of each call, and `StreamEvent` with the messages of the stream.
 *
 * `openapi-typescript` needs TypeScript 5 beside 7 (33 packages, 44 MB). It supports neither AsyncAPI nor
 * `x-extensible-enum`, which becomes `Open`.
 */

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
type JsonObject = { readonly [key: string]: Json }

const HEAD = `// Made from openapi/openapi.json and asyncapi/asyncapi.json by \`npm run docs:generate\`: change the contract instead.

/** A word of an open list: the known ones, and any other. */
export type Open<Known extends string> = Known | (string & Record<never, never>)
`

const CLIENT = '@hm-gateway/client/src/browser.ts'
const ADMIN_HEAD = `// Made from openapi/admin.json by \`npm run docs:generate\`: change the contract instead.
import type { Open } from '${CLIENT}'
`

/** Keywords of schemas without a counterpart in types: bounds and notes. */
const VALUE_KEYWORDS = [
  'not',
  'if',
  'then',
  'title',
  'default',
  'description',
  'format',
  'pattern',
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'uniqueItems',
  'propertyNames',
  'example',
  'examples',
]
const TYPE_KEYWORDS = [
  'type',
  'properties',
  'required',
  'items',
  'additionalProperties',
  'enum',
  'const',
  'anyOf',
  'oneOf',
  '$ref',
]
const KNOWN_KEYWORDS = new Set([...VALUE_KEYWORDS, ...TYPE_KEYWORDS, 'x-extensible-enum'])

const METHODS = ['get', 'post', 'patch', 'put', 'delete']

/**
 * The text of `client/src/contract.ts`.
 * @param openapi the OpenAPI document
 * @param asyncapi the AsyncAPI document
 * @throws Error for a schema that has no type here
 */
export function clientContract(openapi: JsonObject, asyncapi: JsonObject): string {
  const schemas = objectAt(openapi, 'components', 'schemas')
  const streamSchemas = Object.fromEntries(
    Object.entries(objectAt(asyncapi, 'components', 'schemas'))
      .filter(([name]) => /Event(?:State)?$/.test(name) || name === 'Subscribed')
      .filter(([name]) => !Object.hasOwn(schemas, name))
      .map(([name, schema]) => [name, objectOf(objectOf(schema)['schema'])]),
  )
  const events = Object.keys(streamSchemas).filter((name) => name.endsWith('Event'))
  return [
    HEAD,
    ...Object.entries({ ...schemas, ...streamSchemas }).map(([name, schema]) => declaration(name, objectOf(schema))),
    `/** A message of the stream. Later versions may send further kinds. */\nexport type StreamEvent = ${events.join(' | ')}\n`,
    pathsType(objectAt(openapi, 'paths'), { name: 'Paths', under: '/v1/' }),
  ].join('\n')
}

/**
 * The text of `console/src/lib/admin-contract.ts`: the calls of administrators.
 * @param openapi their OpenAPI document
 * @throws Error for a schema that has no type here
 */
export function adminContract(openapi: JsonObject): string {
  const schemas = Object.entries(objectAt(openapi, 'components', 'schemas'))
  return [
    ADMIN_HEAD,
    ...schemas.map(([name, schema]) => declaration(name, objectOf(schema))),
    pathsType(objectAt(openapi, 'paths'), { name: 'AdminPaths', under: '/admin/v1/' }),
  ].join('\n')
}

function declaration(name: string, schema: JsonObject): string {
  const type = typeOf(schema, '')
  const written =
    schema['type'] === 'object' && type.startsWith('{') ? `interface ${name} ${type}` : `type ${name} = ${type}`
  return `${comment(schema['description'], '')}export ${written}\n`
}

/** Converts a schema to a type. @param indent indentation of its line */
function typeOf(schema: JsonObject, indent: string): string {
  const unknown = Object.keys(schema).filter((key) => !KNOWN_KEYWORDS.has(key))
  if (unknown.length > 0) throw new Error(`A schema has keywords without a type: ${unknown.join(', ')}.`)
  const { $ref } = schema
  const [choices, values, growing] = [
    schema['anyOf'] ?? schema['oneOf'],
    schema['enum'],
    schema['x-extensible-enum'],
  ].map(listOrNull)
  if (typeof $ref === 'string')
    return (
      $ref
        .replace(/\/schema$/, '')
        .split('/')
        .at(-1) ?? 'unknown'
    )
  if ('const' in schema) return literal(schema['const'] ?? null)
  if (values) return values.map(literal).join(' | ')
  if (choices) return choices.map((choice) => typeOf(objectOf(choice), indent)).join(' | ')
  if (growing) return `Open<${growing.map(literal).join(' | ')}>`
  const types = listOrNull(schema['type']) ?? [schema['type'] ?? null]
  return types.map((type) => plainType(type, schema, indent)).join(' | ')
}

function plainType(type: Json, schema: JsonObject, indent: string): string {
  switch (type) {
    case 'string':
    case 'boolean':
      return type
    case 'integer':
    case 'number':
      return 'number'
    case 'null':
      return 'null'
    case 'array':
      return listOf(typeOf(objectOf(schema['items'] ?? {}), indent))
    case 'object':
      return objectType(schema, indent)
    default:
      return 'unknown'
  }
}

const listOf = (type: string): string => (/^[\w.]+$/.test(type) ? `readonly ${type}[]` : `ReadonlyArray<${type}>`)

function objectType(schema: JsonObject, indent: string): string {
  const { properties, additionalProperties } = schema
  if (properties === undefined)
    return typeof additionalProperties === 'object' && additionalProperties !== null
      ? `Readonly<Record<string, ${typeOf(objectOf(additionalProperties), indent)}>>`
      : 'Readonly<Record<string, unknown>>'
  const required = listOrNull(schema['required']) ?? []
  const inner = `${indent}  `
  const fields = Object.entries(objectOf(properties)).map(([name, value]) => {
    const field = objectOf(value)
    return `${comment(field['description'], inner)}${inner}readonly ${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(field, inner)}`
  })
  return `{\n${fields.join('\n')}\n${indent}}`
}

/** An interface of the calls under a path. Calls that are always refused are left out. */
function pathsType(paths: JsonObject, { name, under }: { readonly name: string; readonly under: string }): string {
  const written = Object.entries(paths).flatMap(([path, item]) => {
    if (!path.startsWith(under)) return []
    const calls = METHODS.flatMap((method) => {
      const operation = objectOf(item)[method]
      const call = operation === undefined ? null : callType(objectOf(operation))
      return call === null
        ? []
        : [`${comment(objectOf(operation ?? null)['summary'], '    ')}    readonly ${method}: ${call}`]
    })
    return calls.length === 0 ? [] : [`  readonly '${path}': {\n${calls.join('\n')}\n  }`]
  })
  return `/**
 * All calls by path and method, with their parameters, body and response. \`keyed\`: it takes an Idempotency-Key.
 * Calls that are always refused are left out.
 */
export interface ${name} {\n${written.join('\n')}\n}\n`
}

/** Parameters, body and response of an operation, or null without a response body. */
function callType(operation: JsonObject): string | null {
  const answer = answerType(objectOf(operation['responses'] ?? {}))
  if (answer === null) return null
  const parameters = (listOrNull(operation['parameters']) ?? []).map(objectOf)
  const body = operation['requestBody']
  const parts = [
    ...parametersType('path', parameters),
    ...parametersType('query', parameters),
    ...(body === undefined
      ? []
      : [`readonly body: ${typeOf(objectAt(objectOf(body), 'content', 'application/json', 'schema'), '')}`]),
    ...(parameters.some(({ name }) => name === 'Idempotency-Key') ? ['readonly keyed: true'] : []),
    `readonly answer: ${answer}`,
  ]
  return `{ ${parts.join('; ')} }`
}

function parametersType(place: 'path' | 'query', parameters: readonly JsonObject[]): string[] {
  const here = parameters.filter((parameter) => parameter['in'] === place)
  if (here.length === 0) return []
  const fields = here.map((parameter) => {
    const mark = parameter['required'] === true ? '' : '?'
    return `readonly ${key(textOf(parameter['name']))}${mark}: ${typeOf(objectOf(parameter['schema'] ?? {}), '')}`
  })
  const mark = here.some((parameter) => parameter['required'] === true) ? '' : '?'
  return [`readonly ${place}${mark}: { ${fields.join('; ')} }`]
}

function answerType(responses: JsonObject): string | null {
  const done = Object.entries(responses).find(([status]) => /^2\d\d$/.test(status))
  if (!done) return null
  const content = objectOf(objectOf(done[1])['content'] ?? {})
  const json = content['application/json']
  if (json !== undefined) return typeOf(objectAt(objectOf(json), 'schema'), '')
  return content['text/plain'] === undefined ? null : 'string'
}

function comment(text: Json | undefined, indent: string): string {
  return typeof text === 'string' ? `${indent}/** ${text.replaceAll('*/', '* /')} */\n` : ''
}

const key = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`)
const literal = (value: Json): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value)

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)
const listOrNull = (value: Json | undefined): readonly Json[] | null => (isList(value) ? value : null)
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

function objectOf(value: Json | undefined): JsonObject {
  if (typeof value === 'object' && value !== null && !isList(value)) return value
  throw new Error(`An object is expected instead of ${JSON.stringify(value)}.`)
}

function objectAt(value: JsonObject, ...path: string[]): JsonObject {
  return path.reduce((at, name) => objectOf(at[name]), value)
}
