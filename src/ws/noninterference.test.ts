// @module-tag repeated
import { withEdit } from '../home/model/house.ts'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TestStreamClient } from '#support/gateway/stream-client.ts'
import { StreamHome } from '#support/homes/stream-home.ts'
import { times } from '#support/long.ts'
import type { Automation, AutomationDraft } from '../home/model/rules.ts'

const CAUSE = { source: 'gateway', name: 'test' } as const
const ID = '11111111-2222-4333-8444-555555555555'
const number = fc.integer({ min: 0, max: 100 })

type Rule = AutomationDraft & Pick<Automation, 'id' | 'revision' | 'origin'>

const switching = (id: string, device: string): Rule => ({
  id,
  revision: 1,
  origin: null,
  name: id,
  enabled: true,
  when: [{ time: '07:00' }],
  if: [],
  then: [{ device, op: 'set_power', args: { on: true } }],
  mode: 'single',
})
/** Rules of both homes: a hidden one and two visible ones. */
const RULES = [switching('cellar-rule', 'cellar'), switching('hall-rule', 'lamp'), switching('door-rule', 'strip:1')]

function setRules(home: StreamHome, rules: readonly Rule[]): void {
  const part = home.automations.replacement(rules, CAUSE)
  home.core.change((record) => part.store(record))
  part.apply()
}

function editRule(home: StreamHome, id: string, change: Partial<AutomationDraft>): void {
  const rule = home.automations.get(id)
  if (rule) home.automations.update(id, change, rule.revision, CAUSE, null)
}

/** Saves the scene with a visible step: a change for all clients, or only for clients that see the cellar. */
function saveEvening(home: StreamHome, name: string | null, cellar: boolean): void {
  const scene = home.house.scenes.get('evening')!
  const steps = (['lamp', 'cellar'] as const).map((device) => ({
    device,
    op: 'set_power' as const,
    args: { on: device === 'cellar' ? cellar : true },
  }))
  home.house.saveScene(
    {
      ...scene,
      name: name ?? scene.name,
      steps,
      revision: scene.revision + 1,
      edits: withEdit(scene.edits, name === null ? ['cellar'] : null),
    },
    'edited',
    CAUSE,
  )
}

/** Visible events in the hall, and requests of the integration. */
type Step = readonly [action: keyof typeof SEEN | keyof typeof HIDDEN, value: number]

const SEEN = {
  lamp: (home, bri) => home.state('lamp', { on: true, bri, mode: 'manual' }),
  gang: (home, value) => home.state('strip:1', { on: value % 2 === 0, mode: 'manual' }),
  setting: (home, value) =>
    home.events.emit({
      kind: 'settings',
      device: 'lamp',
      values: { led_mode: value % 3 },
      asOf: home.clock.now(),
      cause: CAUSE,
    }),
  touch: (home, value) => home.touch(value % 2 === 0 ? 'lamp' : 'strip:1'),
  room: (home, value) => void home.house.renameRoom('hall', `Hall ${value % 3}`, CAUSE),
  lost: (home, value) => hear(home, value % 4 < 2 ? 1 : 2, value % 2 === 0),
  rule: (home, value) => editRule(home, 'hall-rule', { name: `Rule ${value % 3}`, enabled: value % 2 === 0 }),
  rules: (home, value) => {
    const others = home.automations.list().filter(({ id }) => id !== 'door-rule')
    setRules(home, value % 2 === 0 ? others : [...others, switching('door-rule', 'strip:1')])
  },
  evening: (home, value) => saveEvening(home, `Evening ${value % 3}`, value % 2 === 0),
  time: (home, value) => home.clock.advance(value * 10),
  again: async (_home, value, client) =>
    void (await client.ask({
      subscribe: ['*', 'touch'],
      since: Math.max(0, (client.events.at(-1)?.seq ?? 0) - value),
    })),
  topic: async (home, _value, client) =>
    void (await client.subscribe(`device:${home.id({ id: ID } as never, 'cellar')}`)),
} as const satisfies Record<string, Act>

