import type { Clock } from '../../lib/clock.ts'
import { DAY_MS, HOUR_MS } from '../../lib/durations.ts'
import { Emitter } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import { type Random, randomId } from '../../lib/random.ts'
import type { HomeInfo } from '../model/house.ts'
import {
  GATHER_MS,
  isLasting,
  isRinging,
  KIND_RULES,
  type HomeMessage,
  type MessageDraft,
  type MessageKind,
  MESSAGES_KEPT_MS,
  MESSAGES_MAX,
  type MessageNotice,
  repeatAfter,
  REPEATS_MAX,
} from '../model/messages.ts'
import type { MessageQuery, MessageStore } from '../ports/message-store.ts'
import { moreTitle, TEST_TITLE } from '../words/messages.ts'
import { inWindow, nextRun } from '../rules/time/occurrence.ts'

const ID_LENGTH = 12
/** Interval of deleting old messages. */
const PRUNE_EVERY_MS = HOUR_MS

interface MessagesParts {
  readonly store: MessageStore
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly home: () => HomeInfo
}

/**
 * The board with the messages of the home for people (docs/messages.md): gathers equal ones, holds normal ones during
 * quiet hours, and repeats alarms until somebody acknowledges them. Channels listen to `notices`. A disk that accepts
 * no writes stops no message.
 */
export class MessageBoard {
  readonly notices: Emitter<MessageNotice>
  readonly #parts: MessagesParts
  /** Messages that still change, oldest first. */
  readonly #current = new Map<string, HomeMessage>()
  /** Monotonic time of the next notice, by id: a jump of the wall clock delays no alarm. */
  readonly #due = new Map<string, number>()
  #cancel: (() => void) | null = null
  #prunedAt = -Infinity

  constructor(parts: MessagesParts) {
    this.#parts = parts
    this.notices = new Emitter((error) => parts.log.error({ err: error }, 'A channel for messages failed.'))
  }

  /** Continues repetitions and held messages from before a stop. Best called after the channels listen. */
  start(): void {
    for (const message of this.#parts.store.current()) this.#take(message)
    this.#schedule()
  }

  stop(): void {
    this.#cancel?.()
    this.#due.clear()
  }

  /** Messages that are unacknowledged, or whose condition lasts, oldest first. */
  current(): readonly HomeMessage[] {
    return [...this.#current.values()]
  }

  get(id: string): HomeMessage | undefined {
    return this.#current.get(id) ?? this.#parts.store.get(id)
  }

  page(query: MessageQuery): readonly HomeMessage[] | null {
    return this.#parts.store.page(query)
  }

  /** Sends a message, or adds to the same one: a lasting condition, or one of the last minute. */
  post(draft: MessageDraft): HomeMessage {
    const same = this.#sameAs(draft)
    if (same !== undefined) return this.#reopened(same)
    const { clock, random } = this.#parts
    const at = clock.now()
    const isHeld = draft.urgency === 'normal'
    const message: HomeMessage = {
      ...draft,
      id: randomId(random, ID_LENGTH),
      at,
      endedAt: null,
      acknowledgedAt: null,
      acknowledgedBy: null,
      notices: 0,
      nextAt: isHeld ? this.#endOfQuiet(at) : null,
    }
    this.#prune()
    if (message.nextAt !== null) return this.#save(message)
    return this.#notify(message)
  }

  /** Ends a lasting condition: smoke is gone, a unit answers again. */
  end(kind: MessageKind, ref: string): void {
    for (const message of this.#current.values())
      if (message.kind === kind && message.ref === ref && isLasting(message)) this.#end(message)
  }

  /** Ends the lasting conditions that `lasts` does not confirm. */
  endUnless(lasts: (message: HomeMessage) => boolean): void {
    for (const message of this.#current.values()) if (isLasting(message) && !lasts(message)) this.#end(message)
  }

  /** @throws StorageUnavailable, or another failure of the disk: then the message stays unacknowledged. */
  acknowledge(id: string, by: string): HomeMessage | undefined {
    const message = this.get(id)
    if (message === undefined || message.acknowledgedAt !== null) return message
    const changed = { ...message, acknowledgedAt: this.#parts.clock.now(), acknowledgedBy: by, nextAt: null }
    this.#parts.store.put(changed)
    this.#take(changed)
    this.#schedule()
    if (changed.notices > 0) this.#emit(changed, 'update')
    return changed
  }

  /** Sends held messages at once if the quiet hours were changed or removed. */
  recheckQuiet(): void {
    const now = this.#parts.clock.now()
    for (const message of this.#current.values())
      if (message.notices === 0 && message.nextAt !== null) {
        const nextAt = this.#endOfQuiet(now)
        if (nextAt === null) this.#notify(message)
        else if (nextAt !== message.nextAt) this.#save({ ...message, nextAt })
      }
  }

  #sameAs({ kind, ref }: MessageDraft): HomeMessage | undefined {
    const now = this.#parts.clock.now()
    return this.current().findLast((message) => {
      if (message.kind !== kind || message.ref !== ref) return false
      if (isLasting(message)) return true
      const age = now - (message.endedAt ?? message.at)
      return message.acknowledgedAt === null && age >= 0 && age < GATHER_MS
    })
  }

  /** A condition that returns within a minute is the same one, and its repetitions go on. */
  #reopened(message: HomeMessage): HomeMessage {
    if (!message.lasts || message.endedAt === null) return message
    const now = this.#parts.clock.now()
    const open = { ...message, endedAt: null }
    const after = isRinging(open) ? repeatAfter(open.notices) : null
    // The repetitions count from the first notice, so that a condition that comes and goes delays none.
    const nextAt = after === null ? null : Math.max(now, open.at + after)
    return message.notices === 0 ? this.#notify(open) : this.#save({ ...open, nextAt })
  }

  #end(message: HomeMessage): void {
    const isHeld = message.notices === 0
    const ended = { ...message, endedAt: this.#parts.clock.now(), nextAt: null }
    this.#save(ended)
    if (!isHeld) this.#emit(ended, 'update')
  }

  #notify(message: HomeMessage): HomeMessage {
    const repeat = message.notices
    const noticed = { ...message, notices: repeat + 1 }
    const saved = this.#save({ ...noticed, nextAt: nextRepeat(noticed, this.#parts.clock.now()) })
    this.#emit(saved, repeat === 0 ? 'new' : 'repeat', repeat)
    return saved
  }

  #emit(message: HomeMessage, change: MessageNotice['change'], repeat = Math.max(0, message.notices - 1)): void {
    this.notices.emit({ message, change, repeat, isLast: repeat > REPEATS_MAX })
  }

  #save(message: HomeMessage): HomeMessage {
    try {
      this.#parts.store.put(message)
    } catch (error) {
      this.#parts.log.error({ err: error, kind: message.kind }, 'A message could not be stored. It is sent anyway.')
    }
    this.#take(message)
    this.#schedule()
    return message
  }

  /** Notes the present form of a message. */
  #take(message: HomeMessage): void {
    const { clock } = this.#parts
    if (message.acknowledgedAt !== null && !isLasting(message)) this.#current.delete(message.id)
    else this.#current.set(message.id, message)
    if (message.nextAt === null) this.#due.delete(message.id)
    else this.#due.set(message.id, clock.monotonic() + Math.min(DAY_MS, Math.max(0, message.nextAt - clock.now())))
  }

