// Made from openapi/openapi.json and asyncapi/asyncapi.json by `npm run docs:generate`: change the contract instead.

/** Words that grow: those known now, and any other. */
export type Open<Known extends string> = Known | (string & Record<never, never>)

/** The arguments of set_ac_mode. */
export interface AcModeArgs {
  /** The mode of the air conditioner. */
  readonly mode: 'auto' | 'cool' | 'heat' | 'dry' | 'fan_only'
}

/** Of an ac. */
export interface AcState {
  /** When the unit confirmed it last. Epoch ms. */
  readonly asOf: number
  /** Whether the load is on. */
  readonly on: boolean
  /** The set point in degrees Celsius. */
  readonly temp: number
  /** What the air conditioner does. */
  readonly mode: Open<'auto' | 'cool' | 'heat' | 'dry' | 'fan_only'>
  /** The speed of its fan. */
  readonly fan: Open<'auto' | 'low' | 'medium' | 'high'>
}

/** What was asked and did not happen. */
export interface ActivityCommand {
  /** An operation of a device. */
  readonly op: Open<'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key'>
  readonly args?: ChangedValues
}

/** Facts that belong to the entry, where there are any: what changed, `from` and `to`. */
export interface ActivityData {
  readonly from?: ChangedValues
  readonly to?: ChangedValues
  readonly command?: ActivityCommand
  /** Why it did not happen, in one word. */
  readonly failure?: string
  /** How many runs were missed. */
  readonly missed?: number
  /** The run that it is about, a `runId` for a while after its end. */
  readonly run?: string
  /** What the adapter went for; null: it carries frames again. */
  readonly down?: Open<'port' | 'silent' | 'radio'>
  /** True: made up for the demo home. */
  readonly demo?: boolean
}

/** One thing that happened, and who or what caused it. */
export interface ActivityEntry {
  /** Names the entry; ids are in no order. */
  readonly id: string
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The id of what it is about: a device, scene, room, floor, automation or schedule; or null. */
  readonly device: string | null
  /** What kind of thing it is about. */
  readonly subject: Open<'device' | 'scene' | 'room' | 'floor' | 'automation' | 'schedule' | 'integration' | 'home'>
  /** What kind of thing happened. */
  readonly kind: Open<'state' | 'failed' | 'refused' | 'skipped' | 'run' | 'edited' | 'setting' | 'detection' | 'unit' | 'link' | 'access'>
  /** What happened, in a phrase without the name of the device. */
  readonly what: string
  readonly cause: Cause
  readonly gone?: ActivityEntryGone
  readonly data?: ActivityData
}

/** The device is no longer in the house. Only for integrations that expose everything. */
export interface ActivityEntryGone {
  /** The name that it had, or null. */
  readonly name: string | null
}

/** What GET /v1/activity answers. */
export interface ActivityListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly entries: readonly ActivityEntry[]
  /** The `to` of the next page; null after the last. Epoch ms. */
  readonly nextTo: number | null
}

/** A moment before or after sunrise or sunset. */
export interface AtSun {
  readonly sun: SunEvent
  /** Minutes after the event; negative: before it. */
  readonly offset?: number
}

/** A time of day. */
export interface AtTime {
  /** Local time of the home, HH:MM. */
  readonly time: string
}

/** What the gateway does when something happens. */
export interface Automation {
  /** The id of the automation. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** False: it never runs by itself. */
  readonly enabled: boolean
  /** Grows with every edit that this integration can see. */
  readonly revision: number
  readonly origin: Origin | null
  /** Any of them sets it off. */
  readonly when: readonly Trigger[]
  /** All of them have to hold. */
  readonly if: readonly Condition[]
  /** What it does, one after the other. */
  readonly then: readonly Step[]
  readonly mode: RunMode
  /** True once the gateway cut a loop, until the next edit. */
  readonly paused: boolean
}

/** A new automation. */
export interface AutomationCreate {
  /** What people call it: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** False: it never runs by itself. True unless told otherwise. */
  readonly enabled?: boolean
  /** Any of them sets it off. */
  readonly when: readonly Trigger[]
  /** All of them have to hold. */
  readonly if?: readonly Condition[]
  /** What it does, one after the other. */
  readonly then: readonly Step[]
  readonly mode?: RunMode
  /** Only an edit has one: null, or left out. */
  readonly ifRevision?: number | null
}

/** What changes; what is left out stays. */
export interface AutomationEdit {
  /** What people call it: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  /** False: it never runs by itself. True unless told otherwise. */
  readonly enabled?: boolean
  /** Any of them sets it off. */
  readonly when?: readonly Trigger[]
  /** All of them have to hold. */
  readonly if?: readonly Condition[]
  /** What it does, one after the other. */
  readonly then?: readonly Step[]
  readonly mode?: RunMode
  /** As it was read. */
  readonly id?: string
  /** As it was read. */
  readonly revision?: number
  readonly origin?: Origin | null
  /** As it was read. */
  readonly paused?: boolean
  /** For an edit: the revision that was read. */
  readonly ifRevision: number
}

/** What POST /v1/automations answers. */
export interface AutomationsCreateAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly automation: Automation
}

/** What PATCH /v1/automations/{id} answers. */
export interface AutomationsEditAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly automation: Automation
}

/** What GET /v1/automations/{id} answers. */
export interface AutomationsGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly automation: Automation
}

/** What GET /v1/automations answers. */
export interface AutomationsListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly automations: readonly Automation[]
}

/** What POST /v1/automations/{id}/try answers. */
export interface AutomationsTryAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** Why it would be refused as a whole: a draft to be saved, a stored scene to be run. Null where it would not. */
  readonly refused: ErrorDetail | null
  /** Why it would not run if it were set off now, in one sentence, or null. */
  readonly because: string | null
  readonly if: readonly ForeseenCondition[]
  readonly steps: readonly ForeseenStep[]
  /** When the clock would set it off, soonest first; none while it is off. Epoch ms. */
  readonly nextRuns: readonly number[]
}

/** What POST /v1/automations/try answers. */
export interface AutomationsTryDraftAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** Why it would be refused as a whole: a draft to be saved, a stored scene to be run. Null where it would not. */
  readonly refused: ErrorDetail | null
  /** Why it would not run if it were set off now, in one sentence, or null. */
  readonly because: string | null
  readonly if: readonly ForeseenCondition[]
  readonly steps: readonly ForeseenStep[]
  /** When the clock would set it off, soonest first; none while it is off. Epoch ms. */
  readonly nextRuns: readonly number[]
}

/** What PATCH /v1/automations/{id}/try answers. */
export interface AutomationsTryEditAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** Why it would be refused as a whole: a draft to be saved, a stored scene to be run. Null where it would not. */
  readonly refused: ErrorDetail | null
  /** Why it would not run if it were set off now, in one sentence, or null. */
  readonly because: string | null
  readonly if: readonly ForeseenCondition[]
  readonly steps: readonly ForeseenStep[]
  /** When the clock would set it off, soonest first; none while it is off. Epoch ms. */
  readonly nextRuns: readonly number[]
}

/** The arguments of set_brightness. */
export interface BrightnessArgs {
  /** Percent. */
  readonly bri: number
}

/** Who did it; `by` is what set that off. What is hidden reads "something outside this integration". */
export interface Cause {
  /** Who or what it is. */
  readonly source: Open<'person' | 'automation' | 'schedule' | 'scene' | 'integration' | 'agent' | 'voice' | 'platform' | 'unit' | 'gateway'>
  /** Its name for people. */
  readonly name: string
  /** The id of the exposed device, scene, automation or schedule that the cause is. */
  readonly ref?: string
  /** The credential, where it is one of this integration's own. */
  readonly link?: string
  /** The person whose word an agent needed and had. */
  readonly confirmedBy?: string
  readonly by?: Cause
}

/** Fields of a state, as many as the change is about. */
export interface ChangedValues {
  /** Whether the load is on. */
  readonly on?: boolean
  /** Percent. */
  readonly bri?: number
  /** Percent open. */
  readonly pos?: number
  /** Which way it moves. */
  readonly move?: string
  /** What decides over the load, or what an air conditioner does. */
  readonly mode?: string
  /** Degrees Celsius. */
  readonly temp?: number | null
  /** The speed of the fan. */
  readonly fan?: string
  /** The key that was sent last. */
  readonly key?: string | null
  /** False: it is open. */
  readonly locked?: boolean
}

/** What has to hold for an automation to run. */
export type Condition = StateCondition | ReadingCondition | WindowCondition

/** One operation of the device, with its arguments (see docs/api.md). */
export interface Control {
  /** An operation that the device lists; `run` for a scene. */
  readonly op: 'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key' | 'run'
  readonly args?: ControlArgs
  /** For an agent that opens a lock or gate: the code which only administrators are shown, entered by a person. Others need none. */
  readonly code?: string
}

