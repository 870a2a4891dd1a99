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

/** Who or what did it, and by `by` what set that off. */
export interface ActivityCause {
  /** Who or what it was. */
  readonly source: 'person' | 'automation' | 'schedule' | 'scene' | 'integration' | 'agent' | 'voice' | 'platform' | 'unit' | 'gateway'
  /** As people read it. */
  readonly name: string
  /** The local id of the rule, scene or unit. */
  readonly ref?: string
  /** The id of the integration that asked. */
  readonly integration?: string
  /** The credential that asked. */
  readonly link?: string
  /** Who confirmed the call of an agent. */
  readonly confirmedBy?: string
  readonly by?: ActivityCause
}

/** What GET /admin/v1/activity answers. */
export interface ActivityListAnswer {
  readonly entries: readonly AdminActivityEntry[]
  /** The `to` of the next page, epoch milliseconds; null: nothing older is left. */
  readonly nextTo: number | null
}

/** Something that happened, as administrators read it. */
export interface AdminActivityEntry {
  /** The id of the entry. */
  readonly id: string
  /** When it happened. Epoch ms. */
  readonly at: number
  /** What kind of entry it is. */
  readonly kind: 'state' | 'failed' | 'refused' | 'skipped' | 'run' | 'edited' | 'setting' | 'detection' | 'unit' | 'link' | 'access'
  /** What kind of thing it is about: device, scene, integration and the like. */
  readonly subject: string
  /** Its local id, of a device that of the unit or `UNIT:GANG`; null: the home. */
  readonly subjectId: string | null
  /** Its name now, or its last name in the house; null where that is not known. */
  readonly name: string | null
  /** One phrase, without the name. */
  readonly what: string
  readonly cause: ActivityCause
  /** Facts, such as `from` and `to`. */
  readonly data?: Readonly<Record<string, unknown>>
}

/** Something that administrators are told. */
export type AdminEvent = {
  readonly kind: 'agent_request'
  /** Whether it should call for attention. */
  readonly notice: boolean
  readonly request: DecidedRequest
} | {
  readonly kind: 'agent_request_ended'
  /** How it ended. */
  readonly how: 'accepted' | 'denied' | 'expired' | 'collected'
  readonly request: DecidedRequest
} | {
  readonly kind: 'agent_ended'
  /** `refresh_reused`: a refresh token of it came back after it was used. `code_reused`: so did its authorization code. */
  readonly why: 'refresh_reused' | 'code_reused'
  readonly agent: Credential
} | {
  readonly kind: 'confirmation'
  /** Whether it should call for attention. */
  readonly notice: boolean
  readonly confirmation: Confirmation
} | {
  readonly kind: 'confirmation_ended'
  /** How it ended. */
  readonly how: 'confirmed' | 'declined' | 'expired' | 'used'
  readonly confirmation: Confirmation
} | {
  readonly kind: 'watching'
}

/** An agent that asks for access. */
export interface AgentRequest {
  /** The id of the request. */
  readonly request: string
  /** What the agent shows. */
  readonly code: string
  /** What the agent calls itself. */
  readonly name: string
  /** Where it says that it runs. */
  readonly platform: string
  /** The integration that it asked for by id. */
  readonly record: string | null
  /** Whether it runs on a hosted platform. */
  readonly hosted: boolean
  readonly client: HostedClient | null
  readonly suggested: SuggestedScope | null
  /** Which way it came. */
  readonly via: 'home' | 'cloud'
  /** The network address it came from. */
  readonly peer: string
  /** When it asked. Epoch ms. */
  readonly askedAt: number
  /** Until when it waits. Epoch ms. */
  readonly expiresAt: number
  /** Links of what the same agent has already. */
  readonly known: readonly string[]
}

/** What POST /admin/v1/agents/requests/{id}/accept answers. */
export interface AgentsAcceptAnswer {
  readonly accepted: DecidedRequest
  /** The name of its integration. */
  readonly integration: string | null
  /** Whether it is for a while only. */
  readonly session: boolean
  /** The credential that ends once the new one is collected. */
  readonly replaces: string | null
}

/** What POST /admin/v1/agents/requests/{id}/accept takes. */
export interface AgentsAcceptBody {
  /** The integration that it gets access through. */
  readonly integration?: string
  /** Whether it is for a while only. */
  readonly session?: boolean
  /** The link of the credential that it replaces; true: the one that it has. */
  readonly replace?: string | true
  /** Whether it is to have one more than it has. */
  readonly add?: boolean
}

