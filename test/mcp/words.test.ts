// @module-tag repeated
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { contract } from '../../src/api/contract/index.ts'
import type { Endpoint } from '../../src/api/contract/endpoint.ts'
import { TOOLS } from '../../src/mcp/server.ts'
import { ONE_BY_ONE_MAX } from '../../src/mcp/tools/house.ts'
import { agentToken, homeForAgents, type ToolAnswer } from '#support/gateway/agents.ts'
import type { TestHome } from '#support/gateway/harness.ts'
import { type Args, callsOf } from '#support/gateway/tool-calls.ts'
import { callerOfTools, type CallTool } from '#support/gateway/tool-caller.ts'
import { times } from '#support/long.ts'
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

/** Every error in an answer, of the call or of one of its parts. */
function errorsOf(answer: ToolAnswer): readonly { readonly code: string; readonly message: string }[] {
  const found: { readonly code: string; readonly message: string }[] = []
  JSON.parse(answer.content[0]?.text ?? '', (_key, value: unknown) => {
    if (typeof value === 'object' && value !== null && 'code' in value && 'message' in value)
      found.push({ code: String(value.code), message: String(value.message) })
    return value
  })
  return found
}

const sentencesOf = (answer: ToolAnswer): readonly string[] => errorsOf(answer).map(({ message }) => message)

/** Names that a sentence may begin with: the tool's arguments and the fields of its bodies. */
function fieldsOf(tool: string): ReadonlySet<string> {
  const { input } = TOOLS.find(({ name }) => name === tool)!
  const carries = tool === 'save_rule' || tool === 'rules'
  const bodies = Object.values<Endpoint>(contract).flatMap(({ path, body }) =>
    carries && /^\/v1\/(?:scenes|automations|schedules)/.test(path) && body !== null && 'shape' in body
      ? Object.keys(body.shape as object)
      : [],
  )
  return new Set([...Object.keys(input.shape), ...bodies])
}

const HTTP =
  /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|HTTP|Bearer)\b|\/v1|\b[1-5]\d\d \w+_|\b(?:401|403|404|405|409|422|503|504)\b/
const OPERATIONS_OF_STEPS =
  'set_power, set_brightness, set_position, set_mode, set_temp, set_ac_mode, set_fan, key, open, close, stop, toggle'
/** Refusals without a single wrong argument. */
const NO_ARGUMENT = /^(?:The tool \w+ has no field |One of |A \w+ is renamed )/
const WHOLES = /\b[Tt]he (?:body|query|message|path|header)\b/

function holdToWords(tool: string, args: unknown, answer: ToolAnswer): number {
  const errors = errorsOf(answer)
  for (const { code, message: sentence } of errors) {
    const where = `${tool} ${JSON.stringify(args)}: ${sentence}`
    expect(where.slice(where.lastIndexOf(sentence)), where).not.toMatch(HTTP)
    expect(sentence, where).not.toMatch(WHOLES)
    const [, field] = /^([A-Za-z]\w*)[\w.[\]]*: /.exec(sentence) ?? []
    if (field !== undefined) expect([...fieldsOf(tool)], where).toContain(field)
    else if (code === 'validation') expect(sentence, where).toMatch(NO_ARGUMENT)
  }
  return errors.length
}

const wrongValues = (): readonly unknown[] => [
  home.id('invented'),
  7,
  'nonsense',
  {},
  ['a', 7],
  null,
  '',
  -1,
  true,
  [],
  { a: 1 },
  home.id('room:invented'),
  '2026-13-45',
  'x'.repeat(300),
  'room:nowhere',
  0.5,
]