/** What the operation takes; nothing for open, close, stop and run. */
export interface ControlArgs {
  /** set_power. */
  readonly on?: boolean
  /** set_brightness: percent. */
  readonly bri?: number
  /** set_position: percent open. */
  readonly pos?: number
  /** set_mode: auto, eco or manual. set_ac_mode: auto, cool, heat, dry or fan_only. */
  readonly mode?: 'auto' | 'eco' | 'manual' | 'cool' | 'heat' | 'dry' | 'fan_only'
  /** set_temp: degrees Celsius in steps of 0.5. */
  readonly temp?: number
  /** set_fan. */
  readonly fan?: 'auto' | 'low' | 'medium' | 'high'
  /** key. */
  readonly key?: 'power' | 'up' | 'down' | 'left' | 'right' | 'ok' | 'back' | 'home' | 'menu' | 'volume_up' | 'volume_down' | 'mute' | 'channel_up' | 'channel_down' | 'play' | 'pause' | 'stop' | 'source'
}

/** What POST /v1/control answers. */
export interface ControlBatchAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly results: readonly ControlResult[]
}

/** What POST /v1/control takes. */
export type ControlBatchBody = ControlRoom | ControlFloor | ControlList

/** One operation for the devices of a floor. */
export interface ControlFloor {
  /** An id as an answer showed it. */
  readonly floor: string
  /** Only devices of this class. Without it, all that take the operation but locks and gates, which only their class names. */
  readonly class?: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'switch_gang' | 'shutter_gang'
  /** The operation. */
  readonly op: 'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key'
  readonly args?: ControlArgs
  /** As in the control of one device, where only one lock or gate is opened by the call. */
  readonly code?: string
}

/** One operation for each of some devices. */
export interface ControlList {
  /** What to do; operations of the same device are performed in this order. */
  readonly controls: readonly DeviceControl[]
}

/** What became of one operation: a state, a run of a scene, or an error. */
export interface ControlResult {
  /** The id as it was sent; empty where it is no text. */
  readonly device: string
  /** The state that the unit confirmed last; null before the unit was heard for the first time. */
  readonly state?: State | null
  readonly run?: SceneRun
  readonly error?: ErrorDetail
}

/** One operation for the devices of a room. */
export interface ControlRoom {
  /** An id as an answer showed it. */
  readonly room: string
  /** Only devices of this class. Without it, all that take the operation but locks and gates, which only their class names. */
  readonly class?: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'switch_gang' | 'shutter_gang'
  /** The operation. */
  readonly op: 'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key'
  readonly args?: ControlArgs
  /** As in the control of one device, where only one lock or gate is opened by the call. */
  readonly code?: string
}

/** Of a shutter, curtain or shutter_gang. */
export interface CoverState {
  /** When the unit confirmed it last. Epoch ms. */
  readonly asOf: number
  /** Percent open: 0 closed, 100 open. */
  readonly pos: number
  /** Which way it moves now. */
  readonly move: Open<'stopped' | 'opening' | 'closing' | 'unknown'>
  /** What decides over the load: the unit by itself (auto, eco), or people only (manual). */
  readonly mode: Open<'auto' | 'eco' | 'manual' | 'sleep'>
}

/** A pause before the next step. */
export interface DelayStep {
  /** Seconds to wait before the next step. */
  readonly delay: number
}

/** Something that a sensor detected. */
export interface Detection {
  /** When it was detected. Epoch ms. */
  readonly at: number
  /** What was detected. */
  readonly kind: Open<'motion' | 'door' | 'smoke' | 'water' | 'tamper'>
  /** False: it ended. */
  readonly value: boolean
}

/** What is detected. */
export type DetectionKind = 'motion' | 'door' | 'smoke' | 'water' | 'tamper'

/** Something is detected, or ends. */
export interface DetectionTrigger {
  /** The id of a device or scene. */
  readonly device: string
  readonly detection: DetectionKind
  /** False: the detection ends. True unless told otherwise. */
  readonly is?: boolean
}

/** A unit, a module, a gang or a scene. */
export type Device = SceneDevice | GangDevice | Unit

/** One operation of one device. */
export interface DeviceControl {
  /** The id of a unit, gang or scene. */
  readonly device: string
  /** An operation that the device lists; `run` for a scene. */
  readonly op: 'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key' | 'run'
  readonly args?: ControlArgs
  /** For an agent that opens a lock or gate: the code which only administrators are shown, entered by a person. Others need none. */
  readonly code?: string
}

/** A unit or gang with its state. */
export interface DeviceState {
  /** The id of the unit or gang. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** What it is and can do; decides the shape of `state`. */
  readonly class: Open<'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'switch_gang' | 'shutter_gang'>
  /** The state that the unit confirmed last; null before the unit was heard for the first time. */
  readonly state: State | null
}

/** What POST /v1/devices/{id}/control answers. */
export interface DevicesControlAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the device. */
  readonly device: string
  /** The state that the unit confirmed last; null before the unit was heard for the first time. */
  readonly state?: State | null
  readonly run?: SceneRun
}

/** What GET /v1/devices/{id} answers. */
export interface DevicesGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly device: Device
}

/** What GET /v1/devices/{id}/readings answers. */
export interface DevicesReadingsAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the device. */
  readonly device: string
  /** Which of its readings. */
  readonly kind: Open<'temperature' | 'humidity' | 'light' | 'motion' | 'co2' | 'door' | 'battery' | 'power' | 'smoke' | 'water' | 'tamper'>
  /** Where the range begins. Epoch ms. */
  readonly from: number
  /** Where the range ends, exclusive. Epoch ms. */
  readonly to: number
  /** Oldest first; parts in which nothing was measured are left out. */
  readonly series: readonly ReadingPoint[]
}

/** What PATCH /v1/devices/{id} answers. */
export interface DevicesRenameAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly device: DevicesRenameAnswerDevice
}

/** The device as it is called now. */
export interface DevicesRenameAnswerDevice {
  /** The id of the device. */
  readonly id: string
  /** What people call it. */
  readonly name: string
}

/** What GET /v1/devices/{id}/schedules answers. */
export interface DevicesSchedulesAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the device. */
  readonly device: string
  readonly schedules: readonly UnitSchedule[]
  readonly source: 'cache'
  /** When they were read last, or null. Epoch ms. */
  readonly asOf: number | null
}

/** Of a light_dimmer. */
export interface DimmerState {
  /** When the unit confirmed it last. Epoch ms. */
  readonly asOf: number
  /** Whether the load is on. */
  readonly on: boolean
  /** Brightness in percent; kept while it is off. */
  readonly bri: number
  /** What decides over the load: the unit by itself (auto, eco), or people only (manual). */
  readonly mode: Open<'auto' | 'eco' | 'manual' | 'sleep'>
}

/** What GET /v1/energy answers. */
export interface EnergyGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** As asked for. */
  readonly scope: string
  /** Where the range begins. Epoch ms. */
  readonly from: number
  /** Where the range ends. Epoch ms. */
  readonly to: number
  /** Watt-hours. */
  readonly energy: number
  /** In `currency`; null without a tariff. */
  readonly cost: number | null
  /** ISO 4217. */
  readonly currency: string
  /** The tariff in effect at the end of the range, or now where that is in the future; or null. */
  readonly tariff: string | null
  readonly gone?: EnergyGetAnswerGone
  readonly series: readonly EnergyPart[]
}

/** The part of `energy` and `cost` that devices took which are no longer in the house. Only for integrations that expose everything. */
export interface EnergyGetAnswerGone {
  /** Watt-hours. */
  readonly energy: number
  /** In `currency`; null without a tariff. */
  readonly cost: number | null
}

/** One part of the range. */
export interface EnergyPart {
  /** Where this part begins. Epoch ms. */
  readonly at: number
  /** Watt-hours. */
  readonly energy: number
  /** In `currency`; null without a tariff. */
  readonly cost: number | null
}

/** Every refusal has this shape. */
export interface Error {
  readonly error: ErrorDetail
}

/** Why not. */
export interface ErrorDetail {
  /** Why not, for programs. */
  readonly code: Open<'unauthorized' | 'session_expired' | 'record_disabled' | 'unlock_not_allowed' | 'config_not_allowed' | 'not_offered' | 'structural_not_allowed' | 'not_found' | 'revision_mismatch' | 'validation' | 'hmhc_unavailable' | 'unit_unreachable' | 'agent_access_disabled' | 'automations_not_allowed' | 'schedules_not_allowed' | 'cloud_access_disabled' | 'confirmation_required' | 'sign_in_again' | 'phrase_needed' | 'wrong_phrase' | 'origin_not_allowed' | 'outcome_unknown' | 'method_not_allowed' | 'payload_too_large' | 'unsupported_media_type' | 'misdirected_request' | 'upgrade_required' | 'rate_limited' | 'internal' | 'storage_unavailable' | 'safe_mode' | 'overloaded' | 'gateway_offline' | 'gateway_timeout' | 'relay_unavailable'>
  /** One plain sentence for a person. */
  readonly message: string
  /** The screen or permission of the app where the user can fix it. */
  readonly appAction?: string
  /** Seconds. */
  readonly retryAfter?: number
}

/** What GET /v1/devices/{id}/explain answers. */
export interface ExplainGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the device or scene. */
  readonly device: string
  /** Where the range begins. Epoch ms. */
  readonly from: number
  /** Where the range ends. Epoch ms. */
  readonly to: number
  /** The first item answers the question; the others add to it. */
  readonly items: readonly ExplainItem[]
  /** How to word the answer. */
  readonly note: string
}

