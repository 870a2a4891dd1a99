import type { Clock } from '../../lib/clock.ts'
import type { House } from '../house/house.ts'
import type { DeviceKey } from '../model/device.ts'
import type { Room } from '../model/house.ts'
import {
  type MessageDraft,
  type MessageSubjects,
  TELL_MS,
  TELLS_PER_HOME_MAX,
  TELLS_PER_RULE_MAX,
} from '../model/messages.ts'
import type { TellStep } from '../model/rules.ts'
import type { ActivityLog } from '../ports/activity-log.ts'
import {
  runKey,
  type RunOf,
  type RunRecord,
  type RunTrigger,
  type TellFailure,
  type Teller,
} from '../ports/rule-store.ts'
import type { Principal } from '../ports/unit-bus.ts'
import { type TellNames, tellText, toldEnoughWords } from '../words/messages.ts'
import { unitPage } from './home-messages.ts'

interface TellsParts {
  readonly post: (draft: MessageDraft) => unknown
  /** Name and room of a device. */
  readonly place: (device: DeviceKey) => TellPlace | undefined
  readonly timeZone: () => string
  readonly rule: (of: RunOf) => { readonly name: string } | undefined
  /** True if the integration that saved a rule may send messages by it now. */
  readonly mayTell: (author: Principal) => boolean
  readonly activity: ActivityLog
  readonly clock: Clock
}

interface TellPlace {
  readonly name: string
  readonly room: Pick<Room, 'id' | 'name'> | null
}

const isAlarm = ({ urgency }: TellStep): boolean => urgency === 'alarm'

/** Name and room of a device of a house. */
export const placeIn =
  ({ devices, rooms }: Pick<House, 'devices' | 'rooms'>) =>
  (key: DeviceKey): TellPlace | undefined => {
    const device = devices.get(key)
    return device && { name: device.name, room: rooms.get(device.room ?? '') ?? null }
  }

/**
 * Messages of automations and schedules, within an hourly limit for each rule and for the home. Alarms of the home
 * count by themselves: no number of other messages may hold one back.
 */
export class Tells implements Teller {
  readonly #parts: TellsParts
  /** Sent messages of the last hour, oldest first; `at` is monotonic. A restart counts anew. */
  #sent: readonly { readonly rule: string; readonly isAlarm: boolean; readonly at: number }[] = []
  /** Monotonic time of the last entry about a reached limit, by rule. */
  readonly #reported = new Map<string, number>()

  constructor(parts: TellsParts) {
    this.#parts = parts
  }

  tell(step: TellStep, run: Pick<RunRecord, 'of' | 'principals' | 'trigger' | 'startedAt'>): TellFailure | null {
    const failure = this.obstacle(step, run)
    if (failure === 'told_enough') this.#report(run.of)
    if (failure !== null) return failure
    const { clock, post } = this.#parts
    const rule = runKey(run.of)
    this.#sent = [...this.#sent, { rule, isAlarm: isAlarm(step), at: clock.monotonic() }]
    const device = run.trigger?.device ?? null
    const title = this.#text(step.tell, run)
    post({
      ...{ kind: 'tell', title, device, to: step.to, urgency: step.urgency ?? 'normal', lasts: false },
      go: device === null ? null : unitPage(device),
      subjects: this.#subjects(step, run.trigger),
      ref: `${rule} ${title}`,
    })
    return null
  }

  obstacle(step: TellStep, { of, principals }: Parameters<Teller['obstacle']>[1]): TellFailure | null {
    const { clock, mayTell } = this.#parts
    if (!principals.every((principal) => mayTell(principal))) return 'may_not_tell'
    this.#sent = this.#sent.filter(({ at }) => clock.monotonic() - at < TELL_MS)
    const own = of === null ? 0 : this.#sent.filter(({ rule }) => rule === runKey(of)).length
    const alike = this.#sent.filter((sent) => sent.isAlarm === isAlarm(step)).length
    return own >= TELLS_PER_RULE_MAX || alike >= TELLS_PER_HOME_MAX ? 'told_enough' : null
  }

  #text(text: string, { trigger, startedAt }: Pick<RunRecord, 'trigger' | 'startedAt'>): string {
    const { place, timeZone } = this.#parts
    const names: TellNames = {
      device: (key) => place(key)?.name ?? null,
      room: (key) => place(key)?.room?.name ?? null,
    }
    return tellText(text, { trigger, at: startedAt, names, timeZone: timeZone() })
  }

  #subjects({ tell }: TellStep, trigger: RunTrigger | null): MessageSubjects {
    const room = this.#parts.place(trigger?.device ?? '')?.room ?? null
    const subjects = trigger?.subjects ?? {}
    if (room === null || !tell.includes('{room}')) return subjects
    return { ...subjects, rooms: [...new Set([...(subjects.rooms ?? []), room.id])] }
  }

  /** One entry an hour for each rule that may send no further message. */
  #report(of: RunOf): void {
    const { activity, clock, rule } = this.#parts
    const now = clock.monotonic()
    const last = this.#reported.get(runKey(of))
    if (last !== undefined && now - last < TELL_MS) return
    for (const [key, at] of this.#reported) if (now - at >= TELL_MS) this.#reported.delete(key)
    this.#reported.set(runKey(of), now)
    const isOwn = this.#sent.filter((sent) => sent.rule === runKey(of)).length >= TELLS_PER_RULE_MAX
    activity.record({
      at: clock.now(),
      kind: 'skipped',
      subject: of,
      what: toldEnoughWords(isOwn),
      cause: { source: of.kind, name: rule(of)?.name ?? of.id, ref: of.id },
    })
  }
}