/** What POST /admin/v1/agents answers. */
export interface AgentsCreateAnswer {
  /** The token, shown this once. A secret. */
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

/** What POST /admin/v1/agents takes. */
export interface AgentsCreateBody {
  /** The id of its integration. */
  readonly integration: string
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly platform: string
  /** Whether it is for a while only. */
  readonly session?: boolean
}

/** What POST /admin/v1/agents/requests/{id}/deny answers. */
export interface AgentsDenyAnswer {
  readonly denied: DecidedRequest
  /** Whether its sender is turned away for a day. */
  readonly blocked: boolean
}

/** What POST /admin/v1/agents/requests/{id}/deny takes. */
export interface AgentsDenyBody {
  /** Whether its sender is turned away for a day. */
  readonly block?: boolean
}

/** What GET /admin/v1/agents answers. */
export interface AgentsListAnswer {
  readonly agents: readonly Credential[]
}

/** What GET /admin/v1/agents/requests answers. */
export interface AgentsRequestsAnswer {
  readonly requests: readonly AgentRequest[]
}

/** What POST /admin/v1/agents/reservation answers. */
export interface AgentsReserveAnswer {
  readonly reserved: Sender | null
}

/** What POST /admin/v1/agents/reservation takes. */
export interface AgentsReserveBody {
  /** An IPv4 or IPv6 address at home. */
  readonly address?: string
  /** The e-mail address of an account at the relay. */
  readonly account?: string
}

/** What DELETE /admin/v1/agents/{id} answers. */
export interface AgentsRevokeAnswer {
  /** The link of the credential. */
  readonly revoked: string
  /** Automations and schedules that open a lock or gate, and whose author may no more. */
  readonly switchedOff?: readonly string[]
  /** Scenes of the same kind: running them is refused to everybody while their author may not. */
  readonly scenesRefused?: readonly string[]
  /** There where the disk takes no writes now: it holds at once, and is stored as soon as the disk takes it; a start before that may undo it. */
  readonly unstored?: true
}

/** What GET /admin/v1/agents/senders answers. */
export interface AgentsSendersAnswer {
  /** Who is turned away. */
  readonly blocked: readonly Sender[]
  /** For whom a place is kept. */
  readonly reserved: Sender | null
}

/** What DELETE /admin/v1/agents/senders/{id} answers. */
export interface AgentsUnblockAnswer {
  /** The address. */
  readonly unblocked: string
}

/** Something that a person should look at. */
export interface Attention {
  /** What it is about. */
  readonly kind: 'incident' | 'disk' | 'socket' | 'line' | 'certificate' | 'ca' | 'clock' | 'backup' | 'relay' | 'turned_away' | 'history' | 'unit_silent' | 'unit_without_place' | 'unit_class' | 'battery' | 'energy_jump' | 'announcement'
  /** `broken`: something that the home needs does not work. */
  readonly level: 'attention' | 'broken'
  /** One sentence, with what to do. */
  readonly what: string
  /** How many units it stands for: more than one where the others are told together; otherwise 1. */
  readonly count: number
  /** The local id of the device that it is about, or null. */
  readonly device: string | null
  /** When it was noticed, epoch milliseconds, or null where it is so now. */
  readonly at: number | null
  /** The number of the jump that waits for an answer, where it is about one. */
  readonly jump?: string
}

/** An automation, told in words. */
export interface AutomationInWords {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** False: it never runs by itself. */
  readonly enabled: boolean
  /** Increases with every edit that this integration can see. */
  readonly revision: number
  /** The credential's label, or null: an administrator. */
  readonly createdBy: string | null
  /** True once the gateway cut a loop, until the next edit. */
  readonly paused: boolean
  /** When it is set off while it still runs. */
  readonly mode: 'single' | 'restart' | 'queued'
  /** In words, one sentence each. */
  readonly when: readonly string[]
  /** In words, one sentence each. */
  readonly if: readonly string[]
  /** In words, one sentence each. */
  readonly then: readonly string[]
}

/** What DELETE /admin/v1/automations/{id} answers. */
export interface AutomationsDeleteAnswer {
  /** The local id. */
  readonly deleted: string
}

/** What GET /admin/v1/automations answers. */
export interface AutomationsListAnswer {
  readonly automations: readonly AutomationInWords[]
}

/** What GET /admin/v1/automations/{id} answers. */
export interface AutomationsShowAnswer {
  readonly automation: AutomationInWords
}

/** What PATCH /admin/v1/automations/{id} answers. */
export interface AutomationsSwitchAnswer {
  readonly automation: AutomationInWords
}

/** What PATCH /admin/v1/automations/{id} takes. */
export interface AutomationsSwitchBody {
  /** Whether it runs by itself. The administrator who switches it on answers for what it does. */
  readonly enabled: boolean
}

/** What GET /admin/v1/automations/{id}/try answers. */
export interface AutomationsTryAnswer {
  readonly trial: Trial
}

/** A backup in the folder of backups. */
export interface Backup {
  /** The name of its file. */
  readonly name: string
  /** When it was made. Epoch ms. */
  readonly at: number
  /** Made each night, because a person or an operator token asked, or before an update. */
  readonly why: 'nightly' | 'asked' | 'operator' | 'before-update'
  /** Its size in bytes. */
  readonly bytes: number
  /** Whether it takes the recovery phrase to open it. */
  readonly encrypted: boolean
  /** What it says of itself; null where that cannot be read. */
  readonly contents: BackupContents | null
  /** Why it cannot be read, in one sentence, or null. */
  readonly unreadable: string | null
}

/** How backups are made. */
export interface BackupChoice {
  /** Whether those in another folder than the data folder are encrypted. */
  readonly encrypted: boolean
  /** Whether those made at night have the history too. */
  readonly history: boolean
}

/** What a backup says of itself. */
export interface BackupContents {
  /** The id of the gateway. */
  readonly gateway: string
  /** The name of the home. */
  readonly home: string
  /** The version of the program that made it. */
  readonly program: string
  /** Whether the history is in it. */
  readonly history: boolean
  /** What should be in it and is not, in one sentence, or null. */
  readonly lacks: string | null
  readonly counts: BackupContentsCounts
}

/** How much is in it. */
export interface BackupContentsCounts {
  /** Number of persons who administer the home. */
  readonly persons: number
  /** Number of integrations. */
  readonly integrations: number
  /** Number of credentials that were not revoked. */
  readonly keys: number
}

/** How backups are doing. */
export interface BackupState {
  /** Where they are kept. */
  readonly folder: string
  readonly last: BackupStateLast | null
  /** When the next is made. Epoch ms. */
  readonly nextAt: number
  readonly error: BackupStateError | null
  /** Whether one is being made or checked now. */
  readonly working: boolean
  /** Since when there is a recovery phrase, in epoch milliseconds; null: there is none. */
  readonly phraseSince: number | null
}

/** Why the last one could not be made, or not where it should be; null since it could. */
export interface BackupStateError {
  /** When. Epoch ms. */
  readonly at: number
  /** One sentence. */
  readonly what: string
}

/** The newest; each is opened and checked after it was written. Null before the first. */
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

/** What POST /admin/v1/backup answers. */
export interface BackupWriteAnswer {
  /** The path of a file on the gateway's own disk. */
  readonly file: string
  /** The size of the file in bytes. */
  readonly bytes: number
}

/** What POST /admin/v1/backup takes. */
export interface BackupWriteBody {
  /** The path of a file on the gateway's own disk. */
  readonly file: string
}

/** What POST /admin/v1/backups/{name}/check answers. */
export interface BackupsCheckAnswer {
  readonly contents: BackupContents
}

/** What PUT /admin/v1/backups/choice takes. */
export interface BackupsChooseBody {
  /** Whether those in another folder than the data folder are encrypted. */
  readonly encrypted?: boolean
  /** Whether those made at night have the history too. */
  readonly history?: boolean
}

/** What POST /admin/v1/backups/phrase/confirm answers. */
export interface BackupsConfirmPhraseAnswer {
  /** Since when it holds. Epoch ms. */
  readonly phraseSince: number
}

/** What POST /admin/v1/backups/phrase/confirm takes. */
export interface BackupsConfirmPhraseBody {
  /** In the order of their places. */
  readonly words: readonly string[]
}

/** What GET /admin/v1/backups answers. */
export interface BackupsListAnswer {
  readonly state: BackupState
  readonly choice: BackupChoice
  /** The newest first. */
  readonly backups: readonly Backup[]
}

/** What POST /admin/v1/backups answers. */
export interface BackupsMakeAnswer {
  readonly backup: Backup
  /** Where it lies. */
  readonly folder: string
  /** Why it does not lie where it should, or what it lacks, in sentences, or null. */
  readonly lacks: string | null
}

/** What POST /admin/v1/backups takes. */
export interface BackupsMakeBody {
  /** Whether the history is to be in it; else as chosen. */
  readonly history?: boolean
}

/** What POST /admin/v1/backups/phrase answers. */
export interface BackupsPhraseAnswer {
  /** Its twelve words, in order. */
  readonly words: readonly string[]
  /** The places, from 1, of the two words that confirm it. */
  readonly asked: readonly number[]
  /** Until when it can be confirmed. Epoch ms. */
  readonly expiresAt: number
}

/** What POST /admin/v1/backups/{name}/restore takes. */
export interface BackupsRestoreBody {
  /** Only say what would happen. */
  readonly check?: boolean
  /** The recovery phrase, where it is another than the one that this home has now. */
  readonly phrase?: string
  /** Let credentials live again that have ended since. */
  readonly revive?: boolean
}

/** What POST /admin/v1/restore takes. */
export interface BackupsRestoreFileBody {
  /** The path of a file on the gateway's own disk. */
  readonly file: string
  /** Only say what would happen. */
  readonly check?: boolean
  /** The recovery phrase, where it is another than the one that this home has now. */
  readonly phrase?: string
  /** Let credentials live again that have ended since. */
  readonly revive?: boolean
}

/** What POST /admin/v1/backups/write answers. */
export interface BackupsWriteAnswer {
  /** The path of a file on the gateway's own disk. */
  readonly file: string
  /** The size of the file in bytes. */
  readonly bytes: number
  /** Whether it takes the recovery phrase to open it. */
  readonly encrypted: boolean
  readonly contents: BackupContents
}

/** What POST /admin/v1/backups/write takes. */
export interface BackupsWriteBody {
  /** The path of a file on the gateway's own disk. */
  readonly file: string
  /** Whether the history is to be in it; else as chosen. */
  readonly history?: boolean
  /** Whether it is encrypted; else where there is a recovery phrase. */
  readonly encrypted?: boolean
}

/** The arguments of set_brightness. */
export interface BrightnessArgs {
  /** Percent. */
  readonly bri: number
}

/** What PUT /admin/v1/brought-backups/{id} answers. */
export interface BroughtAddAnswer {
  /** How many bytes of the file are there: the next piece begins behind them. */
  readonly received: number
  /** Whether it takes a recovery phrase to open it. */
  readonly encrypted: boolean | null
}

/** What PUT /admin/v1/brought-backups/{id} takes. */
export interface BroughtAddBody {
  /** Where in the file it begins, in bytes. */
  readonly from: number
  /** The bytes, 262144 at most, as base64. */
  readonly piece: string
}

/** What POST /admin/v1/brought-backups answers. */
export interface BroughtBeginAnswer {
  /** What it is called until it is restored; it takes the place of any other that was brought. */
  readonly id: string
  /** How many bytes of it one request takes. */
  readonly pieceBytes: number
}

/** What POST /admin/v1/brought-backups takes. */
export interface BroughtBeginBody {
  /** The size of the file in bytes. */
  readonly bytes: number
}

/** What DELETE /admin/v1/brought-backups/{id} answers. */
export interface BroughtDropAnswer {
  /** What it was called. */
  readonly id: string
}

/** What POST /admin/v1/brought-backups/{id}/restore takes. */
export interface BroughtRestoreBody {
  /** Only say what would happen. */
  readonly check?: boolean
  /** The recovery phrase, where it is another than the one that this home has now. */
  readonly phrase?: string
  /** Let credentials live again that have ended since. */
  readonly revive?: boolean
}

/** A unit as the adapter knows it. */
export interface BusUnit {
  /** Its address on the unit protocol. */
  readonly address: number
  /** The hardware model. */
  readonly model: string
  /** What it is and can do. */
  readonly class: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'gang_module'
  /** The version of its firmware. */
  readonly firmware: string
  readonly gangs: readonly BusUnitGangsItem[]
  /** Whether it answers. */
  readonly reachable: boolean
}

/** One gang of it. */
export interface BusUnitGangsItem {
  /** Its position on the module, from 0. */
  readonly gang: number
  /** What it is and can do. */
  readonly class: 'switch_gang' | 'shutter_gang'
}

/** A call of an agent that needs a person. */
export interface Confirmation {
  /** The id of the confirmation. */
  readonly id: string
  /** The credential of the agent. */
  readonly link: string
  /** In words: `open lock "Front door" (HMLK front-door)`. */
  readonly what: string
  /** The scene that would run, by its name; only where one would. */
  readonly scene?: string
  /** What would open; not told once the device is gone or the scene another. */
  readonly opens?: readonly ConfirmationOpensItem[]
  /** What the person enters. */
  readonly code: string
  /** When it asked. Epoch ms. */
  readonly askedAt: number
  /** The agent as the activity log names it. */
  readonly label: string
  /** The name of its integration. */
  readonly integration: string | null
  /** Until when it waits; only while it is pending. Epoch ms. */
  readonly expiresAt?: number
}

/** A lock or gate. */
export interface ConfirmationOpensItem {
  /** The local id. */
  readonly id: string
  /** What it is called now; an agent may have been allowed to rename it. */
  readonly name: string
  /** `lock` or `gate`. */
  readonly class: string
  /** The hardware model where it is known. */
  readonly model: string | null
  /** After how many seconds it opens. */
  readonly after: number
}

/** What POST /admin/v1/confirmations/{id} answers. */
export interface ConfirmationsAnswerAnswer {
  readonly confirmed?: Confirmation
  readonly declined?: Confirmation
}

/** What POST /admin/v1/confirmations/{id} takes. */
export interface ConfirmationsAnswerBody {
  /** False: the call is declined. */
  readonly confirm: boolean
}

/** What GET /admin/v1/confirmations answers. */
export interface ConfirmationsListAnswer {
  readonly confirmations: readonly Confirmation[]
}

/** A browser that is signed in. */
export interface ConsoleSession {
  /** The id of the session. */
  readonly id: string
  /** The id of its person; null: it was opened by a one-time link, and nobody gave a name. */
  readonly person: string | null
  /** As the activity log names who does something in it. */
  readonly name: string
  /** Whether it is the one that asks. */
  readonly own: boolean
  /** Whether it was begun on a device of the person’s own, and lasts longer. */
  readonly ownDevice: boolean
  /** What the browser calls itself. */
  readonly browser: string
  /** The address that it began from. */
  readonly peer: string
  /** When it began. Epoch ms. */
  readonly createdAt: number
  /** When it was last used. Epoch ms. */
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

/** What a program or agent comes in with, without its secret. */
export interface Credential {
  /** The id of the credential. */
  readonly link: string
  /** The id of its integration. */
  readonly integration: string
  /** What kind of credential it is. */
  readonly kind: 'key' | 'agent' | 'session'
  /** What it is called; may be empty. */
  readonly name: string
  /** Where the agent runs; empty for a key. */
  readonly platform: string
  readonly client: HostedClient | null
  /** As the activity log names it. */
  readonly label: string
  /** Whether it can be used now, or why not. */
  readonly state: 'active' | 'suspended' | 'expired' | 'ended' | 'disabled'
  /** Whether it was not used for a long time. */
  readonly stale: boolean
  /** When it was made. Epoch ms. */
  readonly createdAt: number
  /** Of an agent on a hosted platform: number of refresh tokens that could be exchanged next. More than one means several machines, or a copied token. */
  readonly branches?: number
  /** Number of streams that are open by it now. */
  readonly streams: number
  readonly lastUsed: CredentialLastUsed | null
}

/** Its last use. */
export interface CredentialLastUsed {
  /** When it was used. Epoch ms. */
  readonly at: number
  /** Which way it came. */
  readonly via: 'home' | 'cloud'
}

/** An agent that asks for access, or asked. */
export interface DecidedRequest {
  /** The id of the request. */
  readonly request: string
  /** What the agent shows. */
  readonly code: string
  /** What the agent calls itself. */
  readonly name: string
  /** Where it says that it runs. */
  readonly platform: string
  /** The integration that it asked for by id. */
  readonly record: string | null
  /** Whether it runs on a hosted platform. */
  readonly hosted: boolean
  readonly client: HostedClient | null
  readonly suggested: SuggestedScope | null
  /** Which way it came. */
  readonly via: 'home' | 'cloud'
  /** The network address it came from. */
  readonly peer: string
  /** When it asked. Epoch ms. */
  readonly askedAt: number
  /** Until when it waits. Epoch ms. */
  readonly expiresAt?: number
  /** Links of what the same agent has already. */
  readonly known?: readonly string[]
}

/** A pause before the next step. */
export interface DelayStep {
  /** Seconds to wait before the next step. */
  readonly delay: number
}

/** What GET /admin/v1/devices/{id} answers. */
export interface DevicesShowAnswer {
  /** The local id. */
  readonly device: string
  /** Name for people. */
  readonly name: string
  /** Scenes, automations and schedules that name it. */
  readonly usedBy: readonly DevicesShowAnswerUsedByItem[]
  /** Integrations that it is exposed to. */
  readonly seenBy: readonly DevicesShowAnswerSeenByItem[]
}

/** An integration that shows the device. */
export interface DevicesShowAnswerSeenByItem {
  /** The id of the integration. */
  readonly id: string
  /** What it is called. */
  readonly name: string
  /** False: nobody comes in by it now. */
  readonly enabled: boolean
}

/** A scene or rule that names the device. */
export interface DevicesShowAnswerUsedByItem {
  /** What it is. */
  readonly kind: 'scene' | 'automation' | 'schedule'
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** When the clock sets it off next, or null. Epoch ms. */
  readonly next: number | null
}

/** What GET /admin/v1/states answers. */
export interface DevicesStatesAnswer {
  /** When this was so. Epoch ms. */
  readonly at: number
  /** One entry for each device with a state. */
  readonly states: readonly DevicesStatesAnswerStatesItem[]
}

/** A device that has told its state. */
export interface DevicesStatesAnswerStatesItem {
  /** The local id. */
  readonly device: string
  /** When it was first confirmed in the state that it has now. Epoch ms. */
  readonly since: number
  /** Whether the state began then. False: the gateway knows of no state before, it began earlier. */
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

/** What POST /admin/v1/energy/jumps/{id} answers. */
export interface EnergyAnswerJumpAnswer {
  readonly answered: EnergyJump
}

/** What POST /admin/v1/energy/jumps/{id} takes. */
export interface EnergyAnswerJumpBody {
  /** `count`: add it to the sums. `other_meter`: another meter, so nothing is added. */
  readonly answer: 'count' | 'other_meter'
}

/** What POST /admin/v1/energy/corrections answers. */
export interface EnergyCorrectAnswer {
  /** True: nothing was changed. */
  readonly checked: boolean
  readonly correction: EnergyCorrection
}

/** What POST /admin/v1/energy/corrections takes. */
export interface EnergyCorrectBody {
  /** The local id of the device, also of a removed one. */
  readonly device: string
  /** Begin of the range, rounded down to a quarter of an hour. Epoch ms. */
  readonly from: number
  /** End of the range, rounded up to a quarter of an hour. Epoch ms. */
  readonly to: number
  /** Whether to say only what it would take out. */
  readonly check?: boolean
}

/** Energy that is taken out of all sums, or put back. */
export interface EnergyCorrection {
  /** Its number; null of a dry run. */
  readonly id: number | null
  /** The local id of the device, of a gang `UNIT:N`. */
  readonly device: string
  /** The name of the device; null where it is unknown. */
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
  /** Before this time only whole days are stored, so whole days were taken; null: nowhere. Epoch ms. */
  readonly wholeDaysBefore: number | null
}

/** What GET /admin/v1/energy/corrections answers. */
export interface EnergyCorrectionsAnswer {
  readonly corrections: readonly EnergyCorrectionsAnswerCorrectionsItem[]
}

/** A correction. */
export interface EnergyCorrectionsAnswerCorrectionsItem {
  /** Its number. */
  readonly id: number
  /** When it was made. Epoch ms. */
  readonly at: number
  /** The local id of the device, of a gang `UNIT:N`. */
  readonly device: string
  /** The name of the device; null where it is unknown. */
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

/** A counter grew by more than its device is believed to have taken. */
export interface EnergyJump {
  /** Its number. */
  readonly id: number
  /** The local id of the device, of a gang `UNIT:N`. */
  readonly device: string
  /** The name of the device, or the name that it had before it left the house; null where unknown. */
  readonly name: string | null
  /** Time of the last value before the jump. Epoch ms. */
  readonly from: number
  /** Time of the first value after it. Epoch ms. */
  readonly to: number
  /** Watt-hours that "count it" would add, spread over that time. */
  readonly energy: number
}

/** What GET /admin/v1/energy/jumps answers. */
export interface EnergyJumpsAnswer {
  readonly jumps: readonly EnergyJump[]
}

/** What DELETE /admin/v1/energy/corrections/{id} answers. */
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
  readonly code: Open<'unauthorized' | 'session_expired' | 'record_disabled' | 'unlock_not_allowed' | 'config_not_allowed' | 'not_offered' | 'structural_not_allowed' | 'not_found' | 'revision_mismatch' | 'validation' | 'hmhc_unavailable' | 'unit_unreachable' | 'agent_access_disabled' | 'automations_not_allowed' | 'schedules_not_allowed' | 'cloud_access_disabled' | 'confirmation_required' | 'sign_in_again' | 'phrase_needed' | 'wrong_phrase' | 'origin_not_allowed' | 'outcome_unknown' | 'method_not_allowed' | 'payload_too_large' | 'unsupported_media_type' | 'misdirected_request' | 'upgrade_required' | 'rate_limited' | 'internal' | 'storage_unavailable' | 'safe_mode' | 'overloaded' | 'gateway_offline' | 'gateway_timeout' | 'relay_unavailable'>
  /** One plain sentence for a person. */
  readonly message: string
  /** The screen or permission of the app where the user can fix it. */
  readonly appAction?: string
  /** Seconds. */
  readonly retryAfter?: number
}

/** Requests without a valid credential, of one address. */
export interface FailedAuthentications {
  /** Whose they are; null: several more addresses together. */
  readonly address: string | null
  /** Whether they came through the relay, by whose word the address stands; null: both, or unknown. */
  readonly via: 'home' | 'cloud' | null
  /** How many. */
  readonly count: number
  /** The first of them. Epoch ms. */
  readonly from: number
  /** The last of them. Epoch ms. */
  readonly to: number
}

/** What GET /admin/v1/failed-authentications answers. */
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

/** What POST /admin/v1/history/export answers. */
export interface HistoryExportAnswer {
  /** The path of a file on the gateway's own disk. */
  readonly file: string
  /** Rows that were written. */
  readonly rows: number
  /** The size of the file in bytes. */
  readonly bytes: number
}

/** What POST /admin/v1/history/export takes. */
export interface HistoryExportBody {
  /** Which table. */
  readonly table: 'activity' | 'detections' | 'readings' | 'energy'
  /** The path of a file on the gateway's own disk. */
  readonly file: string
  /** Rows from then on. Epoch ms. */
  readonly from?: number
  /** Rows before then. Epoch ms. */
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
}

/** What PATCH /admin/v1/home answers. */
export interface HomeSetAnswer {
  readonly home: Home
}

/** What PATCH /admin/v1/home takes. */
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
  /** Must be true to change the currency while there is a tariff or a cost: nothing is converted, so all amounts get the name of the new currency. */
  readonly relabelCosts?: boolean
}

/** What GET /admin/v1/home answers. */
export interface HomeShowAnswer {
  readonly home: Home
}

/** The OAuth client of an agent on a hosted platform. */
export interface HostedClient {
  /** The OAuth client id. */
  readonly id: string
  /** The host that the answer to its request goes to. */
  readonly redirectHost: string
  /** Whether its name is proved by the domain of its id; else it has named itself. */
  readonly proved: boolean
  /** The account at the relay whose user asked. */
  readonly account: string
  /** What its tokens are for: `mcp`, or `mcp/r/{integration}`. */
  readonly door: string
}

/** What GET /admin/v1/house/file answers. */
export interface HouseExportAnswer {
  /** YAML. */
  readonly file: string
}

/** What PUT /admin/v1/house/file answers. */
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
  /** Automations in the file. */
  readonly automations: number
  /** Schedules in the file. */
  readonly schedules: number
  /** How much it removes where that is more than half of a kind, as in `34 of 34 units`: it then needs `yes`. Else null. */
  readonly removesMost: string | null
  /** The name of the backup that was made before an import that removes most of a kind, or null. */
  readonly backup: string | null
  /** With `check`: what the import would change. */
  readonly differences?: readonly HouseImportAnswerDifferencesItem[]
  /** With `check`: the integrations that would show other things. */
  readonly integrations?: readonly HouseImportAnswerIntegrationsItem[]
  /** With `check`: devices with a past that would leave. Their energy and activity stay for integrations that expose everything, as `gone`; to others they become hidden. */
  readonly leaving?: readonly LeavingDevice[]
  /** Devices of another class than on the bus; scenes and rules that open a lock or gate, and whose author may not; costs that get the name of another currency. */
  readonly warnings: readonly string[]
}

/** A part of the home that would differ. */
export interface HouseImportAnswerDifferencesItem {
  /** What would happen to it. */
  readonly change: 'added' | 'changed' | 'removed'
  /** What it is. */
  readonly kind: 'home' | 'floor' | 'room' | 'unit' | 'scene' | 'automation' | 'schedule'
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** What differs of a part that is changed. */
  readonly fields: readonly string[]
}

/** An integration that would show other things. */
export interface HouseImportAnswerIntegrationsItem {
  /** The id of the integration. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** What it does not show now and would. */
  readonly appears: readonly Shown[]
  /** What it shows now and would not. */
  readonly disappears: readonly Shown[]
}

/** What PUT /admin/v1/house/file takes. */
export interface HouseImportBody {
  /** The content of the file, YAML. */
  readonly file: string
  /** Whether it is only to be checked. */
  readonly check?: boolean
  /** Must be true to change the currency while there is a tariff or a cost: nothing is converted, so all amounts get the name of the new currency. */
  readonly relabelCosts?: boolean
  /** Whether it may remove more than half of the units, rooms, scenes or rules. */
  readonly yes?: boolean
}

/** What POST /admin/v1/house/place answers. */
export interface HousePlaceAnswer {
  readonly unit: HousePlaceAnswerUnit
}

/** The unit as it is now. */
export interface HousePlaceAnswerUnit {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Its address on the unit protocol. */
  readonly address: number
  /** The hardware model where it is known. */
  readonly model: string | null
  /** What it is and can do. */
  readonly class: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'gang_module'
  /** The local id of its room, or null. */
  readonly room: string | null
  /** Its place in the list. */
  readonly position: number
  /** Of a switch: whether it feeds a lamp; missing where nobody said. */
  readonly light?: boolean
  readonly gangs: readonly HousePlaceAnswerUnitGangsItem[]
}

/** One gang of a module. */
export interface HousePlaceAnswerUnitGangsItem {
  /** Its position on the module, from 0. */
  readonly gang: number
  /** Name for people. */
  readonly name: string
  /** What it is and can do. */
  readonly class: 'switch_gang' | 'shutter_gang'
  /** The local id of its room, or null. */
  readonly room: string | null
  /** Of a switch: whether it feeds a lamp; missing where nobody said. */
  readonly light?: boolean
}

/** What POST /admin/v1/house/place takes. */
export interface HousePlaceBody {
  /** The local id of a unit to move or rename, or of a new one. */
  readonly unit?: string
  /** The address of a unit found on the bus. */
  readonly address?: number
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  /** The local id of its room. */
  readonly room?: string | null
  /** Of a switch: whether it feeds a lamp; null where that is not to be said any more. */
  readonly light?: boolean | null
  readonly gangs?: readonly HousePlaceBodyGangsItem[]
}

/** One gang of it. */
export interface HousePlaceBodyGangsItem {
  /** Its position on the module, from 0. */
  readonly gang: number
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  /** What it is and can do. */
  readonly class?: 'switch_gang' | 'shutter_gang'
  /** The local id of its room. */
  readonly room?: string | null
  /** Of a switch: whether it feeds a lamp; null where that is not to be said any more. */
  readonly light?: boolean | null
}

/** What POST /admin/v1/house/replace answers. */
export interface HouseReplaceAnswer {
  /** True: nothing was changed. */
  readonly dryRun: boolean
  /** Another text whenever units or places differ; for `ifRevision`. */
  readonly revision: string
  /** The replaced unit, and the one that it exchanges its address with. */
  readonly units: readonly HouseReplaceAnswerUnitsItem[]
  /** All places that do not fit, each with what is done with it. */
  readonly places: readonly MisfitPlace[]
  /** Settings of the old unit that are written to the new one after the answer; the activity tells of each whether it was done. */
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
  /** False: settings of the unit before are not known, so that none of them is written to the new one. */
  readonly settingsKnown: boolean
  /** False: the new unit is a sensor or meter that did not report what it measures, so that triggers and conditions about its readings and detections are not among the places. */
  readonly readingsKnown: boolean
}

/** What POST /admin/v1/house/replace takes. */
export interface HouseReplaceBody {
  /** The local id of the unit to replace. */
  readonly unit: string
  /** The address of the new unit. Where another unit of the house has it, the two exchange addresses. */
  readonly address: number
  /** Whether nothing is to be changed. */
  readonly dryRun?: boolean
  /** The revision of the list that somebody agreed to: refused where it is another one now. */
  readonly ifRevision?: string
}

/** What GET /admin/v1/house answers. */
export interface HouseShowAnswer {
  readonly info: Home
  readonly floors: readonly HouseShowAnswerFloorsItem[]
  readonly rooms: readonly HouseShowAnswerRoomsItem[]
  readonly units: readonly HouseShowAnswerUnitsItem[]
  readonly scenes: readonly LocalScene[]
  readonly unplaced: readonly BusUnit[]
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
  /** What it is and can do. */
  readonly class: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'gang_module'
  /** The local id of its room, or null. */
  readonly room: string | null
  /** Its place in the list. */
  readonly position: number
  /** Of a switch: whether it feeds a lamp; missing where nobody said. */
  readonly light?: boolean
  readonly gangs: readonly HouseShowAnswerUnitsItemGangsItem[]
  /** Whether it answers. */
  readonly reachable: boolean
}

/** One gang of a module. */
export interface HouseShowAnswerUnitsItemGangsItem {
  /** Its position on the module, from 0. */
  readonly gang: number
  /** Name for people. */
  readonly name: string
  /** What it is and can do. */
  readonly class: 'switch_gang' | 'shutter_gang'
  /** The local id of its room, or null. */
  readonly room: string | null
  /** Of a switch: whether it feeds a lamp; missing where nobody said. */
  readonly light?: boolean
}

/** What POST /admin/v1/incidents/acknowledge answers. */
export interface IncidentsAcknowledgeAnswer {
  /** How many there were. */
  readonly acknowledged: number
}

/** What POST /admin/v1/incidents/acknowledge takes. */
export interface IncidentsAcknowledgeBody {
  /** The number of the last one that was read. */
  readonly upTo: number
}

/** What programs or agents may see and do. */
export interface Integration {
  /** The id of the integration. */
  readonly id: string
  /** What it is called. */
  readonly name: string
  /** False: nobody comes in by it. */
  readonly enabled: boolean
  /** `all`, or `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`. */
  readonly expose: readonly string[]
  readonly settings: Settings
  /** When it was made. Epoch ms. */
  readonly createdAt: number
  /** Another text after each change of it; for `ifRevision`. */
  readonly revision: string
  /** What it can be come in with. */
  readonly credentials: readonly Credential[]
}

/** What PATCH /admin/v1/integrations/{id} answers. */
export interface IntegrationsChangeAnswer {
  readonly integration: Integration
  /** Automations and schedules that open a lock or gate, and whose author may no more. */
  readonly switchedOff?: readonly string[]
  /** Scenes of the same kind: running them is refused to everybody while their author may not. */
  readonly scenesRefused?: readonly string[]
  /** There where the disk takes no writes now: it holds at once, and is stored as soon as the disk takes it; a start before that may undo it. */
  readonly unstored?: true
  /** Knobs that go off by themselves: the new exposure does not offer them. */
  readonly knobsOff?: readonly string[]
}

/** What PATCH /admin/v1/integrations/{id} takes. */
export interface IntegrationsChangeBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  readonly settings?: IntegrationsChangeBodySettings
  /** `all`, or `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`. */
  readonly expose?: readonly string[]
  /** False: nobody comes in by it. */
  readonly enabled?: boolean
  /** The revision that was read: refused where somebody has changed the integration since. */
  readonly ifRevision?: string
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
}

