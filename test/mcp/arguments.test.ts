// @module-tag repeated
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { READING_KINDS } from '../../src/home/model/device.ts'
import { STATE_FIELDS } from '../../src/home/model/rules.ts'
import { TOOLS } from '../../src/mcp/server.ts'
import { agentToken, homeForAgents } from '#support/gateway/agents.ts'
import type { TestHome } from '#support/gateway/harness.ts'
import { type Args, callsOf } from '#support/gateway/tool-calls.ts'
import { callerOfTools, type CallTool } from '#support/gateway/tool-caller.ts'
import { casesOf, LONG, times } from '#support/long.ts'
import { proves } from '#support/gateway/verifies.ts'

let home: TestHome
let call: CallTool
beforeAll(async () => {
  home = await homeForAgents()
  call = callerOfTools(home, await agentToken(home))
})
afterAll(async () => {
  await home[Symbol.asyncDispose]()
})

type Schema = z.core.$ZodType
const defOf = (schema: Schema): z.core.$ZodTypes['_zod']['def'] => (schema as z.core.$ZodTypes)._zod.def
const fits = (schema: Schema, value: unknown): boolean => z.safeParse(schema, value).success

/** Texts that look like other types. A text field leaves them unchanged. */
const TEXTS = ['lamp', '50', 'true', 'null', '[1]', '{"on":true}', '2026-03-01', 'scene', 'lock', '07:00']

/** Unions around a value: a condition may hold conditions, and the generator has to end. */
const UNIONS_MAX = 2

/** Values that fit a schema, which stands in this many unions. */
function valuesOf(schema: Schema, unions = 0): fc.Arbitrary<unknown> {
  const def = defOf(schema)
  switch (def.type) {
    case 'optional':
      return fc.option(valuesOf(def.innerType, unions), { nil: undefined })
    case 'nullable':
      return fc.option(valuesOf(def.innerType, unions))
    case 'pipe':
      return valuesOf(def.in, unions)
    case 'lazy':
      return valuesOf(def.getter(), unions)
    case 'object':
      if ('detection' in def.shape && 'reading' in def.shape) return groupTests(def.shape, unions)
      return fc.record(mapped(def.shape, (field) => valuesOf(field, unions))).map(withoutUndefined)
    case 'record':
      return fc.dictionary(fc.constantFrom('on', 'bri', 'note'), fc.constantFrom(...TEXTS, 1, true, null))
    case 'array':
      return fc.array(valuesOf(def.element, unions), { maxLength: 3 })
    case 'union':
      return fc.oneof(
        ...def.options
          .filter((option) => unions < UNIONS_MAX || !holdsUnions(option))
          .map((option) => valuesOf(option, unions + 1).filter((value) => fits(option, value))),
      )
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries))
    case 'literal':
      return fc.constantFrom(...def.values)
    case 'boolean':
      return fc.boolean()
    case 'number':
      return fc.oneof(fc.integer({ min: 0, max: 100 }), fc.constantFrom(0.5, 21.5))
    default:
      return fc.constantFrom(...TEXTS)
  }
}

/** Tests of a group: their shape has the fields of all tests, and few of all choices of fields fit. */
function groupTests(shape: Readonly<Record<string, Schema>>, unions: number): fc.Arbitrary<unknown> {
  const details = fc.constantFrom<readonly string[]>(
    ...[['state', 'is'], ['state', 'above', 'by'], ['reading', 'below', 'for'], ['detection'], ['reachable', 'for']],
  )
  return details.chain((picked) =>
    fc
      .record(mapped(shape, (field) => valuesOf(field, unions)))
      .map((all) => Object.fromEntries(Object.entries(all).filter(([key]) => isKept(key, picked, shape))))
      .map(withoutUndefined),
  )
}

const isKept = (key: string, picked: readonly string[], shape: Readonly<Record<string, Schema>>): boolean =>
  picked.includes(key) ||
  ['group', 'room', 'of'].includes(key) ||
  (key === 'within' && picked.includes('detection') && 'of' in shape)

/** True for forms that hold forms of their own kind. */
function holdsUnions(schema: Schema): boolean {
  const def = defOf(schema)
  return def.type === 'object' && ['any', 'all', 'not', 'if', 'wait', 'repeat'].some((field) => field in def.shape)
}

/**
 * Another spelling of a value, as a model may send it: optional fields and fields of sibling forms are null, and all
 * other types are JSON text.
 */
function spelled(schema: Schema, value: unknown, siblings: readonly Schema[] = []): unknown {
  if (value === null) return null
  const def = defOf(schema)
  if (def.type === 'optional' || def.type === 'nullable') return spelled(def.innerType, value, siblings)
  if (def.type === 'pipe') return spelled(def.in, value, siblings)
  if (def.type === 'lazy') return spelled(def.getter(), value, siblings)
  if (def.type === 'union')
    return spelled(def.options.find((option) => fits(option, value)) ?? schema, value, def.options)
  const inside =
    def.type === 'object'
      ? { ...missingOf(nullsOf(siblings), def.shape), ...spelledFields(def.shape, value as Args) }
      : def.type === 'array'
        ? (value as readonly unknown[]).map((element) => spelled(def.element, element))
        : value
  return typeof inside === 'string' ? inside : JSON.stringify(inside)
}

