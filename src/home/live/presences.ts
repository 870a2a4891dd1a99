import { type Clock, every } from '../../lib/clock.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { nullIfDiskFails } from '../../lib/storage-failure.ts'
import type { House } from '../house/house.ts'
import { type Cause, GATEWAY_CAUSE, type HomeEvent, type HeldPresence } from '../model/events.ts'
import {
  ANYONE,
  anyoneOf,
  CONSOLE_USED,
  type HomePerson,
  type PresenceChange,
  type PresenceState,
} from '../model/presence.ts'
import { causesOf } from '../model/presence-causes.ts'
import type { UnitOfWork } from '../ports/activity-log.ts'
import type { ActivityStore } from '../ports/history-store.ts'
import type { PresenceStore, StoredPresence } from '../ports/house-store.ts'

interface PresencesParts {
  readonly house: Pick<House, 'people'>
  readonly store: PresenceStore
  readonly work: UnitOfWork
  readonly activity: Pick<ActivityStore, 'forgetPersons'>
  readonly events: Emitter<HomeEvent>
  readonly clock: Clock
}

/** Time for which a report by hand holds although the console is used at home: for people who are about to leave. */
export const HAND_REPORT_MS = 10 * MINUTE_MS

const UNREPORTED: HeldPresence = { is: 'unknown', since: null, cause: null }

const WORDS: Readonly<Record<PresenceState, string>> = {
  home: 'is home',
  away: 'is away',
  unknown: 'has an unknown presence',
}

/** The presence of the home's people: the newest report wins and is stored. */
export class Presences {
  readonly #parts: PresencesParts
  /** By person, and for `anyone`. */
  #held: ReadonlyMap<string, HeldPresence>
  #stops: readonly (() => void)[] = []

  constructor(parts: PresencesParts) {
    this.#parts = parts
    this.#held = new Map(parts.store.load().map(({ person, ...presence }) => [person, presence]))
  }

  /** Presence of a person or of `anyone`. */
  of(person: string): HeldPresence {
    return this.#held.get(person) ?? UNREPORTED
  }

  /** Presence of a person or of `anyone` for rules, with the causes of everything that decides it. */
  fact(person: string): { readonly is: PresenceState; readonly causes: readonly Cause[] } {
    return { is: this.of(person).is, causes: causesOf(person, this.#persons()) }
  }

  #persons(): readonly (HomePerson & HeldPresence)[] {
    return [...this.#parts.house.people.values()].map((person) => ({ ...person, ...this.of(person.id) }))
  }

  /** Follows the list of persons from now on. */
  start(): void {
    const { events, clock } = this.#parts
    this.#stops = [
      events.on((event) => {
        if (event.kind === 'structure') this.#settle()
      }),
      every(clock, HOUR_MS, () => this.#forgetRemoved()),
    ]
    this.#settle()
    this.#forgetRemoved()
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }

  /** Takes a report about a person of the home. */
  report(person: string, is: PresenceState, cause: Cause): void {
    const { is: before } = this.of(person)
    if (is === before) return
    const { clock, work, store } = this.#parts
    const at = clock.now()
    const held = new Map(this.#held).set(person, { is, since: at, cause })
    const anyone = this.#ofAnyone(held, at)
    work.change((record) => {
      store.save({ person, is, since: at, cause })
      if (anyone) store.save({ person: ANYONE, ...anyone })
      const data = { from: { presence: before }, to: { presence: is } }
      record({ at, kind: 'state', subject: { kind: 'person', id: person }, what: WORDS[is], cause, data })
    })
    this.#take(held, anyone, [{ person, is, before }], { cause, isReported: true })
  }

  /**
   * Takes the use of a console in the home network by a person. It never means that somebody is away. A member's record
   * answers for what follows, as for every report of the member.
   */
  usedAtHome({ id: person, integration }: { readonly id: string; readonly integration: string | null }): void {
    const { is, since, cause } = this.of(person)
    if (is === 'home' || !this.#parts.house.people.has(person)) return
    const isByHand = cause?.source === 'person' && since !== null && this.#parts.clock.now() - since < HAND_REPORT_MS
    if (isByHand) return
    const by = integration === null ? {} : { integration, link: integration }
    nullIfDiskFails(() => this.report(person, 'home', { source: 'presence', name: CONSOLE_USED, ref: person, ...by }))
  }

  /** The changed presence of `anyone`; null if it is as before. */
  #ofAnyone(held: ReadonlyMap<string, HeldPresence>, at: number): Omit<StoredPresence, 'person'> | null {
    const is = anyoneOf([...this.#parts.house.people.keys()].map((id) => held.get(id)?.is ?? 'unknown'))
    return is === this.of(ANYONE).is ? null : { is, since: at, cause: GATEWAY_CAUSE }
  }

  #take(
    held: Map<string, HeldPresence>,
    anyone: HeldPresence | null,
    changes: readonly PresenceChange[],
    of: Pick<Extract<HomeEvent, { kind: 'presence' }>, 'cause' | 'isReported'>,
  ): void {
    const before = this.of(ANYONE).is
    if (anyone) held.set(ANYONE, anyone)
    this.#held = held
    const all = anyone ? [...changes, { person: ANYONE, is: anyone.is, before }] : changes
    const persons = this.#persons()
    const at = this.#parts.clock.now()
    this.#parts.events.emit({ kind: 'presence', changes: all, anyone: this.of(ANYONE), persons, at, ...of })
  }

  /** Takes a changed list of persons. The presence of `anyone` may change, but nobody has come or gone. */
  #settle(): void {
    const { house, clock, work, store } = this.#parts
    const removed = [...this.#held.keys()].filter((id) => id !== ANYONE && !house.people.has(id))
    const held = new Map([...this.#held].filter(([id]) => !removed.includes(id)))
    const anyone = this.#ofAnyone(held, clock.now())
    if (removed.length > 0) this.#forgetRemoved()
    if (anyone) nullIfDiskFails(() => work.change(() => store.save({ person: ANYONE, ...anyone })))
    if (anyone) this.#take(held, anyone, [], { cause: GATEWAY_CAUSE, isReported: false })
    else this.#held = held
  }

  /** Deletes the entries of persons who are no longer in the home. */
  #forgetRemoved(): void {
    nullIfDiskFails(() => this.#parts.activity.forgetPersons((id) => !this.#parts.house.people.has(id)))
  }
}
