import { stepCommandWords } from '../words/commands.ts'
import { type SubjectKey, subjectKey, type ActivityEntry } from '../model/events.ts'
import type { Author } from '../model/house.ts'
import type { SceneStep } from '../model/steps.ts'
import { type Automation, type Schedule, type Step, timeRuleOf } from '../model/rules.ts'
import { commandsOf, stepsIn } from '../model/rule-parts.ts'
import { LIMIT_WORDS } from '../rules/runs/cascade-limits.ts'
import { dormantWords, onlyIfWords, timeWords, triggerWords } from '../words/rules.ts'
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

/**
 * Rules and scenes that move a device by themselves: the visible automations and schedules, and the scenes with a step
 * for it.
 */
interface Movers {
  readonly items: readonly ExplainItem[]
  /** Keys of all of them, for their activity. */
  readonly keys: readonly SubjectKey[]
  readonly automations: readonly Automation[]
}

function moversOf(about: About, sources: ExplainSources, view: ExplainView): Movers {
  const stepsOf = (scene: string): readonly SceneStep[] => sources.house.scenes.get(scene)?.steps ?? []
  const targets = about.kind === 'device' ? new Set([about.id, ...view.gangsOf(about.id)]) : new Set<string>()
  /** Effects of steps on it: `turn on`, `set brightness to 40 %`; for a scene: `run it`. */
  const effectsOf = (steps: readonly Step[], author: Author): readonly string[] =>
    about.kind === 'scene'
      ? stepsIn(steps).some((step) => 'scene' in step && step.scene === about.id)
        ? ['run it']
        : []
      : [
          ...new Set(
            commandsOf(steps, stepsOf, (step) => sources.movedDevices(step, author, [...targets]))
              .filter(({ device }) => targets.has(device))
              .map(({ command }) => stepCommandWords(command)),
          ),
        ]
  // Disabled rules explain why nothing happened, so they come first.
  const off: ExplainItem[] = []
  const on: ExplainItem[] = []
  const keys: SubjectKey[] = []
  const automations: Automation[] = []
  const take = (kind: 'automation' | 'schedule', rule: Automation | Schedule, effect: string): void => {
    const dormant = dormantWords(rule)
    const name = `${kind === 'automation' ? 'Automation' : 'Schedule'} ${rule.name}`
    const what = dormant === null ? `${name} is set to ${effect}.` : `${name} ${dormant}: it would ${effect}.`
    keys.push(subjectKey({ kind, id: rule.id }))
    const list = dormant === null ? on : off
    list.push(liveItem(kind, null, what, { kind, id: rule.id }))
  }
  for (const automation of sources.automations()) {
    const effects = view.automation(automation.id) === null ? [] : effectsOf(automation.then, automation.author)
    if (effects.length === 0) continue
    const when = automation.when.map((trigger) => triggerWords(trigger, view)).join(', or ')
    automations.push(automation)
    take('automation', automation, `${effects.join(', ')} ${when}${onlyIfWords(automation.if, view)}`)
  }
  for (const schedule of sources.schedules()) {
    const effects = view.schedule(schedule.id) === null ? [] : effectsOf(schedule.then, schedule.author)
    if (effects.length === 0) continue
    const times = timeWords(timeRuleOf(schedule))
    take('schedule', schedule, `${effects.join(', ')} ${times}${onlyIfWords(schedule.if, view)}`)
  }
  if (about.kind === 'device') {
    for (const scene of sources.house.scenes.values()) {
      if (view.scene(scene.id) !== null && effectsOf(scene.steps, scene.author).length > 0)
        keys.push(subjectKey({ kind: 'scene', id: scene.id }))
    }
  }
  return { items: [...off, ...on], keys, automations }
}

/**
 * The latest of these automations that a limit stopped. The activity has one entry for each such cause, about the first
 * automation; the rules remember the others.
 */
function limitedRunItem(
  automations: readonly Automation[],
  sources: ExplainSources,
  { from, to, when }: { readonly from: number; readonly to: number; readonly when: TimeWords },
): ExplainItem | null {
  const [last] = automations
    .flatMap(({ id, name }) => {
      const limited = sources.limitedRun(id)
      return limited === null || limited.at < from || limited.at > to ? [] : [{ id, name, ...limited }]
    })
    .toSorted((a, b) => b.at - a.at)
  if (last === undefined) return null
  const what = `Automation ${last.name} did not run ${when.say(last.at)}: ${LIMIT_WORDS[last.limit]}.`
  return liveItem('automation', last.at, what, { kind: 'automation', id: last.id })
}

/**
 * Possible reasons in the unit itself, as last confirmed: its mode, its settings, its own schedules. Sends no frame.
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
  const ownSchedules = view.showsUnitSchedules ? sources.unitSchedules(device) : undefined
  for (const schedule of ownSchedules?.schedules ?? []) {
    const key = schedule.gang === null ? device : `${parseDeviceKey(device).unit}:${schedule.gang}`
    const name = view.device(key)
    // The schedule of a whole module is hidden if only some of its gangs are visible.
    if (ownSchedules === undefined || name === null || (schedule.gang === null && view.onlyGangs(device))) continue
    add('schedule', key, unitScheduleWords(name, schedule), ownSchedules.asOf)
  }
  return items
}

const DETECTIONS_READ = 200

interface ExplainQuery {
  /** A visible device or scene. */
  readonly about: About
  readonly from: number
  readonly to: number
  /** The present, epoch ms: a range that ends earlier asks about the past. */
  readonly now: number
}

/** A range that ends this long before now still reaches the present: clients' clocks differ and requests take time. */
const PRESENT_MS = 60_000

/**
 * Explains why a device is as it is, or why nothing happened to it (Spec 4 rule 9, docs/explain.md#why). It uses stored
 * causes and never compares times. Equal histories give equal explanations.
 */
export function explain(query: ExplainQuery, view: ExplainView, sources: ExplainSources): Explanation {
  const { about, to } = query
  // A range that reaches the present is about the present unit.
  const since = about.kind === 'device' ? sources.since(about.id) : 0
  const from = since <= to ? Math.max(query.from, since) : query.from
  const when = new TimeWords(sources.timeZone(), to)
  const movers = moversOf(about, sources, view)
  const live = to >= query.now - PRESENT_MS
  const limitedRun = limitedRunItem(movers.automations, sources, { from, to, when })
  const answers = new Answers({
    sources,
    view,
    query: { about, from, to, since: Math.min(since, from), movers: movers.keys, limitedRun, live },
    when,
  })
  const first = answers.items()
  const unit = about.kind === 'device' ? unitItems(about.id, sources, view) : []
  const sensors = about.kind === 'device' ? sensorItems(about.id, { from, to }, view, sources, when) : []
  const items = [...first, ...movers.items, ...unit, ...sensors, ...integrationItems(answers.entries, view, when)]
  return { from: query.from, to, items, note: noteOn(items, answers.unreachable) }
}

/** Detections around the device: one item for each unit and kind, newest first. */
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
  return [...groups.values()].map(({ unit, at, what: detected, count }) => {
    const times = count === 1 ? '' : `, ${count} times in all`
    const what = `${view.device(unit) ?? ''}: ${detected} ${when.say(at)}${times}.`
    return liveItem('sensor', at, what, { kind: 'device', id: unit })
  })
}

/** Commands from outside: one item for each credential, with their number and the last time. */
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
    ...(unreachable ? ['The unit does not answer. Its state is the last one that it confirmed.'] : []),
    ...(cached
      ? ['Items with source cache are based on the last available data from the unit; each says in asOf how old it is.']
      : []),
  ].join(' ')
}
