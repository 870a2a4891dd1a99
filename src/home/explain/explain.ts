import type { ActivityEntry } from '../model/activity.ts'
import type { DeviceKey } from '../model/device.ts'
import { type ExposedCause, exposeCause } from '../words/causes.ts'
import { TimeWords } from '../words/values.ts'
import { detectionWords } from '../words/units.ts'
import { Answers } from './answers.ts'
import type { About, ExplainItem, ExplainSources, ExplainView, Explanation } from './explanation.ts'
import { heldBackItem, moversOf, unitItems } from './items.ts'

const DETECTIONS_READ = 200

export interface ExplainQuery {
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
  return [...groups.values()].map(({ unit, at, what, count }) => ({
    kind: 'sensor',
    source: 'live',
    at,
    what: `${view.device(unit) ?? ''}: ${what} ${when.say(at)}${count === 1 ? '' : `, ${count} times in all`}.`,
    cause: null,
    about: { kind: 'device', id: unit },
  }))
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
  return [...groups.values()].map(({ cause, entry, count }) => ({
    kind: 'integration',
    source: 'live',
    at: entry.at,
    what: `${cause.name} commanded it ${count === 1 ? 'once' : `${count} times`}, last ${when.say(entry.at)}.`,
    cause,
    about: entry.subject,
  }))
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
