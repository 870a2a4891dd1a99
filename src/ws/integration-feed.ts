import { type ListTopic, LISTS } from '../api/contract/events.ts'
import type { ShownRules } from '../api/exposed-causes.ts'
import type { AuthFailure } from '../auth/authenticator.ts'
import type { ExposedHouse } from '../exposure/exposed-house.ts'
import type { ExposedHouses } from '../exposure/exposed-houses.ts'
import type { IntegrationReader } from '../exposure/integration.ts'
import type { DeviceKey } from '../home/model/device.ts'
import type { Clock } from '../lib/clock.ts'
import { EventRing } from './event-ring.ts'
import { Fold } from '../home/messages/fold.ts'
import { moreNotice } from '../home/messages/messages.ts'
import { isMessageVisible } from '../exposure/visible-messages.ts'
import type { MessageNotice } from '../home/model/messages.ts'
import { type EventDraft, isFresh, noticeDraft, shownOf, type StreamEvent, writeEvent } from './stream-event.ts'
import { ShownLists } from './shown-lists.ts'
import type { StreamSocket } from './stream-socket.ts'
import { topicExists } from './topics.ts'

/** Most events stored for reconnecting sockets. */
export const RING_EVENTS = 2_000
/** Batches of this size are sent before the turn of the event loop ends. */
const BATCH_EVENTS_MAX = 256
/** Event numbers start at the clock's microseconds, so that they are larger than after earlier starts. */
const NUMBERS_PER_MS = 1_000

/** Sockets with the same topics, and their events of this turn. */
interface Group {
  readonly topics: ReadonlySet<string>
  readonly members: Set<StreamSocket>
  batch: StreamEvent[]
}

export interface IntegrationFeedParts {
  readonly integrations: Pick<IntegrationReader, 'get'>
  readonly views: ExposedHouses
  readonly rules: ShownRules
  readonly clock: Clock
  /** Checks the credential of a socket at this moment; called before writing an event to it. */
  readonly failuresNow: () => (socket: StreamSocket) => AuthFailure | null
  readonly disconnect: (socket: StreamSocket, failure: AuthFailure) => void
  /** Called when events wait for the end of this turn. */
  readonly onPending: () => void
  readonly onDelivered: (deliveries: number) => void
}

/**
 * All sockets of one integration. Each event is looked up in the exposed view and serialised once. Groups of sockets
 * with the same topics get one piece of bytes per turn of the event loop.
 */
export class IntegrationFeed {
  readonly #integration: string
  readonly #parts: IntegrationFeedParts
  readonly #ring: EventRing
  readonly #groups = new Map<string, Group>()
  readonly #lists: ShownLists
  readonly #fold: Fold
  #view: ExposedHouse | null = null
  #visibleText = ''

  constructor(integration: string, parts: IntegrationFeedParts) {
    this.#integration = integration
    this.#parts = parts
    this.#ring = new EventRing(parts.clock.now() * NUMBERS_PER_MS, RING_EVENTS)
    this.#lists = new ShownLists(parts.rules)
    this.#fold = new Fold(parts.clock, (count) => this.#more(count))
    this.#publishListChanges()
  }