/** One reason. */
export interface ExplainItem {
  /** Where the reason comes from. */
  readonly kind: Open<'activity' | 'automation' | 'schedule' | 'unit_setting' | 'sensor' | 'integration'>
  /** cache: what the unit last confirmed, which may be old. */
  readonly source: Open<'live' | 'cache'>
  /** When it happened; null for what simply is so. Epoch ms. */
  readonly at: number | null
  /** The reason in one sentence. */
  readonly what: string
  /** Who or what did it, where something was done. */
  readonly cause: Cause | null
  /** The id of what it is about, or null. */
  readonly device: string | null
  /** When the unit confirmed it last; only with source cache. Epoch ms. */
  readonly asOf?: number
}

/** What POST /v1/explain answers. */
export interface ExplainPostAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the device or scene. */
  readonly device: string
  /** Where the range begins. Epoch ms. */
  readonly from: number
  /** Where the range ends. Epoch ms. */
  readonly to: number
  /** The first item answers the question; the others add to it. */
  readonly items: readonly ExplainItem[]
  /** How to word the answer. */
  readonly note: string
}

/** What to explain, and of which time. */
export interface ExplainRequest {
  /** An id as an answer showed it. */
  readonly device: string
  /** Where the range begins. Epoch ms. */
  readonly from?: number | null
  /** Where the range ends. Epoch ms. */
  readonly to?: number | null
}

/** The arguments of set_fan. */
export interface FanArgs {
  /** The speed of its fan. */
  readonly fan: 'auto' | 'low' | 'medium' | 'high'
}

/** A floor with its rooms. */
export interface Floor {
  /** The id of the floor. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** Its rooms. */
  readonly rooms: readonly Room[]
}

/** A condition, and whether it holds now. */
export interface ForeseenCondition {
  readonly condition: Condition
  /** What is known now; null where nothing is, and for a window. */
  readonly value: TestValue | null
  /** Whether it holds now. */
  readonly holds: boolean
}

/** One step of a scene as it would be made. */
export interface ForeseenSceneStep {
  readonly step: SceneStep
  /** Seconds that the delays before it take. */
  readonly after: number
  /** Why it would not be made, as far as the gateway knows; or null. */
  readonly refused: ErrorDetail | null
}

/** One step as it would be made. */
export interface ForeseenStep {
  readonly step: Step
  /** Seconds that the delays before it take. */
  readonly after: number
  /** Why it would not be made, as far as the gateway knows; or null. */
  readonly refused: ErrorDetail | null
  /** Of the first step that runs a scene: the steps of it that this integration sees. */
  readonly steps?: readonly ForeseenSceneStep[]
}

/** One gang of a module. */
export interface Gang {
  /** The id of the gang. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** What it is and can do. */
  readonly class: Open<'switch_gang' | 'shutter_gang'>
  /** Its position on the module, from 0. */
  readonly gang: number
  /** What control accepts for it. */
  readonly operations: ReadonlyArray<Open<'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key'>>
  /** The id of its room, which may differ from that of its module, or null. */
  readonly room: string | null
  /** The id of its floor, or null. */
  readonly floor: string | null
  /** Only of a switch: whether it feeds a lamp, or null where the administrator has not said. */
  readonly light?: boolean | null
  /** The state that the unit confirmed last; null before the unit was heard for the first time. */
  readonly state: State | null
}

/** One gang, asked for as a device. */
export interface GangDevice {
  /** The id of the gang. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** What it is and can do. */
  readonly class: Open<'switch_gang' | 'shutter_gang'>
  /** Its position on the module, from 0. */
  readonly gang: number
  /** What control accepts for it. */
  readonly operations: ReadonlyArray<Open<'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key'>>
  /** The id of its room, which may differ from that of its module, or null. */
  readonly room: string | null
  /** The id of its floor, or null. */
  readonly floor: string | null
  /** Only of a switch: whether it feeds a lamp, or null where the administrator has not said. */
  readonly light?: boolean | null
  /** The state that the unit confirmed last; null before the unit was heard for the first time. */
  readonly state: State | null
  /** The hardware model where it is known; decides which intents it has. */
  readonly model: string | null
  readonly kind: 'gang'
  /** The id of its module. */
  readonly unit: string
}

/** Of a gate. */
export interface GateState {
  /** When the unit confirmed it last. Epoch ms. */
  readonly asOf: number
  /** Percent open: 0 closed, 100 open. */
  readonly pos: number
  /** Which way it moves now. */
  readonly move: Open<'stopped' | 'opening' | 'closing' | 'unknown'>
}

/** The home as this integration sees it. */
export interface House {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** IANA time zone of the home, like Europe/Berlin: days, schedules and tariffs follow it. */
  readonly timeZone: string
  /** ISO 4217, like EUR: what costs are in. */
  readonly currency: string
  /** The id of the gateway: its serial. */
  readonly gateway: string
  /** Floors with their rooms. */
  readonly floors: readonly Floor[]
  /** Rooms on no floor. */
  readonly rooms: readonly Room[]
  /** Units and modules in no room. */
  readonly units: readonly Unit[]
  /** The scenes of the home. */
  readonly scenes: readonly Scene[]
}

/** What GET /v1/integration answers. */
export interface IntegrationGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** IANA time zone of the home, like Europe/Berlin: days, schedules and tariffs follow it. */
  readonly timeZone: string
  /** ISO 4217, like EUR: what costs are in. */
  readonly currency: string
  /** The id of the gateway: its serial. */
  readonly gateway: string
  readonly integration: IntegrationGetAnswerIntegration
}

/** The integration of this request. */
export interface IntegrationGetAnswerIntegration {
  /** The id of the integration, as in device ids. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  readonly credential: IntegrationGetAnswerIntegrationCredential
  readonly settings: Settings
}

/** The credential of this request. */
export interface IntegrationGetAnswerIntegrationCredential {
  /** What kind of credential this request carried. */
  readonly kind: Open<'key' | 'agent' | 'session'>
  /** What the credential is called. */
  readonly name: string
  /** Where the agent runs; empty for a key. */
  readonly platform: string
  /** The credential in one phrase, as activity names it. */
  readonly label: string
}

/** One setting of units in plain words. */
export interface IntentDef {
  /** The name of the intent, as in the paths. */
  readonly id: string
  /** What people call the setting. */
  readonly title: string
  /** What the setting does, for people. */
  readonly meaning: string
  /** When to use it. */
  readonly when: string
  /** When something else is meant, and what. */
  readonly notWhen: string
  /** What has to be so before. */
  readonly prerequisites: readonly string[]
  /** What else it changes. */
  readonly sideEffects: string
  /** The error codes that a change can get. */
  readonly errors: readonly string[]
  readonly examples: readonly IntentExample[]
  readonly value: IntentShape
  /** read_only: changed in the app alone. */
  readonly access: 'read_write' | 'read_only'
  /** The screen of the app where a read-only intent is changed. */
  readonly appAction: string | null
  /** For a read-only intent: what to do instead. */
  readonly guidance: string | null
  /** The hardware models that have it. */
  readonly models: readonly string[]
  /** Whether a module has it gang by gang. */
  readonly perGang: boolean
}

/** What a person says, and the call that does it. */
export interface IntentExample {
  /** What a person says. */
  readonly ask: string
  /** The call that does it. */
  readonly call: string
}

/** One setting of a device with its value. */
export interface IntentItem {
  /** The name of the intent, as in the paths. */
  readonly intent: string
  /** What people call the setting. */
  readonly title: string
  /** read_only: changed in the app alone. */
  readonly access: 'read_write' | 'read_only'
  /** Shaped by the intent; null before the unit confirmed it; raw numbers without a known meaning stand under `unknown`. */
  readonly value: unknown
  /** Values come from what was last confirmed, never from the bus. */
  readonly source: 'cache'
  /** When the unit confirmed it last, or null. Epoch ms. */
  readonly asOf: number | null
  /** For a read-only intent: what to do instead. */
  readonly guidance?: string
  /** The screen of the app where a read-only intent is changed. */
  readonly appAction?: string
}

/** The shape of a value, as JSON Schema 2020-12. */
export interface IntentShape {
  /** integer, number, boolean, string or object. */
  readonly type?: string
  /** What the value means. */
  readonly description?: string
  /** The least that is taken. */
  readonly minimum?: number
  /** The most that is taken. */
  readonly maximum?: number
  /** The step between values. */
  readonly multipleOf?: number
  /** The values that are taken. */
  readonly enum?: readonly unknown[]
  /** The only value that is taken. */
  readonly const?: unknown
  /** Of an object: its fields. */
  readonly properties?: Readonly<Record<string, IntentShape>>
  /** Of an object: false where it takes no other field. */
  readonly additionalProperties?: boolean
  /** Of an object: the fields that it needs. */
  readonly required?: readonly string[]
  /** Any of these. */
  readonly anyOf?: readonly IntentShape[]
}

/** The new value of a setting. */
export interface IntentValue {
  /** As the `value` of the definition says. */
  readonly value: unknown
}

/** What GET /v1/intents answers. */
export interface IntentsDefinitionsAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly intents: readonly IntentDef[]
}