describe('refusals of tools never mention HTTP', () => {
  proves('agents.mcp-words', 'for wrong, missing and unknown arguments', async () => {
    const bases = callsOf(home, 'wrong')
    const values = wrongValues().slice(0, times(1, wrongValues().length))
    let refused = 0
    for (const { name, input } of TOOLS) {
      const own = bases.filter(([tool]) => tool === name).map(([, args]) => args)
      const tried: unknown[] = [{ ...own[0], surprise: 1 }, { Device: 'x' }, undefined]
      for (const key of Object.keys(input.shape).slice(0, times(1, Infinity))) {
        const base = own.find((args) => key in args) ?? own[0] ?? {}
        const { [key]: _, ...without } = base
        tried.push(without, ...values.map((value) => ({ ...base, [key]: value })))
      }
      for (const args of tried) refused += holdToWords(name, args, await call(name, args))
    }
    expect(refused).toBeGreaterThan(times(25, 200))
  })

  proves('agents.mcp-words', 'for mistakes inside a rule, a step or an operation', { tags: ['long'] }, async () => {
    const light = home.id('hall-light')
    const step = { device: light, op: 'set_power', args: { on: true } }
    const steps: readonly unknown[] = [
      { ...step, op: 'open' },
      { ...step, note: 1 },
      { ...step, args: {} },
      { delay: 0 },
      { scene: 's' },
      {},
      'x',
      { ...step, device: home.id('invented') },
    ]
    const bodies: readonly Args[] = [
      {},
      { surprise: 1 },
      { name: '' },
      ...steps.map((wrongStep) => ({
        name: 'A',
        steps: [wrongStep],
        then: [wrongStep],
        when: [{ time: '07:00' }],
        at: { time: '07:00' },
      })),
      ...steps.flatMap((wrongStep) => [
        { name: 'A', steps: [step, wrongStep] },
        { name: 'A', at: { time: '07:00' }, then: [step, wrongStep] },
        { name: 'A', when: [{ time: '07:00' }], then: [step, wrongStep] },
      ]),
      { name: 'A', when: [{ device: light, state: 'on' }], then: [step] },
      { name: 'A', when: [{ device: light, reading: 'humidity', above: 1 }], then: [step] },
      { name: 'A', steps: [step], roomId: home.id('room:invented') },
      { name: 'A', steps: [step], ifRevision: 3 },
    ]
    let refused = 0
    for (const kind of ['scene', 'automation', 'schedule'])
      for (const body of bodies)
        for (const [name, args] of [['rules', { kind, draft: body }] as const, ['save_rule', { kind, body }] as const])
          refused += holdToWords(name, args, await call(name, args))
    for (const op of ['open', 'set_mode', 'run', 'nonsense'])
      for (const args of [undefined, { on: 'x' }, { mode: 'party' }, 'x'])
        refused += holdToWords('control', { op, args }, await call('control', { device: light, op, args }))
    expect(refused).toBeGreaterThan(100)
  })
})

