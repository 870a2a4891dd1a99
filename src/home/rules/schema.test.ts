import type * as z from 'zod'
import { describe, expect, it } from 'vitest'
import type { DeviceClass, Readings } from '../model/device.ts'
import type { Condition, Trigger } from '../model/rules.ts'
import { checked } from '../../lib/checked.ts'
import { problemWith } from './problems.ts'
import {
  automationCreateSchema,
  automationEditSchema,
  scheduleCreateSchema,
  scheduleEditSchema,
  triggerSchema,
} from './schema.ts'
import { sceneStepsSchema, stepSchema } from './step-schema.ts'
import { conditionSchema } from './condition-schema.ts'

const light = { device: 'g:i:hall', op: 'set_power', args: { on: true } }
const automation = { name: 'Night light', when: [{ device: 'g:i:motion', detection: 'motion' }], then: [light] }
const refusal = (schema: z.ZodType, body: unknown): string => {
  const parsed = checked(schema, body)
  return parsed.ok ? 'accepted' : `${parsed.error.field} ${parsed.error.message}`
}

const times = (count: number, one: unknown): unknown[] => Array.from({ length: count }, () => one)

describe('bodies of automations and schedules', () => {
  it('accept every trigger, condition and step of docs/automations.md', () => {
    const triggers = [
      { device: 'd', state: 'on', is: true, for: 600 },
      { device: 'd', state: 'bri', above: 10, below: 90 },
      { device: 'd', reading: 'temperature', above: 25.5 },
      { device: 'd', detection: 'motion' },
      { device: 'd', detection: 'door', is: false },
      { time: '07:00', days: [1, 2, 3] },
      { sun: 'sunset', offset: -30 },
      { scene: 's' },
    ]
    for (const trigger of triggers) expect(triggerSchema.parse(trigger)).toEqual(trigger)
    const conditions = [
      { device: 'd', state: 'mode', is: 'auto' },
      { device: 'd', reading: 'light', below: 20 },
      { after: '22:00', before: 'sunrise', days: [6, 7] },
    ]
    for (const condition of conditions) expect(conditionSchema.parse(condition)).toEqual(condition)
    const steps = [
      light,
      { device: 'd', op: 'stop' },
      { delay: 0.1 },
      { delay: 3600 },
      { scene: 's' },
      { device: 'd', op: 'key', args: { key: 'mute' } },
    ]
    for (const step of steps) expect(stepSchema.parse(step)).toEqual(step)
  })

  it('accept empty arguments for operations without any, and store none', () => {
    for (const args of [{}, null, undefined])
      expect(stepSchema.parse({ device: 'd', op: 'open', args })).toStrictEqual({ device: 'd', op: 'open' })
    expect(stepSchema.safeParse({ device: 'd', op: 'open', args: { pos: 3 } }).success).toBe(false)
  })

  it('name the wrong field', () => {
    expect(refusal(automationCreateSchema, { ...automation, colour: 1 })).toBe(' has no field `colour`')
    expect(refusal(automationCreateSchema, { ...automation, then: [{ ...light, args: { on: 'yes' } }] })).toBe(
      'then[0].args.on must be true or false',
    )
    expect(
      refusal(automationCreateSchema, {
        ...automation,
        then: [{ device: 'd', op: 'set_brightness', args: { bri: 101 } }],
      }),
    ).toMatch(/^then\[0\]\.args\.bri /)
    expect(refusal(automationCreateSchema, { ...automation, then: [{ delay: 0 }] })).toMatch(/^then\[0\]\.delay /)
    expect(refusal(automationCreateSchema, { ...automation, then: [{ ...light, note: 'x' }] })).toBe(
      'then[0] has no field `note`',
    )
    expect(refusal(automationCreateSchema, { ...automation, when: [{ time: '24:00' }] })).toMatch(/^when\[0\]\.time /)
    expect(refusal(automationCreateSchema, { ...automation, when: [{ device: 'd', state: 'on' }] })).toBe(
      'when[0] needs either `is`, or `above` and/or `below`',
    )
    expect(
      refusal(automationCreateSchema, { ...automation, if: [{ device: 'd', reading: 'light', is: 3, above: 2 }] }),
    ).toMatch(/^if\[0\] needs either/)
    expect(refusal(automationCreateSchema, { ...automation, name: '' })).toMatch(/^name /)
    expect(refusal(automationCreateSchema, { ...automation, name: 'a\u0007b' })).toMatch(/^name /)
    expect(refusal(scheduleCreateSchema, { name: 'x', at: { time: '07:00' }, days: [1, 1], then: [light] })).toBe(
      'days must not name a day twice',
    )
  })

  it('enforce the limits on triggers, conditions and steps', () => {
    expect(
      refusal(automationCreateSchema, {
        ...automation,
        then: times(100, light),
        when: times(20, { time: '07:00' }),
        if: times(40, { days: [1] }),
      }),
    ).toBe('accepted')
    expect(refusal(automationCreateSchema, { ...automation, then: times(101, light) })).toMatch(/^then /)
    expect(refusal(automationCreateSchema, { ...automation, when: times(21, { time: '07:00' }) })).toMatch(/^when /)
    expect(refusal(automationCreateSchema, { ...automation, if: times(41, { days: [1] }) })).toMatch(/^if /)
    const nested = { any: times(39, { days: [1] }) }
    expect(refusal(automationCreateSchema, { ...automation, if: [nested] })).toBe('accepted')
    expect(refusal(automationCreateSchema, { ...automation, if: [nested, { days: [1] }] })).toBe(
      'if must hold at most 40, those inside others included',
    )
    const deep = { any: [{ all: [{ not: { days: [1] } }] }] }
    expect(refusal(automationCreateSchema, { ...automation, if: [deep] })).toBe('accepted')
    expect(refusal(automationCreateSchema, { ...automation, if: [{ not: deep }] })).toMatch(
      /^if\[0\]\.not\.any\[0\]\.all\[0\]\.not /,
    )
    expect(refusal(automationCreateSchema, { ...automation, when: [] })).toMatch(/^when /)
    expect(refusal(automationCreateSchema, { ...automation, then: [] })).toMatch(/^then /)
  })

  it('need ifRevision to edit, and accept unchanged read-only fields', () => {
    expect(refusal(automationEditSchema, { name: 'x' })).toMatch(/^ifRevision /)
    expect(refusal(automationEditSchema, { name: 'x', ifRevision: null })).toMatch(/^ifRevision /)
    expect(
      refusal(automationEditSchema, {
        ...automation,
        id: 'a',
        revision: 3,
        origin: null,
        paused: false,
        ifRevision: 3,
      }),
    ).toBe('accepted')
    expect(refusal(scheduleEditSchema, { enabled: false, next: null, ifRevision: 1 })).toBe('accepted')
  })

  it('accept no ifRevision to create, whatever its value', () => {
    for (const ifRevision of [0, 1, -1, 1.5, 'x', false])
      expect(refusal(automationCreateSchema, { ...automation, ifRevision })).toMatch(/^ifRevision is only for edits/)
    for (const ifRevision of [null, undefined])
      expect(refusal(automationCreateSchema, { ...automation, ifRevision })).toBe('accepted')
  })

  it('count steps and conditions inside others, three deep', () => {
    const wait = { wait: [{ days: [1] }], timeout: 5 }
    const then = (steps: unknown[]): string => refusal(automationCreateSchema, { ...automation, then: steps })
    const inside = (step: unknown): object => ({ if: [{ days: [1] }], then: [step] })
    expect(then([{ repeat: times(99, light), every: 1, times: 1 }])).toBe('accepted')
    expect(then([{ repeat: times(100, light), every: 1, times: 1 }])).toBe(
      'then must hold at most 100, those inside others included',
    )
    expect(then([inside(inside(inside(light)))])).toBe('accepted')
    expect(then([inside(inside(inside(inside(light))))])).toMatch(
      /^then\[0\]\.then\[0\]\.then\[0\]\.then\[0\]\.then\[0\] is inside/,
    )
    expect(then(times(40, wait))).toBe('accepted')
    expect(then(times(41, wait))).toBe('then must hold at most 40 conditions')
    const not = { not: { not: { not: { days: [1] } } } }
    expect(then([{ ...wait, wait: [not] }])).toBe('accepted')
    expect(then([{ ...wait, wait: [{ not }] }])).toMatch(/^then\[0\]\.wait\[0\]\.not\.not\.not\.not /)
  })

  it.each([
    [{ if: [{ days: [9] }], then: [light] }, /^then\[0\]\.if\[0\]\.days/],
    [{ if: [], then: [light] }, /^then\[0\]\.if must not be empty/],
    [
      { if: [{ days: [1] }], then: [{ ...light, args: { on: 'yes' } }] },
      /^then\[0\]\.then\[0\]\.args\.on must be true or false/,
    ],
    [{ wait: [{ days: [1] }] }, /^then\[0\]\.timeout is missing/],
    [{ wait: [{ days: [1] }], timeout: 86_401 }, /^then\[0\]\.timeout must be at most 86400/],
    [{ wait: [{ days: [1] }], timeout: 5, else: 'fail' }, /^then\[0\]\.else must be one of go_on, stop/],
    [{ repeat: [light], every: 0.5, times: 3 }, /^then\[0\]\.every must be at least 1/],
    [{ repeat: [light], every: 60, times: 101 }, /^then\[0\]\.times must be at most 100/],
    [{ delay: 5, random: 3_601 }, /^then\[0\]\.random must be at most 3600/],
    [{ device: 'x', op: 'set_brightness', args: { by: 0 } }, /^then\[0\]\.args\.by must not be 0/],
    [{ device: 'x', op: 'set_brightness', args: { by: 101 } }, /^then\[0\]\.args\.by must be at most 100/],
    [{ device: 'x', op: 'toggle', args: { on: true } }, /^then\[0\]\.args has no field/],
  ])('refuse %j', (step, message) => {
    expect(refusal(automationCreateSchema, { ...automation, then: [step] })).toMatch(message)
  })

  it('let a scene run no scene', () => {
    for (const step of [
      { if: [{ days: [1] }], then: [light] },
      { wait: [{ days: [1] }], timeout: 5 },
    ])
      expect(sceneStepsSchema.safeParse([step]).success).toBe(false)
    expect(
      sceneStepsSchema.safeParse([
        { device: 'x', op: 'toggle' },
        { delay: 1, random: 2 },
      ]).success,
    ).toBe(true)

    expect(sceneStepsSchema.safeParse([light, { delay: 1 }]).success).toBe(true)
    expect(sceneStepsSchema.safeParse([{ scene: 's' }]).success).toBe(false)
  })
})