/** Hidden events elsewhere in the home. */
const HIDDEN = {
  cellar: (home, value) => home.state('cellar', { on: value % 2 === 0, mode: 'auto' }),
  otherTouch: (home, value) => home.touch((['cellar', 'strip:0', 'strip'] as const)[value % 3] ?? 'cellar'),
  otherGang: (home, value) => home.state('strip:0', { on: value % 2 === 0, mode: 'auto' }),
  otherLost: (home, value) => hear(home, 3 + (value % 2), value % 3 === 0),
  readings: (home, value) => {
    home.readings('air', { temperature: value })
    home.readings('strip', { motion: value % 2 === 0 })
  },
  moduleSetting: (home, value) =>
    home.events.emit({
      kind: 'settings',
      device: 'strip',
      values: { side_buttons_off: value % 2 },
      asOf: home.clock.now(),
      cause: CAUSE,
    }),
  scene: (home, value) => home.runScene('night', value % 2 === 0),
  hiddenRule: (home, value) => editRule(home, 'cellar-rule', { name: `Rule ${value}`, enabled: value % 2 === 0 }),
  pausedRule: (home) => {
    const rule = home.automations.get('cellar-rule')
    if (rule) home.automations.take(rule.id, { ...rule, paused: !rule.paused })
  },
  hiddenRules: (home, value) => {
    const others = home.automations.list().filter(({ id }) => id !== 'cellar-rule')
    setRules(home, value % 2 === 0 ? others : [switching('cellar-rule', 'cellar'), ...others])
  },
  hiddenStep: (home, value) => saveEvening(home, null, value % 2 === 0),
  otherRoom: (home, value) => void home.house.renameRoom('kitchen', `Kitchen ${value}`, CAUSE),
  move: (home, value) =>
    home.house.placeUnit({ ...home.house.units.get('cellar')!, room: value % 2 === 0 ? 'attic' : 'kitchen' }, CAUSE),
  otherIntegration: (home) => void home.integration(),
} as const satisfies Record<string, Act>

/** A unit stops to answer, or answers again. */
function hear(home: StreamHome, address: number, lost: boolean): void {
  home.bus.setSilent(home.house.unitAt(address)!, lost)
}

type Act = (home: StreamHome, value: number, client: TestStreamClient) => void | Promise<void>

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.tuple(
    fc.constantFrom(
      ...(Object.keys(SEEN) as (keyof typeof SEEN)[]),
      ...(Object.keys(HIDDEN) as (keyof typeof HIDDEN)[]),
    ),
    number,
  ),
  { maxLength: 30 },
)

/** All messages that a client of the hall receives during the steps. */
async function textsOf(run: readonly Step[], withHidden: boolean): Promise<readonly string[]> {
  const home = await StreamHome.open()
  const client = await home.connect(
    home.token(
      home.integration(
        {
          expose: 'Selected',
          picks: [
            { kind: 'room', id: 'hall' },
            { kind: 'scene', id: 'evening' },
          ],
        },
        { automations: 'on' },
        ID,
      ),
    ),
  )
  setRules(home, RULES)
  saveEvening(home, 'Evening', true)
  await client.subscribe('*', 'touch')
  for (const [action, value] of run) {
    const act: Act | undefined =
      action in SEEN
        ? SEEN[action as keyof typeof SEEN]
        : withHidden
          ? HIDDEN[action as keyof typeof HIDDEN]
          : undefined
    await act?.(home, value, client)
    if (action in SEEN) await client.settled()
  }
  await client.settled()
  client.socket.terminate()
  return client.texts
}

test('events in the hidden part of a home never change the bytes that a client receives', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (run) => {
      expect(await textsOf(run, true)).toEqual(await textsOf(run, false))
    }),
    { numRuns: times(3, 250) },
  )
})

test('a rule that comes back has the same revision whatever hidden rules had', async () => {
  const run: readonly Step[] = [
    ['rules', 0],
    ...Array.from({ length: 5 }, (_, value): Step => ['hiddenRule', value]),
    ['hiddenStep', 1],
    ['rules', 1],
  ]
  expect(await textsOf(run, true)).toEqual(await textsOf(run, false))
})
