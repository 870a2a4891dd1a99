import { commandWords } from '../words/commands.ts'
import { type SubjectKey, subjectKey, type ActivityEntry } from '../model/events.ts'
import type { Step } from '../model/house.ts'
import { commandsOf, type Automation, type Schedule, timeRuleOf } from '../model/rules.ts'
import { BOUND_WORDS } from '../rules/runs/set-off-bounds.ts'
import { conditionWords, dormantWords, timeWords, triggerWords } from '../words/rules.ts'
import { TimeWords } from '../words/values.ts'
import {
  type About,
  type ExplainItem,
  type ExplainSources,
  type ExplainView,
  type Explanation,
  liveItem,
} from './explanation.ts'
import { parseDeviceKey, type DeviceKey } from '../model/device.ts'
import { modeWords, unitScheduleWords, detectionWords } from '../words/units.ts'
import { type ExposedCause, exposeCause } from '../words/causes.ts'
import { Answers } from './answers.ts'

/** What moves a device by itself: the automations and schedules that may be seen, and the scenes that hold it. */
interface Movers {
  readonly items: readonly ExplainItem[]
  /** All of them, for their activity. */
  readonly keys: readonly SubjectKey[]
  readonly automations: readonly Automation[]
}

function moversOf(about: About, sources: ExplainSources, view: ExplainView): Movers {
  const stepsOf = (scene: string): readonly Step[] => sources.house.scenes.get(scene)?.steps ?? []
  const targets = about.kind === 'device' ? new Set([about.id, ...view.gangsOf(about.id)]) : new Set<string>()
  /** What steps do to it: `turn on`, `set brightness to 40 %`; of a scene: `run it`. */
  const doings = (steps: readonly Step[]): readonly string[] =>
    about.kind === 'scene'
      ? steps.some((step) => 'scene' in step && step.scene === about.id)
        ? ['run it']
        : []
      : [
          ...new Set(
            commandsOf(steps, stepsOf)
              .filter(({ device }) => targets.has(device))
              .map(({ command }) => commandWords(command)),
          ),
        ]
  // Rules that are switched off explain why something did not happen, so they stand first.
  const off: ExplainItem[] = []
  const on: ExplainItem[] = []
  const keys: SubjectKey[] = []
  const automations: Automation[] = []
  const take = (kind: 'automation' | 'schedule', rule: Automation | Schedule, doing: string): void => {
    const dormant = dormantWords(rule)
    const name = `${kind === 'automation' ? 'Automation' : 'Schedule'} ${rule.name}`
    const what = dormant === null ? `${name} is set to ${doing}.` : `${name} ${dormant}: it would ${doing}.`
    keys.push(subjectKey({ kind, id: rule.id }))
    const list = dormant === null ? on : off
    list.push(liveItem(kind, null, what, { kind, id: rule.id }))
  }
  for (const automation of sources.automations()) {
    const does = view.automation(automation.id) === null ? [] : doings(automation.then)
    if (does.length === 0) continue
    const when = automation.when.map((trigger) => triggerWords(trigger, view)).join(', or ')
    const only =
      automation.if.length === 0
        ? ''
        : `, but only if ${automation.if.map((condition) => conditionWords(condition, view)).join(' and ')}`
    automations.push(automation)
    take('automation', automation, `${does.join(', ')} ${when}${only}`)
  }
  for (const schedule of sources.schedules()) {
    const does = view.schedule(schedule.id) === null ? [] : doings(schedule.then)
    if (does.length === 0) continue
    take('schedule', schedule, `${does.join(', ')} ${timeWords(timeRuleOf(schedule))}`)
  }
  if (about.kind === 'device') {
    for (const scene of sources.house.scenes.values()) {
      if (view.scene(scene.id) !== null && doings(scene.steps).length > 0)
        keys.push(subjectKey({ kind: 'scene', id: scene.id }))
    }
  }
  return { items: [...off, ...on], keys, automations }
}

/**
 * The last of these automations that did not run for a bound of what is set off. The activity has one entry of
 * each such cause, about the first automation; of the others the rules remember it.
 */
function heldBackItem(
  automations: readonly Automation[],
  sources: ExplainSources,
  { from, to, when }: { readonly from: number; readonly to: number; readonly when: TimeWords },
): ExplainItem | null {
  const [last] = automations
    .flatMap(({ id, name }) => {
      const held = sources.heldBack(id)
      return held === null || held.at < from || held.at > to ? [] : [{ id, name, ...held }]
    })
    .toSorted((a, b) => b.at - a.at)
  if (last === undefined) return null
  const what = `Automation ${last.name} did not run ${when.say(last.at)}: ${BOUND_WORDS[last.bound]}.`
  return liveItem('automation', last.at, what, { kind: 'automation', id: last.id })
}

/**
 * What the unit itself may have done, as it last confirmed it: its mode, its settings, its own schedules. Nothing here
 * asks the unit.
 */