describe('checks against the devices', () => {
  const classes: Readonly<Record<string, DeviceClass>> = {
    hall: 'light_dimmer',
    blind: 'shutter',
    'module:0': 'switch_gang',
    eye: 'sensor',
    fan: 'power_switch',
    thermometer: 'sensor',
    door: 'lock',
    cool: 'ac',
    remote: 'ir_remote',
  }
  const readings: Readonly<Record<string, Readings>> = {
    thermometer: { temperature: 20, battery: 90 },
    door: { power: 3 },
  }
  const check = (rule: Parameters<typeof problemWith>[0]): string => {
    const problem = problemWith(rule, (device) => {
      const its = classes[device]
      return its && { class: its, name: device, readings: readings[device] }
    })
    return problem === null ? 'fine' : `${problem.field} ${problem.message}`
  }
  const when = (trigger: Trigger): string => check({ when: [trigger] })

  it('refuses a state that the device does not have', () => {
    expect(when({ device: 'hall', state: 'bri', above: 3 })).toBe('fine')
    expect(when({ device: 'blind', state: 'bri', above: 3 })).toBe('when[0].state is not in the state of a shutter')
    expect(when({ device: 'eye', state: 'on', is: true })).toMatch(/^when\[0\]\.state /)
  })

  it('refuses a test of the wrong type', () => {
    expect(when({ device: 'hall', state: 'on', is: 1 })).toBe('when[0].is must be true or false')
    expect(when({ device: 'hall', state: 'on', above: 1 })).toBe('when[0] can only be tested with `is`')
    expect(when({ device: 'eye', reading: 'motion', is: false })).toBe('fine')
    expect(when({ device: 'eye', reading: 'motion', below: 1 })).toMatch(/^when\[0\] /)
    expect(when({ device: 'eye', reading: 'light', is: 'dark' })).toBe('when[0].is must be a number')
  })

  it.each<[Trigger, string]>([
    [
      { device: 'hall', state: 'mode', is: 'banana' },
      '.is must be one of auto, eco, manual, sleep: mode of hall (light_dimmer) has no other value',
    ],
    [
      { device: 'cool', state: 'mode', is: 'eco' },
      '.is must be one of auto, cool, heat, dry, fan_only: mode of cool (ac) has no other value',
    ],
    [{ device: 'remote', state: 'key', is: 'nope' }, '.is must be one of power, up, '],
    [
      { device: 'hall', state: 'bri', above: 100 },
      '.above must be less than 100: bri of hall (light_dimmer) is a whole number from 0 to 100',
    ],
    [
      { device: 'hall', state: 'bri', below: 0 },
      '.below must be more than 0: bri of hall (light_dimmer) is a whole number from 0 to 100',
    ],
    [{ device: 'hall', state: 'bri', above: 50, below: 40 }, ' no whole number is above 50 and below 40'],
    [{ device: 'hall', state: 'bri', above: 50, below: 51 }, ' no whole number is above 50 and below 51'],
    [{ device: 'cool', state: 'temp', above: 20, below: 20 }, ' no number is above 20 and below 20'],
    [
      { device: 'blind', state: 'pos', is: 200 },
      '.is must be a whole number from 0 to 100: pos of blind (shutter) has no other value',
    ],
    [
      { device: 'blind', state: 'pos', is: 10.5 },
      '.is must be a whole number from 0 to 100: pos of blind (shutter) has no other value',
    ],
    [
      { device: 'eye', reading: 'humidity', above: 100 },
      '.above must be less than 100: humidity is a number from 0 to 100',
    ],
    [{ device: 'eye', reading: 'light', is: -1 }, '.is must be a number from 0: light has no other value'],
  ])('refuses a test that no value passes: %j', (trigger, problem) => {
    expect(when(trigger)).toContain(`when[0]${problem}`)
    expect(check({ if: [trigger as Condition] })).toContain(`if[0]${problem}`)
  })

  it.each<Trigger>([
    { device: 'hall', state: 'mode', is: 'sleep' },
    { device: 'cool', state: 'fan', is: 'high' },
    { device: 'hall', state: 'bri', above: 99.5 },
    { device: 'hall', state: 'bri', above: 50.5, below: 51.5 },
    { device: 'hall', state: 'bri', below: 0.5 },
    { device: 'blind', state: 'pos', is: 100 },
    { device: 'cool', state: 'temp', above: 20, below: 20.5 },
    { device: 'eye', reading: 'humidity', above: 99.9 },
    { device: 'eye', reading: 'temperature', below: -20 },
  ])('accepts a test that some value passes: %j', (trigger) => {
    expect(when(trigger)).toBe('fine')
  })

  it('accepts a stored trigger, and checks the others', () => {
    const never: Trigger = { device: 'hall', state: 'mode', is: 'banana' }
    const known = () => ({ class: 'light_dimmer', name: 'hall' }) as const
    expect(problemWith({ when: [{ time: '07:00' }, never] }, known, { when: [never] })).toBeNull()
    expect(problemWith({ when: [never], if: [never] }, known, { when: [never] })).toMatchObject({ field: 'if[0].is' })
  })

  it('refuses an operation that the device does not offer', () => {
    expect(check({ then: [{ device: 'blind', op: 'open' }] })).toBe('fine')
    expect(check({ then: [{ delay: 1 }, { device: 'blind', op: 'set_power', args: { on: true } }] })).toBe(
      'then[1].op is not an operation of a shutter; it takes open, close, stop, set_position, set_mode, toggle',
    )
    expect(check({ steps: [{ device: 'fan', op: 'set_temp', args: { temp: 20 } }] })).toBe('fine')
  })

  it('refuses a reading or detection that the device does not have, and lists what it has', () => {
    expect(when({ device: 'door', detection: 'smoke' })).toBe(
      'when[0].detection smoke is not available: door (lock) detects door, tamper',
    )
    expect(check({ if: [{ device: 'blind', reading: 'co2', above: 900 }] })).toBe(
      'if[0].reading co2 is not available: blind (shutter) measures temperature, light, motion',
    )
    expect(when({ device: 'door', reading: 'power', above: 2 })).toBe('fine')
  })

  it('accepts every reading of a sensor before its first report, and only the reported ones afterwards', () => {
    expect(when({ device: 'eye', reading: 'co2', above: 900 })).toBe('fine')
    expect(when({ device: 'eye', detection: 'motion' })).toBe('fine')
    expect(when({ device: 'thermometer', reading: 'battery', below: 10 })).toBe('fine')
    expect(when({ device: 'thermometer', detection: 'water' })).toBe('fine')
    expect(when({ device: 'thermometer', reading: 'co2', above: 900 })).toBe(
      'when[0].reading co2 is not available: thermometer (sensor) measures temperature, battery, smoke, water, tamper',
    )
    expect(when({ device: 'thermometer', detection: 'motion' })).toBe(
      'when[0].detection motion is not available: thermometer (sensor) detects smoke, water, tamper',
    )
  })

  it('looks for sensors in units only', () => {
    expect(when({ device: 'module:0', detection: 'motion' })).toMatch(/^when\[0\]\.device must be a unit/)
  })
})