  #schedule(): void {
    this.#cancel?.()
    this.#cancel = null
    const next = Math.min(...this.#due.values())
    if (next === Infinity) return
    this.#cancel = this.#parts.clock.after(Math.max(0, next - this.#parts.clock.monotonic()), () => this.#notifyDue())
  }

  #notifyDue(): void {
    const now = this.#parts.clock.monotonic()
    for (const [id, at] of this.#due) {
      const message = this.#current.get(id)
      if (at <= now && message !== undefined) this.#notify(message)
    }
    this.#schedule()
  }

  /** End of the present quiet hours, epoch ms; null outside them. */
  #endOfQuiet(now: number): number | null {
    const { quiet, timeZone: zone } = this.#parts.home()
    if (quiet === undefined) return null
    const where = { zone, place: null }
    if (!inWindow({ after: quiet.from, before: quiet.until }, now, where)) return null
    return nextRun({ time: quiet.until }, now, where)?.at ?? null
  }

  #prune(): void {
    const { clock, store, log } = this.#parts
    if (clock.monotonic() - this.#prunedAt < PRUNE_EVERY_MS) return
    this.#prunedAt = clock.monotonic()
    const before = clock.now() - MESSAGES_KEPT_MS
    try {
      store.prune(before, MESSAGES_MAX)
    } catch (error) {
      log.error({ err: error }, 'Old messages could not be deleted.')
    }
    for (const [id, message] of this.#current) if (message.at < before && !isRinging(message)) this.#forget(id)
  }

  #forget(id: string): void {
    this.#current.delete(id)
    this.#due.delete(id)
  }
}

/** Time of the next repetition of an alarm, or null. It counts from this notice, so that late ones do not add up. */
function nextRepeat(message: HomeMessage, now: number): number | null {
  const after = isRinging(message) ? repeatAfter(message.notices) : null
  if (after === null) return null
  return now + after - (message.notices === 1 ? 0 : (repeatAfter(message.notices - 1) ?? 0))
}

/** The notice with the number of messages that a channel left out. It is not stored. */
export function moreNotice(count: number, id: string, at: number): MessageNotice {
  return unstoredNotice({ kind: 'more', title: moreTitle(count) }, id, at)
}

/** A test of one channel. It is not stored. */
export function testNotice(at: number): MessageNotice {
  return unstoredNotice({ kind: 'test', title: TEST_TITLE }, 'test', at)
}

function unstoredNotice({ kind, title }: Pick<MessageDraft, 'kind' | 'title'>, id: string, at: number): MessageNotice {
  const message: HomeMessage = {
    ...{ id, at, kind, ...KIND_RULES[kind], title, device: null, go: '/console/messages', ref: kind, lasts: false },
    ...{ subjects: { devices: [], scenes: [] }, endedAt: null, acknowledgedAt: null, acknowledgedBy: null },
    ...{ notices: 1, nextAt: null },
  }
  return { message, change: 'new', repeat: 0, isLast: false }
}