  /** Sockets with at least one topic. */
  get size(): number {
    let size = 0
    for (const group of this.#groups.values()) size += group.members.size
    return size
  }

  /** Number of the latest event. */
  get seq(): number {
    return this.#ring.last
  }

  /** Publishes an event that this integration may see. */
  publish(draft: EventDraft): void {
    const view = this.refresh()
    if (view) this.#write(draft, view)
  }

  /** Publishes a message that this integration may see, or counts it if there were too many. */
  notify(notice: MessageNotice): void {
    const view = this.refresh()
    if (view === null || notice.isLast || !isMessageVisible(notice.message, view)) return
    if (notice.change === 'new' && !this.#fold.admits(notice.message.urgency)) return
    this.#write(noticeDraft(notice, this.#parts.clock.now()), view)
  }

  /** Ends its timers. */
  stop(): void {
    this.#fold.stop()
  }

  /** Adds topics to a socket; an empty list removes all. The caller has checked that they exist in its view. */
  subscribe(socket: StreamSocket, topics: readonly string[]): void {
    // Waiting events belong to earlier subscriptions.
    this.endTurn()
    this.#move(socket, topics.length === 0 ? new Set() : new Set([...socket.topics, ...topics]))
  }

  /** Removes a socket with its waiting events. */
  leave(socket: StreamSocket): void {
    this.#move(socket, new Set())
  }

  /** Missed events of some topics that the socket may see now, oldest first; null if some were dropped. */
  missed(since: number, topics: ReadonlySet<string>): readonly StreamEvent[] | null {
    return (
      this.#ring.since(since)?.filter((event) => {
        if (!isFresh(event, this.#parts.clock.now())) return false
        const visible = this.#view && shownOf(event.subject, event.event, this.#view, this.#lists.shows)
        return visible?.topics.some((topic) => topics.has(topic)) === true
      }) ?? null
    )
  }

  /**
   * Reads the integration's current state (Spec 1 point 3). If its view changed, drops waiting events that it may no
   * longer see, ends topics of removed things, and sends an `exposure` event. A change of the integration itself sends
   * an `integration` event.
   */
  refresh(): ExposedHouse | null {
    const integration = this.#parts.integrations.get(this.#integration)
    if (!integration) return null
    const view = this.#parts.views.of(integration)
    if (view === this.#view) return view
    const before = this.#view
    this.#view = view
    const visible = visibleText(view)
    const differs = visible !== this.#visibleText
    this.#visibleText = visible
    this.#lists.viewChanged()
    this.#parts.onPending()
    if (before === null) return view
    this.#dropHidden(view)
    if (differs) this.#exposureChanged(view)
    if (before.integration !== view.integration && (differs || knobsText(before) !== knobsText(view)))
      this.#integrationChanged(view)
    return view
  }

  /** Drops waiting and stored events about a device whose state became unknown. */
  forget(device: DeviceKey): void {
    const stays = ({ subject }: StreamEvent): boolean => !('key' in subject) || subject.key !== device
    this.#ring.keep(stays)
    this.#keepWaiting(stays)
  }

  /** Registers a change of automations or schedules. The end of the turn finds out whether this integration sees it. */
  listChanged(list: ListTopic): void {
    this.#lists.changed(list)
    this.#parts.onPending()
  }

  /**
   * Sends changes of the lists and waiting events. Lists are compared only here, so that hidden events of the turn
   * affect neither number nor order.
   */
  endTurn(): void {
    this.#publishListChanges()
    this.#deliver()
  }

  /** Writes waiting events, to each socket in one piece. */
  flush(): void {
    this.refresh()
    this.#deliver()
  }

  #deliver(): void {
    const failureOf = this.#parts.failuresNow()
    for (const group of this.#groups.values()) {
      if (group.batch.length === 0) continue
      const { batch } = group
      group.batch = []
      const [first] = batch
      const bytes = batch.length === 1 && first ? first.frame : Buffer.concat(batch.map((event) => event.frame))
      let reached = 0
      for (const socket of group.members) {
        const failure = failureOf(socket)
        if (failure !== null) {
          this.#parts.disconnect(socket, failure)
          continue
        }
        socket.deliver(bytes, batch)
        reached += 1
      }
      this.#parts.onDelivered(reached * batch.length)
    }
  }

  #write(draft: EventDraft, view: ExposedHouse): void {
    const visible = shownOf(draft.subject, draft.event, view, this.#lists.shows)
    if (!visible) return
    const event = writeEvent(draft, visible, view.name, this.#ring.last + 1)
    this.#ring.push(event)
    let full = false
    for (const group of this.#groups.values()) {
      if (!visible.topics.some((topic) => group.topics.has(topic))) continue
      full = group.batch.push(event) >= BATCH_EVENTS_MAX || full
      this.#parts.onPending()
    }
    if (full) this.flush()
  }

  /**
   * Drops waiting events (slow readers included) that this integration may no longer see. Knobs can hide settings
   * too.
   */
  #dropHidden(view: ExposedHouse): void {
    const allowed = (event: StreamEvent): boolean =>
      shownOf(event.subject, event.event, view, this.#lists.shows) !== null
    this.#keepWaiting(allowed)
  }

  #keepWaiting(allowed: (event: StreamEvent) => boolean): void {
    for (const group of this.#groups.values()) {
      group.batch = group.batch.filter(allowed)
      for (const socket of group.members) socket.keep(allowed)
    }
  }

  #exposureChanged(view: ExposedHouse): void {
    this.#deliver()
    for (const group of [...this.#groups.values()]) {
      const remaining = [...group.topics].filter((topic) => topicExists(topic, view))
      for (const socket of [...group.members]) {
        if (remaining.length < group.topics.size) this.#move(socket, new Set(remaining))
      }
    }
    const read = ['house', 'state', ...othersOf(view)].map((name) => `/v1/${name}`)
    const state = JSON.stringify({ changed: true, read })
    this.#write({ event: 'exposure', at: this.#parts.clock.now(), subject: { kind: 'exposure' }, state }, view)
  }

  #integrationChanged(view: ExposedHouse): void {
    const lists = LISTS.filter((list) => this.#lists.shows(list, null, view))
    const read = ['integration', 'house', 'state', ...othersOf(view), ...lists].map((name) => `/v1/${name}`)
    const state = JSON.stringify({ id: view.integration.id, change: 'edited', read })
    this.#write({ event: 'integration', at: this.#parts.clock.now(), subject: { kind: 'integration' }, state }, view)
  }

  /** Sends the number of messages that were left out. */
  #more(count: number): void {
    const view = this.refresh()
    const { clock } = this.#parts
    if (view) this.#write(noticeDraft(moreNotice(count, `more-${this.seq + 1}`, clock.now()), clock.now()), view)
  }

  #publishListChanges(): void {
    const view = this.refresh()
    if (!view) return
    for (const { list, local, ...state } of this.#lists.changes(view)) {
      const subject = { kind: 'listed', list, id: local, deleted: state.change === 'deleted' } as const
      this.#write({ event: list, at: this.#parts.clock.now(), subject, state: JSON.stringify(state) }, view)
    }
  }

