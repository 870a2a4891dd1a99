// @module-tag repeated
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { ANNA, RulesHome } from '#support/homes/rules-home.ts'
import { times } from '#support/long.ts'
import { type DeviceClass, type DeviceState, OPERATIONS, opensEntrance } from '../model/device.ts'
import { steps as stepsSchema } from './step-schema.ts'

const BODIES = times(200, 5_000)

const CLASSES = {
  lamp: 'light_dimmer',
  plug: 'power_switch',
  blind: 'shutter',
  ac: 'ac',
  bolt: 'lock',
  bars: 'gate',
} as const satisfies Record<string, DeviceClass>
type Name = keyof typeof CLASSES
const NAMES = Object.keys(CLASSES) as Name[]
const GROUPS: Readonly<Record<string, readonly Name[]>> = {
  light: ['lamp'],
  cover: ['blind'],
  socket: ['plug'],
  climate: ['ac'],
  everything: NAMES,
  entrances: ['bolt', 'bars'],
}

/** Sound values come often, so that most bodies are accepted. */
const mostly = <T>(sound: readonly T[], ...rare: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...sound) }, { weight: 1, arbitrary: fc.constantFrom(...rare) })
const command = mostly<object>(
  [
    { op: 'open' },
    { op: 'close' },
    { op: 'toggle' },
    { op: 'set_power', args: { on: true } },
    { op: 'set_position', args: { pos: 100 } },
    { op: 'set_position', args: { by: 50 } },
    { op: 'set_brightness', args: { by: -20 } },
    { op: 'set_temp', args: { by: 1 } },
  ],
  ...OPERATIONS.map((op) => ({ op })),
  { op: 'run' },
)
const group = fc
  .tuple(mostly(Object.keys(GROUPS), 'any', 'lock', 'gone'), command)
  .map(([name, its]) => ({ group: name, ...its }))
const change = fc
  .tuple(
    fc.constantFrom(...NAMES),
    fc.constantFrom<object>(
      { op: 'toggle' },
      { op: 'close' },
      ...[50, -50].map((by) => ({ op: 'set_position', args: { by } })),
    ),
  )
  .map(([device, its]) => ({ device, ...its }))
const restore = fc.constant({ restore: true })
const lit = fc.constantFrom(
  { group: 'light', state: 'on', is: true, of: 'any' },
  { group: 'entrances', state: 'locked', is: true, of: 'all' },
)
const { step } = fc.letrec<{ readonly step: object }>((tie) => {
  const list = fc.array(tie('step'), { minLength: 1, maxLength: 3 })
  return {
    step: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: group },
      { weight: 2, arbitrary: change },
      { weight: 2, arbitrary: restore },
      { weight: 1, arbitrary: fc.record({ if: fc.tuple(lit), then: list, else: list }) },
      { weight: 1, arbitrary: fc.record({ repeat: list, every: fc.constant(1), times: fc.constantFrom(1, 2) }) },
    ),
  }
})
const bodies = fc.record({
  then: fc.array(step, { minLength: 1, maxLength: 6 }),
  isLocked: fc.boolean(),
  pos: fc.constantFrom(0, 40, 100),
})

const statesOf = (isLocked: boolean, pos: number): Readonly<Record<Name, DeviceState>> => ({
  lamp: { on: false, bri: 40, mode: 'manual' },
  plug: { on: true, mode: 'manual' },
  blind: { pos, move: 'stopped', mode: 'manual' },
  ac: { on: false, temp: 20, mode: 'heat', fan: 'low' },
  bolt: { locked: isLocked },
  bars: { pos, move: 'stopped' },
})

proves('automations.never-open', 'group, toggle, by and restore open no lock or gate in random bodies', async () => {
  const home = new RulesHome()
  for (const [name, members] of Object.entries(GROUPS)) home.groups.set(name, members)
  for (const name of NAMES) home.classes.set(name, CLASSES[name])
  home.echo()
  home.rules.start()
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(bodies, async ({ then, isLocked, pos }) => {
      const parsed = stepsSchema.safeParse(then)
      if (!parsed.success) return
      accepted += 1
      for (const [name, state] of Object.entries(statesOf(isLocked, pos))) home.state(name, state)
      home.rules.runs.take({
        of: { kind: 'automation', id: `a${accepted}` },
        steps: parsed.data,
        cause: { ...ANNA, name: `a${accepted}`, source: 'automation', ref: `a${accepted}` },
        priority: 'automation',
        principals: [],
        mode: 'restart',
      })
      await home.pass(60_000)
    }),
    { numRuns: BODIES },
  )
  const { sent } = home.control
  const openings = sent.filter(({ device, op }) => opensEntrance(CLASSES[device as Name], op))
  console.info(
    `${BODIES} random group, toggle, by and restore bodies: ${accepted} accepted, ${sent.length} commands, ${openings.length} openings`,
  )
  expect(openings).toEqual([])
  expect(sent.filter(({ op }) => op === 'open').length).toBeGreaterThan(accepted / 20)
  expect(sent.filter(({ device, op }) => device === 'bolt' && op === 'close').length).toBeGreaterThan(accepted / 20)
})
