import type { Cancel } from '../agenda.ts'
import type { PhysicalHouse } from '../physical-house.ts'
import type { Doing } from '../house-plan.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { dayPlan, roomFor, STIR_MINUTES, type DayEntry } from './day-plan.ts'
import { Habits } from './habits.ts'
import type { Whereabouts } from './whereabouts.ts'
import { MINUTE_MS } from '../../lib/durations.ts'

/** The people of a house: who is where and when, what sensors see of them and what they touch. */
export class Life {
  readonly #house: PhysicalHouse
  readonly #random: SeededRandom
  readonly #people: Whereabouts[]
  readonly #habits: Habits
  readonly #stirs = new Map<Whereabouts, Cancel>()
  #stopped = false

  constructor(house: PhysicalHouse, random: SeededRandom) {
    this.#house = house
    this.#random = random
    this.#habits = new Habits(house, random.fork('habits'))
    this.#people = house.plan.people.map((person) => ({ person, doing: 'sleep', room: null }))
    for (const who of this.#people) this.#begin(who)
  }

  get people(): readonly Whereabouts[] {
    return this.#people
  }

  /** Everybody stands still from now on. */
  stop(): void {
    this.#stopped = true
    for (const cancel of this.#stirs.values()) cancel()
  }

  #begin(who: Whereabouts): void {
    const { day, minute } = this.#house.civil()
    const entries = this.#planOf(who, day)
    const current = entries.findLastIndex((entry) => entry.minute <= minute)
    who.doing = entries[current]?.doing ?? 'sleep'
    who.room = roomFor(who.person, who.doing)
    this.#count(who.room)
    this.#stirLater(who)
    this.#awaitEntry(who, day, entries, current + 1)
  }

  #planOf({ person }: Whereabouts, day: number): readonly DayEntry[] {
    const weekday = ((((day + 3) % 7) + 7) % 7) + 1
    return dayPlan(person, weekday, this.#random.fork(`${person.id}/${day}`))
  }

  #awaitEntry(who: Whereabouts, day: number, entries: readonly DayEntry[], index: number): void {
    const entry = entries[index]
    if (entry === undefined) return this.#awaitEntry(who, day + 1, this.#planOf(who, day + 1), 1)
    const { agenda, zone } = this.#house
    agenda.after(zone.epochOf(day, entry.minute) - agenda.wall(), () => {
      if (this.#stopped) return
      this.#awaitEntry(who, day, entries, index + 1)
      this.#change(who, entry.doing)
    })
  }

  #change(who: Whereabouts, doing: Doing): void {
    const before = { doing: who.doing, room: who.room }
    who.doing = doing
    const room = roomFor(who.person, doing)
    const { pass } = who.person.rooms
    if (room !== before.room && pass !== undefined) this.#house.motion(pass)
    who.room = room
    this.#count(before.room)
    this.#count(room)
    const moved = room !== before.room
    if (moved) this.#habits.left(who, before.room, before.doing)
    if (room !== null) this.#house.motion(room)
    this.#habits.began(who, before.doing, moved)
    this.#stirLater(who)
  }

  #stirLater(who: Whereabouts): void {
    this.#stirs.get(who)?.()
    const mean = STIR_MINUTES[who.doing]
    if (mean === Infinity || this.#stopped) return
    const waitMs = -Math.log(1 - this.#random.float()) * mean * MINUTE_MS
    this.#stirs.set(
      who,
      this.#house.agenda.after(Math.max(5_000, waitMs), () => {
        if (who.room !== null) this.#house.motion(who.room)
        this.#stirLater(who)
      }),
    )
  }

  #count(roomId: string | null): void {
    if (roomId === null) return
    const there = this.#people.filter(({ room }) => room === roomId)
    const awake = there.filter(({ doing }) => doing !== 'sleep').length
    this.#house.room(roomId)?.occupy(there.length, awake, this.#house.agenda.wall())
  }
}
