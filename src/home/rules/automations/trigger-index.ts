import type { Cause } from '../../model/cause.ts'
import type { News } from '../../news.ts'
import type { DetectionTrigger, ReadingTrigger, SceneTrigger, StateTrigger, Trigger, Value } from '../model.ts'
import { isTimed } from '../model.ts'
import { passes } from './passes.ts'

/** A trigger that waits for something to happen. `slot` tells it from the others of its automation, also after an edit. */
export interface Watch {
  readonly automation: string
  readonly trigger: StateTrigger | ReadingTrigger | DetectionTrigger | SceneTrigger
  readonly slot: string
  /** Milliseconds that it must go on for, or null where it sets off at once. */
  readonly forMs: number | null
}

/** `begins`: the trigger's test has just come true; `known`: it is true and nobody knows since when; `ends`: no longer. */
export interface Signal {
  readonly watch: Watch
  readonly change: 'begins' | 'known' | 'ends'
  readonly by: Cause
}

/** States and readings are flat records of primitives. */
type Values = Readonly<Record<string, Value | null | undefined>>

const NOTHING: readonly Signal[] = []

/**
 * Finds the triggers that a piece of news concerns. Triggers are kept by the device, unit or scene that they watch, so that the
 * cost grows with the automations that concern it, not with all (`examined` counts the triggers that were looked at).
 */
export class TriggerIndex {
  readonly #states = new Map<string, Watch[]>()
  readonly #readings = new Map<string, Watch[]>()
  readonly #detections = new Map<string, Watch[]>()
  readonly #scenes = new Map<string, Watch[]>()
  readonly #of = new Map<string, readonly Watch[]>()
  #examined = 0

  /** Triggers that were looked at since the beginning. */
  get examined(): number {
    return this.#examined
  }

  /** Watches for an automation's triggers in place of those it had; times of day are not its business. */
  set(automation: string, triggers: readonly Trigger[]): readonly Watch[] {
    this.remove(automation)
    const watches = triggers.flatMap((trigger): Watch[] => {
      if (isTimed(trigger)) return []
      const forMs = 'for' in trigger && trigger.for !== undefined ? trigger.for * 1_000 : null
      return [{ automation, trigger, slot: JSON.stringify(trigger), forMs }]
    })
    for (const watch of watches) {
      const { map, key } = this.#shelf(watch.trigger)
      const list = map.get(key)
      if (list) list.push(watch)
      else map.set(key, [watch])
    }
    if (watches.length > 0) this.#of.set(automation, watches)
    return watches
  }

  remove(automation: string): void {
    for (const watch of this.#of.get(automation) ?? []) {
      const { map, key } = this.#shelf(watch.trigger)
      const rest = (map.get(key) ?? []).filter((other) => other !== watch)
      if (rest.length > 0) map.set(key, rest)
      else map.delete(key)
    }
    this.#of.delete(automation)
  }

  match(news: News): readonly Signal[] {
    switch (news.kind) {
      case 'state':
        return news.changed
          ? this.#compare(this.#states.get(news.device), news.state, news.previous, news.cause)
          : NOTHING
      case 'readings':
        return this.#compare(this.#readings.get(news.unit), news.readings, news.previous, {
          source: 'unit',
          name: 'reading',
          ref: news.unit,
        })
      case 'detection':
        return this.#begin(
          this.#detections.get(news.unit),
          { source: 'unit', name: news.detection, ref: news.unit },
          (trigger) =>
            'detection' in trigger && trigger.detection === news.detection && (trigger.is ?? true) === news.value,
        )
      case 'scene':
        return news.running ? this.#begin(this.#scenes.get(news.scene), news.cause, () => true) : NOTHING
      default:
        return NOTHING
    }
  }

  #begin(watches: readonly Watch[] | undefined, by: Cause, wanted: (trigger: Trigger) => boolean): readonly Signal[] {
    if (watches === undefined) return NOTHING
    this.#examined += watches.length
    return watches.filter((watch) => wanted(watch.trigger)).map((watch) => ({ watch, change: 'begins', by }))
  }

  #compare(watches: readonly Watch[] | undefined, now: Values, before: Values | null, by: Cause): readonly Signal[] {
    if (watches === undefined) return NOTHING
    this.#examined += watches.length
    let signals: Signal[] | undefined
    for (const watch of watches) {
      const { trigger } = watch
      if (!('state' in trigger || 'reading' in trigger)) continue
      const field = 'state' in trigger ? trigger.state : trigger.reading
      const previous = before?.[field]
      const change = changeOf(
        passes(trigger, now[field]),
        previous === undefined || previous === null ? null : passes(trigger, previous),
      )
      if (change === null || (watch.forMs === null && change !== 'begins')) continue
      signals ??= []
      signals.push({ watch, change, by: 'reading' in trigger ? { ...by, name: trigger.reading } : by })
    }
    return signals ?? NOTHING
  }

  #shelf(trigger: Watch['trigger']): { map: Map<string, Watch[]>; key: string } {
    if ('state' in trigger) return { map: this.#states, key: trigger.device }
    if ('reading' in trigger) return { map: this.#readings, key: trigger.device }
    if ('detection' in trigger) return { map: this.#detections, key: trigger.device }
    return { map: this.#scenes, key: trigger.scene }
  }
}

/** `was` is null while nothing was known before: what then holds did not begin now. */
function changeOf(is: boolean, was: boolean | null): Signal['change'] | null {
  if (is) return was === null ? 'known' : was ? null : 'begins'
  return was === false ? null : 'ends'
}