/** What GET /v1/devices/{id}/intents answers. */
export interface IntentsListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the device. */
  readonly device: string
  /** The hardware model where it is known. */
  readonly model: string | null
  /** What this integration's advanced_config allows. */
  readonly access: 'read' | 'read_write'
  readonly intents: readonly IntentItem[]
  /** How to read the list, in a sentence. */
  readonly note: string
}

/** What PUT /v1/devices/{id}/intents/{intent} answers. */
export interface IntentsWriteAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the device. */
  readonly device: string
  readonly intent: IntentItem
}

/** The arguments of key. */
export interface KeyArgs {
  /** The key to send. */
  readonly key: 'power' | 'up' | 'down' | 'left' | 'right' | 'ok' | 'back' | 'home' | 'menu' | 'volume_up' | 'volume_down' | 'mute' | 'channel_up' | 'channel_down' | 'play' | 'pause' | 'stop' | 'source'
}

/** The operation key of a device. */
export interface KeyStep {
  /** The id of a device or scene. */
  readonly device: string
  readonly op: 'key'
  readonly args: KeyArgs
}

/** Of a lock. */
export interface LockState {
  /** When the unit confirmed it last. Epoch ms. */
  readonly asOf: number
  /** False: it is open. */
  readonly locked: boolean
}

/** The arguments of set_mode. */
export interface ModeArgs {
  /** The mode that controls the load. */
  readonly mode: 'auto' | 'eco' | 'manual'
}

/** The operation open, close or stop of a device. */
export interface MoveStep {
  /** The id of a device or scene. */
  readonly device: string
  /** The operation. */
  readonly op: 'open' | 'close' | 'stop'
  readonly args?: MoveStepArgs | null
}

/** Nothing; for clients that always send arguments. */
export interface MoveStepArgs {

}

/** Which integration and credential created the object. */
export interface Origin {
  /** The id of the integration. */
  readonly integration: string
  /** The id of the credential. */
  readonly link: string
}

/** What POST /v1/pair answers. */
export interface PairAskAnswer {
  /** What the agent polls with. A secret. */
  readonly code: string
  /** What the user compares with what the administrator sees. */
  readonly userCode: string
  /** Seconds between two polls. */
  readonly interval: number
  /** Seconds until nobody is asked any more. */
  readonly expiresIn: number
}

/** What POST /v1/pair takes. */
export interface PairAskBody {
  /** The 12-character id of the gateway that is meant. */
  readonly gateway: string
  /** What the agent is called; administrators read it. */
  readonly name: string
  /** Where it runs. */
  readonly platform: string
  /** An integration id, where it is to be that one. */
  readonly record?: string | null
  readonly suggested?: SuggestedScope | null
}

/** What POST /v1/pair/token answers. */
export interface PairTokenAnswer {
  /** The token, as a bearer. A secret. */
  readonly access_token: string
  readonly token_type: 'Bearer'
  /** What kind of credential it is. */
  readonly kind: Open<'agent' | 'session'>
}

/** What POST /v1/pair/token takes. */
export interface PairTokenBody {
  /** The code of the answer to the asking. */
  readonly code: string
}

/** What POST /v1/pair/token answers. With status 400. */
export interface PairTokenLiteral400 {
  /** What there is instead of a token. */
  readonly error: 'authorization_pending' | 'access_denied' | 'expired_token'
}

/** What POST /v1/pair/token answers. With status 429. */
export interface PairTokenLiteral429 {
  readonly error: 'slow_down'
}

/** The arguments of set_position. */
export interface PositionArgs {
  /** Percent open: 0 closed, 100 open. */
  readonly pos: number
}

/** The arguments of set_power. */
export interface PowerArgs {
  /** Whether the load is to be on. */
  readonly on: boolean
}

/** Of a power_switch. */
export interface PowerState {
  /** When the unit confirmed it last. Epoch ms. */
  readonly asOf: number
  /** Whether the load is on. */
  readonly on: boolean
  /** What decides over the load: the unit by itself (auto, eco), or people only (manual). */
  readonly mode: Open<'auto' | 'eco' | 'manual' | 'sleep'>
  /** The set point in degrees Celsius, or null while it feeds no climate load. */
  readonly temp: number | null
}

/** A reading passes the test: `is`, or one or both of `above` and `below`. */
export interface ReadingCondition {
  /** The id of a device or scene. */
  readonly device: string
  readonly reading: ReadingKind
  readonly is?: TestValue
  /** The value is greater than this, in the unit of measure of the state or reading. */
  readonly above?: number
  /** The value is less than this, in the unit of measure of the state or reading. */
  readonly below?: number
}

/** What is measured. */
export type ReadingKind = 'temperature' | 'humidity' | 'light' | 'motion' | 'co2' | 'door' | 'battery' | 'power' | 'smoke' | 'water' | 'tamper' | 'energy'

/** Units as in Readings; true is 1, false is 0. */
export interface ReadingPoint {
  /** Where this part of the range begins. Epoch ms. */
  readonly at: number
  /** The least value, in the unit of measure of the reading. */
  readonly min: number
  /** The mean of all values to 0.01, in the unit of measure of the reading. */
  readonly mean: number
  /** The greatest value, in the unit of measure of the reading. */
  readonly max: number
}

/** A reading begins to pass the test: `is`, or one or both of `above` and `below`. */
export interface ReadingTrigger {
  /** The id of a device or scene. */
  readonly device: string
  readonly reading: ReadingKind
  readonly is?: TestValue
  /** The value is greater than this, in the unit of measure of the state or reading. */
  readonly above?: number
  /** The value is less than this, in the unit of measure of the state or reading. */
  readonly below?: number
  /** Seconds for which the test has to hold. */
  readonly for?: number
}

/** What a sensor measures; what it does not measure is left out. */
export interface Readings {
  /** Degrees Celsius. */
  readonly temperature?: number
  /** Relative humidity in percent. */
  readonly humidity?: number
  /** Lux. */
  readonly light?: number
  /** Whether motion is seen. */
  readonly motion?: boolean
  /** Parts per million. */
  readonly co2?: number
  /** True: open. */
  readonly door?: boolean
  /** Percent. */
  readonly battery?: number
  /** Watts; 0 after a confirmed off. */
  readonly power?: number
  /** True from the report of smoke to the report of its end. */
  readonly smoke?: boolean
  /** True from the report of water to the report of its end. */
  readonly water?: boolean
  /** True while somebody tampers with the unit. */
  readonly tamper?: boolean
  /** The energy counter of the device in watt-hours, as last reported. */
  readonly energy?: number
}

/** Of an ir_remote; `key` is null before one was sent. */
export interface RemoteState {
  /** When the unit confirmed it last. Epoch ms. */
  readonly asOf: number
  /** The key that was sent last. */
  readonly key: Open<'power' | 'up' | 'down' | 'left' | 'right' | 'ok' | 'back' | 'home' | 'menu' | 'volume_up' | 'volume_down' | 'mute' | 'channel_up' | 'channel_down' | 'play' | 'pause' | 'stop' | 'source'>
}

/** A new name, and nothing else. */
export interface Rename {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
}

/** A room with its units. */
export interface Room {
  /** The id of the room. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** The id of its floor, or null. */
  readonly floor: string | null
  /** Its units and modules. */
  readonly units: readonly Unit[]
}

/** What PATCH /v1/rooms/{id} answers. */
export interface RoomsRenameAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly room: RoomsRenameAnswerRoom
}

/** The room as it is called now. */
export interface RoomsRenameAnswerRoom {
  /** The id of the room. */
  readonly id: string
  /** What people call it. */
  readonly name: string
}

/** One time that a scene, an automation or a schedule is carried out. */
export interface Run {
  /** Names this one run. */
  readonly runId: string
  /** What runs. */
  readonly kind: Open<'scene' | 'automation' | 'schedule'>
  /** The id of the scene, automation or schedule. */
  readonly of: string
  /** failed: it ended, and not every step succeeded; stopped: it ended before its last step. */
  readonly state: Open<'queued' | 'running' | 'waiting' | 'done' | 'failed' | 'stopped'>
  /** When it began, or began to wait for its turn. Epoch ms. */
  readonly startedAt: number
  /** When it ended, or null. Epoch ms. */
  readonly endedAt: number | null
  /** While it is waiting: when it goes on; else null. Epoch ms. */
  readonly until: number | null
  /** The steps that this integration may see, as they were when it began. */
  readonly steps: readonly RunStep[]
}

/** A run of something, without its steps. */
export interface RunEntry {
  /** Names this one run. */
  readonly runId: string
  /** What runs. */
  readonly kind: Open<'scene' | 'automation' | 'schedule'>
  /** The id of the scene, automation or schedule. */
  readonly of: string
  /** failed: it ended, and not every step succeeded; stopped: it ended before its last step. */
  readonly state: Open<'queued' | 'running' | 'waiting' | 'done' | 'failed' | 'stopped'>
  /** When it began, or began to wait for its turn. Epoch ms. */
  readonly startedAt: number
  /** When it ended, or null. Epoch ms. */
  readonly endedAt: number | null
  /** While it is waiting: when it goes on; else null. Epoch ms. */
  readonly until: number | null
}