const missingOf = (fields: Args, shape: object): Args =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => !Object.hasOwn(shape, key)))

/** Null for every field of these forms. */
function nullsOf(forms: readonly Schema[]): Args {
  const keys = forms.flatMap((form): readonly string[] => {
    const def = defOf(form)
    if (def.type === 'pipe') return Object.keys(nullsOf([def.in]))
    if (def.type === 'lazy') return Object.keys(nullsOf([def.getter()]))
    return def.type === 'object' ? Object.keys(def.shape) : []
  })
  return Object.fromEntries(keys.map((key) => [key, null]))
}

function spelledFields(shape: Readonly<Record<string, Schema>>, fields: Args): Args {
  const entries = Object.entries(shape).map(([key, field]) => {
    const value = fields[key]
    if (value === undefined) return [key, fits(field, null) || !fits(field, undefined) ? undefined : null]
    const text = spelled(field, value)
    return [key, fits(field, text) ? value : text]
  })
  return withoutUndefined(Object.fromEntries(entries) as Args)
}

const mapped = <T>(shape: Readonly<Record<string, Schema>>, map: (schema: Schema) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, map(field)]))
const withoutUndefined = (fields: Args): Args =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Arguments that decide the schema of an open argument, and its name. */
const INSIDE: readonly (readonly [tool: string, args: Args, open: string])[] = [
  ['control', { device: 'd', op: 'stop' }, 'args'],
  ['set_intent', { device: 'd', intent: 'off_delay' }, 'value'],
  ['set_intent', { device: 'd', intent: 'climate' }, 'value'],
  ...['scene', 'automation', 'schedule'].flatMap((kind) => [
    ['save_rule', { kind }, 'body'] as const,
    ['save_rule', { kind, id: 'x' }, 'body'] as const,
    ['rules', { kind }, 'draft'] as const,
    ['rules', { kind, id: 'x' }, 'draft'] as const,
  ]),
]

const toolNamed = (name: string): (typeof TOOLS)[number] => TOOLS.find((tool) => tool.name === name)!

describe('the arguments', () => {
  proves('agents.mcp-arguments', 'of every tool are read alike in every tolerated spelling', () => {
    for (const { input, inside, read } of TOOLS)
      fc.assert(
        fc.property(valuesOf(input), (value) => {
          fc.pre(fits(input, value))
          const args = value as Args
          const open = Object.keys(inside(args))
          expect(closedOf(read(args), open)).toEqual(closedOf(args, open))
          expect(read(spelledFields(input.shape, args))).toEqual(read(args))
        }),
        { numRuns: times(15, 100) },
      )
  })

  proves('agents.mcp-arguments', 'of a test get the type of the state or reading', () => {
    const { read } = toolNamed('save_rule')
    const types = {
      true: ['on', 'locked', 'motion', 'door', 'smoke', 'water', 'tamper'],
      50: ['bri', 'pos', 'temp', 'temperature', 'humidity', 'light', 'co2', 'battery', 'power', 'energy'],
      auto: ['mode', 'move', 'fan', 'key'],
    }
    expect(Object.values(types).flat().toSorted()).toEqual([...STATE_FIELDS, ...READING_KINDS].toSorted())
    for (const [text, names] of Object.entries(types))
      for (const name of names) {
        const field = STATE_FIELDS.some((stateField) => stateField === name) ? 'state' : 'reading'
        const typed = text === 'auto' ? text : (JSON.parse(text) as unknown)
        const bodyWith = (is: unknown): Args => {
          const tests = [{ device: 'd', [field]: name, is }]
          return { kind: 'automation', body: { name: 'A', when: tests, if: tests, then: [{ delay: 1 }] } }
        }
        expect(read(bodyWith(text)), name).toEqual(bodyWith(typed))
        for (const other of ['true', '50', 'auto'].filter((spelling) => spelling !== text && text !== 'auto'))
          expect(read(bodyWith(other)), name).toEqual(
            bodyWith(other === 'auto' ? other : expect.toSatisfy((is) => String(is) === other)),
          )
      }
  })

  test('without a schema in the list of tools are all checked against one', () => {
    const isOpen = (schema: Schema): boolean => {
      const def = defOf(schema)
      return def.type === 'optional' ? isOpen(def.innerType) : def.type === 'record' || def.type === 'unknown'
    }
    const open = TOOLS.flatMap(({ name, input }) =>
      Object.entries(input.shape).flatMap(([key, field]) => (isOpen(field) ? [`${name} ${key}`] : [])),
    )
    expect([...new Set(INSIDE.map(([name, , key]) => `${name} ${key}`))].toSorted()).toEqual(open.toSorted())
  })

  for (const [name, args, open] of casesOf(INSIDE, 3))
    proves('agents.mcp-arguments', `of ${name} ${JSON.stringify(args)} are read alike inside ${open}`, () => {
      const { inside, read } = toolNamed(name)
      const shape = inside(args)[open]
      if (shape === undefined) throw new Error('The tool knows no shape.')
      fc.assert(
        fc.property(valuesOf(shape), (value) => {
          fc.pre(fits(shape, value))
          const text = spelled(shape, value)
          expect(read({ ...args, [open]: text })).toEqual(read({ ...args, [open]: value }))
          expect(read({ ...args, [open]: value })).toEqual({ ...args, [open]: value })
        }),
        { numRuns: times(4, 100) },
      )
    })
})

