import { tempHistory } from '#support/homes/history.ts'
import { sceneOf } from '#support/homes/house-content.ts'
import { smallHouse } from '#support/homes/small-house.ts'
import type { ActivityDraft, Cause } from '../../../src/home/model/events.ts'
import type { DeviceState } from '../../../src/home/model/device.ts'
import type { Automation, Schedule } from '../../../src/home/model/rules.ts'
import { explain } from '../../../src/home/explain/explain.ts'
import type {
  About,
  ExplainItem,
  ExplainSources,
  ExplainView,
  Explanation,
} from '../../../src/home/explain/explanation.ts'

/** A Monday in Berlin, 14:00. */
export const NOW = Date.UTC(2027, 2, 1, 13)
export const MINUTE = 60_000
export const DAY = 1_440 * MINUTE
export const HALL: About = { kind: 'device', id: 'hall' }

const evening = sceneOf('evening', {
  name: 'Evening',
  steps: [{ device: 'hall', op: 'set_power', args: { on: true } }],
})
const rule = {
  enabled: true,
  revision: 1,
  edits: [{ devices: null, count: 1 }],
  origin: null,
  author: null,
  changedAt: 0,
}
export const dusk: Automation = {
  ...rule,
  id: 'dusk',
  name: 'Dusk',
  paused: false,
  mode: 'single',
  when: [{ device: 'sensor', detection: 'motion' }],
  if: [{ device: 'sensor', reading: 'light', below: 20 }],
  then: [{ scene: 'evening' }],
}
export const morning: Schedule = {
  ...rule,
  id: 'morning',
  name: 'Morning',
  at: { time: '07:00' },
  days: [1, 2, 3, 4, 5],
  if: [],
  then: [{ device: 'hall', op: 'set_power', args: { on: true } }],
}
const house = smallHouse(
  [
    { id: 'hall', name: 'Hall light', class: 'light_switch', room: 'hall' },
    { id: 'sensor', name: 'Hall sensor', class: 'sensor', room: 'hall' },
    {
      id: 'module',
      name: 'Module',
      class: 'gang_module',
      room: 'hall',
      gangs: [
        { gang: 0, name: 'Mirror', class: 'switch_gang', room: 'bath' },
        { gang: 1, name: 'Secret lamp', class: 'switch_gang', room: 'bath' },
      ],
    },
  ],
  [evening],
)
const NAMES: Readonly<Record<string, string>> = {
  hall: 'Hall light',
  sensor: 'Hall sensor',
  module: 'Module',
  'module:0': 'Mirror',
}

/** Recorded entries, current state, and visible things; defaults describe an ordinary day. */
export interface Situation {
  /** Activity by age in minutes; of the hall light if no subject is named. */
  readonly drafts?: readonly (Omit<ActivityDraft, 'at' | 'subject'> & {
    readonly ago: number
    readonly subject?: ActivityDraft['subject']
  })[]
  /** Motion at a unit, by age in minutes. */
  readonly detections?: readonly (readonly [string, number])[]
  readonly state?: DeviceState
  readonly sources?: Partial<ExplainSources>
  readonly view?: Partial<ExplainView>
  readonly about?: About
  readonly to?: number
}

/** The explanation of the hall light, or of the situation's subject, at `NOW`. */
export function explanationOf(situation: Situation): Explanation {
  const history = tempHistory()
  for (const { ago, ...draft } of situation.drafts ?? [])
    history.activity.record({ subject: HALL, ...draft, at: NOW - ago * MINUTE })
  for (const [unit, ago] of situation.detections ?? [])
    history.detections.record(unit, { at: NOW - ago * MINUTE, kind: 'motion', value: true })
  const sources: ExplainSources = {
    house,
    since: () => 0,
    state: () => ({ state: situation.state ?? { on: true, mode: 'manual' }, asOf: NOW - 5_000 }),
    reachable: () => true,
    linkDown: () => null,
    activity: history.activity,
    detections: history.detections,
    automations: () => [dusk],
    limitedRun: () => null,
    schedules: () => [morning],
    movedDevices: () => ['hall'],
    settings: () => [],
    unitSchedules: () => undefined,
    timeZone: () => 'Europe/Berlin',
    ...situation.sources,
  }
  const view: ExplainView = {
    integration: 'me',
    device: (key) => NAMES[key] ?? null,
    scene: (id) => (id === 'evening' ? 'Evening' : null),
    calendar: () => null,
    actor: (name) => name,
    memberOf: () => null,
    place: () => null,
    automation: (id) => (id === 'dusk' ? 'Dusk' : null),
    rule: () => null,
    schedule: (id) => (id === 'morning' ? 'Morning' : null),
    mode: (id) => (id === 'away' ? 'Away' : null),
    person: () => null,
    unitsAround: () => ['sensor'],
    gangsOf: (key) => (key === 'module' ? ['module:0'] : []),
    showsSettings: true,
    onlyGangs: () => false,
    showsUnitSchedules: true,
    ...situation.view,
  }
  return explain({ about: situation.about ?? HALL, from: NOW - DAY, to: situation.to ?? NOW, now: NOW }, view, sources)
}

export const entryTexts = (items: readonly ExplainItem[]): readonly string[] => items.map((item) => item.what)
export const off: DeviceState = { on: false, mode: 'manual' }
export const motion: Cause = { source: 'unit', name: 'motion', ref: 'sensor' }
export const through: Cause = {
  source: 'scene',
  name: 'Evening',
  ref: 'evening',
  by: { source: 'automation', name: 'Dusk', ref: 'dusk', by: motion },
}
export const key: Cause = { source: 'integration', name: 'API: Dashboard', integration: 'me', link: 'l1' }

/** The hall light was turned on or off some minutes ago. */
export function powerChange(ago: number, on: boolean, cause: Cause): NonNullable<Situation['drafts']>[number] {
  return { ago, kind: 'state', what: on ? 'turned on' : 'turned off', cause, data: { from: { on: !on }, to: { on } } }
}
