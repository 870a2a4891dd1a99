// @module-tag repeated
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { API_VERSION, contract } from '../../src/api/contract/index.ts'
import { refusedCalls } from '../../src/api/contract/refused.ts'
import { BACKUP_FILE_PATH } from '../../src/admin/contract/backups.ts'
import { adminContract } from '../../src/admin/contract/index.ts'
import { EVENTS_PATH } from '../../src/admin/contract/events.ts'
import { adminOpenapiDocument } from '../../src/documents/admin-openapi.ts'
import { asyncapiDocument } from '../../src/documents/asyncapi.ts'
import { documents } from '../../src/documents/documents.ts'
import { openapiDocument } from '../../src/documents/openapi.ts'
import type { Endpoint } from '../../src/api/contract/endpoint.ts'
import { errorBody } from '../../src/wire/errors.ts'
import {
  checkAnswer,
  checkAdminAnswer,
  checkEvent,
  documentedAdminCalls,
  documentedCalls,
  documentValidator,
} from '#support/gateway/conformance.ts'
import { proves } from '#support/gateway/verifies.ts'
import { LONG } from '#support/long.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

interface Components {
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}
const openapi = openapiDocument() as unknown as Components & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { responses: object }>>>>
}
const admin = adminOpenapiDocument() as unknown as Components
const asyncapi = asyncapiDocument() as unknown as Components & {
  readonly operations: Readonly<Record<string, { messages: { $ref: string }[] }>>
}

describe('the committed documents', () => {
  const generated = documents()
  test.each(generated)('$path is what the contract says now', ({ path, text }) => {
    expect(read(path)).toBe(text)
  })

  test('carry the version of the interface', () => {
    for (const { text } of generated) expect(JSON.parse(text)).toMatchObject({ info: { version: API_VERSION } })
  })
})

describe('every schema', () => {
  // Every test with a stream checks its messages against AsyncAPI by these rules.
  const written = [
    { document: openapi, id: 'openapi', tail: '' },
    { document: admin, id: 'admin', tail: '' },
    { document: asyncapi, id: 'asyncapi', tail: '/schema' },
  ]
  test.each(LONG ? written : written.slice(0, 2))(
    'of $id is strict JSON Schema 2020-12',
    { tags: ['long'] },
    ({ document, id, tail }) => {
      const ajv = documentValidator(document, id)
      const names = Object.keys(document.components.schemas)
      expect(names.length).toBeGreaterThan(10)
      for (const name of names)
        expect(() => ajv.compile({ $ref: `${id}#/components/schemas/${name}${tail}` }), name).not.toThrow()
    },
  )

  test('of an answer is open to growth, with house in it', () => {
    const place = 'paths/~1v1~1rooms~1%7Bid%7D/patch/responses/200/content/application~1json/schema'
    const validate = documentValidator(openapi, 'openapi').compile({ $ref: `openapi#/${place}` })
    expect(validate({ house: 'H', room: { id: 'x', name: 'y', more: 1 }, later: true })).toBe(true)
    const fits = (body: object): void => checkAnswer('PATCH', '/v1/rooms/x', 200, body)
    expect(() => fits({ room: { id: 'x', name: 'y' } })).toThrow(/house/)
    expect(() => fits({ house: 'H', room: { id: 'x' } })).toThrow(/name/)
    // A field that we answer is in the document.
    expect(() => fits({ house: 'H', room: { id: 'x', name: 'y', more: 1 } })).toThrow(/additional properties/)
  })
})

describe('the served and the documented API', () => {
  const declared = [
    ...Object.values<Endpoint>(contract).flatMap((declared) =>
      [declared.method, ...(declared.aliases ?? [])].map((method) => `${method} ${declared.path}`),
    ),
    ...refusedCalls.map((refusedCall) => `${refusedCall.method} ${refusedCall.path}`),
  ]

  proves('9.3.openapi', 'over HTTPS are the same', () => {
    const beyond = ['GET /v1/stream', 'GET /openapi.json', 'GET /asyncapi.json', 'GET /ca.pem']
    expect(documentedCalls().toSorted()).toEqual([...declared, ...beyond].toSorted())
  })

  test("over the administrators' socket are the same", () => {
    const served = Object.values<Endpoint>(adminContract).map(({ method, path }) => `${method} ${path}`)
    expect(documentedAdminCalls().toSorted()).toEqual(
      [...served, `GET ${BACKUP_FILE_PATH}`, `GET ${EVENTS_PATH}`].toSorted(),
    )
  })

  proves('9.3.asyncapi', 'over the stream are the same', () => {
    const operations = Object.values(asyncapi.operations)
      .flatMap(({ messages }) => messages.map(({ $ref }) => $ref))
      .filter((name) => name.endsWith('.request'))
    expect(operations).toHaveLength(declared.length)
  })
})

describe('an answer is held against the document', () => {
  test('a status that the operation does not have fails, and one that it has passes', () => {
    expect(() => checkAnswer('GET', '/v1/house', 418, {})).toThrow('does not document the status 418')
    expect(() => checkAnswer('GET', '/v1/state', 304, null)).not.toThrow()
    expect(() => checkAnswer('GET', '/v1/about', 200, 'text')).not.toThrow()
  })

  test('a code that the operation does not have fails', () => {
    expect(() => checkAnswer('PATCH', '/v1/rooms/a%3Ab', 403, errorBody('structural_not_allowed'))).not.toThrow()
    expect(() => checkAnswer('PATCH', '/v1/rooms/a%3Ab', 403, errorBody('unlock_not_allowed'))).toThrow(
      'does not declare the refusal unlock_not_allowed',
    )
    expect(() => checkAnswer('GET', '/v1/house?x=1', 422, errorBody('validation'))).not.toThrow()
  })

  test('undocumented requests are refused, and no others', () => {
    expect(() => checkAnswer('GET', '/v1/nothing', 404, errorBody('not_found'))).not.toThrow()
    expect(() => checkAnswer('PUT', '/v1/house', 405, errorBody('method_not_allowed'))).not.toThrow()
    expect(() => checkAnswer('GET', '/v1/nothing', 200, { house: 'H' })).toThrow('is not documented')
    expect(() => checkAnswer('GET', '/v1/nothing', 404, { error: { code: 'not_found' } })).toThrow('Error shape')
    expect(() => checkAnswer('GET', '/v1/nothing', 405, errorBody('not_found'))).toThrow('is not documented')
  })

  test('and so is an answer to an administrator', () => {
    const fits = (tls: object): void => checkAdminAnswer('GET', '/admin/v1/tls', 200, tls)
    const certificate = { notBefore: 1, notAfter: 2, names: ['hm'], fingerprint: 'AA' }
    expect(() => fits({ ca: { pem: '', fingerprint: 'AA', notAfter: 2, file: 'ca.pem' }, certificate })).not.toThrow()
    expect(() => fits({ ca: { pem: '', fingerprint: 'AA' } })).toThrow('does not fit its schema')
    expect(() => checkAdminAnswer('GET', '/admin/v1/tls', 404, errorBody('not_found'))).toThrow('does not document')
  })

  test('and so is an event', () => {
    const event = {
      at: 1,
      event: 'scene',
      house: 'H',
      device: 'g:i:scene:s',
      class: 'scene',
      state: { running: true },
      seq: 2,
    }
    expect(() => checkEvent(event)).not.toThrow()
    expect(() => checkEvent({ ...event, state: {} })).toThrow('does not fit its schema')
    expect(() => checkEvent({ ...event, event: 'invented' })).toThrow('not documented')
  })
})