/** What POST /admin/v1/integrations answers. */
export interface IntegrationsCreateAnswer {
  readonly integration: Integration
}

/** What POST /admin/v1/integrations takes. */
export interface IntegrationsCreateBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** `all`, or `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`. */
  readonly expose?: readonly string[]
  readonly settings?: IntegrationsCreateBodySettings
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
}

/** What DELETE /admin/v1/integrations/{id} answers. */
export interface IntegrationsDeleteAnswer {
  /** The id of the integration. */
  readonly deleted: string
  /** Automations and schedules that open a lock or gate, and whose author may no more. */
  readonly switchedOff?: readonly string[]
  /** Scenes of the same kind: running them is refused to everybody while their author may not. */
  readonly scenesRefused?: readonly string[]
  /** There where the disk takes no writes now: it holds at once, and is stored as soon as the disk takes it; a start before that may undo it. */
  readonly unstored?: true
}

/** What GET /admin/v1/integrations answers. */
export interface IntegrationsListAnswer {
  readonly integrations: readonly Integration[]
}

/** What POST /admin/v1/integrations/{id}/preview answers. */
export interface IntegrationsPreviewAnswer {
  /** As it would be. */
  readonly integration: Integration
  /** What it does not show now and would. */
  readonly appears: readonly Shown[]
  /** What it shows now and would not. */
  readonly disappears: readonly Shown[]
  /** Knobs that would have another value. */
  readonly changes: readonly IntegrationsPreviewAnswerChangesItem[]
  /** Credentials that would be in another state. */
  readonly credentials: readonly IntegrationsPreviewAnswerCredentialsItem[]
  /** Automations and schedules that open a lock or gate, and whose author may no more. */
  readonly switchedOff?: readonly string[]
  /** Scenes of the same kind: running them is refused to everybody while their author may not. */
  readonly scenesRefused?: readonly string[]
  /** Knobs that go off by themselves: the new exposure does not offer them. */
  readonly knobsOff?: readonly string[]
}

