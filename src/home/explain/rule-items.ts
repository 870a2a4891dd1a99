import { describeCommand } from '../live/wording.ts'
import { type SubjectKey, subjectKey } from '../model/activity.ts'
import type { Step } from '../model/house.ts'
import { commandsOf } from '../rules/references.ts'
import { renderCondition, renderTime, renderTrigger } from '../rules/render.ts'
import { timeRuleOf } from '../rules/model.ts'
import type { About, ExplainItem, ExplainSources, ExplainView } from './explanation.ts'

/** What moves a device by itself: the automations and schedules that may be seen, and the scenes that hold it. */
export interface Movers {
  readonly items: readonly ExplainItem[]
  /** All of them, for their activity. */
  readonly keys: readonly SubjectKey[]
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
              .map(({ command }) => describeCommand(command)),
          ),
        ]
  // Rules that are switched off explain what did not happen: they come first.
  const off: ExplainItem[] = []
  const on: ExplainItem[] = []
  const keys: SubjectKey[] = []
  const take = (
    kind: 'automation' | 'schedule',
    rule: { readonly id: string; readonly name: string },
    dormant: string | null,
    doing: string,
  ): void => {
    const name = `${kind === 'automation' ? 'Automation' : 'Schedule'} ${rule.name}`
    const what = dormant === null ? `${name} is set to ${doing}.` : `${name} ${dormant}: it would ${doing}.`
    keys.push(subjectKey({ kind, id: rule.id }))
    const list = dormant === null ? on : off
    list.push({ kind, source: 'live', at: null, what, cause: null, about: { kind, id: rule.id } })
  }
  for (const automation of sources.automations()) {
    const does = doings(automation.then)
    if (does.length === 0 || view.automation(automation.id) === null) continue
    const when = automation.when.map((trigger) => renderTrigger(trigger, view)).join(', or ')
    const only =
      automation.if.length === 0
        ? ''
        : `, but only if ${automation.if.map((condition) => renderCondition(condition, view)).join(' and ')}`
    const dormant = automation.paused
      ? 'is paused, because it kept setting itself off'
      : automation.enabled
        ? null
        : 'is off'
    take('automation', automation, dormant, `${does.join(', ')} ${when}${only}`)
  }
  for (const schedule of sources.schedules()) {
    const does = doings(schedule.then)
    if (does.length === 0 || view.schedule(schedule.id) === null) continue
    take(
      'schedule',
      schedule,
      schedule.enabled ? null : 'is off',
      `${does.join(', ')} ${renderTime(timeRuleOf(schedule))}`,
    )
  }
  if (about.kind === 'device') {
    for (const scene of sources.house.scenes.values()) {
      if (view.scene(scene.id) !== null && doings(scene.steps).length > 0)
        keys.push(subjectKey({ kind: 'scene', id: scene.id }))
    }
  }
  return { items: [...off, ...on], keys }
}
