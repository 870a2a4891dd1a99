// @module-tag repeated
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { storedHouse } from '#support/homes/stored-house.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ExposedHouse } from '../../exposure/exposed-house.ts'
import { GroupMembers } from '../../exposure/group-members.ts'
import { DEFAULT_KNOBS } from '../../exposure/knobs.ts'
import { readHouseFile } from '../../home/house/house-file.ts'
import { OPERATIONS, opensEntrance } from '../../home/model/device.ts'
import { GROUP_WORDS, newGroup } from '../../home/model/groups.ts'
import type { ControlItem } from '../../home/ports/unit-bus.ts'
import { ok } from '../../lib/result.ts'
import { Refusal, refuse } from '../errors.ts'
import { type ControlHandlerParts, controlHandlers } from './control.ts'
import { times } from '#support/long.ts'

const BODIES = times(1_000, 5_000)

const read = readHouseFile(readFileSync(join(import.meta.dirname, '../../demo/demo-house.yaml'), 'utf8'), 'UTC')
if (!read.ok) throw new Error(read.error)
const keys = [...storedHouse(read.value).devices.values()].filter((device) => device.class !== 'gang_module')
const groupOf = (id: string, members: readonly string[]) =>
  newGroup({ id, name: id, members, origin: null, position: 0 })
const house = storedHouse({
  ...read.value,
  groups: [
    groupOf(
      'everything',
      keys.slice(0, 100).map(({ key }) => key),
    ),
    groupOf(
      'entrances',
      keys.flatMap(({ key, class: its }) => (its === 'lock' || its === 'gate' ? [key] : [])),
    ),
    groupOf('doors', ['front-door', 'driveway-gate', 'living-shutter', 'living-lamp']),
  ],
})
const integration = {
  id: 'i',
  name: 'I',
  enabled: true,
  exposure: { expose: 'All' },
  knobs: DEFAULT_KNOBS,
  createdAt: 0,
}
const members = new GroupMembers(house, { get: () => undefined })
const view = new ExposedHouse(house, integration as ExposedHouse['integration'], 'gateway', members)

/** Sound values come often, so that most bodies are accepted. */
const mostly = <T>(sound: T, ...rare: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(sound) }, { weight: 1, arbitrary: fc.constantFrom(...rare) })
const NAMED = [...house.groups.keys()].map((id) => view.ids.of('group', id))
const OTHERS = [...GROUP_WORDS, view.ids.of('group', 'invented'), 'lock']
const PLACES = [
  ...[...house.rooms.keys()].map((id) => ({ room: view.ids.of('room', id) })),
  ...[...house.floors.keys()].map((id) => ({ floor: view.ids.of('floor', id) })),
]
const body = fc
  .record({
    group: fc.oneof(fc.constantFrom(...NAMED), fc.constantFrom(...OTHERS)),
    op: mostly<string>('open', ...OPERATIONS, 'toggle', 'run'),
    args: mostly<object | null | undefined>(undefined, {}, null, { on: true }, { bri: 40 }, { pos: 100 }),
    place: mostly<object>({}, ...PLACES),
    extra: mostly<object>({}, { code: '123456' }, { class: 'lock' }, { device: view.ids.device('front-door') }),
  })
  .map(({ place, extra, ...rest }) => ({ ...rest, ...place, ...extra }))

proves('devices.groups-control', 'no group opens a lock or gate, although its caller may open each', async () => {
  const sent: ControlItem[] = []
  const { 'control.batch': control } = controlHandlers({
    live: { states: new Map(), capabilities: () => [] },
    control: {
      performMany: (items: readonly ControlItem[]) => {
        sent.push(...items)
        return Promise.resolve(items.map(() => ok({ on: true, mode: 'manual' })))
      },
    },
    unlocking: { control: () => ({ source: 'integration', name: 'API: Test' }) },
  } as unknown as ControlHandlerParts)
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(body, async (random) => {
      try {
        await control({ body: random, view, refuse, cause: {}, naming: undefined, identity: {} } as never)
        accepted += 1
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
      }
    }),
    { numRuns: BODIES },
  )
  const openings = sent.filter(({ device, command }) => {
    const its = house.devices.get(device)
    return its !== undefined && opensEntrance(its.class, command.op)
  })
  console.info(
    `${BODIES} random group bodies: ${accepted} accepted, ${sent.length} commands, ${openings.length} openings`,
  )
  expect(openings).toEqual([])
  expect(sent.filter(({ command }) => command.op === 'open').length).toBeGreaterThan(BODIES / 5)
})