/** When it is set off while it still runs: single ignores it, restart begins anew, queued runs once more afterwards. */
export type RunMode = 'single' | 'restart' | 'queued'

/** Runs a scene, and goes on once it has begun. */
export interface RunSceneStep {
  /** The id of a device or scene. */
  readonly scene: string
}

/** One step of a run, and what became of it. */
export interface RunStep {
  readonly step: Step
  /** How far it is; left_out: the run ended before it. */
  readonly state: Open<'next' | 'running' | 'waiting' | 'done' | 'failed' | 'left_out' | 'unknown'>
  readonly error?: ErrorDetail
}

/** What GET /v1/runs/{id} answers. */
export interface RunsGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly run: Run
}

/** What GET /v1/runs answers. */
export interface RunsListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly runs: readonly RunEntry[]
}

/** What POST /v1/runs/{id}/stop answers. */
export interface RunsStopAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly run: Run
}

/** A scene by its name. */
export interface Scene {
  /** The id of the scene. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** The id of the room where it is shown, or null. */
  readonly room: string | null
  /** The id of the floor where it is shown, or null. */
  readonly floor: string | null
}

/** A new scene. */
export interface SceneCreate {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string | null
  /** The name of its icon in the app. */
  readonly icon?: string | null
  /** The floor where it is shown; `roomId`, where there is one, lies on it. */
  readonly floorId?: string | null
  /** The room where it is shown. */
  readonly roomId?: string | null
  /** What it does, one after the other. */
  readonly steps?: readonly SceneStep[] | null
  /** Only an edit has one: null, or left out. */
  readonly ifRevision?: number | null
}

/** A scene with the steps that this integration sees. */
export interface SceneDetail {
  /** The id of the scene. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** The id of the room where it is shown, or null. */
  readonly room: string | null
  /** The id of the floor where it is shown, or null. */
  readonly floor: string | null
  /** The name of its icon in the app. */
  readonly icon: string | null
  /** Grows with every edit that this integration can see. */
  readonly revision: number
  readonly origin: Origin | null
  /** The devices of its steps that this integration shows. */
  readonly members: readonly string[]
  /** How many more devices it moves that this integration does not show. */
  readonly hiddenMembers: number
  /** Whether it runs now. */
  readonly running: boolean
  readonly steps: readonly SceneStep[]
}

/** A scene, asked for as a device. */
export interface SceneDevice {
  /** The id of the scene. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  readonly class: 'scene'
  readonly kind: 'scene'
  /** The id of the room where it is shown, or null. */
  readonly room: string | null
  /** The id of the floor where it is shown, or null. */
  readonly floor: string | null
  /** What control accepts for it. */
  readonly operations: ReadonlyArray<'run'>
  readonly state: SceneState
}

/** What changes; what is left out stays. */
export interface SceneEdit {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string | null
  /** The name of its icon in the app. */
  readonly icon?: string | null
  /** The floor where it is shown; `roomId`, where there is one, lies on it. */
  readonly floorId?: string | null
  /** The room where it is shown. */
  readonly roomId?: string | null
  /** What it does, one after the other. */
  readonly steps?: readonly SceneStep[] | null
  /** As it was read. */
  readonly id?: string
  /** As it was read. */
  readonly room?: string | null
  /** As it was read. */
  readonly floor?: string | null
  /** As it was read. */
  readonly revision?: number
  readonly origin?: Origin | null
  /** As it was read. */
  readonly members?: readonly string[]
  /** As it was read. */
  readonly hiddenMembers?: number
  /** As it was read. */
  readonly running?: boolean
  /** The revision that was read. */
  readonly ifRevision: number | null
}

/** A scene without its steps. */
export interface SceneEntry {
  /** The id of the scene. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** The id of the room where it is shown, or null. */
  readonly room: string | null
  /** The id of the floor where it is shown, or null. */
  readonly floor: string | null
  /** The name of its icon in the app. */
  readonly icon: string | null
  /** Grows with every edit that this integration can see. */
  readonly revision: number
  readonly origin: Origin | null
  /** The devices of its steps that this integration shows. */
  readonly members: readonly string[]
  /** How many more devices it moves that this integration does not show. */
  readonly hiddenMembers: number
  /** Whether it runs now. */
  readonly running: boolean
}

/** Of a scene that was asked to run, instead of a state. */
export interface SceneRun {
  /** Names this one run. */
  readonly runId: string
}

/** Of a scene. */
export interface SceneState {
  /** Whether it runs now. */
  readonly running: boolean
}

/** One operation on a device, or a delay. */
export type SceneStep = SetPowerStep | SetBrightnessStep | SetPositionStep | SetModeStep | SetTempStep | SetAcModeStep | SetFanStep | KeyStep | MoveStep | DelayStep

/** A scene begins to run. */
export interface SceneTrigger {
  /** The id of a device or scene. */
  readonly scene: string
}

/** What POST /v1/scenes answers. */
export interface ScenesCreateAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly scene: SceneDetail
}

/** What PATCH /v1/scenes/{id} answers. */
export interface ScenesEditAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly scene: SceneDetail
}

/** What GET /v1/scenes/{id} answers. */
export interface ScenesGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly scene: SceneDetail
}

/** What GET /v1/scenes answers. */
export interface ScenesListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly scenes: readonly SceneEntry[]
}

/** What POST /v1/scenes/{id}/run answers. */
export interface ScenesRunAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the scene. */
  readonly device: string
  readonly run: SceneRun
}

/** What POST /v1/scenes/{id}/try answers. */
export interface ScenesTryAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** Why it would be refused as a whole: a draft to be saved, a stored scene to be run. Null where it would not. */
  readonly refused: ErrorDetail | null
  readonly steps: readonly ForeseenSceneStep[]
}

/** What POST /v1/scenes/try answers. */
export interface ScenesTryDraftAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** Why it would be refused as a whole: a draft to be saved, a stored scene to be run. Null where it would not. */
  readonly refused: ErrorDetail | null
  readonly steps: readonly ForeseenSceneStep[]
}

/** What the gateway does at certain times. */
export interface Schedule {
  /** The id of the schedule. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** False: it never runs by itself. */
  readonly enabled: boolean
  /** Grows with every edit that this integration can see. */
  readonly revision: number
  readonly origin: Origin | null
  readonly at: ScheduleTime
  /** ISO weekdays: 1 Monday to 7 Sunday. */
  readonly days: readonly Weekday[]
  /** What it does, one after the other. */
  readonly then: readonly Step[]
  /** The next run, or null. Epoch ms. */
  readonly next: number | null
}

/** A new schedule. */
export interface ScheduleCreate {
  /** What people call it: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** False: it never runs by itself. True unless told otherwise. */
  readonly enabled?: boolean
  readonly at: ScheduleTime
  /** ISO weekdays: 1 Monday to 7 Sunday. */
  readonly days?: readonly Weekday[]
  /** What it does, one after the other. */
  readonly then: readonly Step[]
  /** Only an edit has one: null, or left out. */
  readonly ifRevision?: number | null
}

/** What changes; what is left out stays. */
export interface ScheduleEdit {
  /** What people call it: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  /** False: it never runs by itself. True unless told otherwise. */
  readonly enabled?: boolean
  readonly at?: ScheduleTime
  /** ISO weekdays: 1 Monday to 7 Sunday. */
  readonly days?: readonly Weekday[]
  /** What it does, one after the other. */
  readonly then?: readonly Step[]
  /** As it was read. */
  readonly id?: string
  /** As it was read. */
  readonly revision?: number
  readonly origin?: Origin | null
  /** As it was read. Epoch ms. */
  readonly next?: number | null
  /** For an edit: the revision that was read. */
  readonly ifRevision: number
}

/** A time of day, or a moment before or after sunrise or sunset. */
export type ScheduleTime = AtTime | AtSun

/** What POST /v1/schedules answers. */
export interface SchedulesCreateAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly schedule: Schedule
}

/** What PATCH /v1/schedules/{id} answers. */
export interface SchedulesEditAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly schedule: Schedule
}

/** What GET /v1/schedules/{id} answers. */
export interface SchedulesGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly schedule: Schedule
}

/** What GET /v1/schedules answers. */
export interface SchedulesListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly schedules: readonly Schedule[]
}

/** What POST /v1/schedules/{id}/try answers. */
export interface SchedulesTryAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** Why it would be refused as a whole: a draft to be saved, a stored scene to be run. Null where it would not. */
  readonly refused: ErrorDetail | null
  readonly steps: readonly ForeseenStep[]
  /** When the clock would set it off, soonest first; none while it is off. Epoch ms. */
  readonly nextRuns: readonly number[]
}

/** What POST /v1/schedules/try answers. */
export interface SchedulesTryDraftAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** Why it would be refused as a whole: a draft to be saved, a stored scene to be run. Null where it would not. */
  readonly refused: ErrorDetail | null
  readonly steps: readonly ForeseenStep[]
  /** When the clock would set it off, soonest first; none while it is off. Epoch ms. */
  readonly nextRuns: readonly number[]
}

