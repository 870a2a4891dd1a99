// Made from openapi/admin.json by `npm run docs:generate`: change the contract instead.
import type { Open } from '@hm-gateway/client/src/browser.ts'

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

/** The person, program or thing that acted; `by` is the cause before it. */
export interface ActivityCause {
  /** Kind of the cause. */
  readonly source: 'person' | 'automation' | 'schedule' | 'scene' | 'integration' | 'agent' | 'voice' | 'platform' | 'unit' | 'gateway' | 'mode' | 'presence'
  /** Name of the cause for people. */
  readonly name: string
  /** The local id of the rule, scene or unit. */
  readonly ref?: string
  /** The id of the requesting integration. */
  readonly integration?: string
  /** The requesting credential. */
  readonly link?: string
  /** The person who confirmed the call of an agent. */
  readonly confirmedBy?: string
  readonly by?: ActivityCause
}

/** Response of GET /admin/v1/activity. */
export interface ActivityListAnswer {
  readonly entries: readonly AdminActivityEntry[]
  /** The `to` of the next page, epoch milliseconds; null after the last. */
  readonly nextTo: number | null
}

/** An event in the home, for administrators. */
export interface AdminActivityEntry {
  /** The id of the entry. */
  readonly id: string
  /** Time of the event. Epoch ms. */
  readonly at: number
  /** Kind of the event. */
  readonly kind: 'state' | 'failed' | 'refused' | 'skipped' | 'run' | 'edited' | 'setting' | 'detection' | 'unit' | 'link' | 'access'
  /** Kind of the subject: device, scene, group, room, floor, automation, schedule, person, mode, home or integration. */
  readonly subject: string
  /** Local id of the subject, for a device `UNIT` or `UNIT:GANG`; null: the home or its mode. */
  readonly subjectId: string | null
  /** Current or last known name of the subject, or null. */
  readonly name: string | null
  /** The event in a phrase without the name. */
  readonly what: string
  readonly cause: ActivityCause
  /** Facts, such as `from` and `to`. */
  readonly data?: Readonly<Record<string, unknown>>
}

/** A live event for administrators. */
export type AdminEvent = {
  readonly kind: 'agent_request'
  /** True if it should notify a person. */
  readonly notice: boolean
  readonly request: DecidedRequest
} | {
  readonly kind: 'agent_request_ended'
  /** Result of the request. */
  readonly how: 'accepted' | 'denied' | 'expired' | 'collected'
  readonly request: DecidedRequest
} | {
  readonly kind: 'agent_ended'
  /** `refresh_reused`: a used refresh token was presented again. `code_reused`: its authorization code was. */
  readonly why: 'refresh_reused' | 'code_reused'
  readonly agent: Credential
} | {
  readonly kind: 'confirmation'
  /** True if it should notify a person. */
  readonly notice: boolean
  readonly confirmation: Confirmation
} | {
  readonly kind: 'confirmation_ended'
  /** Result of the request. */
  readonly how: 'confirmed' | 'declined' | 'expired' | 'used'
  readonly confirmation: Confirmation
} | {
  readonly kind: 'watching'
}

/** A message of the home, for administrators. */
export interface AdminMessage {
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
  /** The local id of its device, `UNIT` or `UNIT:GANG`, or null. */
  readonly device: string | null
  /** Path of the page of the console that helps, or null. */
  readonly go: string | null
  /** Time of the acknowledgement, or null. Epoch ms. */
  readonly acknowledged: number | null
  /** End of its condition, such as smoke; null while it lasts, and for an event. Epoch ms. */
  readonly ended: number | null
  /** `everyone`: also programs that see its devices. */
  readonly to: 'everyone' | 'administrators' | 'home'
  /** The person or program that acknowledged it, or null. */
  readonly acknowledgedBy: string | null
  /** End of the quiet hours that hold it, or null. Epoch ms. */
  readonly heldUntil: number | null
}

/** A pending request of an agent for access. */
export interface AgentRequest {
  /** The id of the request. */
  readonly request: string
  /** The code that the agent shows. */
  readonly code: string
  /** The agent's own name for itself. */
  readonly name: string
  /** Platform on which the agent says it runs. */
  readonly platform: string
  /** The id of the integration that it asked for, or null. */
  readonly record: string | null
  /** True if it runs on a hosted platform. */
  readonly hosted: boolean
  readonly client: HostedClient | null
  readonly suggested: SuggestedScope | null
  /** Origin of the request: home network or relay. */
  readonly via: 'home' | 'cloud'
  /** Network address of the sender. */
  readonly peer: string
  /** When it asked. Epoch ms. */
  readonly askedAt: number
  /** Time of expiry. Epoch ms. */
  readonly expiresAt: number
  /** Links of the existing credentials of the same agent. */
  readonly known: readonly string[]
}

/** Response of POST /admin/v1/agents/requests/{id}/accept. */
export interface AgentsAcceptAnswer {
  readonly accepted: DecidedRequest
  /** The name of its integration. */
  readonly integration: string | null
  /** True for a session, which expires by itself. */
  readonly session: boolean
  /** The credential that ends when the new one is collected. */
  readonly replaces: string | null
}

/** Request body of POST /admin/v1/agents/requests/{id}/accept. */
export interface AgentsAcceptBody {
  /** The integration of the new credential. */
  readonly integration?: string
  /** True for a session, which expires by itself. */
  readonly session?: boolean
  /** The link of the credential to replace; true: its only one. */
  readonly replace?: string | true
  /** True to give it a further credential. */
  readonly add?: boolean
}

/** Response of POST /admin/v1/agents. */
export interface AgentsCreateAnswer {
  /** The token, shown once. A secret. */
  readonly token: string
  /** The id of the credential. */
  readonly link: string
  /** SHA-256 of the gateway's CA. */
  readonly fingerprint: string
  /** Addresses, fingerprint and token as one text, for clients. As secret as the token. */
  readonly connectionCode: string
  /** True while agent_access of its integration is off. */
  readonly suspended: boolean
}

/** Request body of POST /admin/v1/agents. */
export interface AgentsCreateBody {
  /** The id of its integration. */
  readonly integration: string
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly platform: string
  /** True for a session, which expires by itself. */
  readonly session?: boolean
}

/** Response of POST /admin/v1/agents/requests/{id}/deny. */
export interface AgentsDenyAnswer {
  readonly denied: DecidedRequest
  /** True to refuse its sender for a day. */
  readonly blocked: boolean
}

/** Request body of POST /admin/v1/agents/requests/{id}/deny. */
export interface AgentsDenyBody {
  /** True to refuse its sender for a day. */
  readonly block?: boolean
}

/** Response of GET /admin/v1/agents. */
export interface AgentsListAnswer {
  readonly agents: readonly Credential[]
}

/** Response of GET /admin/v1/agents/requests. */
export interface AgentsRequestsAnswer {
  readonly requests: readonly AgentRequest[]
}

/** Response of POST /admin/v1/agents/reservation. */
export interface AgentsReserveAnswer {
  readonly reserved: Sender | null
}

/** Request body of POST /admin/v1/agents/reservation. */
export interface AgentsReserveBody {
  /** An IPv4 or IPv6 address at home. */
  readonly address?: string
  /** The e-mail address of an account at the relay. */
  readonly account?: string
}

/** Response of DELETE /admin/v1/agents/{id}. */
export interface AgentsRevokeAnswer {
  /** The link of the credential. */
  readonly revoked: string
  /** Switched-off automations and schedules: they open a lock or gate, and their author may no longer do so. */
  readonly switchedOff?: readonly string[]
  /** Scenes of the same kind: nobody can run them while their author may not open. */
  readonly scenesRefused?: readonly string[]
  /** Automations and schedules that a deletion switches off: their groups have the devices that the integration sees. */
  readonly groupRules?: readonly string[]
  /** Present if the disk accepts no writes now: the change holds at once and is stored as soon as possible; a restart before that may undo it. */
  readonly unstored?: true
}

/** Response of GET /admin/v1/agents/senders. */
export interface AgentsSendersAnswer {
  /** Blocked senders. */
  readonly blocked: readonly Sender[]
  /** The sender with a reserved place. */
  readonly reserved: Sender | null
}

/** Response of DELETE /admin/v1/agents/senders/{id}. */
export interface AgentsUnblockAnswer {
  /** The address. */
  readonly unblocked: string
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

/** A condition that needs a person. */
export interface Attention {
  /** Kind of the condition. */
  readonly kind: 'incident' | 'disk' | 'socket' | 'line' | 'certificate' | 'ca' | 'clock' | 'backup' | 'relay' | 'turned_away' | 'history' | 'unit_silent' | 'unit_without_place' | 'unit_class' | 'battery' | 'energy_jump' | 'announcement' | 'rule' | 'record'
  /** `broken`: something that the home needs does not work. */
  readonly level: 'attention' | 'broken'
  /** One sentence with the next step. */
  readonly what: string
  /** Number of units in a combined item; otherwise 1. */
  readonly count: number
  /** The local id of the device, or null. */
  readonly device: string | null
  /** Time of detection, epoch milliseconds, or null for a current condition. */
  readonly at: number | null
  /** The number of the open jump, if the condition is one. */
  readonly jump?: string
}

/** An automation in words. */
export interface AutomationInWords {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** False: it never runs by itself. */
  readonly enabled: boolean
  /** End of a temporary switch: it then is in the other state; else null. Epoch ms. */
  readonly until: number | null
  /** Increases with every edit that this integration can see. */
  readonly revision: number
  /** The credential's label, or null: an administrator. */
  readonly createdBy: string | null
  /** True after the gateway stopped a loop, until the next edit. */
  readonly paused: boolean
  /** Behaviour of a trigger during a run. */
  readonly mode: 'single' | 'restart' | 'queued'
  /** Sentences in words. */
  readonly when: readonly string[]
  /** Sentences in words. */
  readonly if: readonly string[]
  /** Sentences in words. */
  readonly then: readonly string[]
}

/** Response of DELETE /admin/v1/automations/{id}. */
export interface AutomationsDeleteAnswer {
  /** The local id. */
  readonly deleted: string
}

/** Response of GET /admin/v1/automations. */
export interface AutomationsListAnswer {
  readonly automations: readonly AutomationInWords[]
}

/** Response of GET /admin/v1/automations/{id}. */
export interface AutomationsShowAnswer {
  readonly automation: AutomationInWords
}

/** Response of PATCH /admin/v1/automations/{id}. */
export interface AutomationsSwitchAnswer {
  readonly automation: AutomationInWords
}

/** Request body of PATCH /admin/v1/automations/{id}. */
export interface AutomationsSwitchBody {
  /** True to let it run by itself. The administrator who switches it on becomes responsible for it. */
  readonly enabled: boolean
  /** Time from which it is in the other state again; missing or null: never. Epoch ms. */
  readonly until?: number | null
}

/** Response of GET /admin/v1/automations/{id}/try. */
export interface AutomationsTryAnswer {
  readonly trial: Trial
}

/** A backup in the backup folder. */
export interface Backup {
  /** The name of its file. */
  readonly name: string
  /** When it was made. Epoch ms. */
  readonly at: number
  /** Why it was made: nightly, requested by a person (`asked`) or an operator token, or before an update. */
  readonly why: 'nightly' | 'asked' | 'operator' | 'before-update'
  /** Its size in bytes. */
  readonly bytes: number
  /** Whether a recovery phrase opens it. */
  readonly encrypted: boolean
  /** Its contents; null if they cannot be read. */
  readonly contents: BackupContents | null
  /** A sentence why it cannot be read, or null. */
  readonly unreadable: string | null
}

/** Settings of the backups. */
export interface BackupChoice {
  /** Whether backups outside the data folder are encrypted. */
  readonly encrypted: boolean
  /** Whether nightly backups include the history. */
  readonly history: boolean
}

/** Contents of a backup. */
export interface BackupContents {
  /** The id of the gateway. */
  readonly gateway: string
  /** The name of the home. */
  readonly home: string
  /** Version of the program that made it. */
  readonly program: string
  /** Whether it has the history. */
  readonly history: boolean
  /** A sentence about missing content, or null. */
  readonly lacks: string | null
  readonly counts: BackupContentsCounts
}

/** Numbers of the contents. */
export interface BackupContentsCounts {
  /** Number of administrators. */
  readonly persons: number
  /** Number of integrations. */
  readonly integrations: number
  /** Number of credentials that were not revoked. */
  readonly keys: number
}

/** State of the backups. */
export interface BackupState {
  /** The folder that backups go to. */
  readonly folder: string
  readonly last: BackupStateLast | null
  /** When the next backup is due. Epoch ms. */
  readonly nextAt: number
  readonly error: BackupStateError | null
  /** Whether a backup is being made or checked now. */
  readonly working: boolean
  /** Since when the recovery phrase is valid, in epoch milliseconds; null if there is none. */
  readonly phraseSince: number | null
}

/** Why the latest backup failed or lies elsewhere; null after a backup without trouble. */
export interface BackupStateError {
  /** When. Epoch ms. */
  readonly at: number
  /** One sentence. */
  readonly what: string
}

/** The newest backup, which was opened and checked after it was written. Null before the first. */
export interface BackupStateLast {
  /** The name of its file. */
  readonly name: string
  /** When it was made. Epoch ms. */
  readonly at: number
  /** Its size in bytes. */
  readonly bytes: number
  /** Seconds since then. */
  readonly ageSeconds: number
}

/** Response of POST /admin/v1/backup. */
export interface BackupWriteAnswer {
  /** The path of a file on the gateway's own disk. */
  readonly file: string
  /** The size of the file in bytes. */
  readonly bytes: number
}

/** Request body of POST /admin/v1/backup. */
export interface BackupWriteBody {
  /** The path of a file on the gateway's own disk. */
  readonly file: string
}

/** Response of POST /admin/v1/backups/{name}/check. */
export interface BackupsCheckAnswer {
  readonly contents: BackupContents
}

/** Request body of PUT /admin/v1/backups/choice. */
export interface BackupsChooseBody {
  /** Whether backups outside the data folder are encrypted. */
  readonly encrypted?: boolean
  /** Whether nightly backups include the history. */
  readonly history?: boolean
}

/** Response of POST /admin/v1/backups/phrase/confirm. */
export interface BackupsConfirmPhraseAnswer {
  /** Since when it is valid. Epoch ms. */
  readonly phraseSince: number
}

/** Request body of POST /admin/v1/backups/phrase/confirm. */
export interface BackupsConfirmPhraseBody {
  /** In the order of their positions. */
  readonly words: readonly string[]
}

/** Response of GET /admin/v1/backups. */
export interface BackupsListAnswer {
  readonly state: BackupState
  readonly choice: BackupChoice
  /** The newest first. */
  readonly backups: readonly Backup[]
}

/** Response of POST /admin/v1/backups. */
export interface BackupsMakeAnswer {
  readonly backup: Backup
  /** The folder that it is in. */
  readonly folder: string
  /** Sentences why it is in another folder or lacks something, or null. */
  readonly lacks: string | null
}

/** Request body of POST /admin/v1/backups. */
export interface BackupsMakeBody {
  /** Whether it includes the history; the settings decide by default. */
  readonly history?: boolean
}

/** Response of POST /admin/v1/backups/phrase. */
export interface BackupsPhraseAnswer {
  /** Its twelve words, in order. */
  readonly words: readonly string[]
  /** Positions, from 1, of the two words that confirm it. */
  readonly asked: readonly number[]
  /** Until when it can be confirmed. Epoch ms. */
  readonly expiresAt: number
}

/** Request body of POST /admin/v1/backups/{name}/restore. */
export interface BackupsRestoreBody {
  /** Only tell the effects, and change nothing. */
  readonly check?: boolean
  /** The recovery phrase, if it is another one than the current phrase of this home. */
  readonly phrase?: string
  /** Make credentials valid again that ended after the backup. */
  readonly revive?: boolean
}

/** Request body of POST /admin/v1/restore. */
export interface BackupsRestoreFileBody {
  /** The path of a file on the gateway's own disk. */
  readonly file: string
  /** Only tell the effects, and change nothing. */
  readonly check?: boolean
  /** The recovery phrase, if it is another one than the current phrase of this home. */
  readonly phrase?: string
  /** Make credentials valid again that ended after the backup. */
  readonly revive?: boolean
}

/** Response of POST /admin/v1/backups/write. */
export interface BackupsWriteAnswer {
  /** The path of a file on the gateway's own disk. */
  readonly file: string
  /** The size of the file in bytes. */
  readonly bytes: number
  /** Whether a recovery phrase opens it. */
  readonly encrypted: boolean
  readonly contents: BackupContents
}

/** Request body of POST /admin/v1/backups/write. */
export interface BackupsWriteBody {
  /** The path of a file on the gateway's own disk. */
  readonly file: string
  /** Whether it includes the history; the settings decide by default. */
  readonly history?: boolean
  /** Whether it is encrypted; by default, if there is a recovery phrase. */
  readonly encrypted?: boolean
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

/** Response of PUT /admin/v1/brought-backups/{id}. */
export interface BroughtAddAnswer {
  /** Bytes that have arrived, which is the position of the next piece. */
  readonly received: number
  /** Whether a recovery phrase opens it. */
  readonly encrypted: boolean | null
}

/** Request body of PUT /admin/v1/brought-backups/{id}. */
export interface BroughtAddBody {
  /** Position in the file in bytes. */
  readonly from: number
  /** The bytes, 262144 at most, as base64. */
  readonly piece: string
}

/** Response of POST /admin/v1/brought-backups. */
export interface BroughtBeginAnswer {
  /** Id of the upload, which replaces any other. */
  readonly id: string
  /** Largest piece of one request in bytes. */
  readonly pieceBytes: number
}

/** Request body of POST /admin/v1/brought-backups. */
export interface BroughtBeginBody {
  /** The size of the file in bytes. */
  readonly bytes: number
}

/** Response of DELETE /admin/v1/brought-backups/{id}. */
export interface BroughtDropAnswer {
  /** Id of the upload. */
  readonly id: string
}

/** Request body of POST /admin/v1/brought-backups/{id}/restore. */
export interface BroughtRestoreBody {
  /** Only tell the effects, and change nothing. */
  readonly check?: boolean
  /** The recovery phrase, if it is another one than the current phrase of this home. */
  readonly phrase?: string
  /** Make credentials valid again that ended after the backup. */
  readonly revive?: boolean
}

/** A unit on the bus. */
export interface BusUnit {
  /** Its address on the unit protocol. */
  readonly address: number
  /** The hardware model. */
  readonly model: string
  /** Class; decides the operations. */
  readonly class: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'gang_module'
  /** The version of its firmware. */
  readonly firmware: string
  readonly gangs: readonly BusUnitGangsItem[]
  /** True if it responds. */
  readonly reachable: boolean
  /** Capabilities that an adapter of HMHC 1.1 lists. */
  readonly capabilities?: ReadonlyArray<Open<'identify' | 'buttons' | 'no_modes' | 'no_level'>>
}

/** One gang of it. */
export interface BusUnitGangsItem {
  /** Its position on the module, from 0. */
  readonly gang: number
  /** Class; decides the operations. */
  readonly class: 'switch_gang' | 'shutter_gang'
}

/** A calendar of the home. */
export interface Calendar {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** A list of dates, an uploaded file, or an address. */
  readonly source: 'dates' | 'file' | 'url'
  /** Scheme and host of its address, or null; the rest may be a secret. */
  readonly host: string | null
  /** Time of the last good reading, or null. Epoch ms. */
  readonly readAt: number | null
  /** Reason why the last reading failed, as a sentence, or null. */
  readonly problem: string | null
  /** Events of the file that cannot be used, at most 100; the others are. */
  readonly leftOut: readonly CalendarLeftOutItem[]
  /** Events that are on, and the next ones: ten at most, or 200 of a range. */
  readonly events: readonly CalendarEventsItem[]
  /** Automations and schedules that name it, in words: `automation Dusk (id)`. */
  readonly usedBy: readonly string[]
}

/** An event of a calendar is on. */
export interface CalendarCondition {
  /** The id of a calendar of the home. */
  readonly calendar: string
  /** Text in the title of the event, in upper or lower case. Default: any event. */
  readonly title?: string
}

/** A local date, or several days. */
export interface CalendarDate {
  /** A local date, MM-DD of every year or YYYY-MM-DD. */
  readonly from: string
  /** The last date. Default: the same date. */
  readonly until?: string
  /** Title of the event. */
  readonly title?: string
}

/** An event, or one time of a repeated one. */
export interface CalendarEventsItem {
  /** Its title. */
  readonly title: string
  /** Begin. Epoch ms. */
  readonly begins: number
  /** End. Epoch ms. */
  readonly ends: number
  /** True for local dates without times. */
  readonly wholeDays: boolean
}

/** An event. */
export interface CalendarLeftOutItem {
  /** Its title. */
  readonly title: string
  /** Reason as the end of a sentence. */
  readonly reason: string
}

/** Response of POST /admin/v1/calendars. */
export interface CalendarsAddAnswer {
  readonly calendars: readonly Calendar[]
}

/** Request body of POST /admin/v1/calendars. */
export interface CalendarsAddBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** The local id; by default it is made of the name. */
  readonly id?: string
  /** Local dates. */
  readonly dates?: readonly CalendarDate[]
  /** The text of an iCalendar file, at most 1 MiB. */
  readonly file?: string
  /** The https address of an iCalendar file, read every six hours. */
  readonly url?: string
}

/** Response of PATCH /admin/v1/calendars/{id}. */
export interface CalendarsChangeAnswer {
  readonly calendars: readonly Calendar[]
}

/** Request body of PATCH /admin/v1/calendars/{id}. */
export interface CalendarsChangeBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  /** Local dates. */
  readonly dates?: readonly CalendarDate[]
  /** The text of an iCalendar file, at most 1 MiB. */
  readonly file?: string
  /** The https address of an iCalendar file, read every six hours. */
  readonly url?: string
}

