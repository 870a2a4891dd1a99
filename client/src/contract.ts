// Made from openapi/openapi.json and asyncapi/asyncapi.json by `npm run docs:generate`: change the contract instead.

/** A word of an open list: the known ones, and any other. */
export type Open<Known extends string> = Known | (string & Record<never, never>)

/** The arguments of set_ac_mode. */
export interface AcModeArgs {
  /** The mode of the air conditioner. */
  readonly mode: 'auto' | 'cool' | 'heat' | 'dry' | 'fan_only'
}

/** State of an ac. */
export interface AcState {
  /** Time of the last confirmation by the unit. Epoch ms. */
  readonly asOf: number
  /** True if the load is on. */
  readonly on: boolean
  /** The set point in degrees Celsius. */
  readonly temp: number
  /** Operating mode. */
  readonly mode: Open<'auto' | 'cool' | 'heat' | 'dry' | 'fan_only'>
  /** Fan speed. */
  readonly fan: Open<'auto' | 'low' | 'medium' | 'high'>
}

/** The command that failed. */
export interface ActivityCommand {
  /** An operation of a device. */
  readonly op: Open<'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key'>
  readonly args?: ChangedValues
}

/** Facts of the entry, if it has any, like a change with `from` and `to`. */
export interface ActivityData {
  readonly from?: ChangedValues
  readonly to?: ChangedValues
  /** End of a temporary mode in epoch ms; null: it lasts. */
  readonly until?: number | null
  readonly command?: ActivityCommand
  /** Reason of the failure in one word. */
  readonly failure?: string
  /** Number of missed runs. */
  readonly missed?: number
  /** The `runId` of the run, which can be read for a while after its end. */
  readonly run?: string
  /** Reason why the adapter carries no frames; null: it carries frames again. */
  readonly down?: Open<'port' | 'silent' | 'radio'>
  /** True: made up for the demo home. */
  readonly demo?: boolean
}

/** An event in the home with its cause. */
export interface ActivityEntry {
  /** The id of the entry; ids have no order. */
  readonly id: string
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The id of the subject (device, scene, group, room, floor, automation or schedule), or null. */
  readonly device: string | null
  /** Kind of the subject. */
  readonly subject: Open<'device' | 'scene' | 'group' | 'room' | 'floor' | 'automation' | 'schedule' | 'integration' | 'home' | 'mode' | 'person'>
  /** Kind of the event. */
  readonly kind: Open<'state' | 'failed' | 'refused' | 'skipped' | 'run' | 'edited' | 'setting' | 'detection' | 'unit' | 'link' | 'access'>
  /** The event in a phrase without the name of the device. */
  readonly what: string
  readonly cause: Cause
  readonly gone?: ActivityEntryGone
  readonly data?: ActivityData
}

/** The device is no longer in the house. Only for integrations that expose everything. */
export interface ActivityEntryGone {
  /** Its last name, or null. */
  readonly name: string | null
}

/** Response of GET /v1/activity. */
export interface ActivityListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly entries: readonly ActivityEntry[]
  /** The `to` of the next page; null after the last. Epoch ms. */
  readonly nextTo: number | null
}

/** Conditions that all hold. */
export interface AllCondition {
  /** Conditions inside it. */
  readonly all: readonly Condition[]
}

/** Conditions of which at least one holds. */
export interface AnyCondition {
  /** Conditions inside it. */
  readonly any: readonly Condition[]
}

/** All persons together: home while one of them is, away when all are. */
export interface AnyonePresence {
  /** Presence; unknown until the first report. */
  readonly is: Open<'home' | 'away' | 'unknown'>
  /** Time of the newest change; null before the first report. Epoch ms. */
  readonly since: number | null
}

/** A time before or after sunrise, sunset, dawn or dusk. */
export interface AtSun {
  readonly sun: SunEvent
  /** Minutes after the event; negative: before it. */
  readonly offset?: number
  /** Up to this many minutes later, chosen anew for each date. */
  readonly random?: number
}

/** A time of day. */
export interface AtTime {
  /** Local time of the home, HH:MM. */
  readonly time: string
  /** Up to this many minutes later, chosen anew for each date. */
  readonly random?: number
}

/** Actions of the gateway when something happens. */
export interface Automation {
  /** The id of the automation. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** False: it never runs by itself. */
  readonly enabled: boolean
  /** Increases with every edit that this integration can see. */
  readonly revision: number
  readonly origin: Origin | null
  /** Triggers; any of them starts a run. */
  readonly when: readonly Trigger[]
  /** Conditions; all of them have to hold. */
  readonly if: readonly Condition[]
  /** Its steps, performed in order. */
  readonly then: readonly Step[]
  readonly mode: RunMode
  /** True after the gateway stopped a loop, until the next edit. */
  readonly paused: boolean
}

/** A new automation. */
export interface AutomationCreate {
  /** Name for people. It may not contain control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** False: it never runs by itself. Default: true. */
  readonly enabled?: boolean
  /** Any of them starts it. */
  readonly when: readonly Trigger[]
  /** All of them must hold. */
  readonly if?: readonly Condition[]
  /** Its steps, in order. */
  readonly then: readonly Step[]
  readonly mode?: RunMode
  /** Only for edits: must be null or left out here. */
  readonly ifRevision?: number | null
}

/** Fields to change; missing fields stay as they are. */
export interface AutomationEdit {
  /** Name for people. It may not contain control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  /** False: it never runs by itself. Default: true. */
  readonly enabled?: boolean
  /** Any of them starts it. */
  readonly when?: readonly Trigger[]
  /** All of them must hold. */
  readonly if?: readonly Condition[]
  /** Its steps, in order. */
  readonly then?: readonly Step[]
  readonly mode?: RunMode
  /** The value that was read. */
  readonly id?: string
  /** The value that was read. */
  readonly revision?: number
  readonly origin?: Origin | null
  /** The value that was read. */
  readonly paused?: boolean
  /** For an edit: the revision that was read. */
  readonly ifRevision: number
}

/** Response of POST /v1/automations. */
export interface AutomationsCreateAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly automation: Automation
}

/** Response of PATCH /v1/automations/{id}. */
export interface AutomationsEditAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly automation: Automation
}

/** Response of GET /v1/automations/{id}. */
export interface AutomationsGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly automation: Automation
}

/** Response of GET /v1/automations. */
export interface AutomationsListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly automations: readonly Automation[]
}

/** Response of POST /v1/automations/{id}/try. */
export interface AutomationsTryAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The expected refusal of the whole: of saving a draft, or of running a stored scene. Null if it would succeed. */
  readonly refused: ErrorDetail | null
  /** Reason why it would not run if triggered now, in one sentence, or null. */
  readonly because: string | null
  readonly if: readonly ForeseenCondition[]
  readonly steps: readonly ForeseenStep[]
  /** Times of the next runs, as far as `nextRunsIf` holds then; empty while it is disabled. Earliest first, epoch ms. */
  readonly nextRuns: readonly number[]
  /** Conditions, in words, that decide at each of these times whether it runs; null without any. */
  readonly nextRunsIf: string | null
}

/** Response of POST /v1/automations/try. */
export interface AutomationsTryDraftAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The expected refusal of the whole: of saving a draft, or of running a stored scene. Null if it would succeed. */
  readonly refused: ErrorDetail | null
  /** Reason why it would not run if triggered now, in one sentence, or null. */
  readonly because: string | null
  readonly if: readonly ForeseenCondition[]
  readonly steps: readonly ForeseenStep[]
  /** Times of the next runs, as far as `nextRunsIf` holds then; empty while it is disabled. Earliest first, epoch ms. */
  readonly nextRuns: readonly number[]
  /** Conditions, in words, that decide at each of these times whether it runs; null without any. */
  readonly nextRunsIf: string | null
}

/** Response of PATCH /v1/automations/{id}/try. */
export interface AutomationsTryEditAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The expected refusal of the whole: of saving a draft, or of running a stored scene. Null if it would succeed. */
  readonly refused: ErrorDetail | null
  /** Reason why it would not run if triggered now, in one sentence, or null. */
  readonly because: string | null
  readonly if: readonly ForeseenCondition[]
  readonly steps: readonly ForeseenStep[]
  /** Times of the next runs, as far as `nextRunsIf` holds then; empty while it is disabled. Earliest first, epoch ms. */
  readonly nextRuns: readonly number[]
  /** Conditions, in words, that decide at each of these times whether it runs; null without any. */
  readonly nextRunsIf: string | null
}

/** Performs `then` if the conditions hold at that moment, otherwise `else`. */
export interface BranchStep {
  /** All of them must hold when the run comes to this step. */
  readonly if: readonly Condition[]
  /** Steps inside it, in order. */
  readonly then: readonly Step[]
  /** Steps inside it, in order. */
  readonly else?: readonly Step[]
}

/** The arguments of set_brightness. */
export interface BrightnessArgs {
  /** Percent. */
  readonly bri: number
}

/** A change from the confirmed state. */
export interface BrightnessChange {
  /** Percent; negative: less. */
  readonly by: number
}

/** An event of a calendar is on. */
export interface CalendarCondition {
  /** The id of a calendar of the home. */
  readonly calendar: string
  /** Text in the title of the event, in upper or lower case. Default: any event. */
  readonly title?: string
}

/** Begin or end of an event. */
export type CalendarEdge = 'begins' | 'ends'

/** An event of a calendar begins or ends. */
export interface CalendarTrigger {
  /** The id of a calendar of the home. */
  readonly calendar: string
  readonly event: CalendarEdge
  /** Minutes after that moment; negative: before it. */
  readonly offset?: number
  /** Text in the title of the event, in upper or lower case. Default: any event. */
  readonly title?: string
}

/** Response of GET /v1/calendars. */
export interface CalendarsListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly calendars: readonly HomeCalendar[]
}

/** The person, program or thing that acted; `by` is the cause before it. Hidden causes read "something outside this integration". */
export interface Cause {
  /** Kind of the cause. */
  readonly source: Open<'person' | 'automation' | 'schedule' | 'scene' | 'integration' | 'agent' | 'voice' | 'platform' | 'unit' | 'gateway' | 'mode' | 'presence'>
  /** Name of the cause for people. */
  readonly name: string
  /** The id of the causing device, scene, automation, schedule, mode or person, if it is exposed. */
  readonly ref?: string
  /** The credential, if it is one of this integration's own. */
  readonly link?: string
  /** The person who confirmed an action of an agent. */
  readonly confirmedBy?: string
  readonly by?: Cause
}

/** The operation set_brightness by an amount from the confirmed state. */
export interface ChangeBrightnessStep {
  /** The id of a device or scene. */
  readonly device: string
  readonly op: 'set_brightness'
  readonly args: BrightnessChange
}

/** Way in which a state changed, as the unit reports it. */
export type ChangeCause = 'touch' | 'motion' | 'own_schedule' | 'own_timer' | 'command'

/** The operation set_position by an amount from the confirmed state. */
export interface ChangePositionStep {
  /** The id of a device or scene. */
  readonly device: string
  readonly op: 'set_position'
  readonly args: PositionChange
}

/** The operation set_temp by an amount from the confirmed state. */
export interface ChangeTempStep {
  /** The id of a device or scene. */
  readonly device: string
  readonly op: 'set_temp'
  readonly args: TempChange
}

/** Changed fields of a state. */
export interface ChangedValues {
  /** True if the load is on. */
  readonly on?: boolean
  /** Percent. */
  readonly bri?: number
  /** Percent open. */
  readonly pos?: number
  /** Direction of movement. */
  readonly move?: string
  /** Control mode of the load, operating mode of an air conditioner, or mode of the home. */
  readonly mode?: string
  /** Degrees Celsius. */
  readonly temp?: number | null
  /** The speed of the fan. */
  readonly fan?: string
  /** The key sent last. */
  readonly key?: string | null
  /** False: it is open. */
  readonly locked?: boolean
}