/** Leaves out the content of open arguments, which have another schema. */
const closedOf = (args: unknown, open: readonly string[]): Args =>
  Object.fromEntries(Object.entries(args as Args).filter(([key]) => !open.includes(key)))

describe('a call', () => {
  proves('agents.mcp-arguments', 'of every tool has the same effect in the other spelling', async () => {
    const untried = new Set(TOOLS.map(({ name }) => name))
    const calls = callsOf(home, 'spelled')
    for (const [index, [name, args]] of calls.entries()) {
      if (!LONG && calls.findIndex(([tool]) => tool === name) !== index) continue
      const { input } = toolNamed(name)
      const [exact, other] = [await call(name, args), await call(name, spelledFields(input.shape, args))]
      const where = `${name} ${JSON.stringify(args)}: ${other.content[0]?.text}`
      expect([exact.isError === true, other.isError === true], where).toEqual([false, false])
      expect(Object.keys(other.structuredContent ?? {}), where).toEqual(Object.keys(exact.structuredContent ?? {}))
      untried.delete(name)
    }
    expect([...untried]).toEqual([])
  })

  proves(
    'agents.mcp-arguments',
    'tolerates the arguments of an operation, the body of a rule and a value',
    async () => {
      const light = home.id('hall-light')
      const then = [{ device: light, op: 'set_power', args: { on: 'true' } }, { delay: '1.5' }]
      const body = { name: 'Ten', at: { time: '10:00' }, days: '[1, "2"]', enabled: null, then: JSON.stringify(then) }
      const saved = await call('save_rule', { kind: 'schedule', id: null, ifRevision: null, body })
      expect(saved.structuredContent).toMatchObject({
        rule: {
          name: 'Ten',
          days: [1, 2],
          then: [{ device: light, op: 'set_power', args: { on: true } }, { delay: 1.5 }],
        },
      })
      const none = { delay: null, scene: null }
      const rule = {
        name: 'Typed',
        when: [{ device: light, state: 'on', is: 'true', reading: null, time: null }],
        if: [{ device: light, reading: 'motion', is: 'false', after: null }],
        then: [
          { device: light, op: 'set_power', args: { on: true, bri: null }, ...none },
          { ...none, delay: 1, op: null, device: null, args: null },
          { ...none, scene: home.id('scene:dinner'), device: null },
        ],
      }
      expect((await call('save_rule', { kind: 'automation', body: rule })).structuredContent).toMatchObject({
        rule: {
          when: [{ device: light, state: 'on', is: true }],
          if: [{ device: light, reading: 'motion', is: false }],
          then: [{ device: light, args: { on: true } }, { delay: 1 }, { scene: home.id('scene:dinner') }],
        },
      })
      for (const args of [{ on: 'false' }, '{"on": false}', '{"on": "false"}'])
        expect((await call('control', { device: light, op: 'set_power', args })).structuredContent).toMatchObject({
          state: { on: false },
        })
      expect(
        (await call('set_intent', { device: light, intent: 'off_delay', value: '90' })).structuredContent,
      ).toMatchObject({ intent: { value: 90 } })
      // A name stays text.
      const named = await call('rename', { kind: 'device', id: light, name: '{"a": 1}' })
      expect(named.structuredContent).toMatchObject({ device: { name: '{"a": 1}' } })
    },
  )

  proves('agents.mcp-arguments', 'is still refused for a wrong value, and the refusal names the field', async () => {
    const light = home.id('studio-light')
    const wrong: readonly (readonly [tool: string, args: Args, field: RegExp])[] = [
      ['house', { limit: 'many' }, /^limit: must be a number\.$/],
      ['house', { limit: '500' }, /^limit: must be at most 200\.$/],
      ['state', { ids: null }, /^ids: must be a list\.$/],
      ['state', { ids: '{"a": 1}' }, /^ids: must be a list\.$/],
      ['energy', { series: 'yes' }, /^series: must be true or false\.$/],
      ['control', { device: light, op: 'set_brightness', args: '[1]' }, /^args: must be an object\.$/],
      ['control', { device: light, op: 'set_brightness', args: { bri: 'half' } }, /^args\.bri: /],
      ['save_rule', { kind: 'scene', body: { name: 'A', steps: '[{"delay": "long"}]' } }, /^steps\[0\]\.delay: /],
    ]
    for (const [name, args, message] of wrong) {
      const answer = await call(name, args)
      const where = `${name} ${JSON.stringify(args)}`
      expect([where, answer.isError]).toEqual([where, true])
      const { error } = JSON.parse(answer.content[0]?.text ?? '') as { error: { code: string; message: string } }
      expect([where, error.code, error.message]).toEqual([where, 'validation', expect.stringMatching(message)])
    }
  })
})