/** Response of GET /admin/v1/calendars. */
export interface CalendarsListAnswer {
  readonly calendars: readonly Calendar[]
}

/** Response of DELETE /admin/v1/calendars/{id}. */
export interface CalendarsRemoveAnswer {
  readonly calendars: readonly Calendar[]
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

/** Requirement for a rule to run. */
export type Condition = StateCondition | ReadingCondition | DetectionCondition | WindowCondition | ReachableCondition | ModeCondition | PresenceCondition | SunCondition | DatesCondition | CalendarCondition | AnyCondition | AllCondition | NotCondition | GroupCondition

/** A call of an agent that needs a person's confirmation. */
export interface Confirmation {
  /** The id of the confirmation. */
  readonly id: string
  /** The credential of the agent. */
  readonly link: string
  /** The call in words: `open lock "Front door" (HMLK front-door)`. */
  readonly what: string
  /** Name of the scene, if the call runs one. */
  readonly scene?: string
  /** Locks and gates that would open; missing after the device was removed or the scene changed. */
  readonly opens?: readonly ConfirmationOpensItem[]
  /** The code that the person enters. */
  readonly code: string
  /** When it asked. Epoch ms. */
  readonly askedAt: number
  /** Name of the agent in the activity. */
  readonly label: string
  /** The name of its integration. */
  readonly integration: string | null
  /** Time of expiry; only while it is pending. Epoch ms. */
  readonly expiresAt?: number
}

/** A lock or gate. */
export interface ConfirmationOpensItem {
  /** The local id. */
  readonly id: string
  /** Current name; an agent may have been allowed to change it. */
  readonly name: string
  /** `lock` or `gate`. */
  readonly class: string
  /** The hardware model, if known. */
  readonly model: string | null
  /** Seconds until it opens. */
  readonly after: number
}

/** Response of POST /admin/v1/confirmations/{id}. */
export interface ConfirmationsAnswerAnswer {
  readonly confirmed?: Confirmation
  readonly declined?: Confirmation
}

/** Request body of POST /admin/v1/confirmations/{id}. */
export interface ConfirmationsAnswerBody {
  /** False: the call is declined. */
  readonly confirm: boolean
}

/** Response of GET /admin/v1/confirmations. */
export interface ConfirmationsListAnswer {
  readonly confirmations: readonly Confirmation[]
}

/** A browser that is signed in. */
export interface ConsoleSession {
  /** The id of the session. */
  readonly id: string
  /** The id of its person; null for a session from a one-time link without an account. */
  readonly person: string | null
  /** Name for its changes in the activity. */
  readonly name: string
  /** True for the session of this request. */
  readonly own: boolean
  /** True for a longer session on the person's own device. */
  readonly ownDevice: boolean
  /** Name of the browser. */
  readonly browser: string
  /** Network address of its start. */
  readonly peer: string
  /** Time of its start. Epoch ms. */
  readonly createdAt: number
  /** Time of its last use. Epoch ms. */
  readonly usedAt: number
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

/** The credential of a program or agent, without its secret. */
export interface Credential {
  /** The id of the credential. */
  readonly link: string
  /** The id of its integration. */
  readonly integration: string
  /** Kind of credential. */
  readonly kind: 'key' | 'agent' | 'session'
  /** Its name; may be empty. */
  readonly name: string
  /** Platform on which the agent runs; empty for a key. */
  readonly platform: string
  readonly client: HostedClient | null
  /** Its name in the activity. */
  readonly label: string
  /** `active`, or the reason why it cannot be used. */
  readonly state: 'active' | 'suspended' | 'expired' | 'ended' | 'disabled'
  /** True if it was not used for a long time. */
  readonly stale: boolean
  /** Time of creation. Epoch ms. */
  readonly createdAt: number
  /** For an agent on a hosted platform: number of refresh tokens that could be exchanged next. More than one means several machines, or a copied token. */
  readonly branches?: number
  /** Number of its open streams. */
  readonly streams: number
  readonly lastUsed: CredentialLastUsed | null
}

/** Its last use. */
export interface CredentialLastUsed {
  /** Time of the last use. Epoch ms. */
  readonly at: number
  /** Origin of the last use: home network or relay. */
  readonly via: 'home' | 'cloud'
}

/** The local date is one of these, both ends included. */
export interface DatesCondition {
  /** A local date, MM-DD of every year or YYYY-MM-DD. */
  readonly from: string
  /** A local date, MM-DD of every year or YYYY-MM-DD. */
  readonly until: string
}

/** A pending or decided request of an agent for access. */
export interface DecidedRequest {
  /** The id of the request. */
  readonly request: string
  /** The code that the agent shows. */
  readonly code: string
  /** The agent's own name for itself. */
  readonly name: string
  /** Platform on which the agent says it runs. */
  readonly platform: string
  /** The id of the integration that it asked for, or null. */
  readonly record: string | null
  /** True if it runs on a hosted platform. */
  readonly hosted: boolean
  readonly client: HostedClient | null
  readonly suggested: SuggestedScope | null
  /** Origin of the request: home network or relay. */
  readonly via: 'home' | 'cloud'
  /** Network address of the sender. */
  readonly peer: string
  /** When it asked. Epoch ms. */
  readonly askedAt: number
  /** Time of expiry. Epoch ms. */
  readonly expiresAt?: number
  /** Links of the existing credentials of the same agent. */
  readonly known?: readonly string[]
}

/** A pause before the next step. */
export interface DelayStep {
  /** Seconds to wait before the next step. */
  readonly delay: number
  /** Up to so many seconds more, by chance anew in each run. */
  readonly random?: number
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

/** Response of GET /admin/v1/devices/{id}. */
export interface DevicesShowAnswer {
  /** The local id. */
  readonly device: string
  /** Name for people. */
  readonly name: string
  /** Scenes, automations, schedules and named groups that name it. */
  readonly usedBy: readonly DevicesShowAnswerUsedByItem[]
  /** Integrations that it is exposed to. */
  readonly seenBy: readonly DevicesShowAnswerSeenByItem[]
}

/** An integration that shows the device. */
export interface DevicesShowAnswerSeenByItem {
  /** The id of the integration. */
  readonly id: string
  /** Name of the integration. */
  readonly name: string
  /** False: its requests are refused. */
  readonly enabled: boolean
}

/** A scene, rule or group that names the device. */
export interface DevicesShowAnswerUsedByItem {
  /** Kind of the user. */
  readonly kind: 'scene' | 'automation' | 'schedule' | 'group'
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Time of its next scheduled run, or null. Epoch ms. */
  readonly next: number | null
  /** False for a rule that is off. */
  readonly enabled: boolean
  /** End of a temporary switch of a rule, or null. Epoch ms. */
  readonly until: number | null
}

/** Response of GET /admin/v1/states. */
export interface DevicesStatesAnswer {
  /** Time of the response. Epoch ms. */
  readonly at: number
  /** One entry for each device with a state. */
  readonly states: readonly DevicesStatesAnswerStatesItem[]
}

/** A device with a state. */
export interface DevicesStatesAnswerStatesItem {
  /** The local id. */
  readonly device: string
  /** Time of the first confirmation of its present state. Epoch ms. */
  readonly since: number
  /** True if the state began at that time. False: it may have begun earlier, because no previous state is known. */
  readonly exact: boolean
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

/** Response of POST /admin/v1/energy/jumps/{id}. */
export interface EnergyAnswerJumpAnswer {
  readonly answered: EnergyJump
}

/** Request body of POST /admin/v1/energy/jumps/{id}. */
export interface EnergyAnswerJumpBody {
  /** `count`: add it to the sums. `other_meter`: another meter, so nothing is added. */
  readonly answer: 'count' | 'other_meter'
}

/** Response of POST /admin/v1/energy/corrections. */
export interface EnergyCorrectAnswer {
  /** True: nothing was changed. */
  readonly checked: boolean
  readonly correction: EnergyCorrection
}

/** Request body of POST /admin/v1/energy/corrections. */
export interface EnergyCorrectBody {
  /** The local id of the device, also of a removed one. */
  readonly device: string
  /** Begin of the range, rounded down to a quarter of an hour. Epoch ms. */
  readonly from: number
  /** End of the range, rounded up to a quarter of an hour. Epoch ms. */
  readonly to: number
  /** True for a preview. */
  readonly check?: boolean
}

/** Energy that is removed from all sums, or restored. */
export interface EnergyCorrection {
  /** Its number; null in a dry run. */
  readonly id: number | null
  /** The local id of the device; a gang has `UNIT:N`. */
  readonly device: string
  /** The name of the device; null if unknown. */
  readonly name: string | null
  /** Begin of the corrected range: of a quarter of an hour, or of a day. Epoch ms. */
  readonly from: number
  /** End of the corrected range. Epoch ms. */
  readonly to: number
  /** Watt-hours. */
  readonly energy: number
  /** In `currency`; null without a tariff. */
  readonly cost: number | null
  /** ISO 4217. */
  readonly currency: string
  /** Before this time only whole days are stored, so whole days were corrected; null: nowhere. Epoch ms. */
  readonly wholeDaysBefore: number | null
}

/** Response of GET /admin/v1/energy/corrections. */
export interface EnergyCorrectionsAnswer {
  readonly corrections: readonly EnergyCorrectionsAnswerCorrectionsItem[]
}

/** A correction. */
export interface EnergyCorrectionsAnswerCorrectionsItem {
  /** Its number. */
  readonly id: number
  /** Time of the correction. Epoch ms. */
  readonly at: number
  /** The local id of the device; a gang has `UNIT:N`. */
  readonly device: string
  /** The name of the device; null if unknown. */
  readonly name: string | null
  /** Begin of the corrected range. Epoch ms. */
  readonly from: number
  /** End of the corrected range. Epoch ms. */
  readonly to: number
  /** Watt-hours. */
  readonly energy: number
  /** Name of the administrator. */
  readonly by: string
}

/** A counter grew by more than its device is believed to have used. */
export interface EnergyJump {
  /** Its number. */
  readonly id: number
  /** The local id of the device; a gang has `UNIT:N`. */
  readonly device: string
  /** Current or last name of the device; null if unknown. */
  readonly name: string | null
  /** Time of the last value before the jump. Epoch ms. */
  readonly from: number
  /** Time of the first value after it. Epoch ms. */
  readonly to: number
  /** Watt-hours that "count it" would add, spread over that time. */
  readonly energy: number
}

/** Response of GET /admin/v1/energy/jumps. */
export interface EnergyJumpsAnswer {
  readonly jumps: readonly EnergyJump[]
}

/** Response of DELETE /admin/v1/energy/corrections/{id}. */
export interface EnergyUndoCorrectionAnswer {
  readonly undone: EnergyCorrection
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

/** Requests without a valid credential, of one address. */
export interface FailedAuthentications {
  /** The sender; null: several more addresses together. */
  readonly address: string | null
  /** `cloud`: through the relay, which reported the address; null: both, or unknown. */
  readonly via: 'home' | 'cloud' | null
  /** Number of requests. */
  readonly count: number
  /** Time of the first. Epoch ms. */
  readonly from: number
  /** Time of the last. Epoch ms. */
  readonly to: number
}

/** Response of GET /admin/v1/failed-authentications. */
export interface FailuresListAnswer {
  /** The 200 newest. */
  readonly failures: readonly FailedAuthentications[]
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

/** Response of POST /admin/v1/history/export. */
export interface HistoryExportAnswer {
  /** The path of a file on the gateway's own disk. */
  readonly file: string
  /** Rows that were written. */
  readonly rows: number
  /** The size of the file in bytes. */
  readonly bytes: number
}

/** Request body of POST /admin/v1/history/export. */
export interface HistoryExportBody {
  /** Table of the history. */
  readonly table: 'activity' | 'detections' | 'readings' | 'energy'
  /** The path of a file on the gateway's own disk. */
  readonly file: string
  /** Start of the range. Epoch ms. */
  readonly from?: number
  /** End of the range, exclusive. Epoch ms. */
  readonly to?: number
}

/** The home as a whole. */
export interface Home {
  /** Name for people. */
  readonly name: string
  /** IANA time zone. */
  readonly timeZone: string
  /** Degrees north, or null. */
  readonly latitude: number | null
  /** Degrees east, or null. */
  readonly longitude: number | null
  /** ISO 4217. */
  readonly currency: string
  /** Daily time without normal messages; missing: none. */
  readonly quiet?: QuietHours
}

/** Response of PATCH /admin/v1/home. */
export interface HomeSetAnswer {
  readonly home: Home
}

/** Request body of PATCH /admin/v1/home. */
export interface HomeSetBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  /** IANA time zone. */
  readonly timeZone?: string
  /** Degrees north, or null. */
  readonly latitude?: number | null
  /** Degrees east, or null. */
  readonly longitude?: number | null
  /** ISO 4217. */
  readonly currency?: string
  /** Daily time without normal messages, or null. */
  readonly quiet?: QuietHours | null
  /** Must be true to change the currency while there is a tariff or a cost: amounts are not converted, only relabelled. */
  readonly relabelCosts?: boolean
}

/** Response of GET /admin/v1/home. */
export interface HomeShowAnswer {
  readonly home: Home
}

/** The OAuth client of an agent on a hosted platform. */
export interface HostedClient {
  /** The OAuth client id. */
  readonly id: string
  /** Host of its redirect address. */
  readonly redirectHost: string
  /** True if the domain of its id proves its name; else the name is its own claim. */
  readonly proved: boolean
  /** The requesting account at the relay. */
  readonly account: string
  /** Audience of its tokens: `mcp`, or `mcp/r/{integration}`. */
  readonly door: string
}

/** Response of GET /admin/v1/house/file. */
export interface HouseExportAnswer {
  /** YAML. */
  readonly file: string
}

/** Response of PUT /admin/v1/house/file. */
export interface HouseImportAnswer {
  /** True: it was only checked. */
  readonly checked: boolean
  /** Floors in the file. */
  readonly floors: number
  /** Rooms in the file. */
  readonly rooms: number
  /** Units in the file. */
  readonly units: number
  /** Scenes in the file. */
  readonly scenes: number
  /** Named groups in the file. */
  readonly groups: number
  /** Automations in the file. */
  readonly automations: number
  /** Schedules in the file. */
  readonly schedules: number
  /** A removal of more than half of a kind, like `34 of 34 units`, which needs `yes`; else null. */
  readonly removesMost: string | null
  /** The name of the backup made before an import that removes most of a kind, or null. */
  readonly backup: string | null
  /** With `check`: changes of the import. */
  readonly differences?: readonly HouseImportAnswerDifferencesItem[]
  /** With `check`: integrations whose exposure would change. */
  readonly integrations?: readonly HouseImportAnswerIntegrationsItem[]
  /** With `check`: devices with a past that would be removed. Their energy and activity stay visible to integrations that expose everything, as `gone`, and become hidden from others. */
  readonly leaving?: readonly LeavingDevice[]
  /** Devices with another class than on the bus; scenes and rules that open a lock or gate without permission of their author; costs that would be relabelled with another currency. */
  readonly warnings: readonly string[]
}

/** A changed part of the home. */
export interface HouseImportAnswerDifferencesItem {
  /** Kind of change. */
  readonly change: 'added' | 'changed' | 'removed'
  /** Kind of part. */
  readonly kind: 'home' | 'floor' | 'room' | 'unit' | 'scene' | 'group' | 'mode' | 'calendar' | 'automation' | 'schedule'
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Changed fields. */
  readonly fields: readonly string[]
}

/** An integration whose exposure would change. */
export interface HouseImportAnswerIntegrationsItem {
  /** The id of the integration. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Things that it would show in addition. */
  readonly appears: readonly Shown[]
  /** Things that it would no longer show. */
  readonly disappears: readonly Shown[]
}

/** Request body of PUT /admin/v1/house/file. */
export interface HouseImportBody {
  /** The content of the file, YAML. */
  readonly file: string
  /** True to check the file without importing it. */
  readonly check?: boolean
  /** Must be true to change the currency while there is a tariff or a cost: amounts are not converted, only relabelled. */
  readonly relabelCosts?: boolean
  /** True to allow the removal of more than half of the units, rooms, scenes, groups or rules. */
  readonly yes?: boolean
}

/** Response of POST /admin/v1/house/place. */
export interface HousePlaceAnswer {
  readonly unit: HousePlaceAnswerUnit
}

/** The unit after the change. */
export interface HousePlaceAnswerUnit {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Its address on the unit protocol. */
  readonly address: number
  /** The hardware model where it is known. */
  readonly model: string | null
  /** Class; decides the operations. */
  readonly class: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'gang_module'
  /** The local id of its room, or null. */
  readonly room: string | null
  /** Its place in the list. */
  readonly position: number
  /** Only for a switch: true if it feeds a lamp; missing if unknown. */
  readonly light?: boolean
  readonly gangs: readonly HousePlaceAnswerUnitGangsItem[]
}

/** One gang of a module. */
export interface HousePlaceAnswerUnitGangsItem {
  /** Its position on the module, from 0. */
  readonly gang: number
  /** Name for people. */
  readonly name: string
  /** Class; decides the operations. */
  readonly class: 'switch_gang' | 'shutter_gang'
  /** The local id of its room, or null. */
  readonly room: string | null
  /** Only for a switch: true if it feeds a lamp; missing if unknown. */
  readonly light?: boolean
}

/** Request body of POST /admin/v1/house/place. */
export interface HousePlaceBody {
  /** The local id of a unit to move or rename, or of a new one. */
  readonly unit?: string
  /** The address of a unit found on the bus. */
  readonly address?: number
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  /** The local id of its room. */
  readonly room?: string | null
  /** Only for a switch: true if it feeds a lamp; null removes the setting. */
  readonly light?: boolean | null
  readonly gangs?: readonly HousePlaceBodyGangsItem[]
}

/** One gang of it. */
export interface HousePlaceBodyGangsItem {
  /** Its position on the module, from 0. */
  readonly gang: number
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  /** Class; decides the operations. */
  readonly class?: 'switch_gang' | 'shutter_gang'
  /** The local id of its room. */
  readonly room?: string | null
  /** Only for a switch: true if it feeds a lamp; null removes the setting. */
  readonly light?: boolean | null
}

/** Response of POST /admin/v1/house/replace. */
export interface HouseReplaceAnswer {
  /** True: nothing was changed. */
  readonly dryRun: boolean
  /** Differs whenever units or places differ; for `ifRevision`. */
  readonly revision: string
  /** The replaced unit, and the one that it exchanges its address with. */
  readonly units: readonly HouseReplaceAnswerUnitsItem[]
  /** All places that do not fit, with their actions. */
  readonly places: readonly MisfitPlace[]
  /** Settings of the old unit that are written to the new one after the response; the activity shows the results. */
  readonly settings: readonly HouseReplaceAnswerSettingsItem[]
}

/** A setting that people choose and that the new unit takes. */
export interface HouseReplaceAnswerSettingsItem {
  /** The local id. */
  readonly device: string
  /** The id of the setting. */
  readonly intent: string
  /** The setting with its value, in words: `off delay set to 90 s`. */
  readonly what: string
}

/** A replaced unit. */
export interface HouseReplaceAnswerUnitsItem {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** The unit behind the id before. */
  readonly before: PhysicalUnit
  /** The unit behind the id afterwards. */
  readonly after: PhysicalUnit
  /** False: the settings of the old unit are unknown, so none is written to the new one. */
  readonly settingsKnown: boolean
  /** False: the new unit is a sensor or meter without reported readings, so places about its readings and detections are missing. */
  readonly readingsKnown: boolean
}

/** Request body of POST /admin/v1/house/replace. */
export interface HouseReplaceBody {
  /** The local id of the unit to replace. */
  readonly unit: string
  /** The address of the new unit. If another unit of the house has it, the two exchange addresses. */
  readonly address: number
  /** True for a preview. */
  readonly dryRun?: boolean
  /** The revision of the confirmed preview: refused if it has changed since. */
  readonly ifRevision?: string
}

/** Response of GET /admin/v1/house. */
export interface HouseShowAnswer {
  readonly info: Home
  readonly floors: readonly HouseShowAnswerFloorsItem[]
  readonly rooms: readonly HouseShowAnswerRoomsItem[]
  readonly units: readonly HouseShowAnswerUnitsItem[]
  readonly scenes: readonly LocalScene[]
  readonly groups: readonly LocalGroup[]
  readonly modes?: readonly HouseShowAnswerModesItem[]
  readonly calendars?: readonly HouseShowAnswerCalendarsItem[]
  readonly unplaced: readonly BusUnit[]
}

/** A calendar. */
export interface HouseShowAnswerCalendarsItem {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
}

/** A floor. */
export interface HouseShowAnswerFloorsItem {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Its place in the list. */
  readonly position: number
}

/** A mode that the home can have. */
export interface HouseShowAnswerModesItem {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
}

/** A room. */
export interface HouseShowAnswerRoomsItem {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** The local id of its floor, or null. */
  readonly floor: string | null
  /** Its place in the list. */
  readonly position: number
}

/** A unit or module. */
export interface HouseShowAnswerUnitsItem {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Its address on the unit protocol. */
  readonly address: number
  /** The hardware model where it is known. */
  readonly model: string | null
  /** Class; decides the operations. */
  readonly class: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'gang_module'
  /** The local id of its room, or null. */
  readonly room: string | null
  /** Its place in the list. */
  readonly position: number
  /** Only for a switch: true if it feeds a lamp; missing if unknown. */
  readonly light?: boolean
  readonly gangs: readonly HouseShowAnswerUnitsItemGangsItem[]
  /** True if it responds. */
  readonly reachable: boolean
}

/** One gang of a module. */
export interface HouseShowAnswerUnitsItemGangsItem {
  /** Its position on the module, from 0. */
  readonly gang: number
  /** Name for people. */
  readonly name: string
  /** Class; decides the operations. */
  readonly class: 'switch_gang' | 'shutter_gang'
  /** The local id of its room, or null. */
  readonly room: string | null
  /** Only for a switch: true if it feeds a lamp; missing if unknown. */
  readonly light?: boolean
}

/** Response of POST /admin/v1/incidents/acknowledge. */
export interface IncidentsAcknowledgeAnswer {
  /** Number of acknowledged incidents. */
  readonly acknowledged: number
}

/** Request body of POST /admin/v1/incidents/acknowledge. */
export interface IncidentsAcknowledgeBody {
  /** The number of the last read incident. */
  readonly upTo: number
}

/** Exposure and permissions of programs or agents. */
export interface Integration {
  /** The id of the integration. */
  readonly id: string
  /** Its name. */
  readonly name: string
  /** False: its requests are refused. */
  readonly enabled: boolean
  /** `all`, `nothing`, or `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`, `group:ID`, `calendar:ID`, `mode`. */
  readonly expose: readonly string[]
  readonly settings: Settings
  /** Visibility of people: none, only whether anyone is home, or each by name. */
  readonly people: 'none' | 'anyone' | 'each'
  /** The ids of the persons whose presence it may report. */
  readonly reports: readonly string[]
  /** Its requests are refused from this time on; null: no end. Epoch ms. */
  readonly until: number | null
  /** The parts of the week in which its requests are served; empty: always. They do not overlap. */
  readonly hours: readonly IntegrationHoursItem[]
  /** `served`, or the reason why its requests are refused now. */
  readonly state: 'served' | 'disabled' | 'outside_hours' | 'ended' | 'clock_doubted'
  /** Outside its hours: the beginning of the next ones, or null. Epoch ms. */
  readonly opensAt: number | null
  /** Its users: programs with keys, the person below, or a wall tablet. */
  readonly kind: 'programs' | 'member' | 'tablet'
  /** The id of the member whose record it is, or null. */
  readonly person: string | null
  /** With allow_unlock on: it opens by itself, or an administrator confirms each opening. Agents always ask. */
  readonly opening: 'yes' | 'ask'
  /** Time of creation. Epoch ms. */
  readonly createdAt: number
  /** Differs after each change; for `ifRevision`. */
  readonly revision: string
  /** Its credentials. */
  readonly credentials: readonly Credential[]
}

/** A part of the week. */
export interface IntegrationHoursItem {
  /** Its beginning, by the clock of the home: `fri 16:00`. */
  readonly from: string
  /** Its end, by the clock of the home: `fri 16:00`. */
  readonly until: string
}

/** Response of PATCH /admin/v1/integrations/{id}. */
export interface IntegrationsChangeAnswer {
  readonly integration: Integration
  /** Switched-off automations and schedules: they open a lock or gate, and their author may no longer do so. */
  readonly switchedOff?: readonly string[]
  /** Scenes of the same kind: nobody can run them while their author may not open. */
  readonly scenesRefused?: readonly string[]
  /** Automations and schedules that a deletion switches off: their groups have the devices that the integration sees. */
  readonly groupRules?: readonly string[]
  /** Present if the disk accepts no writes now: the change holds at once and is stored as soon as possible; a restart before that may undo it. */
  readonly unstored?: true
  /** Knobs that go off because the new exposure does not offer them. */
  readonly knobsOff?: readonly string[]
}

/** Request body of PATCH /admin/v1/integrations/{id}. */
export interface IntegrationsChangeBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  readonly settings?: IntegrationsChangeBodySettings
  /** `all`, `nothing`, or `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`, `group:ID`, `calendar:ID`, `mode`. */
  readonly expose?: readonly string[]
  /** Visibility of people: none, only whether anyone is home, or each by name. */
  readonly people?: 'none' | 'anyone' | 'each'
  /** The ids of the persons whose presence it may report. */
  readonly reports?: readonly string[]
  /** Its requests are refused from this time on; null: no end. Epoch ms. */
  readonly until?: number | null
  /** The parts of the week in which its requests are served; empty: always. They do not overlap. */
  readonly hours?: readonly IntegrationsChangeBodyHoursItem[]
  /** With allow_unlock on: it opens by itself, or an administrator confirms each opening. Agents always ask. */
  readonly opening?: 'yes' | 'ask'
  /** False: its requests are refused. */
  readonly enabled?: boolean
  /** The revision of the last read: refused if the integration has changed since. */
  readonly ifRevision?: string
}

/** A part of the week. */
export interface IntegrationsChangeBodyHoursItem {
  /** Its beginning, by the clock of the home: `fri 16:00`. */
  readonly from: string
  /** Its end, by the clock of the home: `fri 16:00`. */
  readonly until: string
}

/** Knobs to change. */
export interface IntegrationsChangeBodySettings {
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

/** Response of POST /admin/v1/integrations. */
export interface IntegrationsCreateAnswer {
  readonly integration: Integration
}

/** Request body of POST /admin/v1/integrations. */
export interface IntegrationsCreateBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** `all`, `nothing`, or `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`, `group:ID`, `calendar:ID`, `mode`. */
  readonly expose?: readonly string[]
  readonly settings?: IntegrationsCreateBodySettings
  /** Visibility of people: none, only whether anyone is home, or each by name. */
  readonly people?: 'none' | 'anyone' | 'each'
  /** The ids of the persons whose presence it may report. */
  readonly reports?: readonly string[]
  /** Its requests are refused from this time on; null: no end. Epoch ms. */
  readonly until?: number | null
  /** The parts of the week in which its requests are served; empty: always. They do not overlap. */
  readonly hours?: readonly IntegrationsCreateBodyHoursItem[]
  /** With allow_unlock on: it opens by itself, or an administrator confirms each opening. Agents always ask. */
  readonly opening?: 'yes' | 'ask'
}

/** A part of the week. */
export interface IntegrationsCreateBodyHoursItem {
  /** Its beginning, by the clock of the home: `fri 16:00`. */
  readonly from: string
  /** Its end, by the clock of the home: `fri 16:00`. */
  readonly until: string
}

/** Knobs that differ from their defaults. */
export interface IntegrationsCreateBodySettings {
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

/** Response of DELETE /admin/v1/integrations/{id}. */
export interface IntegrationsDeleteAnswer {
  /** The id of the integration. */
  readonly deleted: string
  /** Switched-off automations and schedules: they open a lock or gate, and their author may no longer do so. */
  readonly switchedOff?: readonly string[]
  /** Scenes of the same kind: nobody can run them while their author may not open. */
  readonly scenesRefused?: readonly string[]
  /** Automations and schedules that a deletion switches off: their groups have the devices that the integration sees. */
  readonly groupRules?: readonly string[]
  /** Present if the disk accepts no writes now: the change holds at once and is stored as soon as possible; a restart before that may undo it. */
  readonly unstored?: true
}

/** Response of GET /admin/v1/integrations. */
export interface IntegrationsListAnswer {
  readonly integrations: readonly Integration[]
}

/** Response of POST /admin/v1/integrations/{id}/preview. */
export interface IntegrationsPreviewAnswer {
  /** The integration after the change. */
  readonly integration: Integration
  /** Things that it would show in addition. */
  readonly appears: readonly Shown[]
  /** Things that it would no longer show. */
  readonly disappears: readonly Shown[]
  /** Knobs that would change. */
  readonly changes: readonly IntegrationsPreviewAnswerChangesItem[]
  /** Credentials whose state would change. */
  readonly credentials: readonly IntegrationsPreviewAnswerCredentialsItem[]
  /** Switched-off automations and schedules: they open a lock or gate, and their author may no longer do so. */
  readonly switchedOff?: readonly string[]
  /** Scenes of the same kind: nobody can run them while their author may not open. */
  readonly scenesRefused?: readonly string[]
  /** Automations and schedules that a deletion switches off: their groups have the devices that the integration sees. */
  readonly groupRules?: readonly string[]
  /** Knobs that go off because the new exposure does not offer them. */
  readonly knobsOff?: readonly string[]
}

/** A knob with its values. */
export interface IntegrationsPreviewAnswerChangesItem {
  /** A knob, `enabled`, `reports`, `opening`, `until` or `hours`. */
  readonly what: string
  /** Its present value. */
  readonly from: string
  /** Its future value. */
  readonly to: string
  /** Meaning of the future value in one sentence. */
  readonly means: string
}

/** A credential with its states. */
export interface IntegrationsPreviewAnswerCredentialsItem {
  /** The id of the credential. */
  readonly link: string
  /** Its name in the activity. */
  readonly label: string
  /** `active`, or the reason why it cannot be used. */
  readonly from: 'active' | 'suspended' | 'expired' | 'ended' | 'disabled'
  /** `active`, or the reason why it cannot be used. */
  readonly to: 'active' | 'suspended' | 'expired' | 'ended' | 'disabled'
}

/** Request body of POST /admin/v1/integrations/{id}/preview. */
export interface IntegrationsPreviewBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  readonly settings?: IntegrationsPreviewBodySettings
  /** `all`, `nothing`, or `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`, `group:ID`, `calendar:ID`, `mode`. */
  readonly expose?: readonly string[]
  /** Visibility of people: none, only whether anyone is home, or each by name. */
  readonly people?: 'none' | 'anyone' | 'each'
  /** The ids of the persons whose presence it may report. */
  readonly reports?: readonly string[]
  /** Its requests are refused from this time on; null: no end. Epoch ms. */
  readonly until?: number | null
  /** The parts of the week in which its requests are served; empty: always. They do not overlap. */
  readonly hours?: readonly IntegrationsPreviewBodyHoursItem[]
  /** With allow_unlock on: it opens by itself, or an administrator confirms each opening. Agents always ask. */
  readonly opening?: 'yes' | 'ask'
  /** False: its requests are refused. */
  readonly enabled?: boolean
}

/** A part of the week. */
export interface IntegrationsPreviewBodyHoursItem {
  /** Its beginning, by the clock of the home: `fri 16:00`. */
  readonly from: string
  /** Its end, by the clock of the home: `fri 16:00`. */
  readonly until: string
}

/** Knobs to change. */
export interface IntegrationsPreviewBodySettings {
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

/** Response of POST /admin/v1/integrations/{id}/preview/house. */
export interface IntegrationsPreviewHouseAnswer {
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
  /** The name of the home. */
  readonly house: string
}

/** Request body of POST /admin/v1/integrations/{id}/preview/house. */
export interface IntegrationsPreviewHouseBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  readonly settings?: IntegrationsPreviewHouseBodySettings
  /** `all`, `nothing`, or `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`, `group:ID`, `calendar:ID`, `mode`. */
  readonly expose?: readonly string[]
  /** Visibility of people: none, only whether anyone is home, or each by name. */
  readonly people?: 'none' | 'anyone' | 'each'
  /** The ids of the persons whose presence it may report. */
  readonly reports?: readonly string[]
  /** Its requests are refused from this time on; null: no end. Epoch ms. */
  readonly until?: number | null
  /** The parts of the week in which its requests are served; empty: always. They do not overlap. */
  readonly hours?: readonly IntegrationsPreviewHouseBodyHoursItem[]
  /** With allow_unlock on: it opens by itself, or an administrator confirms each opening. Agents always ask. */
  readonly opening?: 'yes' | 'ask'
  /** False: its requests are refused. */
  readonly enabled?: boolean
}

/** A part of the week. */
export interface IntegrationsPreviewHouseBodyHoursItem {
  /** Its beginning, by the clock of the home: `fri 16:00`. */
  readonly from: string
  /** Its end, by the clock of the home: `fri 16:00`. */
  readonly until: string
}

/** Knobs to change. */
export interface IntegrationsPreviewHouseBodySettings {
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

/** Response of GET /admin/v1/integrations/{id}. */
export interface IntegrationsShowAnswer {
  readonly integration: Integration
}

/** Response of GET /admin/v1/devices/{id}/intents. */
export interface IntentsShowAnswer {
  /** The local id. */
  readonly device: string
  /** Name for people. */
  readonly name: string
  /** The hardware model where it is known. */
  readonly model: string | null
  readonly intents: readonly SettingInWords[]
  readonly schedules: readonly IntentsShowAnswerSchedulesItem[]
  /** When the schedules were read last, or null. Epoch ms. */
  readonly schedulesAsOf: number | null
  /** Advice for reading the list, in a sentence. */
  readonly note: string
}

/** A schedule that the unit runs itself. */
export interface IntentsShowAnswerSchedulesItem {
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
  readonly args?: IntentsShowAnswerSchedulesItemArgs
  /** Operation and time: `turn on at 07:00 on Mon-Fri`. */
  readonly words: string
}

/** Arguments of the operation. */
export interface IntentsShowAnswerSchedulesItemArgs {
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

/** Response of POST /admin/v1/keys. */
export interface KeysCreateAnswer {
  /** The token, shown once. A secret. */
  readonly token: string
  /** The id of the credential. */
  readonly link: string
  /** SHA-256 of the gateway's CA. */
  readonly fingerprint: string
  /** Addresses, fingerprint and token as one text, for clients. As secret as the token. */
  readonly connectionCode: string
}

/** Request body of POST /admin/v1/keys. */
export interface KeysCreateBody {
  /** The id of its integration. */
  readonly integration: string
  /** Its name. */
  readonly name?: string
}

/** Response of GET /admin/v1/keys. */
export interface KeysListAnswer {
  readonly keys: readonly Credential[]
}

/** Response of DELETE /admin/v1/keys/{id}. */
export interface KeysRevokeAnswer {
  /** The link of the credential. */
  readonly revoked: string
  /** Switched-off automations and schedules: they open a lock or gate, and their author may no longer do so. */
  readonly switchedOff?: readonly string[]
  /** Scenes of the same kind: nobody can run them while their author may not open. */
  readonly scenesRefused?: readonly string[]
  /** Automations and schedules that a deletion switches off: their groups have the devices that the integration sees. */
  readonly groupRules?: readonly string[]
  /** Present if the disk accepts no writes now: the change holds at once and is stored as soon as possible; a restart before that may undo it. */
  readonly unstored?: true
}

/** Response of GET /admin/v1/keys/{id}. */
export interface KeysShowAnswer {
  readonly key: Credential
  /** Switched-off automations and schedules: they open a lock or gate, and their author may no longer do so. */
  readonly switchedOff?: readonly string[]
  /** Scenes of the same kind: nobody can run them while their author may not open. */
  readonly scenesRefused?: readonly string[]
  /** Automations and schedules that a deletion switches off: their groups have the devices that the integration sees. */
  readonly groupRules?: readonly string[]
}

/** A device with energy or activity that would leave the house. */
export interface LeavingDevice {
  /** The local id of the device; a gang has `UNIT:N`. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Watt-hours that it has used so far. */
  readonly energy: number
}

/** Response of POST /admin/v1/links. */
export interface LinksCreateAnswer {
  /** The same link at each address of the gateway. Secrets. */
  readonly links: readonly string[]
  /** Time of expiry; the link works once. Epoch ms. */
  readonly expiresAt: number
}

/** Request body of POST /admin/v1/links. */
export interface LinksCreateBody {
  /** The name of the person whom the link signs in. */
  readonly person?: string
}

/** A named group by local ids. */
export interface LocalGroup {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Local ids of its members. */
  readonly members: readonly string[]
  /** Increases with every edit that this integration can see. */
  readonly revision: number
  /** Numbers of edits by devices; null counts for everybody who sees the scene. */
  readonly edits: readonly LocalGroupEditsItem[]
  readonly origin: Origin | null
  /** Its place in the list. */
  readonly position: number
}

/** Edits of the same devices. */
export interface LocalGroupEditsItem {
  /** Local ids; null: everybody. */
  readonly devices: readonly string[] | null
  /** Number of edits. */
  readonly count: number
}

/** A scene by local ids. */
export interface LocalScene {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** The name of its icon in the app. */
  readonly icon: string | null
  /** The local id of the floor where it is shown, or null. */
  readonly floor: string | null
  /** The local id of the room where it is shown, or null. */
  readonly room: string | null
  /** The steps, with local ids. */
  readonly steps: readonly Step[]
  /** Increases with every edit that this integration can see. */
  readonly revision: number
  /** Numbers of edits by devices; null counts for everybody who sees the scene. */
  readonly edits: readonly LocalSceneEditsItem[]
  readonly origin: Origin | null
  /** Author whose permission counts for opening, or null. */
  readonly author: Origin | null
  /** Its place in the list. */
  readonly position: number
}

/** Edits of the same devices. */
export interface LocalSceneEditsItem {
  /** Local ids; null: everybody. */
  readonly devices: readonly string[] | null
  /** Number of edits. */
  readonly count: number
}

/** State of a lock. */
export interface LockState {
  /** Time of the last confirmation by the unit. Epoch ms. */
  readonly asOf: number
  /** False: it is open. */
  readonly locked: boolean
}

/** Response of PUT /admin/v1/log/level. */
export interface LogLevelAnswer {
  /** Least level that is written. */
  readonly level: 'silent' | 'error' | 'warn' | 'info' | 'debug'
}

/** Request body of PUT /admin/v1/log/level. */
export interface LogLevelBody {
  /** Least level that is written. */
  readonly level: 'silent' | 'error' | 'warn' | 'info' | 'debug'
}

/** A line of the log. */
export interface LogLine {
  /** Its number; later ones have higher numbers, and a restart begins anew. */
  readonly seq: number
  /** Time of the line. Epoch ms. */
  readonly at: number
  /** Level of the line. */
  readonly level: 'error' | 'warn' | 'info' | 'debug'
  /** One sentence. */
  readonly what: string
  /** Facts of the line. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** Response of GET /admin/v1/log. */
export interface LogListAnswer {
  /** Least level that is written. */
  readonly level: 'silent' | 'error' | 'warn' | 'info' | 'debug'
  /** Id of the run; a new start has a new id and new line numbers. */
  readonly run: string
  /** The lines. */
  readonly lines: readonly LogLine[]
}

/** A new passkey: `toJSON()` of the browser’s credential. */
export interface MadePasskey {
  /** The id of the passkey. base64url. */
  readonly id: string
  /** Same as `id`. base64url. */
  readonly rawId: string
  readonly response: MadePasskeyResponse
}

/** The attestation. */
export interface MadePasskeyResponse {
  /** Client data of the creation. base64url. */
  readonly clientDataJSON: string
  /** The new passkey. base64url. */
  readonly attestationObject: string
}

/** Response of POST /admin/v1/messages/{id}/acknowledge. */
export interface MessagesAcknowledgeAnswer {
  readonly message: AdminMessage
}

/** Response of GET /admin/v1/messages. */
export interface MessagesListAnswer {
  readonly messages: readonly AdminMessage[]
  /** The `before` of the next page; null after the last. */
  readonly next: string | null
}

/** Response of POST /admin/v1/messages/test. */
export interface MessagesTestAnswer {
  readonly message: AdminMessage
}

/** A place that refers to a replaced unit and does not fit the new one. */
export interface MisfitPlace {
  /** Kind of the owner of the place. */
  readonly kind: 'scene' | 'group' | 'automation' | 'schedule' | 'unit' | 'integration' | 'confirmation'
  /** The id of the scene, group, rule, unit, integration or confirmation. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Field of the owner: a trigger, a condition, a step, a light flag, a pick or a call. */
  readonly part: 'when' | 'if' | 'then' | 'steps' | 'members' | 'light' | 'expose' | 'call'
  /** The position in that field, from 0; null if it is not a list. */
  readonly position: number | null
  /** The local id. */
  readonly device: string
  /** The place in words: `Floor lamp: set brightness to 40 %`. */
  readonly what: string
  /** Reason why it does not fit the new unit, as the end of a sentence. */
  readonly problem: string
  /** Action for the place. `change`: it becomes `becomes`; `leave_out`: it is removed; `switch_off`: it is removed and the rule is turned off; `delete`: the rule has nothing left and is deleted; `end`: the confirmation ends. */
  readonly proposal: 'change' | 'leave_out' | 'switch_off' | 'delete' | 'end'
  /** With `change`: the replacement in words; else null. */
  readonly becomes: string | null
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

/** Sets the mode of the home for good. */
export interface ModeStep {
  /** The id of a mode of the home. */
  readonly mode: string
}

/** Response of POST /admin/v1/modes. */
export interface ModesAddAnswer {
  /** The id of the mode that holds. */
  readonly mode: string
  /** End of a temporary mode, or null. Epoch ms. */
  readonly until: number | null
  /** The id of the mode that returns after a temporary one, or null. */
  readonly previous: string | null
  readonly modes: readonly ModesAddAnswerModesItem[]
}

/** A mode that the home can have. */
export interface ModesAddAnswerModesItem {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** True for a mode of every home: it can be renamed, but not removed. */
  readonly builtIn: boolean
}

/** Request body of POST /admin/v1/modes. */
export interface ModesAddBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** The local id; by default it is made of the name. */
  readonly id?: string
}

/** Response of GET /admin/v1/modes. */
export interface ModesListAnswer {
  /** The id of the mode that holds. */
  readonly mode: string
  /** End of a temporary mode, or null. Epoch ms. */
  readonly until: number | null
  /** The id of the mode that returns after a temporary one, or null. */
  readonly previous: string | null
  readonly modes: readonly ModesListAnswerModesItem[]
}

/** A mode that the home can have. */
export interface ModesListAnswerModesItem {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** True for a mode of every home: it can be renamed, but not removed. */
  readonly builtIn: boolean
}

/** Response of DELETE /admin/v1/modes/{id}. */
export interface ModesRemoveAnswer {
  /** The id of the mode that holds. */
  readonly mode: string
  /** End of a temporary mode, or null. Epoch ms. */
  readonly until: number | null
  /** The id of the mode that returns after a temporary one, or null. */
  readonly previous: string | null
  readonly modes: readonly ModesRemoveAnswerModesItem[]
}

/** A mode that the home can have. */
export interface ModesRemoveAnswerModesItem {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** True for a mode of every home: it can be renamed, but not removed. */
  readonly builtIn: boolean
}

/** Response of PATCH /admin/v1/modes/{id}. */
export interface ModesRenameAnswer {
  /** The id of the mode that holds. */
  readonly mode: string
  /** End of a temporary mode, or null. Epoch ms. */
  readonly until: number | null
  /** The id of the mode that returns after a temporary one, or null. */
  readonly previous: string | null
  readonly modes: readonly ModesRenameAnswerModesItem[]
}

/** A mode that the home can have. */
export interface ModesRenameAnswerModesItem {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** True for a mode of every home: it can be renamed, but not removed. */
  readonly builtIn: boolean
}

/** Request body of PATCH /admin/v1/modes/{id}. */
export interface ModesRenameBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
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

/** A program that operates the gateway without seeing the home. */
export interface Operator {
  /** The id of the token. */
  readonly id: string
  /** Its name. */
  readonly name: string
  /** Permissions: read the metrics, fetch backups. */
  readonly scopes: ReadonlyArray<'metrics' | 'backup'>
  /** Time of creation. Epoch ms. */
  readonly createdAt: number
  /** Time of the last use, epoch ms, to the hour, or null. */
  readonly usedAt: number | null
}

/** Response of POST /admin/v1/operators. */
export interface OperatorsCreateAnswer {
  /** The token. A secret. */
  readonly token: string
  readonly operator: Operator
}

/** Request body of POST /admin/v1/operators. */
export interface OperatorsCreateBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** Permissions: read the metrics, fetch backups. */
  readonly scopes: ReadonlyArray<'metrics' | 'backup'>
}

/** Response of DELETE /admin/v1/operators/{id}. */
export interface OperatorsDeleteAnswer {
  /** The id of the token. */
  readonly deleted: string
  /** Present if the disk accepts no writes now: the change holds at once and is stored as soon as possible; a restart before that may undo it. */
  readonly unstored?: true
}

/** Response of GET /admin/v1/operators. */
export interface OperatorsListAnswer {
  readonly operators: readonly Operator[]
}

/** Integration and credential that created the object. */
export interface Origin {
  /** The id of the integration. */
  readonly integration: string
  /** The id of the credential. */
  readonly link: string
}

/** A key of a person, stored on a device or in a password manager. */
export interface Passkey {
  /** The id of the passkey. */
  readonly id: string
  /** The id of its person. */
  readonly person: string
  /** Its name from its person. */
  readonly name: string
  /** Name of the gateway where it works. */
  readonly site: string
  /** Time of creation. Epoch ms. */
  readonly createdAt: number
  /** Time of the last use, epoch ms, or null. */
  readonly usedAt: number | null
}

/** Options to create a passkey, as JSON of WebAuthn. */
export interface PasskeyCreation {
  /** Challenge to sign, valid once for five minutes. base64url. */
  readonly challenge: string
  readonly rp: PasskeyCreationRp
  readonly user: PasskeyCreationUser
  /** Accepted kinds of keys, best first. */
  readonly pubKeyCredParams: readonly PasskeyCreationPubKeyCredParamsItem[]
  /** Milliseconds. */
  readonly timeout: number
  /** Existing passkeys. */
  readonly excludeCredentials: readonly PasskeyCreationExcludeCredentialsItem[]
  readonly authenticatorSelection: PasskeyCreationAuthenticatorSelection
  /** No attestation of the authenticator’s maker. */
  readonly attestation: 'none'
}

/** Requirements for the authenticator. */
export interface PasskeyCreationAuthenticatorSelection {
  /** The passkey names its person. */
  readonly residentKey: 'required'
  /** Same as `residentKey`, for older browsers. */
  readonly requireResidentKey: boolean
  /** A finger, a face or a PIN is required. */
  readonly userVerification: 'required'
}

/** A passkey. */
export interface PasskeyCreationExcludeCredentialsItem {
  /** Kind of credential. */
  readonly type: 'public-key'
  /** The id of the passkey. base64url. */
  readonly id: string
}

/** A kind of key. */
export interface PasskeyCreationPubKeyCredParamsItem {
  /** Kind of credential. */
  readonly type: 'public-key'
  /** Its number among the algorithms of COSE. */
  readonly alg: number
}

/** Site of the passkey. */
export interface PasskeyCreationRp {
  /** Name of the gateway for the passkey. */
  readonly id: string
  /** Display name of the site. */
  readonly name: string
}

/** Owner of the passkey. */
export interface PasskeyCreationUser {
  /** The person, base64url. */
  readonly id: string
  /** Name of the person. */
  readonly name: string
  /** Same as `name`. */
  readonly displayName: string
}

/** A passkey. */
export interface PasskeyProof {
  readonly passkey: ShownPasskey
}

/** Options to show a passkey, as JSON of WebAuthn. */
export interface PasskeyRequest {
  /** Challenge to sign, valid once for five minutes. base64url. */
  readonly challenge: string
  /** Name of the gateway to which the passkey belongs. */
  readonly rpId: string
  /** Milliseconds. */
  readonly timeout: number
  /** A finger, a face or a PIN is required. */
  readonly userVerification: 'required'
  /** Allowed passkeys; empty: any. */
  readonly allowCredentials: readonly PasskeyRequestAllowCredentialsItem[]
}

/** A passkey. */
export interface PasskeyRequestAllowCredentialsItem {
  /** Kind of credential. */
  readonly type: 'public-key'
  /** The id of the passkey. base64url. */
  readonly id: string
}

/** Response of POST /admin/v1/passkeys. */
export interface PasskeysCreateAnswer {
  readonly passkey: Passkey
}

/** Request body of POST /admin/v1/passkeys. */
export interface PasskeysCreateBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  readonly passkey: MadePasskey
}

/** Response of DELETE /admin/v1/passkeys/{id}. */
export interface PasskeysDeleteAnswer {
  /** The id of the passkey. */
  readonly deleted: string
  /** Present if the disk accepts no writes now: the change holds at once and is stored as soon as possible; a restart before that may undo it. */
  readonly unstored?: true
}

/** Response of GET /admin/v1/passkeys. */
export interface PasskeysListAnswer {
  readonly passkeys: readonly Passkey[]
}

/** Response of POST /admin/v1/passkeys/options. */
export interface PasskeysOptionsAnswer {
  readonly options: PasskeyCreation
}

/** The password. */
export interface PasswordProof {
  /** The password of the person. A secret. */
  readonly password: string
}

/** A request without a confirmation by the relay. The gateway repeats it with each connection to that relay. */
export interface PendingRelayRequest {
  /** `unlink`: forget all accounts; nobody reaches the home through the relay meanwhile. `link`: make a code. */
  readonly wish: 'link' | 'unlink'
  /** The address of the relay. */
  readonly url: string
  /** Time of the administrator's request. Epoch ms. */
  readonly since: number
}

/** An administrator or a member of the home. */
export interface Person {
  /** The id of the person. */
  readonly id: string
  /** Name of the person, also in the log of the person's changes. */
  readonly name: string
  /** True if the person has a password. */
  readonly hasPassword: boolean
  /** True if a new browser needs a code of a signed-in one beside the password. */
  readonly twoFactors: boolean
  /** An administrator may do everything, a member what the record shows and allows. */
  readonly role: 'administrator' | 'member'
  /** The id of the member's record; null for an administrator. */
  readonly integration: string | null
  /** Time of creation. Epoch ms. */
  readonly createdAt: number
  readonly presence: Presence
  /** Automations and schedules that name it, in words: `automation Dusk (id)`. */
  readonly usedBy: readonly string[]
}

/** Response of POST /admin/v1/persons. */
export interface PersonsCreateAnswer {
  readonly person: Person
}

/** Request body of POST /admin/v1/persons. */
export interface PersonsCreateBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** A password. A secret. */
  readonly password?: string
  readonly member?: PersonsCreateBodyMember
}

/** The member's record. It reports the member's own presence. */
export interface PersonsCreateBodyMember {
  /** `all`, `nothing`, or `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`, `group:ID`, `calendar:ID`, `mode`. */
  readonly expose?: readonly string[]
  readonly settings?: PersonsCreateBodyMemberSettings
  /** Visibility of people: none, only whether anyone is home, or each by name. */
  readonly people?: 'none' | 'anyone' | 'each'
  /** With allow_unlock on: it opens by itself, or an administrator confirms each opening. Agents always ask. */
  readonly opening?: 'yes' | 'ask'
  /** Its requests are refused from this time on; null: no end. Epoch ms. */
  readonly until?: number | null
  /** The parts of the week in which its requests are served; empty: always. They do not overlap. */
  readonly hours?: readonly PersonsCreateBodyMemberHoursItem[]
}

/** A part of the week. */
export interface PersonsCreateBodyMemberHoursItem {
  /** Its beginning, by the clock of the home: `fri 16:00`. */
  readonly from: string
  /** Its end, by the clock of the home: `fri 16:00`. */
  readonly until: string
}

/** Knobs that differ from their defaults. */
export interface PersonsCreateBodyMemberSettings {
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

/** Response of DELETE /admin/v1/persons/{id}. */
export interface PersonsDeleteAnswer {
  /** The id of the person. */
  readonly deleted: string
  /** Switched-off automations and schedules: they open a lock or gate, and their author may no longer do so. */
  readonly switchedOff?: readonly string[]
  /** Scenes of the same kind: nobody can run them while their author may not open. */
  readonly scenesRefused?: readonly string[]
  /** Automations and schedules that a deletion switches off: their groups have the devices that the integration sees. */
  readonly groupRules?: readonly string[]
  /** Present if the disk accepts no writes now: the change holds at once and is stored as soon as possible; a restart before that may undo it. */
  readonly unstored?: true
}

/** Response of PUT /admin/v1/persons/{id}/factors. */
export interface PersonsFactorsAnswer {
  readonly person: Person
}

/** Request body of PUT /admin/v1/persons/{id}/factors. */
export interface PersonsFactorsBody {
  /** True: password and code. A passkey is enough by itself. */
  readonly two: boolean
}

/** Response of GET /admin/v1/persons. */
export interface PersonsListAnswer {
  readonly persons: readonly Person[]
}

/** Response of PUT /admin/v1/persons/{id}/password. */
export interface PersonsPasswordAnswer {
  readonly person: Person
}

/** Request body of PUT /admin/v1/persons/{id}/password. */
export interface PersonsPasswordBody {
  /** A password. A secret. */
  readonly password: string
}

/** A physical unit behind an id of the house. */
export interface PhysicalUnit {
  /** Its address on the unit protocol. */
  readonly address: number
  /** The hardware model, if known. */
  readonly model: string | null
  /** Class; decides the operations. */
  readonly class: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'gang_module'
  /** Empty unless it is a module. */
  readonly gangs: readonly PhysicalUnitGangsItem[]
}

/** One gang of it. */
export interface PhysicalUnitGangsItem {
  /** Its position on the module, from 0. */
  readonly gang: number
  /** Class; decides the operations. */
  readonly class: 'switch_gang' | 'shutter_gang'
}

/** The PIN of a wall tablet, which opens for 30 seconds. */
export interface PinProof {
  /** The PIN of a wall tablet. A secret. */
  readonly pin: string
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

/** Presence of a person. */
export interface Presence {
  /** Presence; unknown until the first report. */
  readonly is: 'home' | 'away' | 'unknown'
  /** Time of the newest change; null before the first report. Epoch ms. */
  readonly since: number | null
  /** Name of the person or program that reported it, or null. */
  readonly source: string | null
}

/** A person, or anyone, is home or away. An unknown presence passes no test. */
export interface PresenceCondition {
  /** The id of a person, or `anyone`. */
  readonly person: string
  readonly is: TestedPresence
}

/** Response of PUT /admin/v1/persons/{id}/presence. */
export interface PresenceSetAnswer {
  readonly presence: Presence
}

/** Request body of PUT /admin/v1/persons/{id}/presence. */
export interface PresenceSetBody {
  /** The new presence. The newest report of any program or person holds. */
  readonly is: 'home' | 'away' | 'unknown'
}

/** Response of GET /admin/v1/persons/{id}/presence. */
export interface PresenceShowAnswer {
  readonly presence: Presence
  readonly history: readonly PresenceShowAnswerHistoryItem[]
}

/** A change. */
export interface PresenceShowAnswerHistoryItem {
  /** Time of the change. Epoch ms. */
  readonly at: number
  /** Presence; unknown until the first report. */
  readonly is: 'home' | 'away' | 'unknown'
  /** Name of the person or program that reported it. */
  readonly source: string
}

/** Response of DELETE /admin/v1/push/{id}. */
export interface PushDeleteAnswer {
  /** The id of the subscription. */
  readonly deleted: string
}

/** Response of GET /admin/v1/push. */
export interface PushListAnswer {
  /** Public key of the home for `applicationServerKey`. base64url. */
  readonly key: string
  readonly subscriptions: readonly PushSubscription[]
}

/** Response of POST /admin/v1/push. */
export interface PushSubscribeAnswer {
  readonly subscription: PushSubscription
}

/** Request body of POST /admin/v1/push. */
export interface PushSubscribeBody {
  /** Address at the browser’s push service. A secret. */
  readonly endpoint: string
  /** Public key of the browser. base64url. */
  readonly p256dh: string
  /** Authentication secret of the browser. A secret. base64url. */
  readonly auth: string
  /** True to show the words of messages on the lock screen. */
  readonly names?: boolean
}

/** A browser that gets messages, without its address. */
export interface PushSubscription {
  /** The id of the subscription. */
  readonly id: string
  /** The id of its person. */
  readonly person: string
  /** The name of its person. */
  readonly name: string
  /** True if the person of this request made it. */
  readonly own: boolean
  /** True if the session of this request made it. */
  readonly current: boolean
  /** User agent of the browser. */
  readonly browser: string
  /** Host of its push service; the rest of the address is a secret. */
  readonly host: string
  /** SHA-256 of its address, base64url, by which a browser recognises itself. */
  readonly mark: string
  /** True if its lock screen shows the words of messages. */
  readonly names: boolean
  /** Time of creation. Epoch ms. */
  readonly createdAt: number
  readonly last: PushSubscriptionLast | null
}

/** Its newest delivery, or null. */
export interface PushSubscriptionLast {
  /** `waiting` for the first or the next attempt. */
  readonly state: 'waiting' | 'delivered' | 'failed'
  /** Time of the last attempt, or of the next one. Epoch ms. */
  readonly at: number
  /** Reason of the last failure as the end of a sentence, or null. */
  readonly error: string | null
}

/** Response of POST /admin/v1/push/{id}/test. */
export interface PushTestAnswer {
  /** True if its push service took the message. */
  readonly delivered: boolean
  /** Reason of a failure as the end of a sentence, or null. */
  readonly reason: string | null
}

/** A daily time without normal messages. */
export interface QuietHours {
  /** Begin, local time of the home, HH:MM. */
  readonly from: string
  /** End; an earlier time is on the next day. */
  readonly until: string
}

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

/** The relay for access from outside. */
export interface Relay {
  /** The id of this gateway; the page of the relay shows it for comparison. */
  readonly serial: string
  /** `off`: no relay is connected; `unlinked`: no account may reach the home yet. */
  readonly state: 'off' | 'connecting' | 'unlinked' | 'linked'
  /** The address of the relay, or null. */
  readonly url: string | null
  /** SHA-256 of the relay's own CA if only that is trusted, or null. */
  readonly fingerprint: string | null
  /** Linked accounts, as the relay reports them. */
  readonly accounts: readonly string[]
  /** End-to-end TLS to the gateway through the relay, which cannot read it: `off`, `on` in addition to requests that the relay can read, or `only`. */
  readonly passthrough: 'off' | 'on' | 'only'
  /** Reason for a missing tunnel in one sentence, or null. */
  readonly trouble: string | null
  /** True while this gateway leaves the home to another one with a copy of its data folder. An administrator ends it by connecting the relay again. */
  readonly gaveWay?: boolean
  /** Last connection of another gateway with a copy of this data folder within a day, epoch milliseconds; else null. The gateway that connected first gives way. */
  readonly rivalAt: number | null
  /** Open connections. */
  readonly tunnels: readonly RelayTunnelsItem[]
  readonly pending: PendingRelayRequest | null
  readonly link: RelayLink | null
}

/** Request body of POST /admin/v1/relay. */
export interface RelayConnectBody {
  /** `https://host[:port]`. */
  readonly url: string
  /** SHA-256 of the relay's own CA. Without it, the present relay keeps its CA, and another relay needs a public certificate. */
  readonly fingerprint?: string | null
}

/** Code for linking an account. */
export interface RelayLink {
  /** Code that the owner enters there. */
  readonly code: string
  /** The page of the relay. */
  readonly url: string
  /** Time of expiry. Epoch ms. */
  readonly expiresAt: number
}

/** Request body of PUT /admin/v1/relay/passthrough. */
export interface RelayPassthroughBody {
  /** End-to-end TLS to the gateway through the relay, which cannot read it: `off`, `on` in addition to requests that the relay can read, or `only`. */
  readonly mode: 'off' | 'on' | 'only'
}

/** A connection to the relay. */
export interface RelayTunnelsItem {
  /** 0 or 1. */
  readonly slot: number
  /** Node of the relay. */
  readonly node: string
  /** Milliseconds since the relay's last response. */
  readonly silentMs: number
  /** Active requests and sockets. */
  readonly streams: number
}

/** The running program and the versions of its databases. */
export interface Release {
  /** Version of the program. */
  readonly version: string
  /** Version of the interface that it serves. */
  readonly interface: string
  /** Version of Node. */
  readonly node: string
  /** System and processor, such as `linux arm64`. */
  readonly platform: string
  readonly configuration: ReleaseConfiguration
  readonly history: ReleaseHistory
  readonly changes: ReleaseChanges | null
}

/** Changes of the newest release; null if the changelog is not installed. */
export interface ReleaseChanges {
  /** The release with its date, if it has one; `Unreleased` for later changes. */
  readonly heading: string
  /** In the order of the changelog. */
  readonly parts: readonly ReleaseChangesPartsItem[]
}

/** Changes of one kind. */
export interface ReleaseChangesPartsItem {
  /** Added, Changed, Fixed and the like. */
  readonly title: string
  /** One entry for each change, with Markdown only for code. */
  readonly entries: readonly string[]
}

/** The database of the configuration. */
export interface ReleaseConfiguration {
  /** Number of applied migrations. */
  readonly version: number
  /** Name of the last migration. */
  readonly step: string
}

/** The database of the history. */
export interface ReleaseHistory {
  /** Number of applied migrations. */
  readonly version: number
  /** Name of the last migration. */
  readonly step: string
}

/** State of an ir_remote; `key` is null before the first key. */
export interface RemoteState {
  /** Time of the last confirmation by the unit. Epoch ms. */
  readonly asOf: number
  /** The key sent last. */
  readonly key: Open<'power' | 'up' | 'down' | 'left' | 'right' | 'ok' | 'back' | 'home' | 'menu' | 'volume_up' | 'volume_down' | 'mute' | 'channel_up' | 'channel_down' | 'play' | 'pause' | 'stop' | 'source'>
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

/** Effects of a restore. */
export interface Restoring {
  /** When the backup was made. Epoch ms. */
  readonly at: number
  readonly contents: BackupContents
  /** The home in the data folder now: `this` home of the backup, `another` one, or `none`. */
  readonly present: 'none' | 'this' | 'another'
  /** Credentials of the backup that ended later. They stay ended unless `revive` is true. */
  readonly ended: readonly RestoringEndedItem[]
  /** Credentials made after the backup, which end. */
  readonly lost: readonly RestoringLostItem[]
  /** Administrators and members after the restore. */
  readonly persons: readonly RestoringPersonsItem[]
  /** Names of persons added after the backup, who are lost. */
  readonly lostPersons: readonly string[]
  readonly phrase: RestoringPhrase
  /** The folder in the data folder that the present files move to; null if there are none. */
  readonly aside: string | null
  /** Whether the gateway restores it now and restarts; false for a check. */
  readonly restarts: boolean
}

/** A credential. */
export interface RestoringEndedItem {
  /** Its id. */
  readonly link: string
  /** Its name. */
  readonly name: string
  /** The name of its integration. */
  readonly integration: string
}

/** A credential. */
export interface RestoringLostItem {
  /** Its id. */
  readonly link: string
  /** Its name. */
  readonly name: string
  /** The name of its integration. */
  readonly integration: string
}

/** A person of the backup. */
export interface RestoringPersonsItem {
  /** Their name. */
  readonly name: string
  /** The password after the restore: the `same` as now, the one of `then`, when the backup was made, or `none`. */
  readonly password: 'same' | 'then' | 'none'
}

/** The recovery phrase after the restore. */
export interface RestoringPhrase {
  /** The phrase of `now` stays, the phrase of the `backup` is valid again, or there is `none`. */
  readonly from: 'now' | 'backup' | 'none'
  /** Since when it is valid, in epoch milliseconds; null if there is none. */
  readonly since: number | null
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

/** Switches an automation or schedule on or off, which is an edit of it. */
export interface RuleStep {
  /** The id of an automation or schedule. */
  readonly rule: string
  /** True: it runs by itself from now on. False: it does not. */
  readonly enabled: boolean
}

/** Starts a scene and continues at once. */
export interface RunSceneStep {
  /** The id of a device or scene. */
  readonly scene: string
}

/** Response of GET /admin/v1/runs. */
export interface RunsNextAnswer {
  readonly runs: readonly UpcomingRun[]
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

/** A scene in words. */
export interface SceneInWords {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** The name of its icon in the app. */
  readonly icon: string | null
  /** The name of the room where it is shown. */
  readonly room: string | null
  /** The name of the floor where it is shown. */
  readonly floor: string | null
  /** Increases with every edit that this integration can see. */
  readonly revision: number
  /** The credential's label, or null: an administrator. */
  readonly createdBy: string | null
  /** True while it runs. */
  readonly running: boolean
  /** Sentences in words. */
  readonly steps: readonly string[]
  /** Automations and schedules that name it, in words: `automation Dusk (id)`. */
  readonly usedBy: readonly string[]
}

/** Response of DELETE /admin/v1/scenes/{id}. */
export interface ScenesDeleteAnswer {
  /** The local id. */
  readonly deleted: string
}

/** Response of GET /admin/v1/scenes. */
export interface ScenesListAnswer {
  readonly scenes: readonly SceneInWords[]
}

/** Response of GET /admin/v1/scenes/{id}. */
export interface ScenesShowAnswer {
  readonly scene: SceneInWords
}

/** A schedule in words. */
export interface ScheduleInWords {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** False: it never runs by itself. */
  readonly enabled: boolean
  /** End of a temporary switch: it then is in the other state; else null. Epoch ms. */
  readonly until: number | null
  /** Increases with every edit that this integration can see. */
  readonly revision: number
  /** The credential's label, or null: an administrator. */
  readonly createdBy: string | null
  /** Its times in words. */
  readonly at: string
  /** The next run, or null. Epoch ms. */
  readonly next: number | null
  /** Sentences in words. */
  readonly if: readonly string[]
  /** Sentences in words. */
  readonly then: readonly string[]
}

/** Response of DELETE /admin/v1/schedules/{id}. */
export interface SchedulesDeleteAnswer {
  /** The local id. */
  readonly deleted: string
}

/** Response of GET /admin/v1/schedules. */
export interface SchedulesListAnswer {
  readonly schedules: readonly ScheduleInWords[]
}

/** Response of GET /admin/v1/schedules/{id}. */
export interface SchedulesShowAnswer {
  readonly schedule: ScheduleInWords
}

/** Response of PATCH /admin/v1/schedules/{id}. */
export interface SchedulesSwitchAnswer {
  readonly schedule: ScheduleInWords
}

/** Request body of PATCH /admin/v1/schedules/{id}. */
export interface SchedulesSwitchBody {
  /** True to let it run by itself. The administrator who switches it on becomes responsible for it. */
  readonly enabled: boolean
  /** Time from which it is in the other state again; missing or null: never. Epoch ms. */
  readonly until?: number | null
}

/** A sender of requests for access. */
export interface Sender {
  /** Its address; for IPv6 the network. */
  readonly address: string
  /** Origin of its requests: home network or relay. */
  readonly via: 'home' | 'cloud'
  /** End of the block or reservation. Epoch ms. */
  readonly until: number
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

/** Response of POST /admin/v1/session/challenge. */
export interface SessionChallengeAnswer {
  readonly options: PasskeyRequest
}

/** Response of PATCH /admin/v1/session. */
export interface SessionChangeAnswer {
  readonly session: ConsoleSession
}

/** Request body of PATCH /admin/v1/session. */
export interface SessionChangeBody {
  /** True: the session ends after 30 days without use. False: after 12 hours. */
  readonly ownDevice: boolean
}

/** Response of POST /admin/v1/session/code. */
export interface SessionCodeAnswer {
  /** Six digits. A secret. */
  readonly code: string
  /** Time of expiry. Epoch ms. */
  readonly expiresAt: number
}

/** Response of POST /admin/v1/session/proof. */
export interface SessionProveAnswer {
  /** True: dangerous actions are possible for five minutes. */
  readonly fresh: boolean
}

/** Request body of POST /admin/v1/session/proof. */
export type SessionProveBody = PasswordProof | PinProof | PasskeyProof

/** Response of GET /admin/v1/session. */
export interface SessionShowAnswer {
  readonly session: ConsoleSession | null
  /** Role of the person, or a wall tablet. */
  readonly role: 'administrator' | 'member' | 'tablet'
  readonly record: SessionShowAnswerRecord | null
  /** True if dangerous actions need no new proof now. */
  readonly fresh: boolean
  /** The id of the gateway: its serial. */
  readonly gateway: string
  /** The name of the home. */
  readonly home: string
  /** True if its person can sign in again without a link: by a password, or a passkey for any name of the gateway. */
  readonly comesBack: boolean
  /** True if a new browser needs a code of a signed-in one beside the password. */
  readonly twoFactors: boolean
  readonly proofs: SessionShowAnswerProofs
}

/** Proofs that the person of the session can show again. */
export interface SessionShowAnswerProofs {
  /** A password. */
  readonly password: boolean
  /** A passkey for this name of the gateway. */
  readonly passkey: boolean
  /** The PIN of a wall tablet. */
  readonly pin: boolean
}

/** The record of a member or wall tablet. */
export interface SessionShowAnswerRecord {
  /** The id of the record. */
  readonly id: string
  readonly settings: Settings
  /** With allow_unlock on: it opens by itself, or an administrator confirms each opening. Agents always ask. */
  readonly opening: 'yes' | 'ask'
  /** Visibility of people: none, only whether anyone is home, or each by name. */
  readonly people: 'none' | 'anyone' | 'each'
  /** True if it sees and sets the mode of the home. */
  readonly mode: boolean
  /** Its requests are refused from this time on; null: no end. Epoch ms. */
  readonly until: number | null
  /** The parts of the week in which its requests are served; empty: always. They do not overlap. */
  readonly hours: readonly SessionShowAnswerRecordHoursItem[]
}

/** A part of the week. */
export interface SessionShowAnswerRecordHoursItem {
  /** Its beginning, by the clock of the home: `fri 16:00`. */
  readonly from: string
  /** Its end, by the clock of the home: `fri 16:00`. */
  readonly until: string
}

/** Response of POST /admin/v1/session/use. */
export interface SessionUseAnswer {
  /** Always true. */
  readonly used: boolean
}

/** Response of DELETE /admin/v1/sessions/{id}. */
export interface SessionsEndAnswer {
  /** The id of the session. */
  readonly ended: string
  /** Present if the disk accepts no writes now: the change holds at once and is stored as soon as possible; a restart before that may undo it. */
  readonly unstored?: true
}

/** Response of GET /admin/v1/sessions. */
export interface SessionsListAnswer {
  readonly sessions: readonly ConsoleSession[]
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

/** One setting of a device with its value, in words too. */
export interface SettingInWords {
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
  /** Its value for people, with the unit of measure: `90 s`; null before its first confirmation. */
  readonly words: string | null
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

/** A thing of the home that an integration shows. */
export interface Shown {
  /** `whole_module`: the sensor and settings of a module, in addition to its gangs. */
  readonly kind: 'floor' | 'room' | 'unit' | 'module' | 'whole_module' | 'gang' | 'scene' | 'group' | 'mode' | 'person' | 'calendar' | 'automation' | 'schedule'
  /** The local id; for a gang its module's id, a colon and its number. */
  readonly id: string
  /** Its name. */
  readonly name: string
}

/** A passkey assertion: `toJSON()` of the browser’s credential. A secret. */
export interface ShownPasskey {
  /** The id of the passkey. base64url. */
  readonly id: string
  /** Same as `id`. base64url. */
  readonly rawId: string
  readonly response: ShownPasskeyResponse
}

/** The signed assertion. */
export interface ShownPasskeyResponse {
  /** Client data of the signature. base64url. */
  readonly clientDataJSON: string
  /** Data of the authenticator. base64url. */
  readonly authenticatorData: string
  /** Signature over both. base64url. */
  readonly signature: string
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

/** State of the gateway. */
export interface Status {
  /** The id of the gateway: its serial. */
  readonly gateway: string
  /** The name of the home. */
  readonly home: string
  /** The port of the service. */
  readonly port: number
  /** The socket file of administrators, if the data folder cannot hold one; else null. */
  readonly socketElsewhere: string | null
  /** Seconds since it started. */
  readonly upSeconds: number
  /** Its addresses in the network. */
  readonly addresses: readonly string[]
  /** Conditions that need a person, most serious first. */
  readonly attention: readonly Attention[]
  /** End of the certificate's validity, ISO 8601. */
  readonly certificateUntil: string
  /** End of the CA's validity, ISO 8601. */
  readonly caUntil: string
  /** Trust in the clock for dating certificates: not while it is behind a time seen before, or far ahead. */
  readonly clock: 'believed' | 'behind' | 'ahead'
  readonly units: StatusUnits
  /** Rules that name removed things, or whose author was. */
  readonly rulesWithGaps?: readonly StatusRulesWithGapsItem[]
  /** Integrations whose time has ended. */
  readonly endedRecords?: readonly StatusEndedRecordsItem[]
  /** Open jumps of counters, oldest first. */
  readonly energyJumps?: readonly EnergyJump[]
  /** Counters of the line since the start. */
  readonly linkCounters: Readonly<Record<string, number>>
  readonly streams: StatusStreams | null
  readonly announcement?: StatusAnnouncement
  readonly relay: StatusRelay
  /** Number of integrations. */
  readonly integrations: number
  /** Requests without a valid credential in the last 24 hours. */
  readonly failedAuthentications: number
  readonly history: StatusHistory
  readonly disk: StatusDisk
  readonly configuration: StatusConfiguration
  /** Unacknowledged incidents of the configuration, oldest first. */
  readonly incidents: readonly StatusIncidentsItem[]
  readonly backup: BackupState
  readonly memory: StatusMemory
}

/** The announcement on the home network; missing if the gateway announces nothing. */
export interface StatusAnnouncement {
  /** Networks on which the gateway does not hear its own announcement. */
  readonly silent: readonly StatusAnnouncementSilentItem[]
  /** Machines that announce a name of the gateway, heard in the last five minutes. */
  readonly conflicts: readonly StatusAnnouncementConflictsItem[]
}

/** Another machine with a name of the gateway. */
export interface StatusAnnouncementConflictsItem {
  /** The address of the other machine. */
  readonly address: string
  /** The name that both announce. */
  readonly name: string
  /** Time of the first detection. Epoch ms. */
  readonly at: number
}

/** A network without the announcement. */
export interface StatusAnnouncementSilentItem {
  /** The network interface. */
  readonly interface: string
  /** The address of the gateway. */
  readonly address: string
}

/** The configuration of the home. */
export interface StatusConfiguration {
  /** Its size in bytes. */
  readonly bytes: number
}

/** The disk under the data folder. */
export interface StatusDisk {
  /** Its size in bytes. */
  readonly bytes: number
  /** Free space in bytes. */
  readonly bytesFree: number
  /** State of the disk: `low` from 10 % free, `failing` while changes are refused. */
  readonly state: 'ok' | 'low' | 'full' | 'failing'
}

/** An integration. */
export interface StatusEndedRecordsItem {
  /** Its id. */
  readonly id: string
  /** Its name. */
  readonly name: string
  /** Its end, epoch milliseconds. */
  readonly until: number
}

/** The recorded history. */
export interface StatusHistory {
  /** Rows that were written since the start. */
  readonly written: number
  /** Rows left out because there were too many. */
  readonly shed: number
  /** Rows that could not be written. */
  readonly failed: number
  /** Rows left out in the last 24 hours, to the hour, for either reason. */
  readonly leftOutLately: number
  /** The size of the history in bytes. */
  readonly bytes: number
  /** Path of a damaged file that was replaced since the start, or null. */
  readonly damaged: string | null
}

/** An incident of the configuration. */
export interface StatusIncidentsItem {
  /** Its number; later ones have higher numbers. */
  readonly id: number
  /** Time of detection. Epoch ms. */
  readonly at: number
  /** One sentence. */
  readonly what: string
}

/** Memory of the process. */
export interface StatusMemory {
  /** Memory of the process in MiB. */
  readonly residentMiB: number
}

/** The relay for access from outside. */
export interface StatusRelay {
  /** `off`: no relay is connected; `unlinked`: no account may reach the home yet. */
  readonly state: 'off' | 'connecting' | 'unlinked' | 'linked'
  /** Reason for a missing tunnel in one sentence, or null. */
  readonly trouble: string | null
  /** Last time within an hour when all places of a tunnel were taken, epoch milliseconds; else null. */
  readonly fullAt?: number | null
  /** True while this gateway leaves the home to another one with a copy of its data folder. An administrator ends it by connecting the relay again. */
  readonly gaveWay?: boolean
  /** Last connection of another gateway with a copy of this data folder within a day, epoch milliseconds; else null. The gateway that connected first gives way. */
  readonly rivalAt?: number | null
  readonly pending?: PendingRelayRequest | null
}

/** A rule. */
export interface StatusRulesWithGapsItem {
  /** Kind of rule. */
  readonly kind: 'automation' | 'schedule'
  /** Its local id. */
  readonly id: string
  /** Its name. */
  readonly name: string
  /** The removed things, in words. */
  readonly missing: readonly string[]
  /** Its groups have no devices: the integration that saved it was deleted. */
  readonly withoutAuthor?: boolean
}

/** The live streams. */
export interface StatusStreams {
  /** Sockets that are open. */
  readonly sockets: number
  /** Sockets with a subscription. */
  readonly listening: number
  /** Events that were sent. */
  readonly delivered: number
  /** Events replaced by newer ones for slow readers. */
  readonly collapsed: number
  /** Sockets that were closed because their peer was gone. */
  readonly silent: number
}

/** The units. */
export interface StatusUnits {
  /** `up`, or the reason for the outage. */
  readonly link: string
  /** Units that the adapter knows. */
  readonly onTheBus: number
  /** Units that answer. */
  readonly reachable: number
  /** Units that the house knows. */
  readonly inTheHouse: number
  /** Local ids of units that do not answer. */
  readonly unreachable: readonly string[]
  /** Units that the house does not know yet. */
  readonly withoutPlace: number
  /** Devices that are of another class on the bus than in the house. */
  readonly otherClass: readonly StatusUnitsOtherClassItem[]
  /** Units whose battery has 15 % or less. */
  readonly lowBatteries: readonly StatusUnitsLowBatteriesItem[]
}

/** A unit whose battery is low. */
export interface StatusUnitsLowBatteriesItem {
  /** Its local id. */
  readonly unit: string
  /** Charge in percent. */
  readonly percent: number
}

/** A device of two classes. */
export interface StatusUnitsOtherClassItem {
  /** The local id of the device. */
  readonly device: string
  /** Its class in the house. */
  readonly house: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'gang_module' | 'switch_gang' | 'shutter_gang'
  /** Its class on the bus; null for a gang that the module on the bus does not have. */
  readonly bus: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'gang_module' | 'switch_gang' | 'shutter_gang' | null
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

/** Above or below the horizon. */
export type SunPlace = 'up' | 'down'

/** State of a light_switch, sense_switch or switch_gang. */
export interface SwitchState {
  /** Time of the last confirmation by the unit. Epoch ms. */
  readonly asOf: number
  /** True if the load is on. */
  readonly on: boolean
  /** Control of the load: by the unit itself (auto, eco), or only by people (manual). */
  readonly mode: Open<'auto' | 'eco' | 'manual' | 'sleep'>
}

/** Response of POST /admin/v1/tablets. */
export interface TabletsCreateAnswer {
  readonly integration: Integration
  /** The same link at each address of the gateway. Secrets. */
  readonly links: readonly string[]
  /** Time of expiry; the link works once. Epoch ms. */
  readonly expiresAt: number
}

/** Request body of POST /admin/v1/tablets. */
export interface TabletsCreateBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** `all`, `nothing`, or `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`, `group:ID`, `calendar:ID`, `mode`. */
  readonly expose?: readonly string[]
  readonly settings?: TabletsCreateBodySettings
  /** Visibility of people: none, only whether anyone is home, or each by name. */
  readonly people?: 'none' | 'anyone' | 'each'
  /** Its requests are refused from this time on; null: no end. Epoch ms. */
  readonly until?: number | null
  /** The parts of the week in which its requests are served; empty: always. They do not overlap. */
  readonly hours?: readonly TabletsCreateBodyHoursItem[]
  /** Six digits. A secret. */
  readonly pin?: string
}

/** A part of the week. */
export interface TabletsCreateBodyHoursItem {
  /** Its beginning, by the clock of the home: `fri 16:00`. */
  readonly from: string
  /** Its end, by the clock of the home: `fri 16:00`. */
  readonly until: string
}

/** Knobs that differ from their defaults. */
export interface TabletsCreateBodySettings {
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

/** Response of POST /admin/v1/tablets/{id}/link. */
export interface TabletsLinkAnswer {
  /** The same link at each address of the gateway. Secrets. */
  readonly links: readonly string[]
  /** Time of expiry; the link works once. Epoch ms. */
  readonly expiresAt: number
}

/** Response of GET /admin/v1/tablets. */
export interface TabletsListAnswer {
  readonly tablets: readonly TabletsListAnswerTabletsItem[]
}

/** A wall tablet beside its record. */
export interface TabletsListAnswerTabletsItem {
  /** Id of its record. */
  readonly id: string
  /** True if it has a PIN. */
  readonly pin: boolean
  /** Last use of its session; null before its link was opened. Epoch ms. */
  readonly usedAt: number | null
}

/** Response of PUT /admin/v1/tablets/{id}/pin. */
export interface TabletsPinAnswer {
  /** True if it has a PIN. */
  readonly pin: boolean
}

/** Request body of PUT /admin/v1/tablets/{id}/pin. */
export interface TabletsPinBody {
  /** Six digits. A secret. */
  readonly pin: string | null
}

/** Response of DELETE /admin/v1/tariff. */
export interface TariffClearAnswer {
  /** Always null. */
  readonly tariff: null
}

/** Response of PUT /admin/v1/tariff. */
export interface TariffSetAnswer {
  /** Names of the tariffs, oldest first. */
  readonly tariffs: readonly string[]
}

/** Request body of PUT /admin/v1/tariff. */
export interface TariffSetBody {
  /** The content of the file, YAML. */
  readonly file: string
}

/** Response of GET /admin/v1/tariff. */
export interface TariffShowAnswer {
  /** Content of the tariff file; null if no tariff is set. */
  readonly tariff: unknown
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

/** Certificates of clients' connections. */
export interface Tls {
  readonly ca: TlsCa
  readonly certificate: TlsCertificate
}

/** The CA of the gateway. */
export interface TlsCa {
  /** The CA certificate, PEM. */
  readonly pem: string
  /** Its SHA-256. */
  readonly fingerprint: string
  /** End of validity. Epoch ms. */
  readonly notAfter: number
  /** The file of the certificate on the disk of the gateway. */
  readonly file: string
}

/** The certificate that clients see. */
export interface TlsCertificate {
  /** Start of validity. Epoch ms. */
  readonly notBefore: number
  /** End of validity. Epoch ms. */
  readonly notAfter: number
  /** The names and addresses that it is for. */
  readonly names: readonly string[]
  /** Its SHA-256. */
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

/** Dry run of an automation. */
export interface Trial {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** False: it never runs by itself. */
  readonly enabled: boolean
  /** True after the gateway stopped a loop, until the next edit. */
  readonly paused: boolean
  readonly when: readonly TrialWhenItem[]
  readonly if: readonly TrialIfItem[]
  /** Sentences in words. */
  readonly then: readonly string[]
  /** True if it would run when triggered now. */
  readonly wouldRun: boolean
  /** Reason why it would not run, in one sentence. */
  readonly because: string | null
}

/** A condition. */
export interface TrialIfItem {
  /** Text in words. */
  readonly text: string
  /** Current value in words. */
  readonly now: string | null
  /** True if it holds now. */
  readonly holds: boolean
}

/** A trigger. */
export interface TrialWhenItem {
  /** Text in words. */
  readonly text: string
  /** Time of its next occurrence, or null. Epoch ms. */
  readonly next: number | null
}

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

/** A run started by the clock. */
export interface UpcomingRun {
  /** Kind of rule. */
  readonly kind: 'automation' | 'schedule'
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Time of the run. Epoch ms. */
  readonly at: number
  /** Trigger: `at 07:00 on Mon-Fri`, with `if its conditions hold` if it has some. */
  readonly text: string
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

/** An address that gets messages of the home, without its secrets. */
export interface Webhook {
  /** The id of the webhook. */
  readonly id: string
  /** Its name. */
  readonly name: string
  /** Scheme and host of its address; the rest may be a secret. */
  readonly host: string
  /** Form of the body: `json`, or that of a ntfy server. */
  readonly format: 'json' | 'ntfy'
  /** Least urgency of its messages. */
  readonly least: 'normal' | 'high' | 'alarm'
  /** Time of creation. Epoch ms. */
  readonly createdAt: number
  /** The ten newest deliveries, newest first. */
  readonly deliveries: readonly WebhookDeliveriesItem[]
}

/** A delivery. */
export interface WebhookDeliveriesItem {
  /** Title of the message. */
  readonly message: string
  /** `waiting` for the first or the next attempt. */
  readonly state: 'waiting' | 'delivered' | 'failed'
  /** Number of attempts so far. */
  readonly attempts: number
  /** Time of the last attempt, or of the next one. Epoch ms. */
  readonly at: number
  /** Reason of the last failure as the end of a sentence, or null. */
  readonly error: string | null
}

/** Response of POST /admin/v1/webhooks. */
export interface WebhooksCreateAnswer {
  readonly webhook: Webhook
  /** Key of the signatures in `HM-Signature`. A secret. */
  readonly secret: string
}

/** Request body of POST /admin/v1/webhooks. */
export interface WebhooksCreateBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** Its address, https:// or http://. For ntfy with the topic. */
  readonly url: string
  /** Form of the body: `json`, or that of a ntfy server. */
  readonly format?: 'json' | 'ntfy'
  /** Least urgency of its messages. */
  readonly least?: 'normal' | 'high' | 'alarm'
}

/** Response of DELETE /admin/v1/webhooks/{id}. */
export interface WebhooksDeleteAnswer {
  /** The id of the webhook. */
  readonly deleted: string
}

/** Response of GET /admin/v1/webhooks. */
export interface WebhooksListAnswer {
  readonly webhooks: readonly Webhook[]
}

/** Response of POST /admin/v1/webhooks/{id}/test. */
export interface WebhooksTestAnswer {
  /** True if it took the message. */
  readonly delivered: boolean
  /** Reason of a failure as the end of a sentence, or null. */
  readonly reason: string | null
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

/**
 * All calls by path and method, with their parameters, body and response. `keyed`: it takes an Idempotency-Key.
 * Calls that are always refused are left out.
 */
export interface AdminPaths {
  readonly '/admin/v1/integrations': {
    /** All integrations with exposure and permissions */
    readonly get: { readonly answer: IntegrationsListAnswer }
    /** Create an integration */
    readonly post: { readonly body: IntegrationsCreateBody; readonly answer: IntegrationsCreateAnswer }
  }
  readonly '/admin/v1/integrations/{id}': {
    /** One integration with its credentials */
    readonly get: { readonly path: { readonly id: string }; readonly answer: IntegrationsShowAnswer }
    /** Change its name, knobs or exposure, or enable or disable it */
    readonly patch: { readonly path: { readonly id: string }; readonly body: IntegrationsChangeBody; readonly answer: IntegrationsChangeAnswer }
    /** Delete it with its credentials; the record of a member goes with its person alone */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: IntegrationsDeleteAnswer }
  }
  readonly '/admin/v1/integrations/{id}/preview': {
    /** Preview such a change; nothing is changed */
    readonly post: { readonly path: { readonly id: string }; readonly body: IntegrationsPreviewBody; readonly answer: IntegrationsPreviewAnswer }
  }
  readonly '/admin/v1/integrations/{id}/preview/house': {
    /** Preview `GET /v1/house` for its programs after such a change; nothing is changed */
    readonly post: { readonly path: { readonly id: string }; readonly body: IntegrationsPreviewHouseBody; readonly answer: IntegrationsPreviewHouseAnswer }
  }
  readonly '/admin/v1/keys': {
    /** All credentials, without their secrets */
    readonly get: { readonly answer: KeysListAnswer }
    /** Create a key; its token is shown once */
    readonly post: { readonly body: KeysCreateBody; readonly answer: KeysCreateAnswer }
  }
  readonly '/admin/v1/keys/{id}': {
    /** One credential, and the permissions that would end with it */
    readonly get: { readonly path: { readonly id: string }; readonly answer: KeysShowAnswer }
    /** Revoke a credential by its link */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: KeysRevokeAnswer }
  }
  readonly '/admin/v1/agents/requests': {
    /** Agents that ask for access, with their matching codes */
    readonly get: { readonly query?: { readonly code?: string }; readonly answer: AgentsRequestsAnswer }
  }
  readonly '/admin/v1/agents/requests/{id}/accept': {
    /** Accept an agent; it collects its token itself */
    readonly post: { readonly path: { readonly id: string }; readonly body: AgentsAcceptBody; readonly answer: AgentsAcceptAnswer }
  }
  readonly '/admin/v1/agents/requests/{id}/deny': {
    /** Deny an agent; with block its sender is refused for a day */
    readonly post: { readonly path: { readonly id: string }; readonly body: AgentsDenyBody; readonly answer: AgentsDenyAnswer }
  }
  readonly '/admin/v1/agents/senders': {
    /** Blocked senders and the sender with a reserved place */
    readonly get: { readonly answer: AgentsSendersAnswer }
  }
  readonly '/admin/v1/agents/senders/{id}': {
    /** Unblock the requests of an address */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: AgentsUnblockAnswer }
  }
  readonly '/admin/v1/agents/reservation': {
    /** Reserve a place for one request from an address at home or an account at the relay */
    readonly post: { readonly body: AgentsReserveBody; readonly answer: AgentsReserveAnswer }
  }
  readonly '/admin/v1/agents': {
    /** Agents and sessions, without their secrets */
    readonly get: { readonly answer: AgentsListAnswer }
    /** Create the credential of an agent without a request; the token is shown once */
    readonly post: { readonly body: AgentsCreateBody; readonly answer: AgentsCreateAnswer }
  }
  readonly '/admin/v1/agents/{id}': {
    /** Revoke an agent or session by its link */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: AgentsRevokeAnswer }
  }
  readonly '/admin/v1/confirmations': {
    /** Calls of agents that wait for a confirmation, with the codes */
    readonly get: { readonly answer: ConfirmationsListAnswer }
  }
  readonly '/admin/v1/confirmations/{id}': {
    /** Confirm or decline one call of an agent */
    readonly post: { readonly path: { readonly id: string }; readonly body: ConfirmationsAnswerBody; readonly answer: ConfirmationsAnswerAnswer }
  }
  readonly '/admin/v1/home': {
    /** Name, time zone, place, currency and quiet hours of the home */
    readonly get: { readonly answer: HomeShowAnswer }
    /** Change name, time zone, place, currency or quiet hours */
    readonly patch: { readonly body: HomeSetBody; readonly answer: HomeSetAnswer }
  }
  readonly '/admin/v1/house': {
    /** The whole house with local ids, and units on the bus without a place in it */
    readonly get: { readonly answer: HouseShowAnswer }
  }
  readonly '/admin/v1/house/file': {
    /** The house as a file */
    readonly get: { readonly answer: HouseExportAnswer }
    /** Replace the house by a file, or only check it */
    readonly put: { readonly body: HouseImportBody; readonly answer: HouseImportAnswer }
  }
  readonly '/admin/v1/house/place': {
    /** Add a unit found on the bus, or move or rename one */
    readonly post: { readonly body: HousePlaceBody; readonly answer: HousePlaceAnswer }
  }
  readonly '/admin/v1/devices/{id}/intents': {
    /** A device's last confirmed settings and own schedules */
    readonly get: { readonly path: { readonly id: string }; readonly answer: IntentsShowAnswer }
  }
  readonly '/admin/v1/modes': {
    /** The modes of the home */
    readonly get: { readonly answer: ModesListAnswer }
    /** Add a mode */
    readonly post: { readonly body: ModesAddBody; readonly answer: ModesAddAnswer }
  }
  readonly '/admin/v1/modes/{id}': {
    /** Rename a mode */
    readonly patch: { readonly path: { readonly id: string }; readonly body: ModesRenameBody; readonly answer: ModesRenameAnswer }
    /** Remove a mode; the home leaves it */
    readonly delete: { readonly path: { readonly id: string }; readonly query?: { readonly force?: 'true' | 'false' }; readonly answer: ModesRemoveAnswer }
  }
  readonly '/admin/v1/calendars': {
    /** The calendars of the home with their next events */
    readonly get: { readonly answer: CalendarsListAnswer }
    /** Add a calendar, once it could be read */
    readonly post: { readonly body: CalendarsAddBody; readonly answer: CalendarsAddAnswer }
  }
  readonly '/admin/v1/calendars/{id}': {
    /** Rename a calendar, or replace its source once the new one could be read */
    readonly patch: { readonly path: { readonly id: string }; readonly body: CalendarsChangeBody; readonly answer: CalendarsChangeAnswer }
    /** Remove a calendar */
    readonly delete: { readonly path: { readonly id: string }; readonly query?: { readonly force?: 'true' | 'false' }; readonly answer: CalendarsRemoveAnswer }
  }
  readonly '/admin/v1/states': {
    /** The start of each device’s present state */
    readonly get: { readonly answer: DevicesStatesAnswer }
  }
  readonly '/admin/v1/devices/{id}': {
    /** The uses and viewers of a device */
    readonly get: { readonly path: { readonly id: string }; readonly answer: DevicesShowAnswer }
  }
  readonly '/admin/v1/house/replace': {
    /** Replace the unit behind an id of the house by another unit of the bus, or preview that */
    readonly post: { readonly body: HouseReplaceBody; readonly answer: HouseReplaceAnswer }
  }
  readonly '/admin/v1/scenes': {
    /** All scenes with their steps in words */
    readonly get: { readonly answer: ScenesListAnswer }
  }
  readonly '/admin/v1/scenes/{id}': {
    /** One scene */
    readonly get: { readonly path: { readonly id: string }; readonly answer: ScenesShowAnswer }
    /** Delete a scene */
    readonly delete: { readonly path: { readonly id: string }; readonly query?: { readonly force?: 'true' | 'false' }; readonly answer: ScenesDeleteAnswer }
  }
  readonly '/admin/v1/automations': {
    /** All automations in words */
    readonly get: { readonly answer: AutomationsListAnswer }
  }
  readonly '/admin/v1/automations/{id}': {
    /** One automation */
    readonly get: { readonly path: { readonly id: string }; readonly answer: AutomationsShowAnswer }
    /** Switch an automation on or off */
    readonly patch: { readonly path: { readonly id: string }; readonly body: AutomationsSwitchBody; readonly answer: AutomationsSwitchAnswer }
    /** Delete an automation */
    readonly delete: { readonly path: { readonly id: string }; readonly query?: { readonly force?: 'true' | 'false' }; readonly answer: AutomationsDeleteAnswer }
  }
  readonly '/admin/v1/automations/{id}/try': {
    /** Predict the effect of triggering it now; nothing is done */
    readonly get: { readonly path: { readonly id: string }; readonly answer: AutomationsTryAnswer }
  }
  readonly '/admin/v1/runs': {
    /** Scheduled runs of the coming days */
    readonly get: { readonly query?: { readonly days?: number }; readonly answer: RunsNextAnswer }
  }
  readonly '/admin/v1/schedules': {
    /** All schedules in words, with their next run */
    readonly get: { readonly answer: SchedulesListAnswer }
  }
  readonly '/admin/v1/schedules/{id}': {
    /** One schedule */
    readonly get: { readonly path: { readonly id: string }; readonly answer: SchedulesShowAnswer }
    /** Switch a schedule on or off */
    readonly patch: { readonly path: { readonly id: string }; readonly body: SchedulesSwitchBody; readonly answer: SchedulesSwitchAnswer }
    /** Delete a schedule */
    readonly delete: { readonly path: { readonly id: string }; readonly query?: { readonly force?: 'true' | 'false' }; readonly answer: SchedulesDeleteAnswer }
  }
  readonly '/admin/v1/tariff': {
    /** The tariff */
    readonly get: { readonly answer: TariffShowAnswer }
    /** Set the tariff from a file; all costs are computed again */
    readonly put: { readonly body: TariffSetBody; readonly answer: TariffSetAnswer }
    /** Remove the tariff */
    readonly delete: { readonly answer: TariffClearAnswer }
  }
  readonly '/admin/v1/history/export': {
    /** Write a table of the history to a new CSV file */
    readonly post: { readonly body: HistoryExportBody; readonly answer: HistoryExportAnswer }
  }
  readonly '/admin/v1/energy/jumps': {
    /** Open jumps of counters, which are in no sum, oldest first */
    readonly get: { readonly answer: EnergyJumpsAnswer }
  }
  readonly '/admin/v1/energy/jumps/{id}': {
    /** Answer a jump: energy of the device, or another meter */
    readonly post: { readonly path: { readonly id: string }; readonly body: EnergyAnswerJumpBody; readonly answer: EnergyAnswerJumpAnswer }
  }
  readonly '/admin/v1/energy/corrections': {
    /** Corrections that can be undone, newest first */
    readonly get: { readonly answer: EnergyCorrectionsAnswer }
    /** Remove wrong energy of a device and its gangs from all sums, or preview that */
    readonly post: { readonly body: EnergyCorrectBody; readonly answer: EnergyCorrectAnswer }
  }
  readonly '/admin/v1/energy/corrections/{id}': {
    /** Put the energy of a correction back into all sums */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: EnergyUndoCorrectionAnswer }
  }
  readonly '/admin/v1/activity': {
    /** The complete activity, newest first */
    readonly get: { readonly query?: { readonly from?: string; readonly to?: string; readonly limit?: string; readonly kind?: 'state' | 'failed' | 'refused' | 'skipped' | 'run' | 'edited' | 'setting' | 'detection' | 'unit' | 'link' | 'access'; readonly source?: 'person' | 'automation' | 'schedule' | 'scene' | 'integration' | 'agent' | 'voice' | 'platform' | 'unit' | 'gateway' | 'mode' | 'presence'; readonly device?: string; readonly room?: string; readonly integration?: string; readonly rule?: string }; readonly answer: ActivityListAnswer }
  }
  readonly '/admin/v1/messages': {
    /** All messages, newest first; a member sees those about their own devices */
    readonly get: { readonly query?: { readonly before?: string; readonly limit?: number }; readonly answer: MessagesListAnswer }
  }
  readonly '/admin/v1/messages/test': {
    /** Send a test message on every channel */
    readonly post: { readonly answer: MessagesTestAnswer }
  }
  readonly '/admin/v1/messages/{id}/acknowledge': {
    /** Acknowledge a message, which ends the repetitions of an alarm */
    readonly post: { readonly path: { readonly id: string }; readonly answer: MessagesAcknowledgeAnswer }
  }
  readonly '/admin/v1/webhooks': {
    /** Webhooks with their newest deliveries, without their secrets */
    readonly get: { readonly answer: WebhooksListAnswer }
    /** Add a webhook; its secret is shown once */
    readonly post: { readonly body: WebhooksCreateBody; readonly answer: WebhooksCreateAnswer }
  }
  readonly '/admin/v1/webhooks/{id}/test': {
    /** Send a test message to one webhook now */
    readonly post: { readonly path: { readonly id: string }; readonly answer: WebhooksTestAnswer }
  }
  readonly '/admin/v1/webhooks/{id}': {
    /** Remove a webhook with its waiting deliveries */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: WebhooksDeleteAnswer }
  }
  readonly '/admin/v1/push': {
    /** Browsers that get messages, and the key with which browsers subscribe */
    readonly get: { readonly answer: PushListAnswer }
    /** Let this browser get messages; it replaces its earlier subscription */
    readonly post: { readonly body: PushSubscribeBody; readonly answer: PushSubscribeAnswer }
  }
  readonly '/admin/v1/push/{id}/test': {
    /** Send a test message to one browser now */
    readonly post: { readonly path: { readonly id: string }; readonly answer: PushTestAnswer }
  }
  readonly '/admin/v1/push/{id}': {
    /** Send no more messages to a browser */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: PushDeleteAnswer }
  }
  readonly '/admin/v1/tls': {
    /** The CA's fingerprint and the certificate's names and dates */
    readonly get: { readonly answer: Tls }
  }
  readonly '/admin/v1/tls/renew': {
    /** Renew the certificate now */
    readonly post: { readonly answer: Tls }
  }
  readonly '/admin/v1/tls/regenerate-ca': {
    /** Create a new CA; every client has to trust it again */
    readonly post: { readonly answer: Tls }
  }
  readonly '/admin/v1/status': {
    /** State of the gateway */
    readonly get: { readonly answer: Status }
  }
  readonly '/admin/v1/failed-authentications': {
    /** Senders of requests without a valid credential in the last 30 days, newest first */
    readonly get: { readonly answer: FailuresListAnswer }
  }
  readonly '/admin/v1/incidents/acknowledge': {
    /** Acknowledge incidents of the configuration; they are no longer shown */
    readonly post: { readonly body: IncidentsAcknowledgeBody; readonly answer: IncidentsAcknowledgeAnswer }
  }
  readonly '/admin/v1/backup': {
    /** Write a consistent copy of the configuration to a new file */
    readonly post: { readonly body: BackupWriteBody; readonly answer: BackupWriteAnswer }
  }
  readonly '/admin/v1/backups': {
    /** List the backups, with their state and settings */
    readonly get: { readonly answer: BackupsListAnswer }
    /** Make a backup in the backup folder; the response comes after it was opened and checked */
    readonly post: { readonly body: BackupsMakeBody; readonly answer: BackupsMakeAnswer }
  }
  readonly '/admin/v1/backups/write': {
    /** Write a backup to a new file */
    readonly post: { readonly body: BackupsWriteBody; readonly answer: BackupsWriteAnswer }
  }
  readonly '/admin/v1/backups/{name}/check': {
    /** Open a backup as a restore would, and tell its contents */
    readonly post: { readonly path: { readonly name: string }; readonly answer: BackupsCheckAnswer }
  }
  readonly '/admin/v1/backups/choice': {
    /** Change the settings of the backups; omitted ones stay */
    readonly put: { readonly body: BackupsChooseBody; readonly answer: BackupChoice }
  }
  readonly '/admin/v1/backups/phrase': {
    /** Create a recovery phrase; no other response has it, and it is valid once two words were typed again */
    readonly post: { readonly answer: BackupsPhraseAnswer }
  }
  readonly '/admin/v1/backups/phrase/confirm': {
    /** Confirm the phrase by two of its words: later backups are encrypted with it */
    readonly post: { readonly body: BackupsConfirmPhraseBody; readonly answer: BackupsConfirmPhraseAnswer }
  }
  readonly '/admin/v1/backups/{name}/restore': {
    /** Restore a backup; the present files are kept aside, and the gateway restarts */
    readonly post: { readonly path: { readonly name: string }; readonly body: BackupsRestoreBody; readonly answer: Restoring }
  }
  readonly '/admin/v1/restore': {
    /** Restore a backup from a file of the machine */
    readonly post: { readonly body: BackupsRestoreFileBody; readonly answer: Restoring }
  }
  readonly '/admin/v1/brought-backups': {
    /** Begin the upload of a backup; its pieces follow */
    readonly post: { readonly body: BroughtBeginBody; readonly answer: BroughtBeginAnswer }
  }
  readonly '/admin/v1/brought-backups/{id}': {
    /** Upload the next piece; a repeated one changes nothing */
    readonly put: { readonly path: { readonly id: string }; readonly body: BroughtAddBody; readonly answer: BroughtAddAnswer }
    /** Remove an upload from the gateway */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: BroughtDropAnswer }
  }
  readonly '/admin/v1/brought-backups/{id}/restore': {
    /** Restore an uploaded backup; the present files are kept aside, and the gateway restarts */
    readonly post: { readonly path: { readonly id: string }; readonly body: BroughtRestoreBody; readonly answer: Restoring }
  }
  readonly '/admin/v1/relay': {
    /** The connected relay and its state */
    readonly get: { readonly answer: Relay }
    /** Connect a relay */
    readonly post: { readonly body: RelayConnectBody; readonly answer: Relay }
    /** Disconnect the relay */
    readonly delete: { readonly answer: Relay }
  }
  readonly '/admin/v1/relay/link': {
    /** Request a code from the relay to link one more account */
    readonly post: { readonly answer: Relay }
  }
  readonly '/admin/v1/relay/passthrough': {
    /** Set end-to-end access through the relay: off, in addition to other requests, or only */
    readonly put: { readonly body: RelayPassthroughBody; readonly answer: Relay }
  }
  readonly '/admin/v1/relay/unlink': {
    /** Unlink all accounts of this home at the relay */
    readonly post: { readonly answer: Relay }
  }
  readonly '/admin/v1/session': {
    /** The session of this request; null over the socket file */
    readonly get: { readonly answer: SessionShowAnswer }
    /** Say whether this browser is on your own device, where a session lasts longer */
    readonly patch: { readonly body: SessionChangeBody; readonly answer: SessionChangeAnswer }
  }
  readonly '/admin/v1/session/use': {
    /** Report that a person opened the console, which means home in the home network */
    readonly post: { readonly answer: SessionUseAnswer }
  }
  readonly '/admin/v1/session/challenge': {
    /** Options for the browser to prove a passkey of the session’s person again */
    readonly post: { readonly answer: SessionChallengeAnswer }
  }
  readonly '/admin/v1/session/proof': {
    /** Prove the password or a passkey of the session’s person again */
    readonly post: { readonly body: SessionProveBody; readonly answer: SessionProveAnswer }
  }
  readonly '/admin/v1/session/code': {
    /** Show six digits that another browser needs beside the password; they work once */
    readonly post: { readonly answer: SessionCodeAnswer }
  }
  readonly '/admin/v1/sessions': {
    /** Signed-in browsers, last used first; those of a member alone */
    readonly get: { readonly answer: SessionsListAnswer }
  }
  readonly '/admin/v1/sessions/{id}': {
    /** End a session at once, also your own */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: SessionsEndAnswer }
  }
  readonly '/admin/v1/persons': {
    /** The administrators and members of the home */
    readonly get: { readonly answer: PersonsListAnswer }
    /** Create an administrator, whose a session without a person becomes, or a member with a record */
    readonly post: { readonly body: PersonsCreateBody; readonly answer: PersonsCreateAnswer }
  }
  readonly '/admin/v1/persons/{id}/password': {
    /** Set a new password; all other sessions of the person end */
    readonly put: { readonly path: { readonly id: string }; readonly body: PersonsPasswordBody; readonly answer: PersonsPasswordAnswer }
  }
  readonly '/admin/v1/persons/{id}/factors': {
    /** Say whether a new browser needs a code of a signed-in one beside the password */
    readonly put: { readonly path: { readonly id: string }; readonly body: PersonsFactorsBody; readonly answer: PersonsFactorsAnswer }
  }
  readonly '/admin/v1/persons/{id}': {
    /** Remove a person with their sessions; a member with the record and its agents */
    readonly delete: { readonly path: { readonly id: string }; readonly query?: { readonly force?: 'true' | 'false' }; readonly answer: PersonsDeleteAnswer }
  }
  readonly '/admin/v1/links': {
    /** Create a one-time link to the console, for a person or anyone */
    readonly post: { readonly body: LinksCreateBody; readonly answer: LinksCreateAnswer }
  }
  readonly '/admin/v1/persons/{id}/presence': {
    /** The presence of a person and its changes of the last 7 days, newest first */
    readonly get: { readonly path: { readonly id: string }; readonly answer: PresenceShowAnswer }
    /** Set the presence of a person by hand */
    readonly put: { readonly path: { readonly id: string }; readonly body: PresenceSetBody; readonly answer: PresenceSetAnswer }
  }
  readonly '/admin/v1/passkeys': {
    /** The passkeys of all persons; those of a member alone */
    readonly get: { readonly answer: PasskeysListAnswer }
    /** Store a passkey that the browser created */
    readonly post: { readonly body: PasskeysCreateBody; readonly answer: PasskeysCreateAnswer }
  }
  readonly '/admin/v1/passkeys/options': {
    /** Options for the browser to create a passkey of the session’s person */
    readonly post: { readonly answer: PasskeysOptionsAnswer }
  }
  readonly '/admin/v1/passkeys/{id}': {
    /** Remove a passkey; it no longer signs in */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: PasskeysDeleteAnswer }
  }
  readonly '/admin/v1/tablets': {
    /** Wall tablets, with their PIN and their last use */
    readonly get: { readonly answer: TabletsListAnswer }
    /** Create a wall tablet with a one-time link; it opens locks and gates only after its PIN */
    readonly post: { readonly body: TabletsCreateBody; readonly answer: TabletsCreateAnswer }
  }
  readonly '/admin/v1/tablets/{id}/link': {
    /** Another one-time link of a wall tablet; its use ends the earlier session */
    readonly post: { readonly path: { readonly id: string }; readonly answer: TabletsLinkAnswer }
  }
  readonly '/admin/v1/tablets/{id}/pin': {
    /** Set the PIN of a wall tablet, or remove it (null); it opens nothing then */
    readonly put: { readonly path: { readonly id: string }; readonly body: TabletsPinBody; readonly answer: TabletsPinAnswer }
  }
  readonly '/admin/v1/operators': {
    /** Operator tokens, without their secrets */
    readonly get: { readonly answer: OperatorsListAnswer }
    /** Create an operator token; it is shown once */
    readonly post: { readonly body: OperatorsCreateBody; readonly answer: OperatorsCreateAnswer }
  }
  readonly '/admin/v1/operators/{id}': {
    /** Revoke an operator token at once */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: OperatorsDeleteAnswer }
  }
  readonly '/admin/v1/metrics': {
    /** Metrics of the gateway in the text format of Prometheus */
    readonly get: { readonly query?: { readonly units?: '0' | '1' }; readonly answer: string }
  }
  readonly '/admin/v1/log': {
    /** The newest lines of the log in memory, oldest first */
    readonly get: { readonly query?: { readonly level?: 'error' | 'warn' | 'info' | 'debug'; readonly since?: string; readonly after?: string; readonly limit?: string }; readonly answer: LogListAnswer }
  }
  readonly '/admin/v1/log/level': {
    /** Change the log level until the next start */
    readonly put: { readonly body: LogLevelBody; readonly answer: LogLevelAnswer }
  }
  readonly '/admin/v1/about': {
    /** The running release, its changes, and the versions of the databases */
    readonly get: { readonly answer: Release }
  }
}