/** Requirement for a rule to run. */
export type Condition = StateCondition | ReadingCondition | DetectionCondition | WindowCondition | ReachableCondition | ModeCondition | PresenceCondition | SunCondition | DatesCondition | CalendarCondition | AnyCondition | AllCondition | NotCondition | GroupCondition

/** One operation of the device, with its arguments (see docs/api.md). */
export interface Control {
  /** An operation that the device lists; `run` for a scene. */
  readonly op: 'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key' | 'run'
  readonly args?: ControlArgs
  /** For an agent that opens a lock or gate: the code that a person enters; only administrators see it. Other callers need none. */
  readonly code?: string
}

/** Arguments of the operation; empty for open, close, stop and run. */
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

/** Response of POST /v1/control. */
export interface ControlBatchAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly results: readonly ControlResult[]
  /** Switch gangs there with an unknown load, for calls without a class and for lights. Calls for lights leave them out. */
  readonly unsaid?: readonly string[]
}

/** Request body of POST /v1/control. */
export type ControlBatchBody = ControlGroup | ControlRoom | ControlFloor | ControlList

/** One operation for the devices of a floor. */
export interface ControlFloor {
  /** An id from a response. */
  readonly floor: string
  /** Only devices of this class or group. Without it, all devices that take the operation except sockets, climate, locks and gates. */
  readonly class?: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'switch_gang' | 'shutter_gang' | 'light' | 'cover' | 'socket' | 'climate'
  /** The operation. */
  readonly op: 'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key'
  readonly args?: ControlArgs
  /** As in the control of one device, if the call opens only one lock or gate. */
  readonly code?: string
}

/** One operation for the devices of a group. */
export interface ControlGroup {
  /** light, cover, socket, climate, or the id of a named group: its devices, in the whole home or in the room or floor. It opens no lock or gate. */
  readonly group: string
  /** Only in this room. */
  readonly room?: string
  /** Only on this floor; not together with `room`. */
  readonly floor?: string
  /** The operation. */
  readonly op: 'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key'
  readonly args?: ControlArgs
}

/** A list of operations, each for one device. */
export interface ControlList {
  /** Operations; those of the same device are performed in this order. */
  readonly controls: readonly DeviceControl[]
}

/** Result of one operation: a state, a run of a scene, or an error. */
export interface ControlResult {
  /** The id as sent; empty if it was not a string. */
  readonly device: string
  /** The last state confirmed by the unit; null before its first message. */
  readonly state?: State | null
  readonly run?: SceneRun
  readonly error?: ErrorDetail
}

/** One operation for the devices of a room. */
export interface ControlRoom {
  /** An id from a response. */
  readonly room: string
  /** Only devices of this class or group. Without it, all devices that take the operation except sockets, climate, locks and gates. */
  readonly class?: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'switch_gang' | 'shutter_gang' | 'light' | 'cover' | 'socket' | 'climate'
  /** The operation. */
  readonly op: 'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key'
  readonly args?: ControlArgs
  /** As in the control of one device, if the call opens only one lock or gate. */
  readonly code?: string
}

/** State of a shutter, curtain or shutter_gang. */
export interface CoverState {
  /** Time of the last confirmation by the unit. Epoch ms. */
  readonly asOf: number
  /** Percent open: 0 closed, 100 open. */
  readonly pos: number
  /** Current direction of movement. */
  readonly move: Open<'stopped' | 'opening' | 'closing' | 'unknown'>
  /** Control of the load: by the unit itself (auto, eco), or only by people (manual). */
  readonly mode: Open<'auto' | 'eco' | 'manual' | 'sleep'>
}

/** The local date is one of these, both ends included. */
export interface DatesCondition {
  /** A local date, MM-DD of every year or YYYY-MM-DD. */
  readonly from: string
  /** A local date, MM-DD of every year or YYYY-MM-DD. */
  readonly until: string
}

/** A pause before the next step. */
export interface DelayStep {
  /** Seconds to wait before the next step. */
  readonly delay: number
  /** Up to so many seconds more, by chance anew in each run. */
  readonly random?: number
}

/** A detection of a sensor. */
export interface Detection {
  /** Time of the detection. Epoch ms. */
  readonly at: number
  /** Kind of detection. */
  readonly kind: Open<'motion' | 'door' | 'smoke' | 'water' | 'tamper'>
  /** False: it ended. */
  readonly value: boolean
}

/** A unit detects something, or did so within this time. */
export interface DetectionCondition {
  /** The id of a device or scene. */
  readonly device: string
  readonly detection: DetectionKind
  /** Seconds within which it was detected. */
  readonly within: number
}

/** Kind of detection. */
export type DetectionKind = 'motion' | 'door' | 'smoke' | 'water' | 'tamper'

/** A detection starts or ends. */
export interface DetectionTrigger {
  /** The id of a device or scene. */
  readonly device: string
  readonly detection: DetectionKind
  /** False: the detection ends. Default: true. */
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
  /** For an agent that opens a lock or gate: the code that a person enters; only administrators see it. Other callers need none. */
  readonly code?: string
}

/** A unit or gang with its state. */
export interface DeviceState {
  /** The id of the unit or gang. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Class of the device; decides the shape of `state`. */
  readonly class: Open<'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'switch_gang' | 'shutter_gang'>
  /** The last state confirmed by the unit; null before its first message. */
  readonly state: State | null
}

/** Response of POST /v1/devices/{id}/control. */
export interface DevicesControlAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the device. */
  readonly device: string
  /** The last state confirmed by the unit; null before its first message. */
  readonly state?: State | null
  readonly run?: SceneRun
}

/** Response of GET /v1/devices/{id}. */
export interface DevicesGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly device: Device
}

/** Response of POST /v1/devices/{id}/identify. */
export interface DevicesIdentifyAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the device. */
  readonly device: string
  /** Seconds for which it blinks. */
  readonly seconds: number
}

/** Response of GET /v1/devices/{id}/readings. */
export interface DevicesReadingsAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the device. */
  readonly device: string
  /** Kind of reading. */
  readonly kind: Open<'temperature' | 'humidity' | 'light' | 'motion' | 'co2' | 'door' | 'battery' | 'power' | 'smoke' | 'water' | 'tamper'>
  /** Start of the range. Epoch ms. */
  readonly from: number
  /** End of the range, exclusive. Epoch ms. */
  readonly to: number
  /** Oldest first; parts without measurements are left out. */
  readonly series: readonly ReadingPoint[]
}

/** Response of PATCH /v1/devices/{id}. */
export interface DevicesRenameAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly device: DevicesRenameAnswerDevice
}

/** The device with its new name. */
export interface DevicesRenameAnswerDevice {
  /** The id of the device. */
  readonly id: string
  /** Name for people. */
  readonly name: string
}

/** Response of GET /v1/devices/{id}/schedules. */
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

/** State of a light_dimmer. */
export interface DimmerState {
  /** Time of the last confirmation by the unit. Epoch ms. */
  readonly asOf: number
  /** True if the load is on. */
  readonly on: boolean
  /** Brightness in percent; it stays the same while the lamp is off. */
  readonly bri: number
  /** Control of the load: by the unit itself (auto, eco), or only by people (manual). */
  readonly mode: Open<'auto' | 'eco' | 'manual' | 'sleep'>
}

/** Response of GET /v1/energy. */
export interface EnergyGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The scope of the request. */
  readonly scope: string
  /** Start of the range. Epoch ms. */
  readonly from: number
  /** End of the range. Epoch ms. */
  readonly to: number
  /** Watt-hours. */
  readonly energy: number
  /** In `currency`; null without a tariff. */
  readonly cost: number | null
  /** ISO 4217. */
  readonly currency: string
  /** The tariff in effect at the end of the range, or now if that is in the future; or null. */
  readonly tariff: string | null
  readonly gone?: EnergyGetAnswerGone
  readonly series: readonly EnergyPart[]
}

/** The part of `energy` and `cost` of devices that were removed from the house. Only for integrations that expose everything. */
export interface EnergyGetAnswerGone {
  /** Watt-hours. */
  readonly energy: number
  /** In `currency`; null without a tariff. */
  readonly cost: number | null
}

/** One part of the range. */
export interface EnergyPart {
  /** Start of this part. Epoch ms. */
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

/** Reason of a refusal. */
export interface ErrorDetail {
  /** Reason for programs. */
  readonly code: Open<'unauthorized' | 'session_expired' | 'record_disabled' | 'unlock_not_allowed' | 'config_not_allowed' | 'not_offered' | 'structural_not_allowed' | 'not_found' | 'revision_mismatch' | 'validation' | 'hmhc_unavailable' | 'unit_unreachable' | 'agent_access_disabled' | 'automations_not_allowed' | 'schedules_not_allowed' | 'tell_not_allowed' | 'cloud_access_disabled' | 'confirmation_required' | 'sign_in_again' | 'phrase_needed' | 'wrong_phrase' | 'origin_not_allowed' | 'outcome_unknown' | 'method_not_allowed' | 'payload_too_large' | 'unsupported_media_type' | 'misdirected_request' | 'upgrade_required' | 'rate_limited' | 'internal' | 'storage_unavailable' | 'safe_mode' | 'overloaded' | 'gateway_offline' | 'gateway_timeout' | 'relay_unavailable'>
  /** One plain sentence for a person. */
  readonly message: string
  /** The screen or permission of the app where the user can fix it. */
  readonly appAction?: string
  /** Seconds. */
  readonly retryAfter?: number
  /** The refused part of a rule, scene or group, a JSON Pointer into the body: `/if/0/any/1`. */
  readonly at?: string
}

/** Response of GET /v1/devices/{id}/explain. */
export interface ExplainGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the device or scene. */
  readonly device: string
  /** Start of the range. Epoch ms. */
  readonly from: number
  /** End of the range. Epoch ms. */
  readonly to: number
  /** The first item answers the question; the others add details. */
  readonly items: readonly ExplainItem[]
  /** Advice for wording the answer. */
  readonly note: string
}

/** One reason. */
export interface ExplainItem {
  /** Origin of the reason. */
  readonly kind: Open<'activity' | 'automation' | 'schedule' | 'unit_setting' | 'sensor' | 'integration'>
  /** cache: the last confirmed value, which may be old. */
  readonly source: Open<'live' | 'cache'>
  /** Time of the event; null for a permanent reason. Epoch ms. */
  readonly at: number | null
  /** The reason in one sentence. */
  readonly what: string
  /** The cause of an action; null without an action. */
  readonly cause: Cause | null
  /** The id of the subject, or null. */
  readonly device: string | null
  /** Time of the last confirmation; only with source cache. Epoch ms. */
  readonly asOf?: number
}

/** Response of POST /v1/explain. */
export interface ExplainPostAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the device or scene. */
  readonly device: string
  /** Start of the range. Epoch ms. */
  readonly from: number
  /** End of the range. Epoch ms. */
  readonly to: number
  /** The first item answers the question; the others add details. */
  readonly items: readonly ExplainItem[]
  /** Advice for wording the answer. */
  readonly note: string
}

/** The device to explain and the range of time. */
export interface ExplainRequest {
  /** An id from a response. */
  readonly device: string
  /** Start of the range. Epoch ms. */
  readonly from?: number | null
  /** End of the range. Epoch ms. */
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
  /** Name for people. */
  readonly name: string
  /** Its rooms. */
  readonly rooms: readonly Room[]
}