  /** Moves a socket to the group of its topics; its old group must have no waiting events. */
  #move(socket: StreamSocket, topics: ReadonlySet<string>): void {
    const from = groupKey(socket.topics)
    const to = groupKey(topics)
    const old = this.#groups.get(from)
    old?.members.delete(socket)
    if (old?.members.size === 0) this.#groups.delete(from)
    socket.topics = topics
    if (topics.size === 0) return
    const group = this.#groups.get(to) ?? { topics, members: new Set(), batch: [] }
    group.members.add(socket)
    this.#groups.set(to, group)
  }
}

function groupKey(topics: ReadonlySet<string>): string {
  return [...topics].toSorted().join('\n')
}

/** Readable things of a view beside its house. */
function othersOf(view: ExposedHouse): readonly string[] {
  return [
    ...(view.modes.length > 0 ? ['mode'] : []),
    ...(view.showsAnyone ? ['persons'] : []),
    ...(view.calendars.length > 0 ? ['calendars'] : []),
  ]
}

/** Fields of a view's structure that clients can see; views with the same values look the same to them. */
const SHOWN_FIELDS = [
  'name',
  'timeZone',
  'currency',
  'floors',
  'rooms',
  'units',
  'scenes',
  'groups',
  'members',
  'hiddenMembers',
  'gangs',
  'id',
  'class',
  'model',
  'room',
  'floor',
  'gang',
  'light',
  'onlyGangs',
  'modes',
  'showsAnyone',
  'people',
  'calendars',
]

/** Fields of `GET /v1/integration` that can change. */
function knobsText({ integration: { name, knobs, people }, reports }: ExposedHouse): string {
  return JSON.stringify([name, knobs, people, reports])
}

function visibleText(view: ExposedHouse): string {
  const { name, timeZone, currency, floors, rooms, units, scenes, modes, showsAnyone, people, calendars } = view
  const groups = view.groups.map((group) => ({ ...group, members: group.members.map(({ id }) => id) }))
  const visible = {
    name,
    timeZone,
    currency,
    floors,
    rooms,
    units,
    scenes,
    groups,
    modes,
    showsAnyone,
    people,
    calendars,
  }
  return JSON.stringify(visible, SHOWN_FIELDS)
}