/** A knob with its values. */
export interface IntegrationsPreviewAnswerChangesItem {
  /** A knob, or `enabled`. */
  readonly what: string
  /** Its value now. */
  readonly from: string
  /** Its value then. */
  readonly to: string
  /** One sentence about what holds then. */
  readonly means: string
}

/** A credential with its states. */
export interface IntegrationsPreviewAnswerCredentialsItem {
  /** The id of the credential. */
  readonly link: string
  /** As the activity log names it. */
  readonly label: string
  /** Whether it can be used now, or why not. */
  readonly from: 'active' | 'suspended' | 'expired' | 'ended' | 'disabled'
  /** Whether it can be used now, or why not. */
  readonly to: 'active' | 'suspended' | 'expired' | 'ended' | 'disabled'
}

/** What POST /admin/v1/integrations/{id}/preview takes. */
export interface IntegrationsPreviewBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  readonly settings?: IntegrationsPreviewBodySettings
  /** `all`, or `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`. */
  readonly expose?: readonly string[]
  /** False: nobody comes in by it. */
  readonly enabled?: boolean
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
}

/** What POST /admin/v1/integrations/{id}/preview/house answers. */
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
  /** The name of the home. */
  readonly house: string
}

/** What POST /admin/v1/integrations/{id}/preview/house takes. */
export interface IntegrationsPreviewHouseBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name?: string
  readonly settings?: IntegrationsPreviewHouseBodySettings
  /** `all`, or `floor:ID`, `room:ID`, `unit:ID`, `gang:ID:N`, `scene:ID`. */
  readonly expose?: readonly string[]
  /** False: nobody comes in by it. */
  readonly enabled?: boolean
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
}

/** What GET /admin/v1/integrations/{id} answers. */
export interface IntegrationsShowAnswer {
  readonly integration: Integration
}

/** What GET /admin/v1/devices/{id}/intents answers. */
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
  /** How to read the list, in a sentence. */
  readonly note: string
}

/** One of the unit's own schedules. */
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
  /** What it does and when: `turn on at 07:00 on Mon-Fri`. */
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

/** What POST /admin/v1/keys answers. */
export interface KeysCreateAnswer {
  /** The token, shown this once. A secret. */
  readonly token: string
  /** The id of the credential. */
  readonly link: string
  /** SHA-256 of the gateway's CA. */
  readonly fingerprint: string
  /** Addresses, fingerprint and token as one text, for clients. As secret as the token. */
  readonly connectionCode: string
}

/** What POST /admin/v1/keys takes. */
export interface KeysCreateBody {
  /** The id of its integration. */
  readonly integration: string
  /** What it is called. */
  readonly name?: string
}

/** What GET /admin/v1/keys answers. */
export interface KeysListAnswer {
  readonly keys: readonly Credential[]
}

/** What DELETE /admin/v1/keys/{id} answers. */
export interface KeysRevokeAnswer {
  /** The link of the credential. */
  readonly revoked: string
  /** Automations and schedules that open a lock or gate, and whose author may no more. */
  readonly switchedOff?: readonly string[]
  /** Scenes of the same kind: running them is refused to everybody while their author may not. */
  readonly scenesRefused?: readonly string[]
  /** There where the disk takes no writes now: it holds at once, and is stored as soon as the disk takes it; a start before that may undo it. */
  readonly unstored?: true
}

/** What GET /admin/v1/keys/{id} answers. */
export interface KeysShowAnswer {
  readonly key: Credential
  /** Automations and schedules that open a lock or gate, and whose author may no more. */
  readonly switchedOff?: readonly string[]
  /** Scenes of the same kind: running them is refused to everybody while their author may not. */
  readonly scenesRefused?: readonly string[]
}

/** A device with energy or activity that would leave the house. */
export interface LeavingDevice {
  /** The local id of the device, of a gang `UNIT:N`. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Watt-hours that it took so far. */
  readonly energy: number
}

/** What POST /admin/v1/links answers. */
export interface LinksCreateAnswer {
  /** The same link at each address of the gateway. Secrets. */
  readonly links: readonly string[]
  /** Until when it opens, once. Epoch ms. */
  readonly expiresAt: number
}

/** What POST /admin/v1/links takes. */
export interface LinksCreateBody {
  /** The name of a person, who comes in as themselves. */
  readonly person?: string
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
  /** How many edits concern which devices; null is everybody who sees the scene. */
  readonly edits: readonly LocalSceneEditsItem[]
  readonly origin: Origin | null
  /** By whose leave it opens what it opens, or null. */
  readonly author: Origin | null
  /** Its place in the list. */
  readonly position: number
}

/** Edits of the same devices. */
export interface LocalSceneEditsItem {
  /** Local ids; null: everybody. */
  readonly devices: readonly string[] | null
  /** How many edits. */
  readonly count: number
}

/** State of a lock. */
export interface LockState {
  /** Time of the last confirmation by the unit. Epoch ms. */
  readonly asOf: number
  /** False: it is open. */
  readonly locked: boolean
}

/** What PUT /admin/v1/log/level answers. */
export interface LogLevelAnswer {
  /** Lines of this level and graver ones are written. */
  readonly level: 'silent' | 'error' | 'warn' | 'info' | 'debug'
}

/** What PUT /admin/v1/log/level takes. */
export interface LogLevelBody {
  /** Lines of this level and graver ones are written. */
  readonly level: 'silent' | 'error' | 'warn' | 'info' | 'debug'
}