/** The command that a change from the confirmed state would send. */
export interface ForeseenCommand {
  /** An operation of a device. */
  readonly op: Open<'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key'>
  readonly args?: ForeseenCommandArgs
}

/** Its arguments, if it has some. */
export interface ForeseenCommandArgs {
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

/** A condition with its current result. */
export interface ForeseenCondition {
  readonly condition: Condition
  /** The current value; null if unknown, and for conditions without one. */
  readonly value: TestValue | null
  /** True if it holds now. */
  readonly holds: boolean
  /** Only for any, all, not and groups: the conditions inside that hold no others, and up to a hundred tests of devices of groups. */
  readonly leaves?: readonly ForeseenLeaf[]
}

/** A condition inside another one, with its current result. */
export interface ForeseenLeaf {
  /** Its place in the body, a JSON Pointer: `/if/0/any/1`. */
  readonly at: string
  readonly condition: Condition
  /** The current value; null if unknown, and for conditions without one. */
  readonly value: TestValue | null
  /** True if it holds now. */
  readonly holds: boolean
}

/** One step of a scene as it would run. */
export interface ForeseenSceneStep {
  readonly step: SceneStep
  /** Seconds of delay before the step. */
  readonly after: number
  /** The expected refusal of the step, or null. */
  readonly refused: ErrorDetail | null
  readonly command?: ForeseenCommand
  /** Seconds that it would pause: of a delay with `random` by chance, anew in each run; of `wait` at most. */
  readonly waits?: number
}

/** One step as it would run. */
export interface ForeseenStep {
  readonly step: Step
  /** Seconds of delay before the step. */
  readonly after: number
  /** The expected refusal of the step, or null. */
  readonly refused: ErrorDetail | null
  readonly command?: ForeseenCommand
  /** Seconds that it would pause: of a delay with `random` by chance, anew in each run; of `wait` at most. */
  readonly waits?: number
  /** Only of `if`: the branch that it would take. */
  readonly branch?: 'then' | 'else'
  /** Only of `wait`: false if it would end without its conditions. */
  readonly met?: boolean
  /** Only of `repeat`: the number of rounds. */
  readonly rounds?: number
  /** Only of `tell`: the message with its text filled, as by the first trigger. */
  readonly tells?: string
  /** False: the run would not come to this step; else missing. */
  readonly reached?: boolean
  /** Steps inside it: of the branch that it takes, of the first round, of the devices of a group, or of a scene as far as this integration sees it, the first time only. */
  readonly steps?: readonly ForeseenStep[]
}

/** One gang of a module. */
export interface Gang {
  /** The id of the gang. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Class of the gang; decides its operations. */
  readonly class: Open<'switch_gang' | 'shutter_gang'>
  /** Its position on the module, from 0. */
  readonly gang: number
  /** Operations that control accepts for it. */
  readonly operations: ReadonlyArray<Open<'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key'>>
  /** The id of its room, which may differ from that of its module, or null. */
  readonly room: string | null
  /** The id of its floor, or null. */
  readonly floor: string | null
  /** Only for a switch: true if it feeds a lamp; null if the administrator has not set it. */
  readonly light?: boolean | null
  /** The last state confirmed by the unit; null before its first message. */
  readonly state: State | null
}

/** One gang in the shape of a device. */
export interface GangDevice {
  /** The id of the gang. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Class of the gang; decides its operations. */
  readonly class: Open<'switch_gang' | 'shutter_gang'>
  /** Its position on the module, from 0. */
  readonly gang: number
  /** Operations that control accepts for it. */
  readonly operations: ReadonlyArray<Open<'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key'>>
  /** The id of its room, which may differ from that of its module, or null. */
  readonly room: string | null
  /** The id of its floor, or null. */
  readonly floor: string | null
  /** Only for a switch: true if it feeds a lamp; null if the administrator has not set it. */
  readonly light?: boolean | null
  /** The last state confirmed by the unit; null before its first message. */
  readonly state: State | null
  /** The hardware model, if known; it decides which intents exist. */
  readonly model: string | null
  readonly kind: 'gang'
  /** The id of its module. */
  readonly unit: string
  /** Only in `GET /v1/devices/{id}`: what its unit can do besides its operations. */
  readonly capabilities: ReadonlyArray<Open<'identify' | 'buttons'>>
}

/** State of a gate. */
export interface GateState {
  /** Time of the last confirmation by the unit. Epoch ms. */
  readonly asOf: number
  /** Percent open: 0 closed, 100 open. */
  readonly pos: number
  /** Current direction of movement. */
  readonly move: Open<'stopped' | 'opening' | 'closing' | 'unknown'>
}

/** A named group of devices. */
export interface Group {
  /** The id of the group. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Ids of its exposed members. */
  readonly members: readonly string[]
}

/** One or each device of a group passes a test: the test of a condition about a device. */
export interface GroupCondition {
  /** light, cover, socket, climate, any (every device), or the id of a named group. */
  readonly group: string
  /** Only its devices in this room. The id of a room. */
  readonly room?: string
  /** Only its devices on this floor; not together with `room`. The id of a floor. */
  readonly floor?: string
  readonly of: GroupQuantifier
  readonly state?: StateField
  readonly reading?: ReadingKind
  readonly detection?: DetectionKind
  /** True: the unit answers. False: it does not. */
  readonly reachable?: boolean
  readonly is?: TestValue
  /** The value is greater than this, in the unit of measure of the state or reading. */
  readonly above?: number
  /** The value is less than this, in the unit of measure of the state or reading. */
  readonly below?: number
  /** Seconds for which the test has held. */
  readonly for?: number
  /** Seconds within which the test held at some time. */
  readonly within?: number
  readonly by?: ChangeCause
}

/** A new group. */
export interface GroupCreate {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** Its exposed devices: units and gangs. */
  readonly members?: readonly string[]
  /** Only for edits: must be null or left out here. */
  readonly ifRevision?: number | null
}

/** A named group as this integration sees it. */
export interface GroupDetail {
  /** The id of the group. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Ids of its exposed members. */
  readonly members: readonly string[]
  /** Number of further members that this integration does not show. */
  readonly hiddenMembers: number
  /** Increases with every edit that this integration can see. */
  readonly revision: number
  readonly origin: Origin | null
}

/** Fields to change; missing fields stay as they are. */
export interface GroupEdit {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  /** Its exposed devices: units and gangs. */
  readonly members?: readonly string[]
  /** The value of the last read. */
  readonly id?: string
  /** The value of the last read. */
  readonly hiddenMembers?: number
  /** The value of the last read. */
  readonly revision?: number
  readonly origin?: Origin | null
  /** The revision of the last read. */
  readonly ifRevision: number
}

/** any: at least one device of the group; all: each that has the value. */
export type GroupQuantifier = 'any' | 'all'

/** One operation of the devices of a group; it opens no lock or gate. */
export interface GroupStep {
  /** light, cover, socket, climate, or the id of a named group. */
  readonly group: string
  /** Only its devices in this room. The id of a room. */
  readonly room?: string
  /** Only its devices on this floor; not together with `room`. The id of a floor. */
  readonly floor?: string
  /** The operation, for the devices that take it. */
  readonly op: 'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key' | 'toggle'
  readonly args?: GroupStepArgs | null
}

/** The arguments of the operation, as in a step for one device. */
export interface GroupStepArgs {
  /** True to turn the load on. */
  readonly on?: boolean
  /** Percent. */
  readonly bri?: number
  /** Percent open: 0 closed, 100 open. */
  readonly pos?: number
  /** Degrees Celsius, in steps of 0.5. */
  readonly temp?: number
  /** The speed of its fan. */
  readonly fan?: 'auto' | 'low' | 'medium' | 'high'
  /** The key to send. */
  readonly key?: 'power' | 'up' | 'down' | 'left' | 'right' | 'ok' | 'back' | 'home' | 'menu' | 'volume_up' | 'volume_down' | 'mute' | 'channel_up' | 'channel_down' | 'play' | 'pause' | 'stop' | 'source'
  /** The mode, of set_mode or set_ac_mode. */
  readonly mode?: 'auto' | 'eco' | 'manual' | 'cool' | 'heat' | 'dry' | 'fan_only'
  /** A change in percent, or in degrees Celsius for set_temp; negative: less. */
  readonly by?: number
}

/** A device of a group starts to pass a test: the test of a trigger about a device. */
export interface GroupTrigger {
  /** light, cover, socket, climate, any (every device), or the id of a named group. */
  readonly group: string
  /** Only its devices in this room. The id of a room. */
  readonly room?: string
  /** Only its devices on this floor; not together with `room`. The id of a floor. */
  readonly floor?: string
  readonly state?: StateField
  readonly reading?: ReadingKind
  readonly detection?: DetectionKind
  /** True: the unit answers. False: it does not. */
  readonly reachable?: boolean
  readonly is?: TestValue
  /** The value is greater than this, in the unit of measure of the state or reading. */
  readonly above?: number
  /** The value is less than this, in the unit of measure of the state or reading. */
  readonly below?: number
  /** Seconds for which the test must hold. */
  readonly for?: number
  readonly by?: ChangeCause
}

/** Response of POST /v1/groups. */
export interface GroupsCreateAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly group: GroupDetail
}

/** Response of DELETE /v1/groups/{id}. */
export interface GroupsDeleteAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the deleted group. */
  readonly deleted: string
}

/** Response of PATCH /v1/groups/{id}. */
export interface GroupsEditAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly group: GroupDetail
}

/** Response of GET /v1/groups/{id}. */
export interface GroupsGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly group: GroupDetail
}

/** Response of GET /v1/groups. */
export interface GroupsListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly groups: readonly GroupDetail[]
}

/** A calendar of the home. */
export interface HomeCalendar {
  /** The id, as rules name it. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Events that are on, and the next ones: ten at most, or 200 of a range. */
  readonly events: readonly HomeCalendarEventsItem[]
}

/** An event, or one time of a repeated one. */
export interface HomeCalendarEventsItem {
  /** Its title. */
  readonly title: string
  /** Begin. Epoch ms. */
  readonly begins: number
  /** End. Epoch ms. */
  readonly ends: number
  /** True for local dates without times. */
  readonly wholeDays: boolean
}

/** A mode that the home can have. */
export interface HomeMode {
  /** The id of a mode, such as home, away, night, vacation or guest. */
  readonly id: string
  /** Name for people. */
  readonly name: string
}

/** The home as this integration sees it. */
export interface House {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** IANA time zone of the home, like Europe/Berlin: days, schedules and tariffs follow it. */
  readonly timeZone: string
  /** Currency of costs: ISO 4217, like EUR. */
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
  /** The named groups of the home. */
  readonly groups: readonly Group[]
}

/** Response of GET /v1/integration. */
export interface IntegrationGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** IANA time zone of the home, like Europe/Berlin: days, schedules and tariffs follow it. */
  readonly timeZone: string
  /** Currency of costs: ISO 4217, like EUR. */
  readonly currency: string
  /** The id of the gateway: its serial. */
  readonly gateway: string
  readonly integration: IntegrationGetAnswerIntegration
}

/** The integration of this request. */
export interface IntegrationGetAnswerIntegration {
  /** The id of the integration, as in device ids. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  readonly credential: IntegrationGetAnswerIntegrationCredential
  readonly settings: Settings
  /** Visibility of people: none, only whether anyone is home, or each by name. */
  readonly people: Open<'none' | 'anyone' | 'each'>
  /** The ids of persons whose presence it may report. */
  readonly reports: readonly string[]
}

/** The credential of this request. */
export interface IntegrationGetAnswerIntegrationCredential {
  /** Kind of credential of this request. */
  readonly kind: Open<'key' | 'agent' | 'session'>
  /** Name of the credential. */
  readonly name: string
  /** Platform on which the agent runs; empty for a key. */
  readonly platform: string
  /** Name of the credential in the activity. */
  readonly label: string
}

