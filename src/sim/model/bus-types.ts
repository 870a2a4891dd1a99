import type { SimModel } from './house-plan.ts'

/** Messages between the simulated units and their adapter before encoding (docs/hmhc.md, 2.2). */

export const MODES = ['auto', 'eco', 'manual', 'sleep'] as const
export type Mode = (typeof MODES)[number]
export const MOVES = ['stopped', 'opening', 'closing'] as const
export type Move = (typeof MOVES)[number]
export const AC_MODES = ['auto', 'cool', 'heat', 'dry', 'fan_only'] as const
export type AcMode = (typeof AC_MODES)[number]
export const FANS = ['auto', 'low', 'medium', 'high'] as const
export type Fan = (typeof FANS)[number]
export const REMOTE_KEYS = [
  'power',
  'up',
  'down',
  'left',
  'right',
  'ok',
  'back',
  'home',
  'menu',
  'volume_up',
  'volume_down',
  'mute',
  'channel_up',
  'channel_down',
  'play',
  'pause',
  'stop',
  'source',
] as const
export type RemoteKey = (typeof REMOTE_KEYS)[number]

export interface Readings {
  readonly temperature?: number
  readonly humidity?: number
  readonly light?: number
  readonly motion?: boolean
  readonly co2?: number
  readonly door?: boolean
  readonly battery?: number
  readonly power?: number
}

export type SwitchClass = 'light_switch' | 'sense_switch' | 'switch_gang'
export type CoverClass = 'shutter' | 'curtain' | 'shutter_gang'

export type State =
  | { readonly class: SwitchClass; readonly on: boolean; readonly mode: Mode }
  | { readonly class: 'light_dimmer'; readonly on: boolean; readonly bri: number; readonly mode: Mode }
  | { readonly class: CoverClass; readonly pos: number; readonly move: Move; readonly mode: Mode }
  | { readonly class: 'power_switch'; readonly on: boolean; readonly mode: Mode; readonly temp: number | null }
  | { readonly class: 'ac'; readonly on: boolean; readonly temp: number; readonly mode: AcMode; readonly fan: Fan }
  | { readonly class: 'ir_remote'; readonly key: RemoteKey | null }
  | { readonly class: 'lock'; readonly locked: boolean }
  | { readonly class: 'gate'; readonly pos: number; readonly move: Move }
  | ({ readonly class: 'sensor' | 'meter' } & Readings)

export type UnitClass = Exclude<State['class'], 'switch_gang' | 'shutter_gang'> | 'gang_module'
/** The class of the units of each model. */
export const CLASS_OF: Readonly<Record<SimModel, UnitClass>> = {
  HMHH: 'light_dimmer',
  HMHHX1: 'light_switch',
  HMHHX2: 'gang_module',
  HMHHX3: 'gang_module',
  HMHHX4: 'gang_module',
  HMPH: 'power_switch',
  HMSH: 'sense_switch',
  HMTHX2: 'shutter',
  HMAC: 'ac',
  HMIR: 'ir_remote',
  HMLK: 'lock',
  HMGT: 'gate',
  HMCU: 'curtain',
  HMSE: 'sensor',
  HMMT: 'meter',
}

export type GangClass = 'switch_gang' | 'shutter_gang'

export type Command =
  | { readonly op: 'set_power'; readonly on: boolean }
  | { readonly op: 'set_brightness'; readonly bri: number }
  | { readonly op: 'set_position'; readonly pos: number }
  | { readonly op: 'open' | 'close' | 'stop' }
  | { readonly op: 'set_mode'; readonly mode: Exclude<Mode, 'sleep'> }
  | { readonly op: 'set_temp'; readonly temp: number }
  | { readonly op: 'set_ac_mode'; readonly mode: AcMode }
  | { readonly op: 'set_fan'; readonly fan: Fan }
  | { readonly op: 'key'; readonly key: RemoteKey }

export const REFUSALS = [
  'other',
  'not_offered',
  'out_of_range',
  'protection',
  'mode',
  'no_gang',
  'no_register',
  'read_only',
  'blocked',
  'calibrating',
] as const
export type RefusalDetail = (typeof REFUSALS)[number]

/** A unit's response to a command: its new state, or the refusal. */
export type Outcome =
  | { readonly result: 'done'; readonly state: State }
  | { readonly result: 'refused'; readonly detail: RefusalDetail; readonly info: number }

export const refuse = (detail: RefusalDetail, info = 0): Outcome => ({ result: 'refused', detail, info })

export const TRIGGERS = [
  'touch',
  'motion',
  'own_schedule',
  'own_timer',
  'command',
  'sleep',
  'mains_return',
  'protection',
] as const
export type ReportTrigger = (typeof TRIGGERS)[number]

export const DETECTIONS = ['motion', 'door', 'smoke', 'water', 'tamper'] as const
export type DetectionKind = (typeof DETECTIONS)[number]

export interface UnitInfo {
  readonly address: number
  readonly model: SimModel
  readonly class: UnitClass
  readonly firmware: readonly [number, number, number]
  readonly reachable: boolean
  readonly gangs: readonly { readonly gang: number; readonly class: GangClass }[]
}

/** Number and value of a register. */
export type RegisterPair = readonly [number: number, value: number]

export type Report =
  | {
      readonly kind: 'state_changed'
      readonly address: number
      readonly gang: number | null
      readonly trigger: ReportTrigger
      readonly state: State
    }
  | { readonly kind: 'readings'; readonly address: number; readonly readings: Readings }
  | { readonly kind: 'detection'; readonly address: number; readonly detection: DetectionKind; readonly value: boolean }
  | {
      readonly kind: 'energy'
      readonly address: number
      readonly gang: number | null
      readonly energyWh: number
      readonly powerW: number
    }
  | { readonly kind: 'unit'; readonly change: 'joined' | 'lost' | 'back'; readonly unit: UnitInfo }
  | {
      readonly kind: 'registers_changed'
      readonly address: number
      readonly gang: number | null
      readonly registers: readonly RegisterPair[]
    }
  | {
      readonly kind: 'touch'
      readonly address: number
      readonly gang: number | null
      readonly key: TouchKey
      readonly press: 'short' | 'long'
    }
  | { readonly kind: 'trouble'; readonly trouble: 'jammed' | 'duty_limit' }
  | { readonly kind: 'radio'; readonly up: boolean }

/** One own schedule of a unit. `days`: bit 0 is Monday; `minute` counts from local midnight. */
export interface OwnSchedule {
  readonly slot: number
  enabled: boolean
  readonly gang: number | null
  readonly days: number
  readonly minute: number
  readonly command: Command
}

/** The areas of a switch's face, and the scene buttons at a module's sides. */
export const TOUCH_KEYS = ['up', 'mode', 'down', 'side_left', 'side_right'] as const
export type TouchKey = (typeof TOUCH_KEYS)[number]

/** Capabilities in the order of their bits. */
export const CAPABILITIES = ['identify', 'buttons', 'no_modes', 'no_level'] as const
export type Capability = (typeof CAPABILITIES)[number]

export interface Touch {
  readonly key: TouchKey
  /** 0 to 100; a usual finger is 50. */
  readonly strength: number
  /** Duration of the touch; 2 s on `mode` starts Sleep. */
  readonly heldMs: number
  /** True for a touch on the rim of the face. */
  readonly edge: boolean
}