function unitItems(device: DeviceKey, sources: ExplainSources, view: ExplainView): readonly ExplainItem[] {
  const items: ExplainItem[] = []
  const add = (kind: 'unit_setting' | 'schedule', id: DeviceKey, what: string, asOf: number): void => {
    items.push({ kind, source: 'cache', at: null, what, cause: null, about: { kind: 'device', id }, asOf })
  }
  for (const key of [device, ...view.gangsOf(device)]) {
    const name = view.device(key) ?? ''
    const cached = sources.state(key)
    const mode = cached === undefined || !('mode' in cached.state) ? null : modeWords(name, cached.state.mode)
    if (mode !== null && cached !== undefined) add('unit_setting', key, mode, cached.asOf)
    const found = sources.house.devices.get(key)
    for (const { what, asOf } of view.showsSettings && found !== undefined ? sources.settings(found) : [])
      add('unit_setting', key, `${name}: ${what}, as last read.`, asOf)
  }
  const own = view.showsUnitSchedules ? sources.unitSchedules(device) : undefined
  for (const schedule of own?.schedules ?? []) {
    const key = schedule.gang === null ? device : `${parseDeviceKey(device).unit}:${schedule.gang}`
    const name = view.device(key)
    // The schedule of a whole module is left out where only some of its gangs are shown.
    if (own === undefined || name === null || (schedule.gang === null && view.onlyGangs(device))) continue
    add('schedule', key, unitScheduleWords(name, schedule), own.asOf)
  }
  return items
}

const DETECTIONS_READ = 200

interface ExplainQuery {
  /** A device or a scene that the view shows. */
  readonly about: About
  readonly from: number
  readonly to: number
  /** The present, epoch ms: a range that ends before it asks about what was, not about what is. */
  readonly now: number
}

/**
 * A range that ends this long before now still counts as reaching the present: clients' clocks differ and requests take
 * time.
 */
const PRESENT_MS = 60_000

/**
 * Why a device is as it is, or why nothing happened to it (Spec 4 rule 9, docs/explain.md#why): from causes that were
 * stored when things happened, never from comparing times. The same history gives the same explanation.
 */
export function explain(query: ExplainQuery, view: ExplainView, sources: ExplainSources): Explanation {
  const { about, to } = query
  // A range that reaches the present is about the unit that is there now.
  const since = about.kind === 'device' ? sources.since(about.id) : 0
  const from = since <= to ? Math.max(query.from, since) : query.from
  const when = new TimeWords(sources.timeZone(), to)
  const movers = moversOf(about, sources, view)
  const live = to >= query.now - PRESENT_MS
  const heldBack = heldBackItem(movers.automations, sources, { from, to, when })
  const answers = new Answers({
    sources,
    view,
    query: { about, from, to, since: Math.min(since, from), movers: movers.keys, heldBack, live },
    when,
  })
  const first = answers.items()
  const unit = about.kind === 'device' ? unitItems(about.id, sources, view) : []
  const sensors = about.kind === 'device' ? sensorItems(about.id, { from, to }, view, sources, when) : []
  const items = [...first, ...movers.items, ...unit, ...sensors, ...integrationItems(answers.entries, view, when)]
  return { from: query.from, to, items, note: noteOn(items, answers.unreachable) }
}

/** What was detected around the device: one item for each unit and kind, the newest first. */
function sensorItems(
  device: DeviceKey,
  { from, to }: Pick<ExplainQuery, 'from' | 'to'>,
  view: ExplainView,
  sources: ExplainSources,
  when: TimeWords,
): readonly ExplainItem[] {
  const units = view.unitsAround(device).filter((unit) => view.device(unit) !== null)
  const groups = new Map<string, { readonly unit: string; readonly at: number; readonly what: string; count: number }>()
  for (const { unit, at, kind, value } of sources.detections.between(units, from, to, DETECTIONS_READ)) {
    if ((!value && kind !== 'door') || at < sources.since(unit)) continue
    const known = groups.get(`${unit} ${kind}`)
    if (known === undefined) groups.set(`${unit} ${kind}`, { unit, at, what: detectionWords(kind, value), count: 1 })
    else known.count++
  }
  return [...groups.values()].map(({ unit, at, what, count }) => {
    const times = count === 1 ? '' : `, ${count} times in all`
    const said = `${view.device(unit) ?? ''}: ${what} ${when.say(at)}${times}.`
    return liveItem('sensor', at, said, { kind: 'device', id: unit })
  })
}

/** Who commanded it from outside, each credential for itself, with how often and when last. */
function integrationItems(
  entries: readonly ActivityEntry[],
  view: ExplainView,
  when: TimeWords,
): readonly ExplainItem[] {
  const groups = new Map<string, { readonly cause: ExposedCause; readonly entry: ActivityEntry; count: number }>()
  for (const entry of entries) {
    if (entry.kind !== 'state' && entry.kind !== 'failed') continue
    const cause = commanderOf(exposeCause(entry.cause, view))
    if (cause === null) continue
    const key = JSON.stringify([cause.source, cause.name, cause.link])
    const known = groups.get(key)
    if (known === undefined) groups.set(key, { cause, entry, count: 1 })
    else known.count++
  }
  return [...groups.values()].map(({ cause, entry, count }) => {
    const times = count === 1 ? 'once' : `${count} times`
    const what = `${cause.name} commanded it ${times}, last ${when.say(entry.at)}.`
    return liveItem('integration', entry.at, what, entry.subject, cause)
  })
}

/** The integration, agent, platform or voice assistant at the end of a chain. */
function commanderOf(cause: ExposedCause): ExposedCause | null {
  if (cause.by !== undefined) return commanderOf(cause.by)
  return ['integration', 'agent', 'platform', 'voice'].includes(cause.source) ? cause : null
}

function noteOn(items: readonly ExplainItem[], unreachable: boolean): string {
  const cached = items.some((item) => item.source === 'cache')
  return [
    ...(unreachable ? ['The unit does not answer: its state is the last it confirmed.'] : []),
    ...(cached
      ? ['Items with source cache are based on the last available data from the unit; each says in asOf how old it is.']
      : []),
  ].join(' ')
}