/** One setting of units in plain words. */
export interface IntentDef {
  /** The name of the intent, as in the paths. */
  readonly id: string
  /** Name of the setting for people. */
  readonly title: string
  /** Effect of the setting, for people. */
  readonly meaning: string
  /** Uses of the intent. */
  readonly when: string
  /** Wishes that need another intent, and which one. */
  readonly notWhen: string
  /** Conditions that have to be met before. */
  readonly prerequisites: readonly string[]
  /** Other things that it changes. */
  readonly sideEffects: string
  /** Possible error codes of a change. */
  readonly errors: readonly string[]
  readonly examples: readonly IntentExample[]
  readonly value: IntentShape
  /** read_only: only the app can change it. */
  readonly access: 'read_write' | 'read_only'
  /** Screen of the app that changes a read-only intent. */
  readonly appAction: string | null
  /** For a read-only intent: another way to change it. */
  readonly guidance: string | null
  /** Hardware models with this setting. */
  readonly models: readonly string[]
  /** True if each gang of a module has its own value. */
  readonly perGang: boolean
}

/** A wish of a person with the call for it. */
export interface IntentExample {
  /** Words of a person. */
  readonly ask: string
  /** The matching call. */
  readonly call: string
}

/** One setting of a device with its value. */
export interface IntentItem {
  /** The name of the intent, as in the paths. */
  readonly intent: string
  /** Name of the setting for people. */
  readonly title: string
  /** read_only: only the app can change it. */
  readonly access: 'read_write' | 'read_only'
  /** Shaped by the intent; null before the unit confirmed it; raw numbers without a known meaning stand under `unknown`. */
  readonly value: unknown
  /** Values are the last confirmed ones; a read never goes to the bus. */
  readonly source: 'cache'
  /** When the unit confirmed it last, or null. Epoch ms. */
  readonly asOf: number | null
  /** For a read-only intent: another way to change it. */
  readonly guidance?: string
  /** Screen of the app that changes a read-only intent. */
  readonly appAction?: string
}

/** The shape of a value, as JSON Schema 2020-12. */
export interface IntentShape {
  /** integer, number, boolean, string or object. */
  readonly type?: string
  /** Meaning of the value. */
  readonly description?: string
  /** Smallest allowed value. */
  readonly minimum?: number
  /** Largest allowed value. */
  readonly maximum?: number
  /** The step between values. */
  readonly multipleOf?: number
  /** Allowed values. */
  readonly enum?: readonly unknown[]
  /** Only allowed value. */
  readonly const?: unknown
  /** Fields of an object. */
  readonly properties?: Readonly<Record<string, IntentShape>>
  /** False if an object takes no other field. */
  readonly additionalProperties?: boolean
  /** Required fields of an object. */
  readonly required?: readonly string[]
  /** Any of these. */
  readonly anyOf?: readonly IntentShape[]
}

/** The new value of a setting. */
export interface IntentValue {
  /** Shaped by the `value` of the definition. */
  readonly value: unknown
}

/** Response of GET /v1/intents. */
export interface IntentsDefinitionsAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly intents: readonly IntentDef[]
}

/** Response of GET /v1/devices/{id}/intents. */
export interface IntentsListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the device. */
  readonly device: string
  /** The hardware model where it is known. */
  readonly model: string | null
  /** Access that advanced_config gives this integration. */
  readonly access: 'read' | 'read_write'
  readonly intents: readonly IntentItem[]
  /** Advice for reading the list, in a sentence. */
  readonly note: string
}

/** Response of PUT /v1/devices/{id}/intents/{intent}. */
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

/** State of a lock. */
export interface LockState {
  /** Time of the last confirmation by the unit. Epoch ms. */
  readonly asOf: number
  /** False: it is open. */
  readonly locked: boolean
}

/** A message of the home for people. */
export interface Message {
  /** The id of the message. */
  readonly id: string
  /** Time of the message. Epoch ms. */
  readonly at: number
  /** Kind of the message; more: the number of messages that were left out of the stream. */
  readonly kind: Open<'smoke' | 'water' | 'tamper' | 'entrance_open' | 'unit_lost' | 'rule_failed' | 'battery' | 'agent' | 'backup' | 'disk' | 'line' | 'more' | 'test' | 'tell'>
  /** An alarm is repeated until somebody acknowledges it. */
  readonly urgency: Open<'normal' | 'high' | 'alarm'>
  /** One sentence. */
  readonly title: string
  /** The id of its device, or null. */
  readonly device: string | null
  /** Path of the page of the console that helps, or null. */
  readonly go: string | null
  /** Time of the acknowledgement, or null. Epoch ms. */
  readonly acknowledged: number | null
  /** End of its condition, such as smoke; null while it lasts, and for an event. Epoch ms. */
  readonly ended: number | null
}

/** Response of POST /v1/messages/{id}/acknowledge. */
export interface MessagesAcknowledgeAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly message: Message
}

/** Response of GET /v1/messages. */
export interface MessagesListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly messages: readonly Message[]
  /** The `before` of the next page; null after the last. */
  readonly next: string | null
}

/** The arguments of set_mode. */
export interface ModeArgs {
  /** The mode that controls the load. */
  readonly mode: 'auto' | 'eco' | 'manual'
}

/** The mode of the home is one of these. */
export interface ModeCondition {
  /** Ids of modes of the home. */
  readonly mode: readonly string[]
}

/** Response of GET /v1/mode. */
export interface ModeGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of a mode, such as home, away, night, vacation or guest. */
  readonly mode: string
  /** Name for people. */
  readonly name: string
  /** Time at which it began. Epoch ms. */
  readonly since: number
  /** End of a temporary mode, or null. Epoch ms. */
  readonly until: number | null
  /** The id of the mode that returns after a temporary one, or null. */
  readonly previous: string | null
  /** The modes of the home. */
  readonly modes: readonly HomeMode[]
}

/** Response of PUT /v1/mode. */
export interface ModeSetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of a mode, such as home, away, night, vacation or guest. */
  readonly mode: string
  /** Name for people. */
  readonly name: string
  /** Time at which it began. Epoch ms. */
  readonly since: number
  /** End of a temporary mode, or null. Epoch ms. */
  readonly until: number | null
  /** The id of the mode that returns after a temporary one, or null. */
  readonly previous: string | null
  /** The modes of the home. */
  readonly modes: readonly HomeMode[]
}

/** Request body of PUT /v1/mode. */
export interface ModeSetBody {
  /** The id of a mode of the home. */
  readonly mode: string
  /** End in epoch ms: then the mode that lasted before returns. Missing or null: the mode lasts. */
  readonly until?: number | null
}

/** Sets the mode of the home for good. */
export interface ModeStep {
  /** The id of a mode of the home. */
  readonly mode: string
}

/** The home gets this mode. */
export interface ModeTrigger {
  /** The id of a mode of the home. */
  readonly mode: string
}

/** The operation open, close or stop of a device. */
export interface MoveStep {
  /** The id of a device or scene. */
  readonly device: string
  /** The operation. */
  readonly op: 'open' | 'close' | 'stop'
  readonly args?: MoveStepArgs | null
}

/** An empty object, for clients that always send arguments. */
export interface MoveStepArgs {

}

/** The condition does not hold. An unknown value passes no test here either. */
export interface NotCondition {
  readonly not: Condition
}

/** Integration and credential that created the object. */
export interface Origin {
  /** The id of the integration. */
  readonly integration: string
  /** The id of the credential. */
  readonly link: string
}

/** Response of POST /v1/pair. */
export interface PairAskAnswer {
  /** Code for polling. A secret. */
  readonly code: string
  /** Code that the user compares with the administrator's screen. */
  readonly userCode: string
  /** Seconds between two polls. */
  readonly interval: number
  /** Seconds until the request expires. */
  readonly expiresIn: number
}

/** Request body of POST /v1/pair. */
export interface PairAskBody {
  /** The 12-character id of the gateway. */
  readonly gateway: string
  /** Name of the agent; administrators read it. */
  readonly name: string
  /** Platform on which the agent runs. */
  readonly platform: string
  /** The id of an integration, if the agent should join that one. */
  readonly record?: string | null
  readonly suggested?: SuggestedScope | null
}

/** Response of POST /v1/pair/token. */
export interface PairTokenAnswer {
  /** The token, as a bearer. A secret. */
  readonly access_token: string
  readonly token_type: 'Bearer'
  /** Kind of credential. */
  readonly kind: Open<'agent' | 'session'>
}

/** Request body of POST /v1/pair/token. */
export interface PairTokenBody {
  /** The `code` of the response to POST /v1/pair. */
  readonly code: string
}

/** Response of POST /v1/pair/token. With status 400. */
export interface PairTokenLiteral400 {
  /** Reason why there is no token. */
  readonly error: 'authorization_pending' | 'access_denied' | 'expired_token'
}

/** Response of POST /v1/pair/token. With status 429. */
export interface PairTokenLiteral429 {
  readonly error: 'slow_down'
}

/** A person and their presence. */
export interface PersonPresence {
  /** The id of a person. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Presence; unknown until the first report. */
  readonly is: Open<'home' | 'away' | 'unknown'>
  /** Time of the newest change; null before the first report. Epoch ms. */
  readonly since: number | null
}

/** Response of GET /v1/persons. */
export interface PersonsListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly anyone: AnyonePresence
  /** The persons; empty for an integration that sees only anyone. */
  readonly persons: readonly PersonPresence[]
}

/** The arguments of set_position. */
export interface PositionArgs {
  /** Percent open: 0 closed, 100 open. */
  readonly pos: number
}

/** A change from the confirmed state. */
export interface PositionChange {
  /** Percent; negative: less. */
  readonly by: number
}

/** The arguments of set_power. */
export interface PowerArgs {
  /** True to turn the load on. */
  readonly on: boolean
}

/** State of a power_switch. */
export interface PowerState {
  /** Time of the last confirmation by the unit. Epoch ms. */
  readonly asOf: number
  /** True if the load is on. */
  readonly on: boolean
  /** Control of the load: by the unit itself (auto, eco), or only by people (manual). */
  readonly mode: Open<'auto' | 'eco' | 'manual' | 'sleep'>
  /** The set point in degrees Celsius, or null while it feeds no climate load. */
  readonly temp: number | null
}

/** A person, or anyone, is home or away. An unknown presence passes no test. */
export interface PresenceCondition {
  /** The id of a person, or `anyone`. */
  readonly person: string
  readonly is: TestedPresence
}

/** Response of PUT /v1/persons/{id}/presence. */
export interface PresenceReportAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of a person. */
  readonly person: string
  /** Presence; unknown until the first report. */
  readonly is: Open<'home' | 'away' | 'unknown'>
  /** Time of the newest change; null before the first report. Epoch ms. */
  readonly since: number | null
}

/** Request body of PUT /v1/persons/{id}/presence. */
export interface PresenceReportBody {
  /** The new presence. The newest report of any program or person holds. */
  readonly is: 'home' | 'away' | 'unknown'
}

/** A person, or anyone, comes home or leaves. */
export interface PresenceTrigger {
  /** The id of a person, or `anyone`. */
  readonly person: string
  readonly is: TestedPresence
  /** Seconds for which the test must hold. */
  readonly for?: number
}

/** long: two seconds or more. Default: any touch. */
export type Press = 'short' | 'long'

/** A unit answers, or does not. */
export interface ReachableCondition {
  /** The id of a device or scene. */
  readonly device: string
  /** True: the unit answers. False: it does not. */
  readonly reachable: boolean
  /** Seconds for which the test has held. */
  readonly for?: number
  /** Seconds within which the test held at some time. */
  readonly within?: number
}

