import type { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect } from 'vitest'
import { asyncapiDocument } from '../../src/documents/asyncapi.ts'
import { recorded } from '../../src/documents/examples.ts'
import { openapiDocument } from '../../src/documents/openapi.ts'
import { contract, type EndpointName } from '../../src/api/contract/index.ts'
import { EVENT_KINDS } from '../../src/api/contract/events.ts'
import { checkAnswer, checkEvent, documentValidator } from '#support/gateway/conformance.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { type Played, playExamples } from '../examples/play.ts'
import { isStillValid } from '../examples/same-shape.ts'

/** Something of a document that has a schema and an example of it. */
interface Exampled {
  readonly schema: { readonly $ref?: string }
  readonly example?: unknown
}
interface Operation {
  readonly parameters?: readonly (Exampled & { readonly name: string; readonly in: string })[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Exampled>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Exampled>> }>>
}
const openapi = openapiDocument() as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
const asyncapi = asyncapiDocument() as unknown as {
  readonly components: {
    readonly messages: Readonly<
      Record<string, { readonly payload: Exampled; readonly examples?: readonly { readonly payload: unknown }[] }>
    >
  }
}
const ajv = documentValidator(openapi, 'openapi')
const streamAjv = documentValidator(asyncapi, 'asyncapi')
const operations = Object.entries(openapi.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
)

/** Problem of an example according to its schema in the document; null if it is valid. */
function problem(ajv: Ajv2020, id: string, schema: { readonly $ref?: string }, example: unknown): string | null {
  const validate = schema.$ref === undefined ? ajv.compile(schema) : ajv.getSchema(id + schema.$ref)
  if (!validate) return `there is no ${schema.$ref}`
  return validate(example) ? null : `${ajv.errorsText(validate.errors)} in ${JSON.stringify(example)}`
}

const DAY_MS = 24 * 60 * 60 * 1_000
/** In UTC, an hour or two after the home's own. */
const NOON_MS = DAY_MS / 2

let played: Played
beforeAll(async () => {
  // At noon: no rule that the examples make is due then, and neither is the end of a day.
  const clock = new PassingClock()
  clock.sleep((DAY_MS + NOON_MS - (clock.now() % DAY_MS)) % DAY_MS)
  await using home = await TestHome.open('http', { clock })
  const { url, ca } = home.access(null)
  played = await playExamples({
    access: { url, ca, token: home.main.token },
    admin: home.running.admin,
    hasten: (work) => clock.hasten(work),
    touch: () => home.running.sim.touch(11, null, 'down'),
  })
})

describe('the examples', () => {
  proves('api.examples', 'of every endpoint and event are answered by the demo home as the documents show', () => {
    const stale = [
      ...Object.entries(played.answers).filter(([name, answer]) => !isStillValid(recorded.answers[name], answer)),
      ...Object.entries(played.events).filter(([name, event]) => !isStillValid(recorded.events[name], event)),
    ].map(([name]) => name)
    expect(stale, 'Run npm run docs:examples, then npm run docs:generate').toEqual([])
    expect(Object.keys(recorded.answers).toSorted()).toEqual(Object.keys(contract).toSorted())
    expect(Object.keys(recorded.events).toSorted()).toEqual(['subscribed', ...EVENT_KINDS].toSorted())
  })

  proves('api.examples', 'in OpenAPI fit their schemas, and every request and answer has one', () => {
    for (const { name, operation } of operations) {
      const exampled = [
        ...(operation.parameters ?? []).filter(({ in: place }) => place === 'path'),
        ...(operation.parameters ?? []).filter(({ example }) => example !== undefined),
        ...Object.values(operation.requestBody?.content ?? {}),
      ]
      for (const { schema, example } of exampled) expect(problem(ajv, 'openapi', schema, example), name).toBeNull()
    }
    for (const [name, { status, body }] of Object.entries(recorded.answers)) {
      const { method, path } = contract[name as EndpointName]
      expect(status, name).toBeLessThan(300)
      expect(() => checkAnswer(method, path, status, body)).not.toThrow()
      const { content = {} } = openapi.paths[path]?.[method.toLowerCase()]?.responses[status] ?? {}
      expect(Object.values(content)[0], name).toHaveProperty('example', body)
    }
  })

  proves('api.examples', 'in AsyncAPI fit their schemas, and every message has one', { tags: ['long'] }, () => {
    for (const kind of EVENT_KINDS) expect(() => checkEvent(recorded.events[kind])).not.toThrow()
    for (const [name, { payload, examples = [] }] of Object.entries(asyncapi.components.messages)) {
      expect(examples.length, name).toBeGreaterThan(0)
      for (const example of examples)
        expect(problem(streamAjv, 'asyncapi', payload.schema, example.payload), name).toBeNull()
    }
  })
})
