import { newGroup } from '../../../../src/home/model/groups.ts'
import type { Exposure, Pick } from '../../../../src/exposure/integration.ts'
import type { Knobs } from '../../../../src/exposure/knobs.ts'
import type { DeviceKey, Model, UnitClass } from '../../../../src/home/model/device.ts'
import type { Gang, Room, Scene, Unit } from '../../../../src/home/model/house.ts'
import type { SceneStep } from '../../../../src/home/model/steps.ts'
import type { HouseContent } from '../../../../src/home/ports/house-store.ts'
import type { AutomationDraft, ScheduleDraft } from '../../../../src/home/model/rules.ts'
import { homeInfo, sceneOf, unitOf } from '#support/homes/house-content.ts'

/** The home that both have in common before each hides things (disguise.ts). */
export interface SharedHome {
  readonly content: HouseContent
  readonly automations: readonly AutomationDraft[]
  readonly schedules: readonly ScheduleDraft[]
}

/** Permissions of the watched integration. */
export interface Watched {
  readonly exposure: Exposure
  readonly knobs: Partial<Knobs>
}

const ALL_ON: Partial<Knobs> = {
  advanced_config: 'read_write',
  structural: 'on',
  automations: 'on',
  schedules: 'on',
  allow_unlock: 'on',
}

function selectedView(text: string, knobs: Partial<Knobs>): Watched {
  const picks = text.split(' ').map((word): Pick => {
    const [kind = '', id = '', gang] = word.split(':')
    return gang === undefined ? { kind: kind as 'room', id } : { kind: 'gang', id, gang: Number(gang) }
  })
  return { exposure: { expose: 'Selected', picks }, knobs }
}

/** Exposures; the last shows everything except rules. */
export const WATCHED: readonly Watched[] = [
  selectedView(
    'room:parlour floor:top unit:lamp gang:panel:0 gang:cover:1 scene:evening scene:morning group:set',
    ALL_ON,
  ),
  selectedView('room:parlour unit:lamp scene:evening', { advanced_config: 'off' }),
  selectedView('gang:panel:0 gang:panel:2 scene:evening', { ...ALL_ON, structural: 'off' }),
  selectedView('floor:top unit:panel room:vault', ALL_ON),
  { exposure: { expose: 'All' }, knobs: { ...ALL_ON, automations: 'off', schedules: 'off' } },
]

const on = (device: DeviceKey, value = true): SceneStep => ({ device, op: 'set_power', args: { on: value } })
const room = (id: string, floor: string | null, position: number): Room => ({ id, name: `The ${id}`, floor, position })
const gang = (position: number, at: string | null): Gang => ({
  gang: position,
  name: `gang ${position}`,
  class: 'switch_gang',
  room: at,
  ...(position === 0 ? { light: true } : {}),
})
const unit = (
  id: string,
  address: number,
  unitClass: UnitClass,
  model: Model,
  at: string | null,
  gangs: readonly Gang[] = [],
): Unit => unitOf(id, address, { name: `The ${id}`, class: unitClass, model, room: at, gangs })
const scene = (id: string, position: number, at: string | null, steps: readonly SceneStep[]): Scene =>
  sceneOf(id, { name: `The ${id}`, floor: at === 'attic' ? 'top' : null, room: at, steps, position })
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7] as const