/** A line of the log. */
export interface LogLine {
  /** Its number; later ones have higher numbers, and a restart begins anew. */
  readonly seq: number
  /** When it was written. Epoch ms. */
  readonly at: number
  /** How grave it is. */
  readonly level: 'error' | 'warn' | 'info' | 'debug'
  /** One sentence. */
  readonly what: string
  /** Facts beside it. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** What GET /admin/v1/log answers. */
export interface LogListAnswer {
  /** Lines of this level and graver ones are written. */
  readonly level: 'silent' | 'error' | 'warn' | 'info' | 'debug'
  /** Another one after each start, which gives lines new numbers. */
  readonly run: string
  /** The lines. */
  readonly lines: readonly LogLine[]
}

/** A passkey as a browser made it: `toJSON()` of what it created. */
export interface MadePasskey {
  /** Which passkey it is. base64url. */
  readonly id: string
  /** The same. base64url. */
  readonly rawId: string
  readonly response: MadePasskeyResponse
}

/** What was made. */
export interface MadePasskeyResponse {
  /** What the browser made it for. base64url. */
  readonly clientDataJSON: string
  /** The new passkey. base64url. */
  readonly attestationObject: string
}

/** A place that refers to a replaced unit and does not fit the new one. */
export interface MisfitPlace {
  /** What the place belongs to. */
  readonly kind: 'scene' | 'automation' | 'schedule' | 'unit' | 'integration' | 'confirmation'
  /** The id of the scene, rule, unit, integration or confirmation. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** The field of it: a trigger, a condition, a step, a light flag, a pick or a call. */
  readonly part: 'when' | 'if' | 'then' | 'steps' | 'light' | 'expose' | 'call'
  /** The position in that field, from 0; null: it is no list. */
  readonly position: number | null
  /** The local id. */
  readonly device: string
  /** The place in words: `Floor lamp: set brightness to 40 %`. */
  readonly what: string
  /** Why it does not fit the new unit, as the end of a sentence. */
  readonly problem: string
  /** What is done with it. `change`: it becomes `becomes`; `leave_out`; `switch_off`: it is left out and the rule switched off; `delete`: nothing is left of the rule, which is deleted; `end`: the confirmation ends. */
  readonly proposal: 'change' | 'leave_out' | 'switch_off' | 'delete' | 'end'
  /** With `change`: what takes its place, in words; else null. */
  readonly becomes: string | null
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

/** An empty object, for clients that always send arguments. */
export interface MoveStepArgs {

}

/** A program that looks after the gateway, and sees nothing of the home. */
export interface Operator {
  /** The id of the token. */
  readonly id: string
  /** What it is called. */
  readonly name: string
  /** What it lets do: read the metrics, fetch backups. */
  readonly scopes: ReadonlyArray<'metrics' | 'backup'>
  /** When it was made. Epoch ms. */
  readonly createdAt: number
  /** When it was last used, epoch ms, to the hour, or null. */
  readonly usedAt: number | null
}

/** What POST /admin/v1/operators answers. */
export interface OperatorsCreateAnswer {
  /** The token. A secret. */
  readonly token: string
  readonly operator: Operator
}

/** What POST /admin/v1/operators takes. */
export interface OperatorsCreateBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** What it lets do: read the metrics, fetch backups. */
  readonly scopes: ReadonlyArray<'metrics' | 'backup'>
}

/** What DELETE /admin/v1/operators/{id} answers. */
export interface OperatorsDeleteAnswer {
  /** The id of the token. */
  readonly deleted: string
  /** There where the disk takes no writes now: it holds at once, and is stored as soon as the disk takes it; a start before that may undo it. */
  readonly unstored?: true
}

/** What GET /admin/v1/operators answers. */
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

/** A key of a person that a device or a password manager keeps. */
export interface Passkey {
  /** The id of the passkey. */
  readonly id: string
  /** The id of its person. */
  readonly person: string
  /** What its person calls it. */
  readonly name: string
  /** At which name of the gateway it works. */
  readonly site: string
  /** When it was made. Epoch ms. */
  readonly createdAt: number
  /** When it was last used, epoch ms, or null. */
  readonly usedAt: number | null
}

/** What the browser takes to make a passkey, as JSON of WebAuthn. */
export interface PasskeyCreation {
  /** What is signed. It holds five minutes, once. base64url. */
  readonly challenge: string
  readonly rp: PasskeyCreationRp
  readonly user: PasskeyCreationUser
  /** The kinds of keys that are taken, the best first. */
  readonly pubKeyCredParams: readonly PasskeyCreationPubKeyCredParamsItem[]
  /** Milliseconds. */
  readonly timeout: number
  /** Those that there are already. */
  readonly excludeCredentials: readonly PasskeyCreationExcludeCredentialsItem[]
  readonly authenticatorSelection: PasskeyCreationAuthenticatorSelection
  /** Who made its keeper is not asked. */
  readonly attestation: 'none'
}

/** What its keeper must be able to do. */
export interface PasskeyCreationAuthenticatorSelection {
  /** It names its person by itself. */
  readonly residentKey: 'required'
  /** The same, for older browsers. */
  readonly requireResidentKey: boolean
  /** A finger, a face or a PIN is wanted. */
  readonly userVerification: 'required'
}

/** A passkey. */
export interface PasskeyCreationExcludeCredentialsItem {
  /** What it is. */
  readonly type: 'public-key'
  /** Which. base64url. */
  readonly id: string
}

/** A kind of key. */
export interface PasskeyCreationPubKeyCredParamsItem {
  /** What it is. */
  readonly type: 'public-key'
  /** Its number among the algorithms of COSE. */
  readonly alg: number
}

/** Where it will work. */
export interface PasskeyCreationRp {
  /** The name that it is for. */
  readonly id: string
  /** What the browser calls that. */
  readonly name: string
}

/** Whose it will be. */
export interface PasskeyCreationUser {
  /** The person, base64url. */
  readonly id: string
  /** What they are called. */
  readonly name: string
  /** The same. */
  readonly displayName: string
}

/** A passkey. */
export interface PasskeyProof {
  readonly passkey: ShownPasskey
}

/** What the browser takes to show a passkey, as JSON of WebAuthn. */
export interface PasskeyRequest {
  /** What is signed. It holds five minutes, once. base64url. */
  readonly challenge: string
  /** The name that it was made for. */
  readonly rpId: string
  /** Milliseconds. */
  readonly timeout: number
  /** A finger, a face or a PIN is wanted. */
  readonly userVerification: 'required'
  /** Which may be shown; none: any. */
  readonly allowCredentials: readonly PasskeyRequestAllowCredentialsItem[]
}

/** A passkey. */
export interface PasskeyRequestAllowCredentialsItem {
  /** What it is. */
  readonly type: 'public-key'
  /** Which. base64url. */
  readonly id: string
}

/** What POST /admin/v1/passkeys answers. */
export interface PasskeysCreateAnswer {
  readonly passkey: Passkey
}

/** What POST /admin/v1/passkeys takes. */
export interface PasskeysCreateBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  readonly passkey: MadePasskey
}

/** What DELETE /admin/v1/passkeys/{id} answers. */
export interface PasskeysDeleteAnswer {
  /** The id of the passkey. */
  readonly deleted: string
  /** There where the disk takes no writes now: it holds at once, and is stored as soon as the disk takes it; a start before that may undo it. */
  readonly unstored?: true
}

/** What GET /admin/v1/passkeys answers. */
export interface PasskeysListAnswer {
  readonly passkeys: readonly Passkey[]
}

/** What POST /admin/v1/passkeys/options answers. */
export interface PasskeysOptionsAnswer {
  readonly options: PasskeyCreation
}

/** The password. */
export interface PasswordProof {
  /** Theirs. A secret. */
  readonly password: string
}

/** The request that the relay has not confirmed yet. The gateway repeats it with each connection to that relay. */
export interface PendingRelayRequest {
  /** `unlink`: to forget all accounts; nobody reaches the home through it meanwhile. `link`: to make a code. */
  readonly wish: 'link' | 'unlink'
  /** The address of the relay. */
  readonly url: string
  /** When an administrator asked for it. Epoch ms. */
  readonly since: number
}

/** Somebody who administers the home by name. */
export interface Person {
  /** The id of the person. */
  readonly id: string
  /** What the person is called: changes of theirs are logged under it. */
  readonly name: string
  /** Whether they can sign in with a password. */
  readonly hasPassword: boolean
  /** When they were made an administrator. Epoch ms. */
  readonly createdAt: number
}

/** What POST /admin/v1/persons answers. */
export interface PersonsCreateAnswer {
  readonly person: Person
}

/** What POST /admin/v1/persons takes. */
export interface PersonsCreateBody {
  /** Text for people: no control, direction-changing, invisible or line-breaking characters. */
  readonly name: string
  /** A password. A secret. */
  readonly password?: string
}

/** What DELETE /admin/v1/persons/{id} answers. */
export interface PersonsDeleteAnswer {
  /** The id of the person. */
  readonly deleted: string
  /** There where the disk takes no writes now: it holds at once, and is stored as soon as the disk takes it; a start before that may undo it. */
  readonly unstored?: true
}

/** What GET /admin/v1/persons answers. */
export interface PersonsListAnswer {
  readonly persons: readonly Person[]
}

/** What PUT /admin/v1/persons/{id}/password answers. */
export interface PersonsPasswordAnswer {
  readonly person: Person
}

/** What PUT /admin/v1/persons/{id}/password takes. */
export interface PersonsPasswordBody {
  /** A password. A secret. */
  readonly password: string
}

/** A physical unit behind an id of the house. */
export interface PhysicalUnit {
  /** Its address on the unit protocol. */
  readonly address: number
  /** The hardware model where it is known. */
  readonly model: string | null
  /** What it is and can do. */
  readonly class: 'light_switch' | 'light_dimmer' | 'shutter' | 'curtain' | 'power_switch' | 'sense_switch' | 'ac' | 'ir_remote' | 'lock' | 'gate' | 'sensor' | 'meter' | 'gang_module'
  /** Empty unless it is a module. */
  readonly gangs: readonly PhysicalUnitGangsItem[]
}

/** One gang of it. */
export interface PhysicalUnitGangsItem {
  /** Its position on the module, from 0. */
  readonly gang: number
  /** What it is and can do. */
  readonly class: 'switch_gang' | 'shutter_gang'
}

