import { describe, expect } from 'vitest'
import { adminOpenapiDocument } from '../../src/documents/admin-openapi.ts'
import { asyncapiDocument } from '../../src/documents/asyncapi.ts'
import { openapiDocument } from '../../src/documents/openapi.ts'
import { proves } from '#support/gateway/verifies.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly [keyword: string]: unknown
}
interface Document {
  readonly name: string
  readonly schemas: Readonly<Record<string, Schema>>
  readonly parameters: readonly (Schema & { readonly name: string; readonly schema: Schema })[]
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: Document['parameters'] }>>>>
  readonly components: { readonly schemas: Document['schemas'] }
}

function ofOpenapi(name: string, document: object): Document {
  const { paths, components } = document as OpenApi
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  return {
    name,
    schemas: components.schemas,
    parameters: operations.flatMap(({ parameters = [] }) => parameters),
  }
}

const asyncapi = asyncapiDocument() as unknown as {
  readonly components: { readonly schemas: Readonly<Record<string, { readonly schema: Schema }>> }
}
const documents: readonly Document[] = [
  ofOpenapi('OpenAPI', openapiDocument()),
  ofOpenapi("the administrators' OpenAPI", adminOpenapiDocument()),
  {
    name: 'AsyncAPI',
    schemas: Object.fromEntries(
      Object.entries(asyncapi.components.schemas).map(([name, { schema }]) => [name, schema]),
    ),
    parameters: [],
  },
]

/** Numbers that are no measure of anything, and why. */
const WITHOUT_UNIT: Readonly<Record<string, string>> = {
  revision: 'a version',
  version: 'a version',
  ifRevision: 'a version',
  seq: 'a place in a sequence',
  since: 'a place in a sequence',
  slot: 'a place in a memory',
  gang: 'a place on a module',
  status: 'a status of HTTP',
  address: 'a name on the unit protocol',
  position: 'a place in a list',
  port: 'a name in the network',
  upTo: 'a place in a sequence',
  alg: 'a name in the list of COSE',
  id: 'a place in a sequence',
  minimum: 'measured as the value that it bounds',
  maximum: 'measured as the value that it bounds',
  multipleOf: 'measured as the value that it bounds',
}
/** Numbers that say how many there are of something. */
const COUNTS: readonly string[] = [
  'rounds',
  'times',
  ...[
    'hiddenMembers',
    'missed',
    'limit',
    'points',
    'count',
    'rows',
    'written',
    'shed',
    'leftOutLately',
    'failed',
    'acknowledged',
  ],
  ...['floors', 'rooms', 'units', 'scenes', 'groups', 'automations', 'schedules', 'integrations'],
  ...['onTheBus', 'reachable', 'inTheHouse', 'withoutPlace', 'failedAuthentications'],
  ...['sockets', 'streams', 'branches', 'listening', 'delivered', 'collapsed', 'silent'],
  ...['persons', 'keys', 'repeat', 'attempts'],
]
const UNITS_OF_MEASURE =
  /epoch ms|percent|degrees|bytes|MiB|days|seconds|minutes|watt|lux|parts per million|`currency`|weekday|unit of measure/i

/** True if a field has a description, by itself or by its named shape. */
function isDescribed(field: Schema, schemas: Document['schemas']): boolean {
  const { description, $ref, items, anyOf = [], const: constant } = field
  // A constant says all that there is.
  if (description !== undefined || constant !== undefined) return true
  const named = $ref === undefined ? undefined : schemas[/schemas\/(\w+)/.exec($ref)?.[1] ?? '']
  return [named, items, ...anyOf].some((part) => part !== undefined && isDescribed(part, schemas))
}

function isNumber({ type, enum: words, const: constant }: Schema): boolean {
  return (
    [type].flat().some((typeName) => typeName === 'integer' || typeName === 'number') &&
    !words &&
    constant === undefined
  )
}

describe.each(documents)('in $name', ({ schemas, parameters }) => {
  const fields = Object.entries(schemas).flatMap(([id, { properties = {} }]) =>
    Object.entries(properties).map(([name, field]) => ({ id: `${id}.${name}`, name, field })),
  )

  proves('api.descriptions', 'every shape, field and parameter has a description', () => {
    const silent = [
      ...Object.entries(schemas).filter(([, schema]) => schema.description === undefined),
      ...parameters.filter(({ description }) => description === undefined).map(({ name }) => [name]),
      ...fields.filter(({ field }) => !isDescribed(field, schemas)).map(({ id }) => [id]),
    ].map(([id]) => id)
    expect(silent).toEqual([])
  })

  proves('api.descriptions', 'every number says its unit of measure, or there is a reason why it has none', () => {
    const numbers = [
      ...fields.filter(({ field }) => isNumber(field)),
      ...parameters
        .filter(({ schema }) => isNumber(schema))
        .map((field) => ({ id: `parameter ${field.name}`, name: field.name, field })),
    ]
    const unclear = numbers
      .filter(({ name }) => WITHOUT_UNIT[name] === undefined && !COUNTS.includes(name))
      .filter(({ field }) => !UNITS_OF_MEASURE.test(field.description ?? ''))
      .map(({ id }) => id)
    expect(unclear).toEqual([])
    expect(numbers.length).toBeGreaterThan(20)
  })
})
