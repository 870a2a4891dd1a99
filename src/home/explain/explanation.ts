import type { Device, House } from '../house/house.ts'
import type { Subject } from '../model/events.ts'
import type { DeviceKey, UnitSchedule, DeviceState, BusDown } from '../model/device.ts'
import type { ActivityStore, DetectionStore } from '../ports/history-store.ts'
import type { CauseView, ExposedCause } from '../words/causes.ts'
import type { Automation, Schedule } from '../model/rules.ts'
import type { HeldBack } from '../rules/runs/set-off-bounds.ts'

export const EXPLAIN_KINDS = ['activity', 'automation', 'schedule', 'unit_setting', 'sensor', 'integration'] as const
export type ExplainKind = (typeof EXPLAIN_KINDS)[number]

/** What is asked about: a device by its key, or a scene. */
export interface About {
  readonly kind: 'device' | 'scene'
  readonly id: string
}

/**
 * One reason (Spec 4 rule 9). `live`: from the gateway's own log and objects; `cache`: what the unit last confirmed.
 */
export interface ExplainItem {
  readonly kind: ExplainKind
  readonly source: 'live' | 'cache'
  /** Epoch ms of what happened; null for what simply is so. */
  readonly at: number | null
  /** One sentence. */
  readonly what: string
  readonly cause: ExposedCause | null
  /** What the item is about, by the home's own ids. */
  readonly about: Subject
  /** When the unit last confirmed it; only with `source` cache. */
  readonly asOf?: number
}

/** An item that does not rest on what a unit said last; most have no cause of their own. */
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
  /** What rests on the last available data, in a sentence or two; empty where nothing does. */
  readonly note: string
}

/** What the integration that asks may see. */
export interface ExplainView extends CauseView {
  /** The exposed units in the same exposed room, the device's own unit among them. */
  unitsAround(device: DeviceKey): readonly string[]
  /** The exposed gangs of a module; empty for everything else. */
  gangsOf(device: DeviceKey): readonly DeviceKey[]
  /** Whether a unit is shown only for some of its gangs: of the unit itself only whether it answers may be shown. */
  onlyGangs(unit: string): boolean
  /** Whether the units' own schedules may be seen (knob schedules). */
  readonly showsUnitSchedules: boolean
}

/** A setting that makes a unit act by itself, in words: `turns off after 10 min without motion`. */
export interface SettingFact {
  readonly what: string
  readonly asOf: number
}

/** Where explanations come from. None of these sends a frame. */
export interface ExplainSources {
  readonly house: Pick<House, 'devices' | 'scenes'>
  /** Since when the device is the unit that it is now, epoch ms; what was before is another unit's. */
  since(device: DeviceKey): number
  state(device: DeviceKey): { readonly state: DeviceState; readonly asOf: number } | undefined
  /** False while the unit is lost. */
  reachable(unit: string): boolean
  linkDown(): BusDown | null
  readonly activity: Pick<ActivityStore, 'page'>
  readonly detections: Pick<DetectionStore, 'between'>
  automations(): readonly Automation[]
  /** When an automation last did not run for a bound of what is set off, where no entry says so. */
  heldBack(automation: string): HeldBack | null
  schedules(): readonly Schedule[]
  settings(device: Device): readonly SettingFact[]
  unitSchedules(device: DeviceKey): { readonly schedules: readonly UnitSchedule[]; readonly asOf: number } | undefined
  timeZone(): string
}