/** The arguments of set_position. */
export interface PositionArgs {
  /** Percent open: 0 closed, 100 open. */
  readonly pos: number
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

/** The relay through which the home is reached from outside. */
export interface Relay {
  /** The id of this gateway, which the page of the relay shows for comparison. */
  readonly serial: string
  /** `off`: no relay is connected; `unlinked`: no account may reach the home yet, so nobody does. */
  readonly state: 'off' | 'connecting' | 'unlinked' | 'linked'
  /** The address of the relay, or null. */
  readonly url: string | null
  /** SHA-256 of the relay's own CA where that alone is trusted, or null. */
  readonly fingerprint: string | null
  /** The accounts that are linked, as the relay told. */
  readonly accounts: readonly string[]
  /** Whether clients reach the gateway's own TLS through the relay, which then cannot read what passes: not, beside requests that it can read, or in no other way. */
  readonly passthrough: 'off' | 'on' | 'only'
  /** Why there is no tunnel, in one sentence, or null. */
  readonly trouble: string | null
  /** True while this gateway leaves the home to another one with a copy of its data folder. An administrator ends it by connecting the relay again. */
  readonly gaveWay?: boolean
  /** When another gateway with a copy of this data folder was at the relay last, epoch milliseconds, within a day; else null. The gateway that connected first gives way. */
  readonly rivalAt: number | null
  /** The connections that are open now. */
  readonly tunnels: readonly RelayTunnelsItem[]
  readonly pending: PendingRelayRequest | null
  readonly link: RelayLink | null
}

/** What POST /admin/v1/relay takes. */
export interface RelayConnectBody {
  /** `https://host[:port]`. */
  readonly url: string
  /** SHA-256 of the relay's own CA. Without it the relay of now keeps its CA, and another one needs a public certificate. */
  readonly fingerprint?: string | null
}

/** How an account is linked now. */
export interface RelayLink {
  /** What the owner types there. */
  readonly code: string
  /** The page of the relay. */
  readonly url: string
  /** Until when it holds. Epoch ms. */
  readonly expiresAt: number
}

/** What PUT /admin/v1/relay/passthrough takes. */
export interface RelayPassthroughBody {
  /** Whether clients reach the gateway's own TLS through the relay, which then cannot read what passes: not, beside requests that it can read, or in no other way. */
  readonly mode: 'off' | 'on' | 'only'
}

/** A connection to the relay. */
export interface RelayTunnelsItem {
  /** 0 or 1. */
  readonly slot: number
  /** Which node of the relay it leads to. */
  readonly node: string
  /** Milliseconds since the relay answered last. */
  readonly silentMs: number
  /** Requests and sockets that are under way over it. */
  readonly streams: number
}

/** What program runs, and what it made of the databases. */
export interface Release {
  /** Version of the program. */
  readonly version: string
  /** Version of the interface that it serves. */
  readonly interface: string
  /** The Node that runs it. */
  readonly node: string
  /** System and processor, such as `linux arm64`. */
  readonly platform: string
  readonly configuration: ReleaseConfiguration
  readonly history: ReleaseHistory
  readonly changes: ReleaseChanges | null
}

/** What the newest release brought; null where the changelog was not installed. */
export interface ReleaseChanges {
  /** The release, with its date where it has one; `Unreleased` for what is not in one yet. */
  readonly heading: string
  /** In the order of the changelog. */
  readonly parts: readonly ReleaseChangesPartsItem[]
}

/** Changes of one kind. */
export interface ReleaseChangesPartsItem {
  /** Added, Changed, Fixed and the like. */
  readonly title: string
  /** One for each change, with Markdown for code alone. */
  readonly entries: readonly string[]
}

/** The database of the configuration. */
export interface ReleaseConfiguration {
  /** How many steps brought its tables to where they are. */
  readonly version: number
  /** The name of the last one. */
  readonly step: string
}

/** The database of the history. */
export interface ReleaseHistory {
  /** How many steps brought its tables to where they are. */
  readonly version: number
  /** The name of the last one. */
  readonly step: string
}

/** State of an ir_remote; `key` is null before the first key. */
export interface RemoteState {
  /** Time of the last confirmation by the unit. Epoch ms. */
  readonly asOf: number
  /** The key sent last. */
  readonly key: Open<'power' | 'up' | 'down' | 'left' | 'right' | 'ok' | 'back' | 'home' | 'menu' | 'volume_up' | 'volume_down' | 'mute' | 'channel_up' | 'channel_down' | 'play' | 'pause' | 'stop' | 'source'>
}

/** What a restore does. */
export interface Restoring {
  /** When the backup was made. Epoch ms. */
  readonly at: number
  readonly contents: BackupContents
  /** Whether the data folder holds this home already, another one, or none. */
  readonly present: 'none' | 'this' | 'another'
  /** Credentials that have ended since and would live again; they stay ended unless `revive` says so. */
  readonly ended: readonly RestoringEndedItem[]
  /** Credentials that were made since: they end. */
  readonly lost: readonly RestoringLostItem[]
  /** Who administers the home afterwards. */
  readonly persons: readonly RestoringPersonsItem[]
  /** Names of persons who came since: they are gone. */
  readonly lostPersons: readonly string[]
  readonly phrase: RestoringPhrase
  /** The folder in the data folder that what is there moves to, or null. */
  readonly aside: string | null
  /** Whether the gateway restores it now and starts anew; false where it was only looked at. */
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
  /** Which password counts: the `same` as now, or the one of `then`; `none`: they have none. */
  readonly password: 'same' | 'then' | 'none'
}

/** Which recovery phrase backups are encrypted with afterwards. */
export interface RestoringPhrase {
  /** The one of `now` stays, or the one of the `backup` holds again; `none`: there is none. */
  readonly from: 'now' | 'backup' | 'none'
  /** Since when it holds, in epoch milliseconds; null: there is none. */
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

/** Starts a scene and continues at once. */
export interface RunSceneStep {
  /** The id of a device or scene. */
  readonly scene: string
}

/** What GET /admin/v1/runs answers. */
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

/** A scene, told in words. */
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
  /** Whether it runs now. */
  readonly running: boolean
  /** In words, one sentence each. */
  readonly steps: readonly string[]
  /** Automations and schedules: `automation Dusk (id)`. */
  readonly usedBy: readonly string[]
}

/** What DELETE /admin/v1/scenes/{id} answers. */
export interface ScenesDeleteAnswer {
  /** The local id. */
  readonly deleted: string
}

/** What GET /admin/v1/scenes answers. */
export interface ScenesListAnswer {
  readonly scenes: readonly SceneInWords[]
}

/** What GET /admin/v1/scenes/{id} answers. */
export interface ScenesShowAnswer {
  readonly scene: SceneInWords
}

/** A schedule, told in words. */
export interface ScheduleInWords {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** False: it never runs by itself. */
  readonly enabled: boolean
  /** Increases with every edit that this integration can see. */
  readonly revision: number
  /** The credential's label, or null: an administrator. */
  readonly createdBy: string | null
  /** When, in words. */
  readonly at: string
  /** The next run, or null. Epoch ms. */
  readonly next: number | null
  /** In words, one sentence each. */
  readonly then: readonly string[]
}

/** What DELETE /admin/v1/schedules/{id} answers. */
export interface SchedulesDeleteAnswer {
  /** The local id. */
  readonly deleted: string
}

/** What GET /admin/v1/schedules answers. */
export interface SchedulesListAnswer {
  readonly schedules: readonly ScheduleInWords[]
}

/** What GET /admin/v1/schedules/{id} answers. */
export interface SchedulesShowAnswer {
  readonly schedule: ScheduleInWords
}

/** What PATCH /admin/v1/schedules/{id} answers. */
export interface SchedulesSwitchAnswer {
  readonly schedule: ScheduleInWords
}

/** What PATCH /admin/v1/schedules/{id} takes. */
export interface SchedulesSwitchBody {
  /** Whether it runs by itself. The administrator who switches it on answers for what it does. */
  readonly enabled: boolean
}

/** Whoever sends requests for access. */
export interface Sender {
  /** Its address; of an IPv6 one the network. */
  readonly address: string
  /** Which way it comes. */
  readonly via: 'home' | 'cloud'
  /** Until when. Epoch ms. */
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

/** What POST /admin/v1/session/challenge answers. */
export interface SessionChallengeAnswer {
  readonly options: PasskeyRequest
}

/** What PATCH /admin/v1/session answers. */
export interface SessionChangeAnswer {
  readonly session: ConsoleSession
}

/** What PATCH /admin/v1/session takes. */
export interface SessionChangeBody {
  /** Whether it is: then it ends after 30 days without use, else after 12 hours. */
  readonly ownDevice: boolean
}

/** What POST /admin/v1/session/proof answers. */
export interface SessionProveAnswer {
  /** True: what is dangerous may be done for five minutes. */
  readonly fresh: boolean
}

/** What POST /admin/v1/session/proof takes. */
export type SessionProveBody = PasswordProof | PasskeyProof

/** What GET /admin/v1/session answers. */
export interface SessionShowAnswer {
  readonly session: ConsoleSession | null
  /** Whether what is dangerous may be done without showing a password again. */
  readonly fresh: boolean
  /** The id of the gateway: its serial. */
  readonly gateway: string
  /** The name of the home. */
  readonly home: string
  /** Whether its person can sign in again without a link: has a password, or a passkey for any name of the gateway. */
  readonly comesBack: boolean
  readonly proofs: SessionShowAnswerProofs
}

/** What the person of the session can show again. */
export interface SessionShowAnswerProofs {
  /** A password. */
  readonly password: boolean
  /** A passkey, at this very name of the gateway. */
  readonly passkey: boolean
}

/** What DELETE /admin/v1/sessions/{id} answers. */
export interface SessionsEndAnswer {
  /** The id of the session. */
  readonly ended: string
  /** There where the disk takes no writes now: it holds at once, and is stored as soon as the disk takes it; a start before that may undo it. */
  readonly unstored?: true
}

/** What GET /admin/v1/sessions answers. */
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
  /** Its value as people say it, with the unit of measure: `90 s`; null before it was confirmed. */
  readonly words: string | null
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
  /** Agents may ask for access and use it. */
  readonly agent_access: 'off' | 'on'
  /** The relay may forward requests to it. */
  readonly cloud_access: 'on' | 'off'
  /** The gateway announces it in the network. */
  readonly mdns: 'on' | 'off'
  /** Opening locks and gates. */
  readonly allow_unlock: 'off' | 'on'
}

/** Something of the home that an integration shows. */
export interface Shown {
  /** `whole_module`: the sensor and settings of a module, beside its gangs. */
  readonly kind: 'floor' | 'room' | 'unit' | 'module' | 'whole_module' | 'gang' | 'scene' | 'automation' | 'schedule'
  /** The local id; of a gang that of its module, a colon and its number. */
  readonly id: string
  /** What it is called. */
  readonly name: string
}

/** A passkey as a browser shows it: `toJSON()` of what it got. A secret. */
export interface ShownPasskey {
  /** Which passkey it is. base64url. */
  readonly id: string
  /** The same. base64url. */
  readonly rawId: string
  readonly response: ShownPasskeyResponse
}

/** What was signed. */
export interface ShownPasskeyResponse {
  /** What the browser signed for. base64url. */
  readonly clientDataJSON: string
  /** What the authenticator says of itself. base64url. */
  readonly authenticatorData: string
  /** Over both. base64url. */
  readonly signature: string
}

/** The last state confirmed by the unit; its shape follows from `class`. */
export type State = AcState | DimmerState | PowerState | CoverState | SwitchState | GateState | LockState | RemoteState | SensorState

/** How the gateway is doing. */
export interface Status {
  /** The id of the gateway: its serial. */
  readonly gateway: string
  /** The name of the home. */
  readonly home: string
  /** The port of the service. */
  readonly port: number
  /** The socket file of administrators, where it does not lie in the data folder because that takes none. */
  readonly socketElsewhere: string | null
  /** Seconds since it started. */
  readonly upSeconds: number
  /** Its addresses in the network. */
  readonly addresses: readonly string[]
  /** What a person should look at, the gravest first. */
  readonly attention: readonly Attention[]
  /** ISO 8601. */
  readonly certificateUntil: string
  /** Until when the CA holds, ISO 8601. */
  readonly caUntil: string
  /** Whether certificates are dated by the clock: not while it is behind a time seen before, or far ahead. */
  readonly clock: 'believed' | 'behind' | 'ahead'
  readonly units: StatusUnits
  /** Jumps of counters that wait for an answer, the oldest first. */
  readonly energyJumps?: readonly EnergyJump[]
  /** What the line went through since the start. */
  readonly linkCounters: Readonly<Record<string, number>>
  readonly streams: StatusStreams | null
  readonly announcement?: StatusAnnouncement
  readonly relay: StatusRelay
  /** Integrations that there are. */
  readonly integrations: number
  /** Requests without a valid credential in the last 24 hours. */
  readonly failedAuthentications: number
  readonly history: StatusHistory
  readonly disk: StatusDisk
  readonly configuration: StatusConfiguration
  /** What befell the configuration and nobody has acknowledged yet, the oldest first. */
  readonly incidents: readonly StatusIncidentsItem[]
  readonly backup: BackupState
  readonly memory: StatusMemory
}

/** The announcement on the home network; missing where the gateway announces nothing. */
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
  /** When it was noticed first. Epoch ms. */
  readonly at: number
}