/** A unit stops answering, or answers again. */
export interface ReachableTrigger {
  /** The id of a device or scene. */
  readonly device: string
  /** True: the unit answers. False: it does not. */
  readonly reachable: boolean
  /** Seconds for which the test must hold. */
  readonly for?: number
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
  /** Seconds for which the test has held. */
  readonly for?: number
  /** Seconds within which the test held at some time. */
  readonly within?: number
}

/** Kind of measurement. */
export type ReadingKind = 'temperature' | 'humidity' | 'light' | 'motion' | 'co2' | 'door' | 'battery' | 'power' | 'smoke' | 'water' | 'tamper' | 'energy'

/** Units as in Readings; true is 1, false is 0. */
export interface ReadingPoint {
  /** Start of this part of the range. Epoch ms. */
  readonly at: number
  /** The least value, in the unit of measure of the reading. */
  readonly min: number
  /** The mean of all values to 0.01, in the unit of measure of the reading. */
  readonly mean: number
  /** The greatest value, in the unit of measure of the reading. */
  readonly max: number
}

/** A reading starts to pass the test: `is`, or one or both of `above` and `below`. */
export interface ReadingTrigger {
  /** The id of a device or scene. */
  readonly device: string
  readonly reading: ReadingKind
  readonly is?: TestValue
  /** The value is greater than this, in the unit of measure of the state or reading. */
  readonly above?: number
  /** The value is less than this, in the unit of measure of the state or reading. */
  readonly below?: number
  /** Seconds for which the test must hold. */
  readonly for?: number
}

/** Readings of a sensor; readings that it lacks are left out. */
export interface Readings {
  /** Degrees Celsius. */
  readonly temperature?: number
  /** Relative humidity in percent. */
  readonly humidity?: number
  /** Lux. */
  readonly light?: number
  /** True while motion is detected. */
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
  /** True while the unit reports tampering. */
  readonly tamper?: boolean
  /** Last reported energy counter of the device in watt-hours. */
  readonly energy?: number
}

/** State of an ir_remote; `key` is null before the first key. */
export interface RemoteState {
  /** Time of the last confirmation by the unit. Epoch ms. */
  readonly asOf: number
  /** The key sent last. */
  readonly key: Open<'power' | 'up' | 'down' | 'left' | 'right' | 'ok' | 'back' | 'home' | 'menu' | 'volume_up' | 'volume_down' | 'mute' | 'channel_up' | 'channel_down' | 'play' | 'pause' | 'stop' | 'source'>
}

/** A new name, and nothing else. */
export interface Rename {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
}

/** Performs its steps again and again. */
export interface RepeatStep {
  /** Steps inside it, in order. */
  readonly repeat: readonly Step[]
  /** Seconds after each round. */
  readonly every: number
  /** It ends once all of them hold before a round; if they never do, the step fails. */
  readonly until?: readonly Condition[]
  /** Most rounds. */
  readonly times: number
}

/** Returns each device that the run changed to its earlier state, unless somebody acted since. */
export interface RestoreStep {
  /** Always true. */
  readonly restore: boolean
}

/** A room with its units. */
export interface Room {
  /** The id of the room. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** The id of its floor, or null. */
  readonly floor: string | null
  /** Its units and modules. */
  readonly units: readonly Unit[]
}

/** Response of PATCH /v1/rooms/{id}. */
export interface RoomsRenameAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly room: RoomsRenameAnswerRoom
}

/** The room with its new name. */
export interface RoomsRenameAnswerRoom {
  /** The id of the room. */
  readonly id: string
  /** Name for people. */
  readonly name: string
}

/** Switches an automation or schedule on or off, which is an edit of it. */
export interface RuleStep {
  /** The id of an automation or schedule. */
  readonly rule: string
  /** True: it runs by itself from now on. False: it does not. */
  readonly enabled: boolean
}

/** One execution of a scene, an automation or a schedule. */
export interface Run {
  /** The id of the run. */
  readonly runId: string
  /** Kind of thing that runs. */
  readonly kind: Open<'scene' | 'automation' | 'schedule'>
  /** The id of the scene, automation or schedule. */
  readonly of: string
  /** failed: it ended, and a step did not succeed; stopped: it ended before its last step. */
  readonly state: Open<'queued' | 'running' | 'waiting' | 'done' | 'failed' | 'stopped'>
  /** Time when it started or was queued. Epoch ms. */
  readonly startedAt: number
  /** Time of its end, or null. Epoch ms. */
  readonly endedAt: number | null
  /** Time when a waiting run continues; else null. Epoch ms. */
  readonly until: number | null
  /** Place of the present or next step of a rule, a JSON Pointer: `/then/0/repeat/1`; null after the end. */
  readonly at: string | null
  /** The visible steps, as they were at the start. */
  readonly steps: readonly RunStep[]
}

/** A run without its steps. */
export interface RunEntry {
  /** The id of the run. */
  readonly runId: string
  /** Kind of thing that runs. */
  readonly kind: Open<'scene' | 'automation' | 'schedule'>
  /** The id of the scene, automation or schedule. */
  readonly of: string
  /** failed: it ended, and a step did not succeed; stopped: it ended before its last step. */
  readonly state: Open<'queued' | 'running' | 'waiting' | 'done' | 'failed' | 'stopped'>
  /** Time when it started or was queued. Epoch ms. */
  readonly startedAt: number
  /** Time of its end, or null. Epoch ms. */
  readonly endedAt: number | null
  /** Time when a waiting run continues; else null. Epoch ms. */
  readonly until: number | null
  /** Place of the present or next step of a rule, a JSON Pointer: `/then/0/repeat/1`; null after the end. */
  readonly at: string | null
}

/** Reaction to a trigger while it runs: single ignores it, restart starts again, queued runs once more afterwards. */
export type RunMode = 'single' | 'restart' | 'queued'

/** Starts a scene and continues at once. */
export interface RunSceneStep {
  /** The id of a device or scene. */
  readonly scene: string
}

/** One step of a run with its result. */
export interface RunStep {
  readonly step: Step
  /** Progress of the step; left_out: the run ended before it. */
  readonly state: Open<'next' | 'running' | 'waiting' | 'done' | 'failed' | 'left_out' | 'unknown'>
  readonly error?: ErrorDetail
  /** Only if a step inside it failed: its place, a JSON Pointer: `/then/0/else/1`. */
  readonly at?: string
}

/** Response of GET /v1/runs/{id}. */
export interface RunsGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly run: Run
}

/** Response of GET /v1/runs. */
export interface RunsListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly runs: readonly RunEntry[]
}

/** Response of POST /v1/runs/{id}/stop. */
export interface RunsStopAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly run: Run
}

/** A scene by its name. */
export interface Scene {
  /** The id of the scene. */
  readonly id: string
  /** Name for people. */
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
  /** The floor where it is shown; `roomId` has to lie on it. */
  readonly floorId?: string | null
  /** The room where it is shown. */
  readonly roomId?: string | null
  /** Its steps, in order. */
  readonly steps?: readonly SceneStep[] | null
  /** Only for edits: must be null or left out here. */
  readonly ifRevision?: number | null
}

/** A scene with the steps that this integration sees. */
export interface SceneDetail {
  /** The id of the scene. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** The id of the room where it is shown, or null. */
  readonly room: string | null
  /** The id of the floor where it is shown, or null. */
  readonly floor: string | null
  /** Name of its icon in the app. */
  readonly icon: string | null
  /** Increases with every edit that this integration can see. */
  readonly revision: number
  readonly origin: Origin | null
  /** Exposed devices of its steps. */
  readonly members: readonly string[]
  /** Number of further members that this integration does not show. */
  readonly hiddenMembers: number
  /** True while it runs. */
  readonly running: boolean
  readonly steps: readonly SceneStep[]
}

/** A scene in the shape of a device. */
export interface SceneDevice {
  /** The id of the scene. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  readonly class: 'scene'
  readonly kind: 'scene'
  /** The id of the room where it is shown, or null. */
  readonly room: string | null
  /** The id of the floor where it is shown, or null. */
  readonly floor: string | null
  /** Operations that control accepts for it. */
  readonly operations: ReadonlyArray<'run'>
  readonly state: SceneState
}

/** Fields to change; missing fields stay as they are. */
export interface SceneEdit {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string | null
  /** The name of its icon in the app. */
  readonly icon?: string | null
  /** The floor where it is shown; `roomId` has to lie on it. */
  readonly floorId?: string | null
  /** The room where it is shown. */
  readonly roomId?: string | null
  /** Its steps, in order. */
  readonly steps?: readonly SceneStep[] | null
  /** The value of the last read. */
  readonly id?: string
  /** The value of the last read. */
  readonly room?: string | null
  /** The value of the last read. */
  readonly floor?: string | null
  /** The value of the last read. */
  readonly revision?: number
  readonly origin?: Origin | null
  /** The value of the last read. */
  readonly members?: readonly string[]
  /** The value of the last read. */
  readonly hiddenMembers?: number
  /** The value of the last read. */
  readonly running?: boolean
  /** The revision of the last read. */
  readonly ifRevision: number | null
}

/** A scene without its steps. */
export interface SceneEntry {
  /** The id of the scene. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** The id of the room where it is shown, or null. */
  readonly room: string | null
  /** The id of the floor where it is shown, or null. */
  readonly floor: string | null
  /** Name of its icon in the app. */
  readonly icon: string | null
  /** Increases with every edit that this integration can see. */
  readonly revision: number
  readonly origin: Origin | null
  /** Exposed devices of its steps. */
  readonly members: readonly string[]
  /** Number of further members that this integration does not show. */
  readonly hiddenMembers: number
  /** True while it runs. */
  readonly running: boolean
}

/** Run of a scene, in place of a state. */
export interface SceneRun {
  /** The id of the run. */
  readonly runId: string
}

/** State of a scene. */
export interface SceneState {
  /** True while it runs. */
  readonly running: boolean
}

/** One operation on a device, or a delay. */
export type SceneStep = SetPowerStep | SetBrightnessStep | SetPositionStep | SetModeStep | SetTempStep | SetAcModeStep | SetFanStep | KeyStep | MoveStep | ChangeBrightnessStep | ChangePositionStep | ChangeTempStep | ToggleStep | DelayStep

/** A scene starts. */
export interface SceneTrigger {
  /** The id of a device or scene. */
  readonly scene: string
}

/** Response of POST /v1/scenes. */
export interface ScenesCreateAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly scene: SceneDetail
}

/** Response of PATCH /v1/scenes/{id}. */
export interface ScenesEditAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly scene: SceneDetail
}

/** Response of GET /v1/scenes/{id}. */
export interface ScenesGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly scene: SceneDetail
}

/** Response of GET /v1/scenes. */
export interface ScenesListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly scenes: readonly SceneEntry[]
}

/** Response of POST /v1/scenes/{id}/run. */
export interface ScenesRunAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the scene. */
  readonly device: string
  readonly run: SceneRun
}

/** Response of POST /v1/scenes/{id}/try. */
export interface ScenesTryAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The expected refusal of the whole: of saving a draft, or of running a stored scene. Null if it would succeed. */
  readonly refused: ErrorDetail | null
  readonly steps: readonly ForeseenSceneStep[]
}

/** Response of POST /v1/scenes/try. */
export interface ScenesTryDraftAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The expected refusal of the whole: of saving a draft, or of running a stored scene. Null if it would succeed. */
  readonly refused: ErrorDetail | null
  readonly steps: readonly ForeseenSceneStep[]
}

