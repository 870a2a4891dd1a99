import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { adminOpenapiDocument } from '../../src/documents/admin-openapi.ts'
import { asyncapiDocument } from '../../src/documents/asyncapi.ts'
import { openapiDocument } from '../../src/documents/openapi.ts'
import { GANG_CLASSES, OPERATIONS, UNIT_CLASSES } from '../../src/home/model/device.ts'
import { triggerSchema } from '../../src/home/rules/schema.ts'
import { conditionSchema } from '../../src/home/rules/condition-schema.ts'
import { CONNECTION_REFUSALS } from '../../src/lib/https-server.ts'
import { documentValidator } from '#support/gateway/conformance.ts'
import { proves } from '#support/gateway/verifies.ts'

interface Schema {
  readonly [keyword: string]: unknown
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: Schema
}
interface Operation {
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, unknown>>
}
const openapi = openapiDocument() as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}
const asyncapi = asyncapiDocument() as unknown as {
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly schema: Schema }>>
    readonly messages: Readonly<Record<string, { readonly payload: { readonly schema: Schema } }>>
  }
}
const documents = [
  { name: 'OpenAPI', schemas: openapi.components.schemas },
  {
    name: 'AsyncAPI',
    schemas: Object.fromEntries(
      Object.entries(asyncapi.components.schemas).map(([name, { schema }]) => [name, schema]),
    ),
  },
]
const schemas = openapi.components.schemas
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** Every schema inside one, itself first. */
function inside(schema: Schema): readonly Schema[] {
  const parts = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.anyOf ?? []),
    ...(schema.items ? [schema.items] : []),
  ]
  return [schema, ...parts.flatMap(inside)]
}

const all = documents.flatMap(({ name, schemas: named }) =>
  Object.entries(named).map(([id, schema]) => ({ id: `${name} ${id}`, schema })),
)

/** Places whose form another answer or the reader of a file tells, and which one. */
const TOLD_ELSEWHERE: Readonly<Record<string, string>> = {
  'IntentItem.value': 'the definition of the intent',
  'IntentValue.value': 'the definition of the intent',
  'IntentShape.enum': 'the type beside it',
  'IntentShape.const': 'the type beside it',
  'SettingInWords.value': 'the definition of the intent',
  'AdminActivityEntry.data': 'docs/activity.md, by the kind of the entry',
  'LogLine.fields': 'the part that wrote the line',
  'Starter.draft': 'AutomationCreate or ScheduleCreate, by the kind of the starter',
  'TariffShowAnswer.tariff': 'docs/energy.md, as the tariff file',
}
const SAYS_FORM = ['$ref', 'type', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'x-extensible-enum']
const SAYS_FIELDS = ['properties', 'patternProperties', 'additionalProperties', '$ref', 'anyOf', 'oneOf', 'allOf']

/** True if a schema accepts every value, or every object. */
function saysNothing(schema: Schema): boolean {
  if (!SAYS_FORM.some((keyword) => keyword in schema)) return true
  if (schema.type !== 'object') return false
  const fields = SAYS_FIELDS.filter((keyword) => keyword in schema)
  return fields.every((keyword) => keyword === 'properties') && Object.keys(schema.properties ?? {}).length === 0
}

/** The places of a schema that say nothing about their values. */
function emptyIn(schema: Schema, place: string): readonly string[] {
  const { properties = {}, items, additionalProperties, anyOf = [] } = schema
  const parts = [
    ...Object.entries(properties).map(([name, part]) => [part, `${place}.${name}`] as const),
    ...[items, additionalProperties, ...anyOf].map((part) => [part, place] as const),
  ]
  const isClosed = additionalProperties === false
  return [
    ...(saysNothing(schema) && !isClosed ? [place] : []),
    ...parts.flatMap(([part, where]) => (isSchema(part) ? emptyIn(part, where) : [])),
  ]
}

const isSchema = (part: unknown): part is Schema => typeof part === 'object' && part !== null