/** What PATCH /v1/schedules/{id}/try answers. */
export interface SchedulesTryEditAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** Why it would be refused as a whole: a draft to be saved, a stored scene to be run. Null where it would not. */
  readonly refused: ErrorDetail | null
  readonly steps: readonly ForeseenStep[]
  /** When the clock would set it off, soonest first; none while it is off. Epoch ms. */
  readonly nextRuns: readonly number[]
}

/** A unit that measures, or a gang with its power and energy: the last readings. */
export interface Sensor {
  /** The id of the unit or gang. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** What it is and can do. */
  readonly class: string
  /** The id of its room, or null. */
  readonly room: string | null
  /** The id of its floor, or null. */
  readonly floor: string | null
  readonly readings: Readings
  /** When it reported last, or null. Epoch ms. */
  readonly asOf: number | null
}

/** Of a sensor or meter; what it does not measure is left out. */
export interface SensorState {
  /** When the unit confirmed it last. Epoch ms. */
  readonly asOf: number
  /** Degrees Celsius. */
  readonly temperature?: number
  /** Relative humidity in percent. */
  readonly humidity?: number
  /** Lux. */
  readonly light?: number
  /** Whether motion is seen. */
  readonly motion?: boolean
  /** Parts per million. */
  readonly co2?: number
  /** True: open. */
  readonly door?: boolean
  /** Percent. */
  readonly battery?: number
  /** Watts; 0 after a confirmed off. */
  readonly power?: number
  /** True from the report of smoke to the report of its end. */
  readonly smoke?: boolean
  /** True from the report of water to the report of its end. */
  readonly water?: boolean
  /** True while somebody tampers with the unit. */
  readonly tamper?: boolean
  /** The energy counter of the device in watt-hours, as last reported. */
  readonly energy?: number
}

/** What GET /v1/sensors/{id}/detections answers. */
export interface SensorsDetectionsAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the device. */
  readonly device: string
  readonly detections: readonly Detection[]
  /** For the next page; null after the last. */
  readonly nextCursor: string | null
}

/** What GET /v1/sensors answers. */
export interface SensorsListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly sensors: readonly Sensor[]
}

/** The operation set_ac_mode of a device. */
export interface SetAcModeStep {
  /** The id of a device or scene. */
  readonly device: string
  readonly op: 'set_ac_mode'
  readonly args: AcModeArgs
}

/** The operation set_brightness of a device. */
export interface SetBrightnessStep {
  /** The id of a device or scene. */
  readonly device: string
  readonly op: 'set_brightness'
  readonly args: BrightnessArgs
}

/** The operation set_fan of a device. */
export interface SetFanStep {
  /** The id of a device or scene. */
  readonly device: string
  readonly op: 'set_fan'
  readonly args: FanArgs
}

/** The operation set_mode of a device. */
export interface SetModeStep {
  /** The id of a device or scene. */
  readonly device: string
  readonly op: 'set_mode'
  readonly args: ModeArgs
}

/** The operation set_position of a device. */
export interface SetPositionStep {
  /** The id of a device or scene. */
  readonly device: string
  readonly op: 'set_position'
  readonly args: PositionArgs
}

/** The operation set_power of a device. */
export interface SetPowerStep {
  /** The id of a device or scene. */
  readonly device: string
  readonly op: 'set_power'
  readonly args: PowerArgs
}

/** The operation set_temp of a device. */
export interface SetTempStep {
  /** The id of a device or scene. */
  readonly device: string
  readonly op: 'set_temp'
  readonly args: TempArgs
}

/** The eight knobs with their current values. */
export interface Settings {
  /** Unit settings: not at all, reading them, or changing them too. */
  readonly advanced_config: 'off' | 'read' | 'read_write'
  /** Renaming rooms, units and gangs. */
  readonly structural: 'off' | 'on'
  /** Seeing and changing automations. */
  readonly automations: 'off' | 'on'
  /** Seeing and changing schedules. */
  readonly schedules: 'off' | 'on'
  /** Whether agents may ask for access and use it. */
  readonly agent_access: 'off' | 'on'
  /** Whether it may be reached through the relay. */
  readonly cloud_access: 'on' | 'off'
  /** Whether it is announced in the network. */
  readonly mdns: 'on' | 'off'
  /** Opening locks and gates. */
  readonly allow_unlock: 'off' | 'on'
}

/** The state that the unit confirmed last; which one it is follows from `class`. */
export type State = AcState | DimmerState | PowerState | CoverState | SwitchState | GateState | LockState | RemoteState | SensorState

/** A state passes the test: `is`, or one or both of `above` and `below`. */
export interface StateCondition {
  /** The id of a device or scene. */
  readonly device: string
  readonly state: StateField
  readonly is?: TestValue
  /** The value is greater than this, in the unit of measure of the state or reading. */
  readonly above?: number
  /** The value is less than this, in the unit of measure of the state or reading. */
  readonly below?: number
}

/** A field of a state. */
export type StateField = 'on' | 'bri' | 'mode' | 'pos' | 'move' | 'temp' | 'fan' | 'key' | 'locked'

/** What GET /v1/state answers. */
export interface StateGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly devices: readonly DeviceState[]
}

/** A state begins to pass the test: `is`, or one or both of `above` and `below`. */
export interface StateTrigger {
  /** The id of a device or scene. */
  readonly device: string
  readonly state: StateField
  readonly is?: TestValue
  /** The value is greater than this, in the unit of measure of the state or reading. */
  readonly above?: number
  /** The value is less than this, in the unit of measure of the state or reading. */
  readonly below?: number
  /** Seconds for which the test has to hold. */
  readonly for?: number
}

/** One operation on a device, a delay, or a scene to run. */
export type Step = SetPowerStep | SetBrightnessStep | SetPositionStep | SetModeStep | SetTempStep | SetAcModeStep | SetFanStep | KeyStep | MoveStep | DelayStep | RunSceneStep

/** The scope that the agent suggests. An administrator reads it; it decides nothing. */
export interface SuggestedScope {
  /** `All`, or names of floors, rooms and units as the user calls them. */
  readonly exposure?: 'All' | readonly string[]
  readonly settings?: SuggestedScopeSettings
}

/** The knobs that it would like. */
export interface SuggestedScopeSettings {
  /** Unit settings: not at all, reading them, or changing them too. */
  readonly advanced_config?: 'off' | 'read' | 'read_write'
  /** Renaming rooms, units and gangs. */
  readonly structural?: 'off' | 'on'
  /** Seeing and changing automations. */
  readonly automations?: 'off' | 'on'
  /** Seeing and changing schedules. */
  readonly schedules?: 'off' | 'on'
  /** Whether agents may ask for access and use it. */
  readonly agent_access?: 'off' | 'on'
  /** Whether it may be reached through the relay. */
  readonly cloud_access?: 'on' | 'off'
  /** Whether it is announced in the network. */
  readonly mdns?: 'on' | 'off'
  /** Opening locks and gates. */
  readonly allow_unlock?: 'off' | 'on'
}

/** Which event of the sun. */
export type SunEvent = 'sunrise' | 'sunset'

/** The sun rises or sets. */
export interface SunTrigger {
  readonly sun: SunEvent
  /** Minutes after the event; negative: before it. */
  readonly offset?: number
  /** ISO weekdays: 1 Monday to 7 Sunday. */
  readonly days?: readonly Weekday[]
}

/** Of a light_switch, sense_switch or switch_gang. */
export interface SwitchState {
  /** When the unit confirmed it last. Epoch ms. */
  readonly asOf: number
  /** Whether the load is on. */
  readonly on: boolean
  /** What decides over the load: the unit by itself (auto, eco), or people only (manual). */
  readonly mode: Open<'auto' | 'eco' | 'manual' | 'sleep'>
}

/** The arguments of set_temp. */
export interface TempArgs {
  /** Degrees Celsius, in steps of 0.5. */
  readonly temp: number
}

/** A value as the state or reading holds it. */
export type TestValue = boolean | number | string

/** A time of day comes. */
export interface TimeTrigger {
  /** Local time of the home, HH:MM. */
  readonly time: string
  /** ISO weekdays: 1 Monday to 7 Sunday. */
  readonly days?: readonly Weekday[]
}

/** What GET /v1/gateway/tls answers. */
export interface TlsGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The CA certificate, PEM. */
  readonly ca: string
  /** SHA-256 of the certificate: 32 bytes in hexadecimal, joined by colons. */
  readonly fingerprint: string
}

/** What sets an automation off. */
export type Trigger = StateTrigger | ReadingTrigger | DetectionTrigger | TimeTrigger | SunTrigger | SceneTrigger