/** A network without the announcement. */
export interface StatusAnnouncementSilentItem {
  /** The network interface. */
  readonly interface: string
  /** The address of the gateway. */
  readonly address: string
}

/** What the home is set up as. */
export interface StatusConfiguration {
  /** Its size in bytes. */
  readonly bytes: number
}

/** The disk under the data folder. */
export interface StatusDisk {
  /** Its size in bytes. */
  readonly bytes: number
  /** What is free of it in bytes. */
  readonly bytesFree: number
  /** Of the disk under the data folder: `low` from 10 % free, `failing` while changes are refused. */
  readonly state: 'ok' | 'low' | 'full' | 'failing'
}

/** What is recorded. */
export interface StatusHistory {
  /** Rows that were written since the start. */
  readonly written: number
  /** Rows that were left out because there were too many. */
  readonly shed: number
  /** Rows that could not be written. */
  readonly failed: number
  /** Rows of the last 24 hours, to the hour, that were left out for one reason or the other. */
  readonly leftOutLately: number
  /** The size of the history in bytes. */
  readonly bytes: number
  /** Where the damaged file is that was replaced since the start, or null. */
  readonly damaged: string | null
}

/** Something that befell the configuration. */
export interface StatusIncidentsItem {
  /** Its number; later ones have higher numbers. */
  readonly id: number
  /** When it was noticed. Epoch ms. */
  readonly at: number
  /** One sentence. */
  readonly what: string
}

/** What the process takes. */
export interface StatusMemory {
  /** Memory of the process in MiB. */
  readonly residentMiB: number
}

/** The relay through which the home is reached from outside. */
export interface StatusRelay {
  /** `off`: no relay is connected; `unlinked`: no account may reach the home yet, so nobody does. */
  readonly state: 'off' | 'connecting' | 'unlinked' | 'linked'
  /** Why there is no tunnel, in one sentence, or null. */
  readonly trouble: string | null
  /** When all places of a tunnel were taken last, epoch milliseconds, within an hour; else null. */
  readonly fullAt?: number | null
  /** True while this gateway leaves the home to another one with a copy of its data folder. An administrator ends it by connecting the relay again. */
  readonly gaveWay?: boolean
  /** When another gateway with a copy of this data folder was at the relay last, epoch milliseconds, within a day; else null. The gateway that connected first gives way. */
  readonly rivalAt?: number | null
  readonly pending?: PendingRelayRequest | null
}

/** The live streams. */
export interface StatusStreams {
  /** Sockets that are open. */
  readonly sockets: number
  /** Sockets that asked for events. */
  readonly listening: number
  /** Events that were sent. */
  readonly delivered: number
  /** Events that a newer one took the place of, for slow readers. */
  readonly collapsed: number
  /** Sockets that were closed because their peer was gone. */
  readonly silent: number
}

/** The units. */
export interface StatusUnits {
  /** `up`, or why it is down. */
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
  /** What is left, in percent. */
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

/** One operation on a device, a delay, or a scene to run. */
export type Step = SetPowerStep | SetBrightnessStep | SetPositionStep | SetModeStep | SetTempStep | SetAcModeStep | SetFanStep | KeyStep | MoveStep | DelayStep | RunSceneStep

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

/** What DELETE /admin/v1/tariff answers. */
export interface TariffClearAnswer {
  /** There is none. */
  readonly tariff: null
}

/** What PUT /admin/v1/tariff answers. */
export interface TariffSetAnswer {
  /** Their names, the oldest first. */
  readonly tariffs: readonly string[]
}

/** What PUT /admin/v1/tariff takes. */
export interface TariffSetBody {
  /** The content of the file, YAML. */
  readonly file: string
}

/** What GET /admin/v1/tariff answers. */
export interface TariffShowAnswer {
  /** What the file held that it was set from; null: none is set. */
  readonly tariff: unknown
}

/** The arguments of set_temp. */
export interface TempArgs {
  /** Degrees Celsius, in steps of 0.5. */
  readonly temp: number
}

/** What the connections of clients are secured with. */
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
  /** Until when it holds. Epoch ms. */
  readonly notAfter: number
  /** The file of the certificate on the disk of the gateway. */
  readonly file: string
}

/** The certificate that clients see. */
export interface TlsCertificate {
  /** From when it holds. Epoch ms. */
  readonly notBefore: number
  /** Until when it holds. Epoch ms. */
  readonly notAfter: number
  /** The names and addresses that it is for. */
  readonly names: readonly string[]
  /** Its SHA-256. */
  readonly fingerprint: string
}

/** What an automation would do now. */
export interface Trial {
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** False: it never runs by itself. */
  readonly enabled: boolean
  /** True once the gateway cut a loop, until the next edit. */
  readonly paused: boolean
  readonly when: readonly TrialWhenItem[]
  readonly if: readonly TrialIfItem[]
  /** In words, one sentence each. */
  readonly then: readonly string[]
  /** Whether it would run if it were set off now. */
  readonly wouldRun: boolean
  /** Why it would not, in one sentence. */
  readonly because: string | null
}

/** What has to hold. */
export interface TrialIfItem {
  /** In words. */
  readonly text: string
  /** What is so now, in words. */
  readonly now: string | null
  /** Whether it holds now. */
  readonly holds: boolean
}

/** What sets it off. */
export interface TrialWhenItem {
  /** In words. */
  readonly text: string
  /** When it comes next, or null. Epoch ms. */
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
}

/** Something that the clock sets off. */
export interface UpcomingRun {
  /** What it is. */
  readonly kind: 'automation' | 'schedule'
  /** The local id. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** When it runs. Epoch ms. */
  readonly at: number
  /** What sets it off: `at 07:00 on Mon-Fri`. */
  readonly text: string
}

/**
 * Every call, by path and method: what it takes and what it answers. `keyed`: it takes an Idempotency-Key.
 * Calls that are only ever refused are not here.
 */