/** Actions of the gateway at certain times. */
export interface Schedule {
  /** The id of the schedule. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** False: it never runs by itself. */
  readonly enabled: boolean
  /** Increases with every edit that this integration can see. */
  readonly revision: number
  readonly origin: Origin | null
  readonly at: ScheduleTime
  /** ISO weekdays: 1 Monday to 7 Sunday. */
  readonly days: readonly Weekday[]
  /** Conditions; all of them have to hold. */
  readonly if: readonly Condition[]
  /** Its steps, performed in order. */
  readonly then: readonly Step[]
  /** The next run, or null. Epoch ms. */
  readonly next: number | null
}

/** A new schedule. */
export interface ScheduleCreate {
  /** Name for people. It may not contain control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** False: it never runs by itself. Default: true. */
  readonly enabled?: boolean
  readonly at: ScheduleTime
  /** ISO weekdays: 1 Monday to 7 Sunday. */
  readonly days?: readonly Weekday[]
  /** All of them must hold. */
  readonly if?: readonly Condition[]
  /** Its steps, in order. */
  readonly then: readonly Step[]
  /** Only for edits: must be null or left out here. */
  readonly ifRevision?: number | null
}

/** Fields to change; missing fields stay as they are. */
export interface ScheduleEdit {
  /** Name for people. It may not contain control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  /** False: it never runs by itself. Default: true. */
  readonly enabled?: boolean
  readonly at?: ScheduleTime
  /** ISO weekdays: 1 Monday to 7 Sunday. */
  readonly days?: readonly Weekday[]
  /** All of them must hold. */
  readonly if?: readonly Condition[]
  /** Its steps, in order. */
  readonly then?: readonly Step[]
  /** The value that was read. */
  readonly id?: string
  /** The value that was read. */
  readonly revision?: number
  readonly origin?: Origin | null
  /** The value that was read. Epoch ms. */
  readonly next?: number | null
  /** For an edit: the revision that was read. */
  readonly ifRevision: number
}

/** A time of day, or a time before or after sunrise or sunset. */
export type ScheduleTime = AtTime | AtSun

/** Response of POST /v1/schedules. */
export interface SchedulesCreateAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly schedule: Schedule
}

/** Response of PATCH /v1/schedules/{id}. */
export interface SchedulesEditAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly schedule: Schedule
}

/** Response of GET /v1/schedules/{id}. */
export interface SchedulesGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly schedule: Schedule
}

/** Response of GET /v1/schedules. */
export interface SchedulesListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly schedules: readonly Schedule[]
}

/** Response of POST /v1/schedules/{id}/try. */
export interface SchedulesTryAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The expected refusal of the whole: of saving a draft, or of running a stored scene. Null if it would succeed. */
  readonly refused: ErrorDetail | null
  /** Reason why it would not run if triggered now, in one sentence, or null. */
  readonly because: string | null
  readonly if: readonly ForeseenCondition[]
  readonly steps: readonly ForeseenStep[]
  /** Times of the next runs, as far as `nextRunsIf` holds then; empty while it is disabled. Earliest first, epoch ms. */
  readonly nextRuns: readonly number[]
  /** Conditions, in words, that decide at each of these times whether it runs; null without any. */
  readonly nextRunsIf: string | null
}

/** Response of POST /v1/schedules/try. */
export interface SchedulesTryDraftAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The expected refusal of the whole: of saving a draft, or of running a stored scene. Null if it would succeed. */
  readonly refused: ErrorDetail | null
  /** Reason why it would not run if triggered now, in one sentence, or null. */
  readonly because: string | null
  readonly if: readonly ForeseenCondition[]
  readonly steps: readonly ForeseenStep[]
  /** Times of the next runs, as far as `nextRunsIf` holds then; empty while it is disabled. Earliest first, epoch ms. */
  readonly nextRuns: readonly number[]
  /** Conditions, in words, that decide at each of these times whether it runs; null without any. */
  readonly nextRunsIf: string | null
}

/** Response of PATCH /v1/schedules/{id}/try. */
export interface SchedulesTryEditAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The expected refusal of the whole: of saving a draft, or of running a stored scene. Null if it would succeed. */
  readonly refused: ErrorDetail | null
  /** Reason why it would not run if triggered now, in one sentence, or null. */
  readonly because: string | null
  readonly if: readonly ForeseenCondition[]
  readonly steps: readonly ForeseenStep[]
  /** Times of the next runs, as far as `nextRunsIf` holds then; empty while it is disabled. Earliest first, epoch ms. */
  readonly nextRuns: readonly number[]
  /** Conditions, in words, that decide at each of these times whether it runs; null without any. */
  readonly nextRunsIf: string | null
}

/** Last readings of a unit that measures, or of a gang with power and energy. */
export interface Sensor {
  /** The id of the unit or gang. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Class of the device. */
  readonly class: string
  /** The id of its room, or null. */
  readonly room: string | null
  /** The id of its floor, or null. */
  readonly floor: string | null
  readonly readings: Readings
  /** Time of the last report, or null. Epoch ms. */
  readonly asOf: number | null
}

/** State of a sensor or meter; readings that it lacks are left out. */
export interface SensorState {
  /** Time of the last confirmation by the unit. Epoch ms. */
  readonly asOf: number
  /** Degrees Celsius. */
  readonly temperature?: number
  /** Relative humidity in percent. */
  readonly humidity?: number
  /** Lux. */
  readonly light?: number
  /** True while motion is detected. */
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
  /** True while the unit reports tampering. */
  readonly tamper?: boolean
  /** Last reported energy counter of the device in watt-hours. */
  readonly energy?: number
}

/** Response of GET /v1/sensors/{id}/detections. */
export interface SensorsDetectionsAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The id of the device. */
  readonly device: string
  readonly detections: readonly Detection[]
  /** Cursor of the next page; null after the last. */
  readonly nextCursor: string | null
}

/** Response of GET /v1/sensors. */
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

/** The knobs with their current values. */
export interface Settings {
  /** Unit settings: not at all, reading them, or changing them too. */
  readonly advanced_config: 'off' | 'read' | 'read_write'
  /** Renaming rooms, units and gangs. */
  readonly structural: 'off' | 'on'
  /** Seeing and changing automations. */
  readonly automations: 'off' | 'on'
  /** Seeing and changing schedules. */
  readonly schedules: 'off' | 'on'
  /** Agents may ask for access and use it. */
  readonly agent_access: 'off' | 'on'
  /** The relay may forward requests to it. */
  readonly cloud_access: 'on' | 'off'
  /** The gateway announces it in the network. */
  readonly mdns: 'on' | 'off'
  /** Opening locks and gates. */
  readonly allow_unlock: 'off' | 'on'
  /** Sending messages to people by automations and schedules. */
  readonly may_tell: 'off' | 'on'
}

/** A draft of a rule for a job that many homes have. */
export interface Starter {
  /** The id of the starter. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Its effect in words. */
  readonly text: string
  /** Kind of rule. */
  readonly kind: Open<'automation' | 'schedule'>
  readonly blanks: readonly StarterBlanksItem[]
  /** Body of `POST /v1/automations` or `/v1/schedules`, once its blanks are filled. */
  readonly draft: Readonly<Record<string, unknown>>
}

/** A place to fill. */
export interface StarterBlanksItem {
  /** Its name; the draft has it with `$` before it in place of an id. */
  readonly name: string
  /** Kind of thing that fills it. */
  readonly kind: Open<'device' | 'scene' | 'room' | 'person' | 'calendar' | 'rule'>
  /** Its meaning. */
  readonly text: string
  /** The ids of exposed things that fit. */
  readonly choices: readonly string[]
  /** True if further things fit, for which `choices` has no room. */
  readonly more: boolean
}

/** Response of GET /v1/starters. */
export interface StartersListAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly starters: readonly Starter[]
}

/** The last state confirmed by the unit; its shape follows from `class`. */
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
  /** Seconds for which the test has held. */
  readonly for?: number
  /** Seconds within which the test held at some time. */
  readonly within?: number
  readonly by?: ChangeCause
}

/** A field of a state. */
export type StateField = 'on' | 'bri' | 'mode' | 'pos' | 'move' | 'temp' | 'fan' | 'key' | 'locked'

/** Response of GET /v1/state. */
export interface StateGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  readonly devices: readonly DeviceState[]
}

/** A state starts to pass the test: `is`, or one or both of `above` and `below`. */
export interface StateTrigger {
  /** The id of a device or scene. */
  readonly device: string
  readonly state: StateField
  readonly is?: TestValue
  /** The value is greater than this, in the unit of measure of the state or reading. */
  readonly above?: number
  /** The value is less than this, in the unit of measure of the state or reading. */
  readonly below?: number
  /** Seconds for which the test must hold. */
  readonly for?: number
  readonly by?: ChangeCause
}

/** One operation on a device or a group, a delay, a scene to run, a mode to set, a message, a switch of a rule, or a step with others inside. */
export type Step = SetPowerStep | SetBrightnessStep | SetPositionStep | SetModeStep | SetTempStep | SetAcModeStep | SetFanStep | KeyStep | MoveStep | ChangeBrightnessStep | ChangePositionStep | ChangeTempStep | ToggleStep | DelayStep | RunSceneStep | ModeStep | BranchStep | WaitStep | RepeatStep | RestoreStep | TellStep | RuleStep | GroupStep

/** The scope that the agent suggests. An administrator reads it; it decides nothing. */
export interface SuggestedScope {
  /** `All`, or the user's names of floors, rooms and units. */
  readonly exposure?: 'All' | readonly string[]
  readonly settings?: SuggestedScopeSettings
}

/** Knobs that the agent asks for. */
export interface SuggestedScopeSettings {
  /** Unit settings: not at all, reading them, or changing them too. */
  readonly advanced_config?: 'off' | 'read' | 'read_write'
  /** Renaming rooms, units and gangs. */
  readonly structural?: 'off' | 'on'
  /** Seeing and changing automations. */
  readonly automations?: 'off' | 'on'
  /** Seeing and changing schedules. */
  readonly schedules?: 'off' | 'on'
  /** Agents may ask for access and use it. */
  readonly agent_access?: 'off' | 'on'
  /** The relay may forward requests to it. */
  readonly cloud_access?: 'on' | 'off'
  /** The gateway announces it in the network. */
  readonly mdns?: 'on' | 'off'
  /** Opening locks and gates. */
  readonly allow_unlock?: 'off' | 'on'
  /** Sending messages to people by automations and schedules. */
  readonly may_tell?: 'off' | 'on'
}

/** The sun is up, or down. */
export interface SunCondition {
  readonly sun: SunPlace
}

/** Sunrise, sunset, or the begin (dawn) and end (dusk) of civil twilight. */
export type SunEvent = 'sunrise' | 'sunset' | 'dawn' | 'dusk'

/** Above or below the horizon. */
export type SunPlace = 'up' | 'down'

/** The sun rises or sets, or its twilight begins or ends. */
export interface SunTrigger {
  readonly sun: SunEvent
  /** Minutes after the event; negative: before it. */
  readonly offset?: number
  /** Up to this many minutes later, chosen anew for each date. */
  readonly random?: number
  /** ISO weekdays: 1 Monday to 7 Sunday. */
  readonly days?: readonly Weekday[]
}

/** State of a light_switch, sense_switch or switch_gang. */
export interface SwitchState {
  /** Time of the last confirmation by the unit. Epoch ms. */
  readonly asOf: number
  /** True if the load is on. */
  readonly on: boolean
  /** Control of the load: by the unit itself (auto, eco), or only by people (manual). */
  readonly mode: Open<'auto' | 'eco' | 'manual' | 'sleep'>
}