/** A unit, or a multi-gang module with the gangs that this integration shows. A module has no `state`: it is in its gangs. */
export interface Unit {
  /** The id of the unit or module. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** What it is and can do. */
  readonly class: Open<'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'gang_module'>
  /** A module is controlled gang by gang. */
  readonly kind: 'unit' | 'module'
  /** The hardware model where it is known; decides which intents it has. */
  readonly model: string | null
  /** The id of its room, or null. */
  readonly room: string | null
  /** The id of its floor, or null. */
  readonly floor: string | null
  /** Only of a switch: whether it feeds a lamp, or null where the administrator has not said. */
  readonly light?: boolean | null
  /** False from the moment the unit is found not to answer until it answers or reports again. */
  readonly reachable: boolean
  /** When it last confirmed a state or reported something that this integration sees; null before. Epoch ms. */
  readonly lastSeen: number | null
  /** What control accepts for it. */
  readonly operations: ReadonlyArray<Open<'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key'>>
  /** Of a module: the gangs that this integration shows. */
  readonly gangs?: readonly Gang[]
  /** The state that the unit confirmed last; null before the unit was heard for the first time. */
  readonly state?: State | null
}

/** One of the unit's own schedules. */
export interface UnitSchedule {
  /** Its place in the memory of the unit. */
  readonly slot: number
  /** Whether the unit follows it. */
  readonly enabled: boolean
  /** The gang that it moves, or null. */
  readonly gang: number | null
  /** ISO weekdays: 1 Monday to 7 Sunday. */
  readonly days: readonly number[]
  /** Local time of the home, HH:MM. */
  readonly time: string
  /** What it does, as an operation of control. */
  readonly op: string
  readonly args?: UnitScheduleArgs
}

/** What the operation takes. */
export interface UnitScheduleArgs {
  /** set_power. */
  readonly on?: boolean
  /** set_brightness: percent. */
  readonly bri?: number
  /** set_position: percent open. */
  readonly pos?: number
  /** set_mode: auto, eco or manual. set_ac_mode: auto, cool, heat, dry or fan_only. */
  readonly mode?: 'auto' | 'eco' | 'manual' | 'cool' | 'heat' | 'dry' | 'fan_only'
  /** set_temp: degrees Celsius in steps of 0.5. */
  readonly temp?: number
  /** set_fan. */
  readonly fan?: 'auto' | 'low' | 'medium' | 'high'
  /** key. */
  readonly key?: 'power' | 'up' | 'down' | 'left' | 'right' | 'ok' | 'back' | 'home' | 'menu' | 'volume_up' | 'volume_down' | 'mute' | 'channel_up' | 'channel_down' | 'play' | 'pause' | 'stop' | 'source'
}

/** ISO: 1 Monday to 7 Sunday. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7

/** It is a time of day, on days when that begins. */
export interface WindowCondition {
  /** Local time of the home, HH:MM, or sunrise or sunset. */
  readonly after?: string
  /** Local time of the home, HH:MM, or sunrise or sunset. */
  readonly before?: string
  /** ISO weekdays: 1 Monday to 7 Sunday. */
  readonly days?: readonly Weekday[]
}

/** An automation came, went, or reads otherwise than before; with the knob automations on. */
export interface AutomationsEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Grows with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'automations'
  /** It is about no device. */
  readonly device: null
  /** It is about no device. */
  readonly class: null
  readonly state: AutomationsEventState
}

/** Which one, and what happened to it. */
export interface AutomationsEventState {
  /** The id of the automation. */
  readonly id: string
  /** Grows with every edit that this integration can see. */
  readonly revision: number
  /** What happened to it; one that is new to this integration was created. */
  readonly change: Open<'created' | 'edited' | 'enabled' | 'disabled' | 'paused' | 'deleted'>
}

/** What this integration sees of the home changed: things came, went, moved or have other names. */
export interface ExposureEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Grows with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'exposure'
  /** It is about no device. */
  readonly device: null
  /** It is about no device. */
  readonly class: null
  readonly state: ExposureEventState
}

/** What to do about it. */
export interface ExposureEventState {
  readonly changed: true
  /** What to read again. */
  readonly read: readonly string[]
}

/** An administrator changed the knobs of this integration, or what it exposes. */
export interface IntegrationEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Grows with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'integration'
  /** It is about no device. */
  readonly device: null
  /** It is about no device. */
  readonly class: null
  readonly state: IntegrationEventState
}

/** What changed, and what to do about it. */
export interface IntegrationEventState {
  /** The id of this integration. */
  readonly id: string
  /** What happened to it. */
  readonly change: Open<'edited'>
  /** What to read again. */
  readonly read: readonly string[]
}

/** A scene began or ended to run. */
export interface SceneEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Grows with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'scene'
  /** The scene's id. */
  readonly device: string
  readonly class: 'scene'
  readonly state: SceneState
}

/** A scene came, went, or reads otherwise than before. */
export interface ScenesEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Grows with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'scenes'
  /** It is about no device. */
  readonly device: null
  /** It is about no device. */
  readonly class: null
  readonly state: ScenesEventState
}

/** Which one, and what happened to it. */
export interface ScenesEventState {
  /** The id of the scene. */
  readonly id: string
  /** Grows with every edit that this integration can see. */
  readonly revision: number
  /** What happened to it; one that is new to this integration was created. */
  readonly change: Open<'created' | 'edited' | 'enabled' | 'disabled' | 'paused' | 'deleted'>
}

/** A schedule came, went, or was edited or switched; with the knob schedules on. */
export interface SchedulesEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Grows with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'schedules'
  /** It is about no device. */
  readonly device: null
  /** It is about no device. */
  readonly class: null
  readonly state: SchedulesEventState
}

/** Which one, and what happened to it. */
export interface SchedulesEventState {
  /** The id of the schedule. */
  readonly id: string
  /** Grows with every edit that this integration can see. */
  readonly revision: number
  /** What happened to it; one that is new to this integration was created. */
  readonly change: Open<'created' | 'edited' | 'enabled' | 'disabled' | 'paused' | 'deleted'>
}

/** Readings: all that the device has, not only those that changed. */
export interface SensorEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Grows with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'sensor'
  /** The id of the unit, or a gang with its power and energy. */
  readonly device: string
  /** Class of the device. */
  readonly class: string
  readonly state: SensorState
}

/** A unit's or gang's state changed, or its settings did. */
export interface StateEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Grows with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'state'
  /** The id of the unit or gang. */
  readonly device: string
  /** What it is; decides the shape of `state`. */
  readonly class: Open<'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'switch_gang' | 'shutter_gang' | 'gang_module'>
  /** The state that the unit confirmed last; null before the unit was heard for the first time. */
  readonly state: State | null
  /** The unit or module has stopped to answer, or answers again; its state is as before. */
  readonly reachable?: boolean
  /** Settings of the device that its unit has just confirmed, by intent; then the state need not have changed. */
  readonly intents?: readonly string[]
}

/** What this socket hears of now. */
export interface Subscribed {
  /** The name of the home. */
  readonly house: string
  /** Every topic of this socket now. */
  readonly subscribed: readonly string[]
  /** Where the events of this integration stand: a `since` for later. */
  readonly seq: number
  /** Only with `since`. True: what was missed is no longer held, read GET /v1/state. */
  readonly gap?: boolean
}

/** What the stream tells; kinds grow, so others may come. */
export type StreamEvent = AutomationsEvent | ExposureEvent | IntegrationEvent | SceneEvent | ScenesEvent | SchedulesEvent | SensorEvent | StateEvent

/**
 * Every call, by path and method: what it takes and what it answers. `keyed`: it takes an Idempotency-Key.
 * Calls that are only ever refused are not here.
 */