export interface AdminPaths {
  readonly '/admin/v1/integrations': {
    /** All integrations with what they show and may do */
    readonly get: { readonly answer: IntegrationsListAnswer }
    /** Create an integration */
    readonly post: { readonly body: IntegrationsCreateBody; readonly answer: IntegrationsCreateAnswer }
  }
  readonly '/admin/v1/integrations/{id}': {
    /** One integration with its credentials */
    readonly get: { readonly path: { readonly id: string }; readonly answer: IntegrationsShowAnswer }
    /** Change its name, knobs, exposure, or whether it is enabled */
    readonly patch: { readonly path: { readonly id: string }; readonly body: IntegrationsChangeBody; readonly answer: IntegrationsChangeAnswer }
    /** Delete it with its credentials */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: IntegrationsDeleteAnswer }
  }
  readonly '/admin/v1/integrations/{id}/preview': {
    /** What such a change would do; nothing is changed */
    readonly post: { readonly path: { readonly id: string }; readonly body: IntegrationsPreviewBody; readonly answer: IntegrationsPreviewAnswer }
  }
  readonly '/admin/v1/integrations/{id}/preview/house': {
    /** The house as `GET /v1/house` would show it to its programs after such a change; nothing is changed */
    readonly post: { readonly path: { readonly id: string }; readonly body: IntegrationsPreviewHouseBody; readonly answer: IntegrationsPreviewHouseAnswer }
  }
  readonly '/admin/v1/keys': {
    /** All credentials, without their secrets */
    readonly get: { readonly answer: KeysListAnswer }
    /** Create a key; its token is shown this once */
    readonly post: { readonly body: KeysCreateBody; readonly answer: KeysCreateAnswer }
  }
  readonly '/admin/v1/keys/{id}': {
    /** One credential, and what would end with it */
    readonly get: { readonly path: { readonly id: string }; readonly answer: KeysShowAnswer }
    /** Revoke a credential by its link */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: KeysRevokeAnswer }
  }
  readonly '/admin/v1/agents/requests': {
    /** Agents that ask for access, with their matching codes */
    readonly get: { readonly answer: AgentsRequestsAnswer }
  }
  readonly '/admin/v1/agents/requests/{id}/accept': {
    /** Accept an agent; it collects its token itself */
    readonly post: { readonly path: { readonly id: string }; readonly body: AgentsAcceptBody; readonly answer: AgentsAcceptAnswer }
  }
  readonly '/admin/v1/agents/requests/{id}/deny': {
    /** Deny an agent; with block its sender is turned away for a day */
    readonly post: { readonly path: { readonly id: string }; readonly body: AgentsDenyBody; readonly answer: AgentsDenyAnswer }
  }
  readonly '/admin/v1/agents/senders': {
    /** Whose requests are turned away, and for whom a place is kept */
    readonly get: { readonly answer: AgentsSendersAnswer }
  }
  readonly '/admin/v1/agents/senders/{id}': {
    /** Take requests of an address again that was turned away */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: AgentsUnblockAnswer }
  }
  readonly '/admin/v1/agents/reservation': {
    /** Keep a place for one request from an address at home or an account at the relay, whatever others ask */
    readonly post: { readonly body: AgentsReserveBody; readonly answer: AgentsReserveAnswer }
  }
  readonly '/admin/v1/agents': {
    /** Agents and sessions, without their secrets */
    readonly get: { readonly answer: AgentsListAnswer }
    /** Make the credential of an agent without its asking; the token is shown this once */
    readonly post: { readonly body: AgentsCreateBody; readonly answer: AgentsCreateAnswer }
  }
  readonly '/admin/v1/agents/{id}': {
    /** Revoke an agent or session by its link */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: AgentsRevokeAnswer }
  }
  readonly '/admin/v1/confirmations': {
    /** What agents need a confirmation for, with the codes */
    readonly get: { readonly answer: ConfirmationsListAnswer }
  }
  readonly '/admin/v1/confirmations/{id}': {
    /** Confirm or decline one call of an agent */
    readonly post: { readonly path: { readonly id: string }; readonly body: ConfirmationsAnswerBody; readonly answer: ConfirmationsAnswerAnswer }
  }
  readonly '/admin/v1/home': {
    /** Name, time zone, place and currency of the home */
    readonly get: { readonly answer: HomeShowAnswer }
    /** Change name, time zone, place or currency */
    readonly patch: { readonly body: HomeSetBody; readonly answer: HomeSetAnswer }
  }
  readonly '/admin/v1/house': {
    /** The whole house with local ids, and units on the bus that it does not know yet */
    readonly get: { readonly answer: HouseShowAnswer }
  }
  readonly '/admin/v1/house/file': {
    /** The house as a file */
    readonly get: { readonly answer: HouseExportAnswer }
    /** Replace the house by a file, or only check it */
    readonly put: { readonly body: HouseImportBody; readonly answer: HouseImportAnswer }
  }
  readonly '/admin/v1/house/place': {
    /** Take in a unit found on the bus, or move or rename one */
    readonly post: { readonly body: HousePlaceBody; readonly answer: HousePlaceAnswer }
  }
  readonly '/admin/v1/devices/{id}/intents': {
    /** A device's settings and own schedules, as last confirmed */
    readonly get: { readonly path: { readonly id: string }; readonly answer: IntentsShowAnswer }
  }
  readonly '/admin/v1/states': {
    /** Since when each device is in its state */
    readonly get: { readonly answer: DevicesStatesAnswer }
  }
  readonly '/admin/v1/devices/{id}': {
    /** What uses a device, and who sees it */
    readonly get: { readonly path: { readonly id: string }; readonly answer: DevicesShowAnswer }
  }
  readonly '/admin/v1/house/replace': {
    /** Put another unit of the bus behind an id of the house, or only tell what that changes */
    readonly post: { readonly body: HouseReplaceBody; readonly answer: HouseReplaceAnswer }
  }
  readonly '/admin/v1/scenes': {
    /** All scenes, their steps in words */
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
    readonly delete: { readonly path: { readonly id: string }; readonly answer: AutomationsDeleteAnswer }
  }
  readonly '/admin/v1/automations/{id}/try': {
    /** What it would do if it were set off now; nothing is done */
    readonly get: { readonly path: { readonly id: string }; readonly answer: AutomationsTryAnswer }
  }
  readonly '/admin/v1/runs': {
    /** What the clock sets off in the coming days */
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
    readonly delete: { readonly path: { readonly id: string }; readonly answer: SchedulesDeleteAnswer }
  }
  readonly '/admin/v1/tariff': {
    /** What electricity costs, as it was set */
    readonly get: { readonly answer: TariffShowAnswer }
    /** Take the tariff from a file; all costs are worked out anew */
    readonly put: { readonly body: TariffSetBody; readonly answer: TariffSetAnswer }
    /** Forget the tariff */
    readonly delete: { readonly answer: TariffClearAnswer }
  }
  readonly '/admin/v1/history/export': {
    /** Write a table of the history to a new CSV file */
    readonly post: { readonly body: HistoryExportBody; readonly answer: HistoryExportAnswer }
  }
  readonly '/admin/v1/energy/jumps': {
    /** Jumps of counters that are in no sum and wait for an answer, the oldest first */
    readonly get: { readonly answer: EnergyJumpsAnswer }
  }
  readonly '/admin/v1/energy/jumps/{id}': {
    /** Say whether a jump is energy that the device took, or another meter */
    readonly post: { readonly path: { readonly id: string }; readonly body: EnergyAnswerJumpBody; readonly answer: EnergyAnswerJumpAnswer }
  }
  readonly '/admin/v1/energy/corrections': {
    /** Corrections that can be undone, the newest first */
    readonly get: { readonly answer: EnergyCorrectionsAnswer }
    /** Take wrong energy of a device and its gangs out of all sums, or say what that would take */
    readonly post: { readonly body: EnergyCorrectBody; readonly answer: EnergyCorrectAnswer }
  }
  readonly '/admin/v1/energy/corrections/{id}': {
    /** Put the energy of a correction back into all sums */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: EnergyUndoCorrectionAnswer }
  }
  readonly '/admin/v1/activity': {
    /** What happened, the newest first, with nothing left out */
    readonly get: { readonly query?: { readonly from?: string; readonly to?: string; readonly limit?: string; readonly kind?: 'state' | 'failed' | 'refused' | 'skipped' | 'run' | 'edited' | 'setting' | 'detection' | 'unit' | 'link' | 'access'; readonly source?: 'person' | 'automation' | 'schedule' | 'scene' | 'integration' | 'agent' | 'voice' | 'platform' | 'unit' | 'gateway'; readonly device?: string; readonly room?: string; readonly integration?: string; readonly rule?: string }; readonly answer: ActivityListAnswer }
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
    /** Make a new CA; every client has to trust it anew */
    readonly post: { readonly answer: Tls }
  }
  readonly '/admin/v1/status': {
    /** How the gateway is doing */
    readonly get: { readonly answer: Status }
  }
  readonly '/admin/v1/failed-authentications': {
    /** Who sent requests without a valid credential in the last 30 days, the newest first */
    readonly get: { readonly answer: FailuresListAnswer }
  }
  readonly '/admin/v1/incidents/acknowledge': {
    /** Take note of what befell the configuration: it is told no more */
    readonly post: { readonly body: IncidentsAcknowledgeBody; readonly answer: IncidentsAcknowledgeAnswer }
  }
  readonly '/admin/v1/backup': {
    /** Write a consistent copy of the configuration to a new file */
    readonly post: { readonly body: BackupWriteBody; readonly answer: BackupWriteAnswer }
  }
  readonly '/admin/v1/backups': {
    /** Which backups there are, the newest first, and how they are made */
    readonly get: { readonly answer: BackupsListAnswer }
    /** Make a backup now, in the folder of backups; it is opened and checked before this is answered */
    readonly post: { readonly body: BackupsMakeBody; readonly answer: BackupsMakeAnswer }
  }
  readonly '/admin/v1/backups/write': {
    /** Write a backup to a new file */
    readonly post: { readonly body: BackupsWriteBody; readonly answer: BackupsWriteAnswer }
  }
  readonly '/admin/v1/backups/{name}/check': {
    /** Open a backup as a restore would, and say what is in it */
    readonly post: { readonly path: { readonly name: string }; readonly answer: BackupsCheckAnswer }
  }
  readonly '/admin/v1/backups/choice': {
    /** Choose how backups are made; what is left out stays */
    readonly put: { readonly body: BackupsChooseBody; readonly answer: BackupChoice }
  }
  readonly '/admin/v1/backups/phrase': {
    /** Make a recovery phrase; it is shown here alone, and holds once two of its words were typed again */
    readonly post: { readonly answer: BackupsPhraseAnswer }
  }
  readonly '/admin/v1/backups/phrase/confirm': {
    /** Type two words of the phrase again: from now on backups are encrypted with it */
    readonly post: { readonly body: BackupsConfirmPhraseBody; readonly answer: BackupsConfirmPhraseAnswer }
  }
  readonly '/admin/v1/backups/{name}/restore': {
    /** Put a backup in the place of what there is now, which is kept aside; the gateway starts anew */
    readonly post: { readonly path: { readonly name: string }; readonly body: BackupsRestoreBody; readonly answer: Restoring }
  }
  readonly '/admin/v1/restore': {
    /** The same from a file */
    readonly post: { readonly body: BackupsRestoreFileBody; readonly answer: Restoring }
  }
  readonly '/admin/v1/brought-backups': {
    /** Bring a backup from elsewhere: say how large its file is, then send it piece by piece */
    readonly post: { readonly body: BroughtBeginBody; readonly answer: BroughtBeginAnswer }
  }
  readonly '/admin/v1/brought-backups/{id}': {
    /** The next piece of it; one that came already changes nothing */
    readonly put: { readonly path: { readonly id: string }; readonly body: BroughtAddBody; readonly answer: BroughtAddAnswer }
    /** Restore nothing from it: it is removed from the gateway */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: BroughtDropAnswer }
  }
  readonly '/admin/v1/brought-backups/{id}/restore': {
    /** Put it in the place of what there is now, which is kept aside; the gateway starts anew */
    readonly post: { readonly path: { readonly id: string }; readonly body: BroughtRestoreBody; readonly answer: Restoring }
  }
  readonly '/admin/v1/relay': {
    /** Which relay is connected, and how */
    readonly get: { readonly answer: Relay }
    /** Connect a relay */
    readonly post: { readonly body: RelayConnectBody; readonly answer: Relay }
    /** Use no relay any more */
    readonly delete: { readonly answer: Relay }
  }
  readonly '/admin/v1/relay/link': {
    /** Have the relay make a code by which one more account is linked */
    readonly post: { readonly answer: Relay }
  }
  readonly '/admin/v1/relay/passthrough': {
    /** Let clients reach the gateway end to end through the relay, beside other requests or alone */
    readonly put: { readonly body: RelayPassthroughBody; readonly answer: Relay }
  }
  readonly '/admin/v1/relay/unlink': {
    /** Have the relay forget every account of this home */
    readonly post: { readonly answer: Relay }
  }
  readonly '/admin/v1/session': {
    /** The session that asks; over the socket file there is none */
    readonly get: { readonly answer: SessionShowAnswer }
    /** Say whether this browser is on a device of one’s own, where a session lasts longer */
    readonly patch: { readonly body: SessionChangeBody; readonly answer: SessionChangeAnswer }
  }
  readonly '/admin/v1/session/challenge': {
    /** What the browser takes to show a passkey of the session’s person once more */
    readonly post: { readonly answer: SessionChallengeAnswer }
  }
  readonly '/admin/v1/session/proof': {
    /** Show the password or a passkey of the session’s person once more */
    readonly post: { readonly body: SessionProveBody; readonly answer: SessionProveAnswer }
  }
  readonly '/admin/v1/sessions': {
    /** Browsers that are signed in, the last used first */
    readonly get: { readonly answer: SessionsListAnswer }
  }
  readonly '/admin/v1/sessions/{id}': {
    /** End a session at once, also one’s own */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: SessionsEndAnswer }
  }
  readonly '/admin/v1/persons': {
    /** The persons who administer the home */
    readonly get: { readonly answer: PersonsListAnswer }
    /** Make an administrator; a session that has no name yet becomes theirs */
    readonly post: { readonly body: PersonsCreateBody; readonly answer: PersonsCreateAnswer }
  }
  readonly '/admin/v1/persons/{id}/password': {
    /** Give a new password; all other sessions of the person end */
    readonly put: { readonly path: { readonly id: string }; readonly body: PersonsPasswordBody; readonly answer: PersonsPasswordAnswer }
  }
  readonly '/admin/v1/persons/{id}': {
    /** Remove an administrator with all sessions of theirs */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: PersonsDeleteAnswer }
  }
  readonly '/admin/v1/links': {
    /** Make a one-time link into the console, for a person or for nobody by name */
    readonly post: { readonly body: LinksCreateBody; readonly answer: LinksCreateAnswer }
  }
  readonly '/admin/v1/passkeys': {
    /** The passkeys of all persons */
    readonly get: { readonly answer: PasskeysListAnswer }
    /** Keep a passkey that the browser made */
    readonly post: { readonly body: PasskeysCreateBody; readonly answer: PasskeysCreateAnswer }
  }
  readonly '/admin/v1/passkeys/options': {
    /** What the browser takes to make a passkey of the session’s person */
    readonly post: { readonly answer: PasskeysOptionsAnswer }
  }
  readonly '/admin/v1/passkeys/{id}': {
    /** Remove a passkey: nobody comes in by it any more */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: PasskeysDeleteAnswer }
  }
  readonly '/admin/v1/operators': {
    /** The tokens of programs that look after the gateway, without their secrets */
    readonly get: { readonly answer: OperatorsListAnswer }
    /** Make an operator token; it is shown this once */
    readonly post: { readonly body: OperatorsCreateBody; readonly answer: OperatorsCreateAnswer }
  }
  readonly '/admin/v1/operators/{id}': {
    /** End an operator token at once */
    readonly delete: { readonly path: { readonly id: string }; readonly answer: OperatorsDeleteAnswer }
  }
  readonly '/admin/v1/metrics': {
    /** How the gateway is doing in numbers, in the text format of Prometheus */
    readonly get: { readonly query?: { readonly units?: '0' | '1' }; readonly answer: string }
  }
  readonly '/admin/v1/log': {
    /** The newest lines of the log, the oldest first, as far as they are in memory */
    readonly get: { readonly query?: { readonly level?: 'error' | 'warn' | 'info' | 'debug'; readonly since?: string; readonly after?: string; readonly limit?: string }; readonly answer: LogListAnswer }
  }
  readonly '/admin/v1/log/level': {
    /** Change what is written to the log, until the next start */
    readonly put: { readonly body: LogLevelBody; readonly answer: LogLevelAnswer }
  }
  readonly '/admin/v1/about': {
    /** Which release runs, what is new in it, and the versions of the databases */
    readonly get: { readonly answer: Release }
  }
}
