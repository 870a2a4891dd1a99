import type { Device, House } from '../house/house.ts'
import type { Subject } from '../model/events.ts'
import type { DeviceKey, UnitSchedule, DeviceState, BusDown } from '../model/device.ts'
import type { ActivityStore, DetectionStore } from '../ports/history-store.ts'
import type { Author } from '../model/house.ts'
import type { CauseView, ExposedCause } from '../words/causes.ts'
import type { Automation, GroupStep, Schedule } from '../model/rules.ts'
import type { LimitedRun } from '../rules/runs/cascade-limits.ts'

export const EXPLAIN_KINDS = ['activity', 'automation', 'schedule', 'unit_setting', 'sensor', 'integration'] as const
export type ExplainKind = (typeof EXPLAIN_KINDS)[number]

/** Subject of the question: a device by its key, or a scene. */
export interface About {
  readonly kind: 'device' | 'scene'
  readonly id: string
}

/**
 * One reason (Spec 4 rule 9). `live`: from the gateway's own log and objects; `cache`: from the unit's last
 * confirmation.
 */
export interface ExplainItem {
  readonly kind: ExplainKind
  readonly source: 'live' | 'cache'
  /** Epoch ms of the event; null for a lasting fact. */
  readonly at: number | null
  /** One sentence. */
  readonly what: string
  readonly cause: ExposedCause | null
  /** Subject of the item, by the home's own ids. */
  readonly about: Subject
  /** Epoch ms of the unit's last confirmation; only with `source` cache. */
  readonly asOf?: number
}

/** An item that does not depend on a unit's last confirmation; most have no cause of their own. */
export function liveItem(
  kind: ExplainKind,
  at: number | null,
  what: string,
  about: Subject,
  cause: ExposedCause | null = null,
): ExplainItem {
  return { kind, source: 'live', at, what, cause, about }
}

export interface Explanation {
  readonly from: number
  readonly to: number
  /** The first one answers the question; the others add to it. */
  readonly items: readonly ExplainItem[]
  /** Note about items from the last available data, in a sentence or two; empty without such items. */
  readonly note: string
}

/** The view of the integration that asks. */
export interface ExplainView extends CauseView {
  /** The exposed units in the same exposed room, including the device's own unit. */
  unitsAround(device: DeviceKey): readonly string[]
  /** The exposed gangs of a module; else empty. */
  gangsOf(device: DeviceKey): readonly DeviceKey[]
  /** True if only some gangs of a unit are visible: the unit itself then shows only whether it answers. */
  onlyGangs(unit: string): boolean
  /** True if the units' own schedules are visible (knob schedules). */
  readonly showsUnitSchedules: boolean
}

/** A setting that makes a unit act by itself, in words: `turns off after 10 min without motion`. */
export interface SettingFact {
  readonly what: string
  readonly asOf: number
}

/** Sources of explanations. They send no frame. */
export interface ExplainSources {
  readonly house: Pick<House, 'devices' | 'scenes'>
  /** Epoch ms since which the id names the present unit; earlier entries are another unit's. */
  since(device: DeviceKey): number
  state(device: DeviceKey): { readonly state: DeviceState; readonly asOf: number } | undefined
  /** False while the unit is lost. */
  reachable(unit: string): boolean
  linkDown(): BusDown | null
  readonly activity: Pick<ActivityStore, 'page'>
  readonly detections: Pick<DetectionStore, 'between'>
  automations(): readonly Automation[]
  /** The last time that a limit stopped an automation, if no entry reports it. */
  limitedRun(automation: string): LimitedRun | null
  schedules(): readonly Schedule[]
  /** Devices of `among` that a group step of an author's rule would move now. */
  movedDevices(step: GroupStep, author: Author, among: readonly DeviceKey[]): readonly DeviceKey[]
  settings(device: Device): readonly SettingFact[]
  unitSchedules(device: DeviceKey): { readonly schedules: readonly UnitSchedule[]; readonly asOf: number } | undefined
  timeZone(): string
}
