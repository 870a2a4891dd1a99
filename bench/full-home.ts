import type { PastParts } from '../src/demo/past.ts'
import type { NewHome } from '../src/gateway/options.ts'
import type { Cause } from '../src/home/model/events.ts'
import type { HouseContent } from '../src/home/ports/house-store.ts'
import type { RuleFile } from '../src/home/rules/rule-file.ts'
import { DAY_MS } from '../src/lib/durations.ts'

const AUTOMATIONS = 600
const WATCHING = 1_000
const SCHEDULES = 600
const SCENES = 500
const SCENE_STEPS = 20
const TRIGGERS = 20
const RULE_STEPS = 4
const ENTRIES = 60_000
const READINGS = 100_000
const ENERGY_DAYS = 365
const METERED = 30
const HISTORY_MS = 30 * DAY_MS
const AT_ONCE = 5_000

/** A home as full as years of use make it: scenes, automations and schedules by the hundred, and a long history. */
export function fullHome(small: HouseContent): Pick<NewHome, 'house' | 'rules' | 'past'> {
  const dimmers = small.units.filter((unit) => unit.class === 'light_dimmer').map(({ id }) => id)
  const device = (index: number): string => dimmers[index % dimmers.length] ?? ''
  const scenes = Array.from({ length: SCENES }, (_, index) => ({
    id: `full-${index}`,
    name: `Scene ${index}`,
    icon: null,
    floor: null,
    room: null,
    steps: Array.from({ length: SCENE_STEPS }, (_step, step) => ({
      device: device(index + step),
      op: 'set_brightness' as const,
      args: { bri: 10 + ((index + step) % 80) },
    })),
    revision: 1,
    edits: [],
    origin: null,
    author: null,
    position: index,
  }))
  return {
    house: () => ({ ...small, scenes }),
    rules: () => ({ automations: automations(device), schedules: schedules(device) }),
    past: (parts) => longPast(parts, device),
  }
}

/** Automations by the thousand that watch the home's dimmers in turn, and that no level of theirs sets off. */
export function watchingRules(small: HouseContent): RuleFile {
  const dimmers = small.units.filter((unit) => unit.class === 'light_dimmer').map(({ id }) => id)
  const device = (index: number): string => dimmers[index % dimmers.length] ?? ''
  const automations = Array.from({ length: WATCHING }, (_, index) => ({
    ...kept('automation', index),
    enabled: true,
    when: [{ device: device(index), state: 'bri' as const, above: 99 }],
    if: [],
    then: stepsOf(index, device),
    mode: 'single' as const,
  }))
  return { automations, schedules: [] }
}

function automations(device: (index: number) => string): RuleFile['automations'] {
  return Array.from({ length: AUTOMATIONS }, (_, index) => ({
    ...kept('automation', index),
    when: Array.from({ length: TRIGGERS }, (_trigger, trigger) => ({
      device: device(index + trigger),
      state: 'bri' as const,
      above: 99,
      for: 60 + trigger,
    })),
    if: [{ after: '03:00', before: '03:01' }],
    then: stepsOf(index, device),
    mode: 'single' as const,
  }))
}

function schedules(device: (index: number) => string): RuleFile['schedules'] {
  return Array.from({ length: SCHEDULES }, (_, index) => ({
    ...kept('schedule', index),
    at: { time: '03:00' },
    days: [],
    then: stepsOf(index, device),
  }))
}

function kept(kind: string, index: number) {
  return { id: `${kind}-${index}`, name: `${kind} ${index}`, enabled: false, revision: 1, origin: null }
}

function stepsOf(index: number, device: (index: number) => string) {
  return Array.from({ length: RULE_STEPS }, (_, step) => ({
    device: device(index + step),
    op: 'set_brightness' as const,
    args: { bri: 50 },
  }))
}

async function longPast(parts: PastParts, device: (index: number) => string): Promise<void> {
  const now = parts.clock.now()
  const motion: Cause = { source: 'unit', name: 'motion' }
  for (let row = 0; row < ENTRIES; row += 1) {
    parts.activity.record({
      at: now - HISTORY_MS + Math.floor((HISTORY_MS * row) / ENTRIES),
      kind: 'state',
      subject: { kind: 'device', id: device(row) },
      what: row % 2 === 0 ? 'turned on' : 'turned off',
      cause: { source: 'automation', name: 'automation 1', ref: 'automation-1', by: motion },
      data: { from: { on: row % 2 !== 0 }, to: { on: row % 2 === 0 } },
    })
    if (row % AT_ONCE === 0) await parts.activity.committed()
  }
  for (let row = 0; row < READINGS; row += 1) {
    const at = now - HISTORY_MS + Math.floor((HISTORY_MS * row) / READINGS)
    parts.readings.record(device(0), 'temperature', at, 20 + (row % 7))
    if (row % AT_ONCE === 0) await parts.activity.committed()
  }
  for (let day = ENERGY_DAYS; day > 0; day -= 1) {
    for (let load = 0; load < METERED; load += 1)
      parts.energy.addPast(device(load), 960_000 + load, now - day * DAY_MS, now - (day - 1) * DAY_MS)
    await parts.activity.committed()
  }
}