export const WORLD: SharedHome = {
  content: {
    info: homeInfo({ name: 'Noninterference', latitude: 52.5, longitude: 13.4 }),
    floors: [
      { id: 'top', name: 'Top', position: 1 },
      { id: 'deep', name: 'Deep', position: 2 },
    ],
    rooms: [room('parlour', 'deep', 1), room('attic', 'top', 2), room('vault', 'deep', 3), room('shed', null, 4)],
    units: [
      unit('dim', 10, 'light_dimmer', 'HMHH', 'parlour'),
      unit('eye', 11, 'sensor', 'HMSE', 'parlour'),
      unit('bolt', 12, 'lock', 'HMLK', 'parlour'),
      unit('blind', 13, 'shutter', 'HMTHX2', 'parlour'),
      unit('heater', 14, 'power_switch', 'HMPH', 'parlour'),
      unit('remote', 15, 'ir_remote', 'HMIR', 'parlour'),
      unit('lamp', 20, 'light_switch', 'HMHHX1', 'shed'),
      unit('panel', 21, 'gang_module', 'HMHHX4', 'vault', [
        gang(0, 'vault'),
        gang(1, 'shed'),
        gang(2, 'parlour'),
        gang(3, null),
      ]),
      unit('cover', 22, 'gang_module', 'HMHHX3', 'parlour', [gang(0, 'parlour'), gang(1, 'shed'), gang(2, 'shed')]),
      unit('beacon', 30, 'light_dimmer', 'HMHH', 'attic'),
      unit('spy', 40, 'sensor', 'HMSE', 'shed'),
      unit('safe', 41, 'light_switch', 'HMHHX1', 'vault'),
      unit('pump', 42, 'sense_switch', 'HMSH', 'shed'),
      unit('gauge', 43, 'meter', 'HMMT', null),
    ],
    scenes: [
      scene('evening', 1, 'attic', [on('panel:0'), on('safe'), { delay: 1 }, on('panel:2', false), on('pump')]),
      scene('morning', 2, 'parlour', [{ device: 'blind', op: 'open' }, { delay: 2 }, on('dim')]),
      scene('plot', 3, 'vault', [on('safe'), on('pump', false)]),
    ],
    groups: [
      newGroup({
        id: 'set',
        name: 'The set',
        members: ['dim', 'panel:0', 'panel:2', 'safe'],
        origin: null,
        position: 1,
      }),
      newGroup({ id: 'ring', name: 'The ring', members: ['safe', 'dim'], origin: null, position: 2 }),
    ],
  },
  automations: [
    {
      name: 'Watch',
      enabled: true,
      when: [
        { device: 'eye', detection: 'motion' },
        { device: 'dim', state: 'on', is: true },
      ],
      if: [{ device: 'lamp', state: 'on', is: false }],
      then: [on('lamp'), { delay: 3 }, { device: 'blind', op: 'close' }],
      mode: 'single',
    },
    {
      name: 'Gangs',
      enabled: true,
      when: [{ device: 'panel:0', state: 'on', is: true, for: 5 }, { time: '12:03' }],
      if: [],
      then: [on('panel:2'), { scene: 'evening' }],
      mode: 'restart',
    },
    // A module exposed only through its gangs shows no readings or detections.
    {
      name: 'Sense',
      enabled: true,
      when: [{ device: 'panel', detection: 'motion' }],
      if: [],
      then: [on('panel:0')],
      mode: 'single',
    },
    // Its author may not open: its step is refused, in each home for another reason.
    {
      name: 'Latch',
      enabled: true,
      when: [{ device: 'dim', state: 'on', is: true }],
      if: [],
      then: [{ device: 'bolt', op: 'open' }],
      mode: 'single',
    },
    // Names modes, which most watched integrations do not see.
    {
      name: 'Mood',
      enabled: true,
      when: [{ mode: 'away' }],
      if: [{ not: { mode: ['guest'] } }],
      then: [{ delay: 2 }, { mode: 'night' }],
      mode: 'single',
    },
    // Hidden from every watched integration, with all its effects.
    {
      name: 'Scheme',
      enabled: true,
      when: [{ device: 'safe', state: 'on', is: true }, { device: 'spy', detection: 'motion' }, { time: '12:01' }],
      if: [],
      then: [on('pump'), { delay: 4 }, on('pump', false)],
      mode: 'queued',
    },
  ],
  schedules: [
    {
      name: 'Noon',
      enabled: true,
      at: { time: '12:05' },
      days: EVERY_DAY,
      if: [],
      then: [{ device: 'blind', op: 'close' }, on('beacon')],
    },
    { name: 'Ritual', enabled: true, at: { time: '12:02' }, days: EVERY_DAY, if: [], then: [on('pump')] },
  ],
}