describe('the documents carry the data', () => {
  proves('api.no-empty-schema', 'no schema takes every value without saying where its form stands', () => {
    const admin = adminOpenapiDocument() as unknown as typeof openapi
    const named = [...documents, { name: 'admin', schemas: admin.components.schemas }]
    const empty = named.flatMap(({ schemas: group }) =>
      Object.entries(group).flatMap(([id, schema]) => emptyIn(schema, id)),
    )
    expect([...new Set(empty)].toSorted()).toEqual(Object.keys(TOLD_ELSEWHERE).toSorted())
  })

  proves('api.documented-statuses', 'every operation documents how bytes are refused that are no whole request', () => {
    expect(Object.keys(CONNECTION_REFUSALS)).toEqual(['400', '408', '431'])
    for (const [path, item] of Object.entries(openapi.paths))
      for (const [method, { responses }] of Object.entries(item))
        expect([path, method, ...Object.keys(responses)]).toEqual(
          expect.arrayContaining(Object.keys(CONNECTION_REFUSALS)),
        )
  })

  proves(
    'api.one-test',
    'a trigger or condition without its one test fits neither the document nor the gateway',
    () => {
      const ajv = documentValidator(openapi, 'openapi')
      const tests = fc.record(
        {
          is: fc.constantFrom(true, 3, 'auto'),
          above: fc.constantFrom(1, 2.5),
          below: fc.constantFrom(4, 5.5),
          for: fc.constantFrom(0, 60),
          days: fc.constantFrom([1], [1, 1], []),
        },
        { requiredKeys: [] },
      )
      const kinds = fc.constantFrom(
        { device: 'd', state: 'on' },
        { device: 'd', reading: 'temperature' },
        { device: 'd', detection: 'motion' },
        { time: '07:00' },
        { sun: 'sunset' },
        { after: '22:00' },
        {},
      )
      for (const [name, schema] of [
        ['Trigger', triggerSchema],
        ['Condition', conditionSchema],
      ] as const) {
        const fits = ajv.compile({ $ref: `openapi#/components/schemas/${name}` })
        fc.assert(
          fc.property(kinds, tests, (kind, test) => {
            const value = { ...kind, ...test }
            expect([value, fits(value)]).toEqual([value, schema.safeParse(value).success])
          }),
        )
      }
    },
  )

  proves('api.one-test', 'a body that creates, or tries a draft, has no revision to send', () => {
    const ajv = documentValidator(openapi, 'openapi')
    for (const [name, body] of [
      ['SceneCreate', { name: 'A' }],
      ['AutomationCreate', { name: 'A', when: [{ time: '07:00' }], then: [{ delay: 1 }] }],
      ['ScheduleCreate', { name: 'A', at: { time: '07:00' }, then: [{ delay: 1 }] }],
    ] as const) {
      const fits = ajv.compile({ $ref: `openapi#/components/schemas/${name}` })
      expect([name, fits(body), fits({ ...body, ifRevision: null }), fits({ ...body, ifRevision: 1 })]).toEqual([
        name,
        true,
        true,
        false,
      ])
    }
  })

  proves('api.named-shapes', 'every object has a name of its own, which is its title', () => {
    for (const { id, schema } of all) {
      const [, name = ''] = id.split(' ')
      expect(schema['title'], id).toBe(name)
      // Shapes of AsyncAPI hold themselves without another component between (src/documents/direct-recursion.ts).
      const isRecursive = (part: Schema): boolean => JSON.stringify(part).includes(`/${name}/schema"`)
      for (const part of inside(schema).slice(1))
        expect(part.properties !== undefined && !(isRecursive(part) && 'title' in part), id).toBe(false)
    }
    for (const [id, { payload }] of Object.entries(asyncapi.components.messages))
      expect(Object.keys(payload.schema), id).toEqual(['$ref'])
  })

  proves('api.named-shapes', 'every field has a description, or its shape has one', () => {
    const silent = all.flatMap(({ id, schema }) =>
      Object.entries(schema.properties ?? {})
        .filter(([, field]) =>
          inside(field).every((part) => part['description'] === undefined && part.$ref === undefined),
        )
        .filter(([, field]) => field['const'] === undefined)
        .map(([field]) => `${id}.${field}`),
    )
    expect(silent).toEqual([])
  })

  proves('api.numbers-with-sizes', 'numbers have a size, and times are of 64 bits', () => {
    for (const { id, schema } of all)
      for (const part of inside(schema))
        if ([part.type].flat().some((type) => type === 'integer' || type === 'number'))
          expect(part['format'], `${id} ${JSON.stringify(part)}`).toMatch(/^(?:int32|int64|double)$/)
    expect(schemas['DimmerState']?.properties?.['asOf']).toMatchObject({ type: 'integer', format: 'int64' })
    expect(schemas['Schedule']?.properties?.['next']).toMatchObject({ type: ['integer', 'null'], format: 'int64' })
    const query = openapi.paths['/v1/activity']?.['get']?.parameters ?? []
    expect(Object.fromEntries(query.map(({ name, schema }) => [name, schema.type]))).toMatchObject({
      device: 'string',
      from: 'integer',
      to: 'integer',
      limit: 'integer',
    })
  })

  proves('api.states-by-class', 'every class has a state whose fields are all there', () => {
    const STATES = {
      light_switch: { on: true, mode: 'auto' },
      light_dimmer: { on: true, bri: 40, mode: 'auto' },
      shutter: { pos: 40, move: 'stopped', mode: 'auto' },
      power_switch: { on: true, mode: 'auto', temp: null },
      ac: { on: true, temp: 21, mode: 'cool', fan: 'auto' },
      ir_remote: { key: null },
      lock: { locked: true },
      gate: { pos: 40, move: 'stopped' },
      sensor: { temperature: 21.5, motion: false },
    }
    const names = ['Switch', 'Dimmer', 'Cover', 'Power', 'Ac', 'Remote', 'Lock', 'Gate', 'Sensor']
    const ajv = documentValidator(openapi, 'openapi')
    Object.values(STATES).forEach((state, place) => {
      const name = `${names[place]}State`
      const fields = Object.keys(schemas[name]?.properties ?? {})
      expect(fields).toEqual(expect.arrayContaining(['asOf', ...Object.keys(state)]))
      // The first one that fits is the one that is meant.
      const first = schemas['State']?.anyOf?.find(({ $ref }) =>
        ajv.validate({ $ref: `openapi${$ref}` }, { ...state, asOf: 1 }),
      )
      expect(first).toEqual(ref(name))
    })
    expect(ajv.validate({ $ref: 'openapi#/components/schemas/State' }, { asOf: 1, invented: 'later' })).toBe(true)
  })

  proves(
    'api.read-is-sent',
    'steps, triggers, conditions and times have the same shape in answers as in bodies',
    () => {
      const field = (name: string, key: string): Schema | undefined => {
        const { items, $ref } = schemas[name]?.properties?.[key] ?? {}
        return items ?? ($ref === undefined ? undefined : { $ref })
      }
      for (const name of ['Automation', 'AutomationCreate', 'AutomationEdit']) {
        expect(field(name, 'when'), name).toEqual(ref('Trigger'))
        expect(field(name, 'if'), name).toEqual(ref('Condition'))
        expect(field(name, 'then'), name).toEqual(ref('Step'))
      }
      for (const name of ['Schedule', 'ScheduleCreate', 'ScheduleEdit']) {
        expect(field(name, 'at'), name).toEqual(ref('ScheduleTime'))
        expect(field(name, 'then'), name).toEqual(ref('Step'))
      }
      expect(field('SceneDetail', 'steps')).toEqual(ref('SceneStep'))
      expect(field('IntentDef', 'value')).toEqual(ref('IntentShape'))
    },
  )

  proves('api.read-is-sent', 'creating and editing take bodies of their own', () => {
    const bodyOf = (path: string, method: string): Schema | undefined =>
      openapi.paths[path]?.[method]?.requestBody?.content['application/json']?.schema
    for (const [many, one] of [
      ['scenes', 'Scene'],
      ['automations', 'Automation'],
      ['schedules', 'Schedule'],
    ]) {
      expect(bodyOf(`/v1/${many}`, 'post')).toEqual(ref(`${one}Create`))
      expect(bodyOf(`/v1/${many}/{id}`, 'patch')).toEqual(ref(`${one}Edit`))
      expect(schemas[`${one}Create`]?.required).toContain('name')
      expect(schemas[`${one}Edit`]?.required).toEqual(['ifRevision'])
    }
  })

  proves('api.growing-words', 'words that may grow are listed beside a plain text', () => {
    const words = (name: string, key: string): unknown => {
      const field = schemas[name]?.properties?.[key]
      const own = field?.items ?? field
      expect(own).not.toHaveProperty('enum')
      return own?.['x-extensible-enum']
    }
    expect(words('Unit', 'class')).toEqual(UNIT_CLASSES)
    expect(words('Gang', 'class')).toEqual(GANG_CLASSES)
    expect(words('Unit', 'operations')).toEqual(OPERATIONS)
    expect(words('ErrorDetail', 'code')).toContain('unit_unreachable')
    expect(words('Cause', 'source')).toContain('automation')
  })

  proves('api.plain-patterns', 'patterns are of what every engine reads', () => {
    const patterns = all.flatMap(({ schema }) =>
      inside(schema).flatMap(({ pattern }) => (pattern === undefined ? [] : [pattern])),
    )
    expect(patterns.length).toBeGreaterThan(3)
    const keys = openapi.paths['/v1/scenes']?.['post']?.parameters?.find(({ name }) => name === 'Idempotency-Key')
    for (const [key, fits] of [
      ['a-1', true],
      ['a b', false],
      ['é', false],
      ['a'.repeat(256), false],
    ] as const)
      expect(new RegExp(String(keys?.schema['pattern'])).test(key), key).toBe(fits)
    for (const pattern of patterns) expect(pattern).not.toMatch(/\\[pPuxkd]|\(\?[=!<]/)
  })

  proves('api.conditional-reads', 'tags, their header and 304 are documented, and 431 for every call', () => {
    for (const path of ['/v1/house', '/v1/state']) {
      const { parameters, responses } = openapi.paths[path]?.['get'] ?? { responses: {} }
      expect(parameters).toContainEqual(expect.objectContaining({ name: 'If-None-Match', in: 'header' }))
      expect(responses).toHaveProperty('304')
    }
    for (const operation of Object.values(openapi.paths).flatMap((item) => Object.values(item)))
      expect(operation.responses).toHaveProperty('431')
  })

  proves('api.refused-apart', 'calls that are always refused are in a group of their own', () => {
    expect(openapi.paths['/v1/rooms']?.['post']?.tags).toEqual(['refused'])
    for (const { tags, responses } of Object.values(openapi.paths).flatMap((item) => Object.values(item)))
      expect(tags.includes('refused')).toBe(!Object.keys(responses).some((status) => Number(status) < 400))
  })
})