/** Sends a message to people. */
export interface TellStep {
  /** The text, with {device}, {room} and {value} of the trigger and its {time}. Longer texts are cut when filled. */
  readonly tell: string
  readonly to: TellTo
  readonly urgency?: TellUrgency
}

/** home: the people of the home; everyone: also programs that see the things of the rule. */
export type TellTo = 'home' | 'everyone' | 'administrators'

/** Default: normal, which quiet hours hold. An alarm is repeated until somebody acknowledges it. */
export type TellUrgency = 'normal' | 'high' | 'alarm'

/** The arguments of set_temp. */
export interface TempArgs {
  /** Degrees Celsius, in steps of 0.5. */
  readonly temp: number
}

/** A change from the confirmed state. */
export interface TempChange {
  /** Degrees Celsius; negative: less. */
  readonly by: number
}

/** A value as the state or reading holds it. */
export type TestValue = boolean | number | string

/** home or away. `anyone` is home while one person is, and away when all are. */
export type TestedPresence = 'home' | 'away'

/** A time of day is reached. */
export interface TimeTrigger {
  /** Local time of the home, HH:MM. */
  readonly time: string
  /** Up to this many minutes later, chosen anew for each date. */
  readonly random?: number
  /** ISO weekdays: 1 Monday to 7 Sunday. */
  readonly days?: readonly Weekday[]
}

/** Response of GET /v1/gateway/tls. */
export interface TlsGetAnswer {
  /** The home's name, so that a client of two homes never mixes them up. */
  readonly house: string
  /** The CA certificate, PEM. */
  readonly ca: string
  /** SHA-256 of the certificate: 32 bytes in hexadecimal, joined by colons. */
  readonly fingerprint: string
}

/** Turns a device on if it is off, else off; opens a closed cover, else closes. */
export interface ToggleStep {
  /** The id of a device or scene. */
  readonly device: string
  readonly op: 'toggle'
  readonly args?: ToggleStepArgs | null
}

/** An empty object, for clients that always send arguments. */
export interface ToggleStepArgs {

}

/** Key of the device; the sides are those of a module. */
export type TouchKey = 'up' | 'mode' | 'down' | 'side_left' | 'side_right'

/** A key is touched, whether or not a state changes. */
export interface TouchTrigger {
  /** The id of a device or scene. */
  readonly device: string
  readonly touch: TouchKey
  readonly press?: Press
}

/** Event that starts an automation. */
export type Trigger = StateTrigger | ReadingTrigger | DetectionTrigger | TouchTrigger | ReachableTrigger | TimeTrigger | SunTrigger | CalendarTrigger | SceneTrigger | ModeTrigger | PresenceTrigger | GroupTrigger

/** A unit, or a multi-gang module with its exposed gangs. A module has no `state`; its gangs have. */
export interface Unit {
  /** The id of the unit or module. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Class of the unit; decides its operations. */
  readonly class: Open<'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'gang_module'>
  /** A module is controlled gang by gang. */
  readonly kind: 'unit' | 'module'
  /** The hardware model, if known; it decides which intents exist. */
  readonly model: string | null
  /** The id of its room, or null. */
  readonly room: string | null
  /** The id of its floor, or null. */
  readonly floor: string | null
  /** Only for a switch: true if it feeds a lamp; null if the administrator has not set it. */
  readonly light?: boolean | null
  /** False while the unit does not respond; true again after its next response or report. */
  readonly reachable: boolean
  /** Time of its last confirmed state or visible report; null before the first. Epoch ms. */
  readonly lastSeen: number | null
  /** Operations that control accepts for it. */
  readonly operations: ReadonlyArray<Open<'set_power' | 'set_brightness' | 'set_position' | 'open' | 'close' | 'stop' | 'set_mode' | 'set_temp' | 'set_ac_mode' | 'set_fan' | 'key'>>
  /** Only for a module: its exposed gangs. */
  readonly gangs?: readonly Gang[]
  /** The last state confirmed by the unit; null before its first message. */
  readonly state?: State | null
  /** Only in `GET /v1/devices/{id}`: what its unit can do besides its operations. */
  readonly capabilities?: ReadonlyArray<Open<'identify' | 'buttons'>>
}

/** A schedule that the unit runs itself. */
export interface UnitSchedule {
  /** Its place in the memory of the unit. */
  readonly slot: number
  /** True if the unit follows it. */
  readonly enabled: boolean
  /** The gang that it moves, or null. */
  readonly gang: number | null
  /** ISO weekdays: 1 Monday to 7 Sunday. */
  readonly days: readonly number[]
  /** Local time of the home, HH:MM. */
  readonly time: string
  /** Its operation, as in control. */
  readonly op: string
  readonly args?: UnitScheduleArgs
}

/** Arguments of the operation. */
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

/** At the timeout: go on with the next step (the default), or stop the run. */
export type WaitEnd = 'go_on' | 'stop'

/** Waits until the conditions hold. */
export interface WaitStep {
  /** It waits until all of them hold. */
  readonly wait: readonly Condition[]
  /** Seconds that it waits at most. */
  readonly timeout: number
  readonly else?: WaitEnd
}

/** ISO: 1 Monday to 7 Sunday. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7

/** The present time is inside a window that starts on one of these days. */
export interface WindowCondition {
  /** Local time of the home, HH:MM, or sunrise or sunset. */
  readonly after?: string
  /** Local time of the home, HH:MM, or sunrise or sunset. */
  readonly before?: string
  /** ISO weekdays: 1 Monday to 7 Sunday. */
  readonly days?: readonly Weekday[]
}

/** An automation was added, removed or changed; only with the knob automations on. */
export interface AutomationsEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Increases with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'automations'
  /** Always null: the event has no device. */
  readonly device: null
  /** Always null: the event has no device. */
  readonly class: null
  readonly state: AutomationsEventState
}

/** The changed thing. */
export interface AutomationsEventState {
  /** The id of the automation. */
  readonly id: string
  /** Increases with every edit that this integration can see. */
  readonly revision: number
  /** Kind of change; `created` also means that this integration sees it for the first time. */
  readonly change: Open<'created' | 'edited' | 'enabled' | 'disabled' | 'paused' | 'deleted'>
}

/** The exposed part of the home changed: things were added, removed, moved or renamed. */
export interface ExposureEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Increases with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'exposure'
  /** Always null: the event has no device. */
  readonly device: null
  /** Always null: the event has no device. */
  readonly class: null
  readonly state: ExposureEventState
}

/** The change. */
export interface ExposureEventState {
  readonly changed: true
  /** Resources to read again. */
  readonly read: readonly string[]
}

/** An administrator changed the knobs or the exposure of this integration. */
export interface IntegrationEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Increases with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'integration'
  /** Always null: the event has no device. */
  readonly device: null
  /** Always null: the event has no device. */
  readonly class: null
  readonly state: IntegrationEventState
}

/** The change. */
export interface IntegrationEventState {
  /** The id of this integration. */
  readonly id: string
  /** Kind of change. */
  readonly change: Open<'edited'>
  /** Resources to read again. */
  readonly read: readonly string[]
}

/** A message was sent, repeated or acknowledged, or its condition ended. Only for sockets with the topic `message`. */
export interface MessageEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Increases with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'message'
  /** The id of its device, or null. */
  readonly device: string | null
  /** Class of its device, or null. */
  readonly class: string | null
  readonly state: MessageEventState
}

/** The message. */
export interface MessageEventState {
  /** The id of the message. */
  readonly id: string
  /** Time of the message. Epoch ms. */
  readonly at: number
  /** Kind of the message; more: the number of messages that were left out of the stream. */
  readonly kind: Open<'smoke' | 'water' | 'tamper' | 'entrance_open' | 'unit_lost' | 'rule_failed' | 'battery' | 'agent' | 'backup' | 'disk' | 'line' | 'more' | 'test' | 'tell'>
  /** An alarm is repeated until somebody acknowledges it. */
  readonly urgency: Open<'normal' | 'high' | 'alarm'>
  /** One sentence. */
  readonly title: string
  /** Path of the page of the console that helps, or null. */
  readonly go: string | null
  /** Time of the acknowledgement, or null. Epoch ms. */
  readonly acknowledged: number | null
  /** End of its condition, such as smoke; null while it lasts, and for an event. Epoch ms. */
  readonly ended: number | null
  /** update: it was acknowledged, or its condition ended. */
  readonly change: Open<'new' | 'repeat' | 'update'>
  /** Number of repetitions so far. */
  readonly repeat: number
}

/** The mode of the home, its end or the list of modes changed. */
export interface ModeEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Increases with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'mode'
  /** Always null: the event has no device. */
  readonly device: null
  /** Always null: the event has no device. */
  readonly class: null
  readonly state: ModeEventState
}

/** The mode, as in GET /v1/mode. */
export interface ModeEventState {
  /** The id of a mode, such as home, away, night, vacation or guest. */
  readonly mode: string
  /** Name for people. */
  readonly name: string
  /** Time at which it began. Epoch ms. */
  readonly since: number
  /** End of a temporary mode, or null. Epoch ms. */
  readonly until: number | null
  /** The id of the mode that returns after a temporary one, or null. */
  readonly previous: string | null
  /** The modes of the home. */
  readonly modes: readonly HomeMode[]
}

/** The presence of people changed, as far as they are visible. */
export interface PresenceEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Increases with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'presence'
  /** Always null: the event has no device. */
  readonly device: null
  /** Always null: the event has no device. */
  readonly class: null
  readonly state: PresenceEventState
}

/** The presence of all visible people, as in GET /v1/persons. */
export interface PresenceEventState {
  readonly anyone: AnyonePresence
  /** The persons; empty for an integration that sees only anyone. */
  readonly persons: readonly PersonPresence[]
}

/** A scene started or ended. */
export interface SceneEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Increases with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'scene'
  /** The scene's id. */
  readonly device: string
  readonly class: 'scene'
  readonly state: SceneState
}

/** A scene was added, removed or changed. */
export interface ScenesEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Increases with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'scenes'
  /** Always null: the event has no device. */
  readonly device: null
  /** Always null: the event has no device. */
  readonly class: null
  readonly state: ScenesEventState
}

/** The changed thing. */
export interface ScenesEventState {
  /** The id of the scene. */
  readonly id: string
  /** Increases with every edit that this integration can see. */
  readonly revision: number
  /** Kind of change; `created` also means that this integration sees it for the first time. */
  readonly change: Open<'created' | 'edited' | 'enabled' | 'disabled' | 'paused' | 'deleted'>
}

/** A schedule was added, removed, edited or switched; only with the knob schedules on. */
export interface SchedulesEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Increases with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'schedules'
  /** Always null: the event has no device. */
  readonly device: null
  /** Always null: the event has no device. */
  readonly class: null
  readonly state: SchedulesEventState
}

/** The changed thing. */
export interface SchedulesEventState {
  /** The id of the schedule. */
  readonly id: string
  /** Increases with every edit that this integration can see. */
  readonly revision: number
  /** Kind of change; `created` also means that this integration sees it for the first time. */
  readonly change: Open<'created' | 'edited' | 'enabled' | 'disabled' | 'paused' | 'deleted'>
}

/** All readings of the device, not only changed ones. */
export interface SensorEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Increases with every event that this integration sees; a socket may skip numbers. */
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
  /** Increases with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'state'
  /** The id of the unit or gang. */
  readonly device: string
  /** Class of the device; decides the shape of `state`. */
  readonly class: Open<'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'switch_gang' | 'shutter_gang' | 'gang_module'>
  /** The last state confirmed by the unit; null before its first message. */
  readonly state: State | null
  /** False: the unit or module stopped responding. True: it responds again. The state is unchanged. */
  readonly reachable?: boolean
  /** Settings that the unit has just confirmed, by intent; the state may be unchanged. */
  readonly intents?: readonly string[]
}

