import { describe, expect } from 'vitest'
import { asyncapiDocument } from '../src/api/documents/asyncapi.ts'
import { openapiDocument } from '../src/api/documents/openapi.ts'
import { GANG_CLASSES, OPERATIONS, UNIT_CLASSES } from '../src/home/model/device.ts'
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

describe('the documents carry the data', () => {
  proves('api.named-shapes', 'every object has a name of its own, which is its title', () => {
    for (const { id, schema } of all) {
      expect(schema['title'], id).toBe(id.split(' ')[1])
      for (const part of inside(schema).slice(1)) expect(part.properties, id).toBeUndefined()
    }
    for (const [id, { payload }] of Object.entries(asyncapi.components.messages))
      expect(Object.keys(payload.schema), id).toEqual(['$ref'])
  })

  proves('api.named-shapes', 'every field says what it is, or is of a shape that does', () => {
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

  proves('api.conditional-reads', 'tags, their header and 304 are told, and 431 of every call', () => {
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
