import { commandWords } from '../words/commands.ts'
import { type SubjectKey, subjectKey } from '../model/activity.ts'
import type { Step } from '../model/house.ts'
import { commandsOf } from '../rules/references.ts'
import { BOUND_WORDS } from '../rules/runs/set-off-bounds.ts'
import { conditionWords, dormantWords, timeWords, triggerWords } from '../words/rules.ts'
import { type Automation, type Schedule, timeRuleOf } from '../rules/model.ts'
import type { TimeWords } from '../words/times.ts'
import type { About, ExplainItem, ExplainSources, ExplainView } from './explanation.ts'

/** What moves a device by itself: the automations and schedules that may be seen, and the scenes that hold it. */
export interface Movers {
  readonly items: readonly ExplainItem[]
  /** All of them, for their activity. */
  readonly keys: readonly SubjectKey[]
  readonly automations: readonly Automation[]
}

export function moversOf(about: About, sources: ExplainSources, view: ExplainView): Movers {
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
    list.push({ kind, source: 'live', at: null, what, cause: null, about: { kind, id: rule.id } })
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
export function heldBackItem(
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
  return {
    kind: 'automation',
    source: 'live',
    at: last.at,
    what,
    cause: null,
    about: { kind: 'automation', id: last.id },
  }
}