/** Current subscriptions of this socket. */
export interface Subscribed {
  /** The name of the home. */
  readonly house: string
  /** Every topic of this socket now. */
  readonly subscribed: readonly string[]
  /** The seq of the last event of this integration: a `since` for later. */
  readonly seq: number
  /** Only with `since`. True: missed events are no longer stored; read GET /v1/state. */
  readonly gap?: boolean
}

/** A key was touched, whether or not a state changed. Only for sockets with the topic `touch`. */
export interface TouchEvent {
  /** When it happened. Epoch ms. */
  readonly at: number
  /** The name of the home. */
  readonly house: string
  /** Increases with every event that this integration sees; a socket may skip numbers. */
  readonly seq: number
  readonly event: 'touch'
  /** The id of the unit or gang; the module for its side buttons. */
  readonly device: string
  /** Class of the device. */
  readonly class: string
  readonly state: TouchEventState
}

/** The touch. */
export interface TouchEventState {
  /** The touched key. */
  readonly key: Open<'up' | 'mode' | 'down' | 'side_left' | 'side_right'>
  /** long: two seconds or more. */
  readonly press: Open<'short' | 'long'>
}

/** A message of the stream. Later versions may send further kinds. */
export type StreamEvent = AutomationsEvent | ExposureEvent | IntegrationEvent | MessageEvent | ModeEvent | PresenceEvent | SceneEvent | ScenesEvent | SchedulesEvent | SensorEvent | StateEvent | TouchEvent

/**
 * All calls by path and method, with their parameters, body and response. `keyed`: it takes an Idempotency-Key.
 * Calls that are always refused are left out.
 */
export interface Paths {
  readonly '/v1/about': {
    /** How to connect, in plain text; needs no credential */
    readonly get: { readonly answer: string }
  }
  readonly '/v1/integration': {
    /** The request's integration and credential, with their permissions */
    readonly get: { readonly answer: IntegrationGetAnswer }
  }
  readonly '/v1/house': {
    /** The home: floors, rooms, units, scenes. Call it first and keep the ids */
    readonly get: { readonly query?: { readonly room?: string; readonly class?: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'gang_module' | 'switch_gang' | 'shutter_gang' | 'scene' | 'group' | 'light' | 'cover' | 'socket' | 'climate' }; readonly answer: House }
  }
  readonly '/v1/state': {
    /** The state of every device, for cheap polling; 304 for If-None-Match while nothing changed */
    readonly get: { readonly query?: { readonly room?: string; readonly class?: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'switch_gang' | 'shutter_gang' | 'light' | 'cover' | 'socket' | 'climate' }; readonly answer: StateGetAnswer }
  }
  readonly '/v1/gateway/tls': {
    /** The gateway's own CA and its SHA-256 fingerprint */
    readonly get: { readonly answer: TlsGetAnswer }
  }
  readonly '/v1/mode': {
    /** The mode of the home, and the modes that it can have */
    readonly get: { readonly answer: ModeGetAnswer }
    /** Set the mode of the home, for good or until a time */
    readonly put: { readonly body: ModeSetBody; readonly keyed: true; readonly answer: ModeSetAnswer }
  }
  readonly '/v1/persons': {
    /** The presence of the home’s people, as far as the integration shows them */
    readonly get: { readonly answer: PersonsListAnswer }
  }
  readonly '/v1/persons/{id}/presence': {
    /** Report the presence of a person; needs a permission for this person */
    readonly put: { readonly path: { readonly id: string }; readonly body: PresenceReportBody; readonly keyed: true; readonly answer: PresenceReportAnswer }
  }
  readonly '/v1/calendars': {
    /** The calendars that rules can name, with their next events */
    readonly get: { readonly query?: { readonly from?: number; readonly to?: number }; readonly answer: CalendarsListAnswer }
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
    /** Perform one operation; the response has the state that the unit confirmed */
    readonly post: { readonly path: { readonly id: string }; readonly body: Control; readonly keyed: true; readonly answer: DevicesControlAnswer }
  }
  readonly '/v1/devices/{id}/identify': {
    /** Let the LEDs of a unit or gang blink, so that people find it; its load does not move */
    readonly post: { readonly path: { readonly id: string }; readonly keyed: true; readonly answer: DevicesIdentifyAnswer }
  }
  readonly '/v1/control': {
    /** Control many devices, or those of a room, floor or group; one result for each, in the order of the request */
    readonly post: { readonly body: ControlBatchBody; readonly keyed: true; readonly answer: ControlBatchAnswer }
  }
  readonly '/v1/intents': {
    /** All intents with their meaning, use and value shape */
    readonly get: { readonly answer: IntentsDefinitionsAnswer }
  }
  readonly '/v1/devices/{id}/intents': {
    /** The device's last confirmed settings; sends no frame */
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
    /** The exposed scenes with their members and run state */
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
  readonly '/v1/groups': {
    /** The exposed named groups with their members */
    readonly get: { readonly answer: GroupsListAnswer }
    /** Create a named group; on a Selected integration it joins the selection */
    readonly post: { readonly body: GroupCreate; readonly keyed: true; readonly answer: GroupsCreateAnswer }
  }
  readonly '/v1/groups/{id}': {
    /** One named group */
    readonly get: { readonly path: { readonly id: string }; readonly answer: GroupsGetAnswer }
    /** Edit a named group; members that this integration cannot see stay */
    readonly patch: { readonly path: { readonly id: string }; readonly body: GroupEdit; readonly keyed: true; readonly answer: GroupsEditAnswer }
    /** Delete a named group of which this integration sees every member */
    readonly delete: { readonly path: { readonly id: string }; readonly query: { readonly ifRevision: number }; readonly keyed: true; readonly answer: GroupsDeleteAnswer }
  }
  readonly '/v1/automations': {
    /** The automations that use only exposed devices and scenes */
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
    /** The gateway's schedules that use only exposed devices and scenes */
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
    /** Predict the effect of a new scene; nothing is stored or done */
    readonly post: { readonly body: SceneCreate; readonly answer: ScenesTryDraftAnswer }
  }
  readonly '/v1/scenes/{id}/try': {
    /** Predict the effect of running the scene; nothing is done */
    readonly post: { readonly path: { readonly id: string }; readonly answer: ScenesTryAnswer }
  }
  readonly '/v1/automations/try': {
    /** Predict the effect of a new automation; nothing is stored or done */
    readonly post: { readonly body: AutomationCreate; readonly answer: AutomationsTryDraftAnswer }
  }
  readonly '/v1/automations/{id}/try': {
    /** Predict the effect of triggering the automation now; nothing is done */
    readonly post: { readonly path: { readonly id: string }; readonly answer: AutomationsTryAnswer }
    /** Predict the effect of the automation after an edit; nothing is stored or done */
    readonly patch: { readonly path: { readonly id: string }; readonly body: AutomationEdit; readonly answer: AutomationsTryEditAnswer }
  }
  readonly '/v1/schedules/try': {
    /** Predict the effect and times of a new schedule; nothing is stored or done */
    readonly post: { readonly body: ScheduleCreate; readonly answer: SchedulesTryDraftAnswer }
  }
  readonly '/v1/schedules/{id}/try': {
    /** Predict the effect and times of the schedule; nothing is done */
    readonly post: { readonly path: { readonly id: string }; readonly answer: SchedulesTryAnswer }
    /** Predict the effect and times of the schedule after an edit; nothing is stored or done */
    readonly patch: { readonly path: { readonly id: string }; readonly body: ScheduleEdit; readonly answer: SchedulesTryEditAnswer }
  }
  readonly '/v1/starters': {
    /** Drafts of rules for common jobs, with blanks to fill */
    readonly get: { readonly answer: StartersListAnswer }
  }
  readonly '/v1/runs': {
    /** Runs that are active, waiting or queued */
    readonly get: { readonly answer: RunsListAnswer }
  }
  readonly '/v1/runs/{id}': {
    /** One run, active or recently ended, with the results of its steps */
    readonly get: { readonly path: { readonly id: string }; readonly answer: RunsGetAnswer }
  }
  readonly '/v1/runs/{id}/stop': {
    /** Stop a run before its next step; an ended run stays as it is */
    readonly post: { readonly path: { readonly id: string }; readonly keyed: true; readonly answer: RunsStopAnswer }
  }
  readonly '/v1/sensors': {
    /** Every exposed sensor's readings, from the cache */
    readonly get: { readonly query?: { readonly room?: string; readonly class?: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'gang_module' | 'light' | 'cover' | 'socket' | 'climate' }; readonly answer: SensorsListAnswer }
  }
  readonly '/v1/sensors/{id}/detections': {
    /** Detections of a sensor, newest first, a page at a time */
    readonly get: { readonly path: { readonly id: string }; readonly query?: { readonly cursor?: string; readonly limit?: number }; readonly answer: SensorsDetectionsAnswer }
  }
  readonly '/v1/devices/{id}/readings': {
    /** Readings of a device over time; the last 24 hours by default */
    readonly get: { readonly path: { readonly id: string }; readonly query: { readonly kind: 'temperature' | 'humidity' | 'light' | 'motion' | 'co2' | 'door' | 'battery' | 'power' | 'smoke' | 'water' | 'tamper'; readonly from?: number; readonly to?: number; readonly points?: number }; readonly answer: DevicesReadingsAnswer }
  }
  readonly '/v1/energy': {
    /** Energy and cost of the exposed devices of the house, a floor, a room or a device */
    readonly get: { readonly query?: { readonly scope?: string; readonly period?: 'hour' | 'day' | 'week' | 'month' | 'year'; readonly from?: number; readonly to?: number }; readonly answer: EnergyGetAnswer }
  }
  readonly '/v1/activity': {
    /** Events and their causes, newest first; the last 30 days by default */
    readonly get: { readonly query?: { readonly device?: string; readonly from?: number; readonly to?: number; readonly limit?: number; readonly kind?: 'state' | 'failed' | 'refused' | 'skipped' | 'run' | 'edited' | 'setting' | 'detection' | 'unit' | 'link' | 'access'; readonly source?: 'person' | 'automation' | 'schedule' | 'scene' | 'integration' | 'agent' | 'voice' | 'platform' | 'unit' | 'gateway' | 'mode' | 'presence'; readonly rule?: string }; readonly answer: ActivityListAnswer }
  }
  readonly '/v1/devices/{id}/explain': {
    /** Explain the state of a device, or why something did not happen; the last 24 hours by default */
    readonly get: { readonly path: { readonly id: string }; readonly query?: { readonly from?: number; readonly to?: number }; readonly answer: ExplainGetAnswer }
  }
  readonly '/v1/explain': {
    /** Same as the GET */
    readonly post: { readonly body: ExplainRequest; readonly answer: ExplainPostAnswer }
  }
  readonly '/v1/messages': {
    /** Messages about exposed devices, newest first */
    readonly get: { readonly query?: { readonly before?: string; readonly limit?: number }; readonly answer: MessagesListAnswer }
  }
  readonly '/v1/messages/{id}/acknowledge': {
    /** Acknowledge a message, which ends the repetitions of an alarm; an acknowledged one stays as it is */
    readonly post: { readonly path: { readonly id: string }; readonly keyed: true; readonly answer: MessagesAcknowledgeAnswer }
  }
  readonly '/v1/pair': {
    /** Ask an administrator for access; show the user code to the user */
    readonly post: { readonly body: PairAskBody; readonly answer: PairAskAnswer }
  }
  readonly '/v1/pair/token': {
    /** Poll for the administrator's decision; the token is handed out once */
    readonly post: { readonly body: PairTokenBody; readonly answer: PairTokenAnswer }
  }
}