describe('a refusal of a tool', () => {
  proves('agents.mcp-words', 'names the argument with its index, and the tool with the right ids', async () => {
    const light = home.id('hall-light')
    const invented = home.id('invented')
    const step = { device: light, op: 'set_power', args: { on: true } }
    const house = /there is no such thing here\. Ids come from the tool house\.$/.source
    const cases: readonly (readonly [tool: string, args: Args, message: RegExp])[] = [
      ['state', { ids: [light, invented] }, new RegExp(`^ids\\[1\\]: ${house}`)],
      [
        'state',
        { ids: [...Array.from({ length: ONE_BY_ONE_MAX }, () => light), invented] },
        new RegExp(`^ids\\[${ONE_BY_ONE_MAX}\\]: ${house}`),
      ],
      ['control', { device: invented, op: 'stop' }, new RegExp(`^device: ${house}`)],
      ['control', { room: invented, op: 'stop' }, new RegExp(`^room: ${house}`)],
      [
        'control',
        { device: 'r-17', op: 'stop' },
        /^device: there is no such run here\. Ids come from the tool rules with kind run\.$/,
      ],
      ['control', { devices: [light, invented], op: 'stop' }, new RegExp(`^devices\\[1\\]: ${house}`)],
      ['house', { room: invented }, new RegExp(`^room: ${house}`)],
      ['house', { floor: invented }, new RegExp(`^floor: ${house}`)],
      ['sensors', { room: invented }, new RegExp(`^room: ${house}`)],
      ['sensors', { device: invented }, new RegExp(`^device: ${house}`)],
      ['sensors', { device: invented, reading: 'temperature' }, new RegExp(`^device: ${house}`)],
      ['energy', { scope: `room:${invented}` }, new RegExp(`^scope: ${house}`)],
      ['activity', { device: invented }, new RegExp(`^device: ${house}`)],
      ['activity', { rule: invented }, new RegExp(`^rule: ${house}`)],
      ['explain', { device: invented }, new RegExp(`^device: ${house}`)],
      ['intents', { device: invented }, new RegExp(`^device: ${house}`)],
      ['intents', { intent: 'glow' }, /^intent: there is no such setting\./],
      [
        'set_intent',
        { device: light, intent: 'glow', value: 1 },
        /^intent: this device has no such setting\. The tool intents /,
      ],
      ['rename', { kind: 'device', id: invented, name: 'A' }, new RegExp(`^id: ${house}`)],
      [
        'rename',
        { kind: 'device', id: home.id('scene:dinner'), name: 'A' },
        /^A scene is renamed by the tool save_rule, not here\.$/,
      ],
      [
        'rules',
        { kind: 'automation', id: invented },
        /^id: there is no such automation here\. Ids come from the tool rules with kind automation\.$/,
      ],
      ['rules', { kind: 'scene', id: invented }, new RegExp(`^id: ${house}`)],
      [
        'save_rule',
        {
          kind: 'scene',
          body: { name: 'A', steps: [...Array.from({ length: 5 }, () => step), { ...step, device: invented }] },
        },
        new RegExp(`^steps\\[5\\]\\.device: ${house}`),
      ],
      [
        'save_rule',
        { kind: 'automation', body: { name: 'A', when: [{ time: '07:00' }], then: [step, { scene: invented }] } },
        new RegExp(`^then\\[1\\]\\.scene: ${house}`),
      ],
      [
        'rules',
        { kind: 'automation', draft: { name: 'A', when: [{ device: invented, detection: 'door' }], then: [step] } },
        new RegExp(`^when\\[0\\]\\.device: ${house}`),
      ],
      ['save_rule', { kind: 'scene', body: { name: 'A', roomId: invented } }, new RegExp(`^roomId: ${house}`)],
    ]
    for (const [tool, args, message] of cases) {
      const answer = await call(tool, args)
      const where = `${tool} ${JSON.stringify(args)}`
      const sentences = sentencesOf(answer)
      expect([where, sentences.at(-1)]).toEqual([where, expect.stringMatching(message)])
    }
  })

  proves('agents.mcp-words', 'begins with the wrong or missing argument', async () => {
    const light = home.id('hall-light')
    const dinner = home.id('scene:dinner')
    const only = 'only scene, automation, schedule have one.'
    const cases: readonly (readonly [tool: string, args: unknown, message: string])[] = [
      ['save_rule', { kind: 'scene' }, 'body: is missing.'],
      ...[null, 'x', 5, []].map((body) => ['save_rule', { kind: 'scene', body }, 'body: must be an object.'] as const),
      [
        'set_intent',
        { device: home.id('bedroom-light'), intent: 'turn_on_brightness', value: '500' },
        'value: must be a whole number of percent from 1 to 100; 500 is too high.',
      ],
      ['rules', { kind: 'scene', id: dinner, draft: {} }, /^draft: does not go with id for a scene/.source],
      ['rules', { kind: 'scene', dryRun: true }, 'dryRun: needs an id. For a new one, send draft.'],
      ['rules', { kind: 'run', draft: {} }, `draft: does not go with kind run; ${only}`],
      ['rules', { kind: 'run', dryRun: true }, `dryRun: does not go with kind run; ${only}`],
      [
        'rules',
        { kind: 'unit_schedules', id: light, draft: {} },
        `draft: does not go with kind unit_schedules; ${only}`,
      ],
    ]
    for (const [tool, args, message] of cases) {
      const where = `${tool} ${JSON.stringify(args)}`
      const [sentence = ''] = sentencesOf(await call(tool, args))
      expect([where, sentence]).toEqual([where, message.startsWith('^') ? expect.stringMatching(message) : message])
    }
  })

  proves('agents.mcp-words', 'of a trigger, condition, step or time without its field names the choices', async () => {
    const device = home.id('hall-light')
    const [when, then, at] = [[{ time: '07:00' }], [{ delay: 1 }], { time: '07:00' }]
    const cases: readonly (readonly [kind: string, fields: Args, message: string])[] = [
      [
        'automation',
        { when: [{}], then },
        'when[0]: needs one of device, time, sun, calendar, scene, mode, person, group.',
      ],
      [
        'automation',
        { when: [{ device }], then },
        'when[0]: needs one of state, reading, detection, touch, reachable.',
      ],
      ['automation', { when: [{ days: [1] }], then }, 'when[0]: needs one of time, sun.'],
      [
        'automation',
        { when, then, if: [{}] },
        'if[0]: needs one of device, after, before, days, mode, person, sun, from, calendar, any, all, not, group.',
      ],
      ['automation', { when, then, if: [{ person: 'home' }] }, 'if[0].is: is missing: it must be one of home, away.'],
      [
        'automation',
        { when, then, if: [{ person: 'anyone', state: 'home' }] },
        'if[0].is: is missing: it must be one of home, away.',
      ],
      [
        'automation',
        { when, then: [{}] },
        'then[0]: needs one of device, delay, scene, mode, if, wait, repeat, restore, tell, rule, group.',
      ],
      ['automation', { when, then: [{ device, op: 'set_power' }] }, 'then[0].args: is missing.'],
      ['schedule', { at: {}, then }, 'at: needs one of time, sun.'],
      ['schedule', { at, then: [{ op: 'stop' }] }, 'then[0]: needs one of device, group.'],
      ['scene', { steps: [{}] }, 'steps[0]: needs one of device, delay.'],
      ['scene', { steps: [{ device }] }, `steps[0].op: is missing: it must be one of ${OPERATIONS_OF_STEPS}.`],
    ]
    for (const [kind, fields, message] of cases) {
      const body = { name: 'A', ...fields }
      expect([fields, sentencesOf(await call('save_rule', { kind, body }))]).toEqual([fields, [message]])
      const path = `/v1/${kind}s`
      const answered = await home.call({ method: 'POST', path, body, token: home.main.token })
      expect(answered.body).toMatchObject({ error: { code: 'validation', message } })
    }
  })

  proves('agents.mcp-words', 'of an unknown argument or field lists the valid ones', async () => {
    const step = { device: home.id('hall-light'), op: 'set_power', args: { on: true } }
    const cases: readonly (readonly [tool: string, args: Args, message: string])[] = [
      [
        'house',
        { colour: 1 },
        'The tool house has no field `colour`; it has room, floor, class, search, limit, cursor.',
      ],
      ['state', { ids: ['a'], id: 'a' }, 'The tool state has no field `id`; it has ids.'],
      [
        'save_rule',
        { kind: 'scene', body: { name: 'A', colour: 1 } },
        'body: has no field `colour`; it has name, icon, floorId, roomId, steps, ifRevision.',
      ],
      [
        'rules',
        { kind: 'schedule', draft: { name: 'A', colour: 1 } },
        'draft: has no field `colour`; it has name, enabled, at, days, if, then, ifRevision.',
      ],
      [
        'save_rule',
        { kind: 'scene', body: { name: 'A', steps: [step, { ...step, note: 1 }] } },
        'steps[1]: has no field `note`; it has device, op, args.',
      ],
      ...['device', 'devices', 'room'].flatMap((key) =>
        (
          [
            ['set_brightness', { bri: 5, transition: 1 }, 'args: has no field `transition`; it has bri.'],
            ['set_power', { on: true, transition: 1 }, 'args: has no field `transition`; it has on.'],
            ['stop', { transition: 1 }, 'args: has no field `transition`; it has none.'],
          ] as const
        ).map(([op, args, message]): readonly [string, Args, string] => {
          const device = home.id(op === 'stop' ? 'bedroom-shutter' : 'bedroom-light')
          const where = { device, devices: [device], room: home.id('room:bedroom') }[key]
          return ['control', { [key]: where, op, args }, message]
        }),
      ),
      [
        'set_intent',
        { device: home.id('living-tv'), intent: 'climate', value: { dry: 1 } },
        'value: has no field `dry`; it has cool, heat, none.',
      ],
    ]
    for (const [tool, args, message] of cases) expect(sentencesOf(await call(tool, args))).toEqual([message])
  })
})
