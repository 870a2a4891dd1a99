import type { AttentionView, StatusView } from '../admin/contract/gateway.ts'
import type { AccessEvent } from '../auth/agents/expiring-requests.ts'
import { conditionDraft, deviceDraft } from '../home/messages/home-messages.ts'
import type { MessageBoard } from '../home/messages/messages.ts'
import type { HomeEvent } from '../home/model/events.ts'
import { LOST_MS, type MessageDraft } from '../home/model/messages.ts'
import { accessTitle, batteryTitle, lostTitle, openingTitle } from '../home/words/messages.ts'
import { type Clock, every } from '../lib/clock.ts'
import { MINUTE_MS } from '../lib/durations.ts'
import type { Emitter } from '../lib/emitter.ts'
import { agentOf } from './notice.ts'

const CHECK_EVERY_MS = MINUTE_MS
/** Delay for collecting changes of several units. */
const COLLECT_MS = 200
/** Time for which the line is lost before a message: a start and a replugged adapter need less. */
export const LINE_LOST_MS = MINUTE_MS

interface TroubleParts {
  readonly messages: Pick<MessageBoard, 'post' | 'end' | 'endUnless'>
  readonly status: () => StatusView
  readonly nameOf: (unit: string) => string
  readonly events: Pick<Emitter<HomeEvent>, 'on'>
  readonly access: Pick<Emitter<AccessEvent>, 'on'>
  readonly clock: Clock
}

/**
 * Messages about conditions that the status knows: lost units, low batteries, the line, the disk and backups. Checked
 * every minute, and after a change of a unit or the line. Agents that ask are messages at once.
 */
export class TroubleMessages {
  readonly #parts: TroubleParts
  /** Monotonic time since which a unit or the line is lost. */
  readonly #lostSince = new Map<string, number>()
  readonly #stop: (() => void)[]
  #cancel: (() => void) | null = null

  constructor(parts: TroubleParts) {
    this.#parts = parts
    this.#stop = [
      every(parts.clock, CHECK_EVERY_MS, () => this.check()),
      parts.events.on(({ kind }) => {
        if (kind === 'unit' || kind === 'link') this.#cancel ??= parts.clock.after(COLLECT_MS, () => this.check())
      }),
      parts.access.on((event) => this.#onAccess(event)),
    ]
  }

  stop(): void {
    for (const stop of this.#stop) stop()
    this.#cancel?.()
  }

  check(): void {
    this.#cancel?.()
    this.#cancel = null
    const status = this.#parts.status()
    const isUp = status.units.link === 'up'
    const lost = this.#longLost(isUp ? status.units.unreachable : [LINE])
    const drafts = [
      ...this.#unitDrafts(status, lost),
      ...status.attention.flatMap(({ kind, what }) => ofAttention(kind, what, lost)),
    ]
    for (const draft of drafts) this.#parts.messages.post(draft)
    const lasting = new Set(drafts.map(({ kind, ref }) => `${kind} ${ref}`))
    this.#parts.messages.endUnless(({ kind, ref }) => {
      // Without the line the state of single units is unknown.
      const isChecked = kind === 'unit_lost' ? isUp : CHECKED.includes(kind)
      return !isChecked || lasting.has(`${kind} ${ref}`) || (kind === 'unit_lost' && this.#lostSince.has(ref))
    })
  }

  #unitDrafts({ units }: StatusView, lost: ReadonlySet<string>): readonly MessageDraft[] {
    const { nameOf } = this.#parts
    const minutes = Math.round(LOST_MS / MINUTE_MS)
    return [
      ...units.unreachable
        .filter((unit) => lost.has(unit))
        .map((unit) => deviceDraft('unit_lost', unit, lostTitle(nameOf(unit), minutes))),
      ...units.lowBatteries.map(({ unit, percent }) =>
        deviceDraft('battery', unit, batteryTitle(nameOf(unit), percent)),
      ),
    ]
  }

  /** Ids that have been lost for long enough. */
  #longLost(ids: readonly string[]): ReadonlySet<string> {
    const now = this.#parts.clock.monotonic()
    for (const id of this.#lostSince.keys()) if (!ids.includes(id)) this.#lostSince.delete(id)
    for (const id of ids) if (!this.#lostSince.has(id)) this.#lostSince.set(id, now)
    const long = ids.filter((id) => now - (this.#lostSince.get(id) ?? now) >= (id === LINE ? LINE_LOST_MS : LOST_MS))
    return new Set(long)
  }

  #onAccess(event: AccessEvent): void {
    const { messages } = this.#parts
    switch (event.kind) {
      case 'agent_request': {
        const { request, name, platform } = event.request
        if (event.notice) messages.post(agentDraft(request, accessTitle(agentOf({ name, platform }))))
        return
      }
      case 'agent_request_ended':
        return messages.end('agent', event.request.request)
      case 'confirmation':
        if (event.notice)
          messages.post(agentDraft(event.confirmation.id, openingTitle('An agent', event.confirmation.what)))
        return
      case 'confirmation_ended':
        return messages.end('agent', event.confirmation.id)
      case 'agent_ended':
        return
    }
  }
}

/** Stands for the line among the ids of units, which have no colon. */
const LINE = 'the:line'

const CHECKED: readonly string[] = ['battery', 'disk', 'backup', 'line'] satisfies readonly MessageDraft['kind'][]

const agentDraft = (ref: string, title: string): MessageDraft =>
  conditionDraft('agent', ref, title, '/console/approvals')

function ofAttention(kind: AttentionView['kind'], what: string, lost: ReadonlySet<string>): readonly MessageDraft[] {
  if (kind === 'line') return lost.has(LINE) ? [conditionDraft('line', 'line', what, '/console/system')] : []
  if (kind === 'disk') return [conditionDraft('disk', 'disk', what, '/console/system')]
  return kind === 'backup' ? [conditionDraft('backup', 'backup', what, '/console/system/backup')] : []
}