export interface Paths {
  readonly '/v1/about': {
    /** How to connect, in plain text; needs no credential */
    readonly get: { readonly answer: string }
  }
  readonly '/v1/integration': {
    /** Which integration and credential this is, and what it may do */
    readonly get: { readonly answer: IntegrationGetAnswer }
  }
  readonly '/v1/house': {
    /** The home: floors, rooms, units, scenes. Call it first and keep the ids */
    readonly get: { readonly query?: { readonly room?: string; readonly class?: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'gang_module' | 'switch_gang' | 'shutter_gang' | 'scene' }; readonly answer: House }
  }
  readonly '/v1/state': {
    /** The state of every device, for cheap polling; answers 304 to If-None-Match while nothing changed */
    readonly get: { readonly query?: { readonly room?: string; readonly class?: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'switch_gang' | 'shutter_gang' }; readonly answer: StateGetAnswer }
  }
  readonly '/v1/gateway/tls': {
    /** The gateway's own CA and its SHA-256 fingerprint */
    readonly get: { readonly answer: TlsGetAnswer }
  }
  readonly '/v1/devices/{id}': {
    /** One unit, module, gang or scene */
    readonly get: { readonly path: { readonly id: string }; readonly answer: DevicesGetAnswer }
    /** Rename an exposed unit or gang */
    readonly patch: { readonly path: { readonly id: string }; readonly body: Rename; readonly keyed: true; readonly answer: DevicesRenameAnswer }
  }
  readonly '/v1/rooms/{id}': {
    /** Rename an exposed room */
    readonly patch: { readonly path: { readonly id: string }; readonly body: Rename; readonly keyed: true; readonly answer: RoomsRenameAnswer }
  }
  readonly '/v1/devices/{id}/control': {
    /** Perform one operation; the answer carries the state that the unit confirmed */
    readonly post: { readonly path: { readonly id: string }; readonly body: Control; readonly keyed: true; readonly answer: DevicesControlAnswer }
  }
  readonly '/v1/control': {
    /** Control many devices, or those of a room or floor; one result for each, in the order asked */
    readonly post: { readonly body: ControlBatchBody; readonly keyed: true; readonly answer: ControlBatchAnswer }
  }
  readonly '/v1/intents': {
    /** What every intent means, when to use it and how its value looks */
    readonly get: { readonly answer: IntentsDefinitionsAnswer }
  }
  readonly '/v1/devices/{id}/intents': {
    /** The device's settings as last confirmed; sends no frame */
    readonly get: { readonly path: { readonly id: string }; readonly answer: IntentsListAnswer }
  }
  readonly '/v1/devices/{id}/intents/{intent}': {
    /** Change a setting: written to the unit, read back, then answered */
    readonly put: { readonly path: { readonly id: string; readonly intent: string }; readonly body: IntentValue; readonly keyed: true; readonly answer: IntentsWriteAnswer }
  }
  readonly '/v1/devices/{id}/schedules': {
    /** The unit's own schedules as last read; sends no frame */
    readonly get: { readonly path: { readonly id: string }; readonly answer: DevicesSchedulesAnswer }
  }
  readonly '/v1/scenes': {
    /** The exposed scenes with their members and whether they run */
    readonly get: { readonly answer: ScenesListAnswer }
    /** Create a scene; on a Selected integration it joins the selection */
    readonly post: { readonly body: SceneCreate; readonly keyed: true; readonly answer: ScenesCreateAnswer }
  }
  readonly '/v1/scenes/{id}': {
    /** One scene with the steps that this integration may see */
    readonly get: { readonly path: { readonly id: string }; readonly answer: ScenesGetAnswer }
    /** Edit a scene; steps that this integration cannot see stay in place */
    readonly patch: { readonly path: { readonly id: string }; readonly body: SceneEdit; readonly keyed: true; readonly answer: ScenesEditAnswer }
  }
  readonly '/v1/scenes/{id}/run': {
    /** Run the scene; same as the control operation run */
    readonly post: { readonly path: { readonly id: string }; readonly keyed: true; readonly answer: ScenesRunAnswer }
  }
  readonly '/v1/automations': {
    /** The automations whose every device and scene is exposed */
    readonly get: { readonly answer: AutomationsListAnswer }
    /** Create an automation */
    readonly post: { readonly body: AutomationCreate; readonly keyed: true; readonly answer: AutomationsCreateAnswer }
  }
  readonly '/v1/automations/{id}': {
    /** One automation */
    readonly get: { readonly path: { readonly id: string }; readonly answer: AutomationsGetAnswer }
    /** Edit an automation; PUT does the same */
    readonly patch: { readonly path: { readonly id: string }; readonly body: AutomationEdit; readonly keyed: true; readonly answer: AutomationsEditAnswer }
    /** Edit an automation; PUT does the same */
    readonly put: { readonly path: { readonly id: string }; readonly body: AutomationEdit; readonly keyed: true; readonly answer: AutomationsEditAnswer }
  }
  readonly '/v1/schedules': {
    /** The gateway's schedules whose every device and scene is exposed */
    readonly get: { readonly answer: SchedulesListAnswer }
    /** Create a schedule */
    readonly post: { readonly body: ScheduleCreate; readonly keyed: true; readonly answer: SchedulesCreateAnswer }
  }
  readonly '/v1/schedules/{id}': {
    /** One schedule */
    readonly get: { readonly path: { readonly id: string }; readonly answer: SchedulesGetAnswer }
    /** Edit a schedule; PUT does the same */
    readonly patch: { readonly path: { readonly id: string }; readonly body: ScheduleEdit; readonly keyed: true; readonly answer: SchedulesEditAnswer }
    /** Edit a schedule; PUT does the same */
    readonly put: { readonly path: { readonly id: string }; readonly body: ScheduleEdit; readonly keyed: true; readonly answer: SchedulesEditAnswer }
  }
  readonly '/v1/scenes/try': {
    /** What a new scene would do; nothing is stored or done */
    readonly post: { readonly body: SceneCreate; readonly answer: ScenesTryDraftAnswer }
  }
  readonly '/v1/scenes/{id}/try': {
    /** What running the scene would do; nothing is done */
    readonly post: { readonly path: { readonly id: string }; readonly answer: ScenesTryAnswer }
  }
  readonly '/v1/automations/try': {
    /** What a new automation would do; nothing is stored or done */
    readonly post: { readonly body: AutomationCreate; readonly answer: AutomationsTryDraftAnswer }
  }
  readonly '/v1/automations/{id}/try': {
    /** What the automation would do if it were set off now; nothing is done */
    readonly post: { readonly path: { readonly id: string }; readonly answer: AutomationsTryAnswer }
    /** What the automation would do after an edit; nothing is stored or done */
    readonly patch: { readonly path: { readonly id: string }; readonly body: AutomationEdit; readonly answer: AutomationsTryEditAnswer }
  }
  readonly '/v1/schedules/try': {
    /** What a new schedule would do, and when; nothing is stored or done */
    readonly post: { readonly body: ScheduleCreate; readonly answer: SchedulesTryDraftAnswer }
  }
  readonly '/v1/schedules/{id}/try': {
    /** What the schedule would do, and when; nothing is done */
    readonly post: { readonly path: { readonly id: string }; readonly answer: SchedulesTryAnswer }
    /** What the schedule would do after an edit, and when; nothing is stored or done */
    readonly patch: { readonly path: { readonly id: string }; readonly body: ScheduleEdit; readonly answer: SchedulesTryEditAnswer }
  }
  readonly '/v1/runs': {
    /** What runs now, or waits to go on */
    readonly get: { readonly answer: RunsListAnswer }
  }
  readonly '/v1/runs/{id}': {
    /** One run, under way or ended a short while ago, with what became of its steps */
    readonly get: { readonly path: { readonly id: string }; readonly answer: RunsGetAnswer }
  }
  readonly '/v1/runs/{id}/stop': {
    /** End a run before its next step; one that has ended stays as it is */
    readonly post: { readonly path: { readonly id: string }; readonly keyed: true; readonly answer: RunsStopAnswer }
  }
  readonly '/v1/sensors': {
    /** Every exposed sensor's readings, from the cache */
    readonly get: { readonly query?: { readonly room?: string; readonly class?: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'gang_module' }; readonly answer: SensorsListAnswer }
  }
  readonly '/v1/sensors/{id}/detections': {
    /** What a sensor detected, newest first, a page at a time */
    readonly get: { readonly path: { readonly id: string }; readonly query?: { readonly cursor?: string; readonly limit?: number }; readonly answer: SensorsDetectionsAnswer }
  }
  readonly '/v1/devices/{id}/readings': {
    /** What a device measured over time; the last 24 hours unless told otherwise */
    readonly get: { readonly path: { readonly id: string }; readonly query: { readonly kind: 'temperature' | 'humidity' | 'light' | 'motion' | 'co2' | 'door' | 'battery' | 'power' | 'smoke' | 'water' | 'tamper'; readonly from?: number; readonly to?: number; readonly points?: number }; readonly answer: DevicesReadingsAnswer }
  }
  readonly '/v1/energy': {
    /** Energy and cost of the house, a floor, a room or a device: always of its exposed devices */
    readonly get: { readonly query?: { readonly scope?: string; readonly period?: 'hour' | 'day' | 'week' | 'month' | 'year'; readonly from?: number; readonly to?: number }; readonly answer: EnergyGetAnswer }
  }
  readonly '/v1/activity': {
    /** What happened and who did it, newest first; the 30 days before now unless from says otherwise */
    readonly get: { readonly query?: { readonly device?: string; readonly from?: number; readonly to?: number; readonly limit?: number; readonly kind?: 'state' | 'failed' | 'refused' | 'skipped' | 'run' | 'edited' | 'setting' | 'detection' | 'unit' | 'link' | 'access'; readonly source?: 'person' | 'automation' | 'schedule' | 'scene' | 'integration' | 'agent' | 'voice' | 'platform' | 'unit' | 'gateway'; readonly rule?: string }; readonly answer: ActivityListAnswer }
  }
  readonly '/v1/devices/{id}/explain': {
    /** Why a device is as it is, or why something did not happen; the last 24 hours unless told otherwise */
    readonly get: { readonly path: { readonly id: string }; readonly query?: { readonly from?: number; readonly to?: number }; readonly answer: ExplainGetAnswer }
  }
  readonly '/v1/explain': {
    /** The same as the GET */
    readonly post: { readonly body: ExplainRequest; readonly answer: ExplainPostAnswer }
  }
  readonly '/v1/pair': {
    /** Ask an administrator for access; show the user code to the user */
    readonly post: { readonly body: PairAskBody; readonly answer: PairAskAnswer }
  }
  readonly '/v1/pair/token': {
    /** Poll for the answer; the token is handed out once */
    readonly post: { readonly body: PairTokenBody; readonly answer: PairTokenAnswer }
  }
}
