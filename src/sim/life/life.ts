import type { Occupation, PersonPlan } from '../model/house-plan.ts'
import type { PhysicalHouse } from '../units/physical-house.ts'
import type { SeededRandom } from '../model/seeded-random.ts'
import { AcDevice, LockDevice } from '../units/other-devices.ts'
import { CoverDevice } from '../units/cover-device.ts'
import type { Device } from '../units/device.ts'
import { LoadDevice } from '../units/load-device.ts'
import type { Unit } from '../units/unit.ts'
import type { Cancel } from '../model/agenda.ts'
import { dayPlan, roomFor, STIR_MINUTES, type DayEntry } from './day-plan.ts'
import { MINUTE_MS } from '../../lib/durations.ts'

/** Place and activity of a person. */
interface Whereabouts {
  readonly person: PersonPlan
  doing: Occupation
  room: string | null
}

const SECOND_MS = 1_000
/** Long enough for any shutter to travel all the way. */
const HOLD_MS = 60 * SECOND_MS
const TOO_WARM = 26
const COVERED = 5

interface Placed<D extends Device> {
  readonly unit: Unit
  readonly device: D
}

/** Use of keys, doors and shutters when people come and go. They leave automatic devices alone. */
class Habits {
  readonly #house: PhysicalHouse
  readonly #random: SeededRandom
  readonly #laundry: SeededRandom

  constructor(house: PhysicalHouse, random: SeededRandom) {
    this.#house = house
    this.#random = random
    this.#laundry = random.fork('laundry')
  }

  /** A person starts something, perhaps after entering a room. */
  began(who: Whereabouts, before: Occupation, moved: boolean): void {
    const { room, doing } = who
    if (before === 'away') this.#comeHome(who)
    if (room === null) return
    if (doing === 'sleep') return this.#goToBed(who, room)
    if (before === 'sleep') this.#open(who.person.rooms.sleep ?? room)
    if (moved) this.#lightUp(room)
    if (doing === 'wash') this.#house.room(room)?.steam(this.#random.between(12, 28), this.#house.agenda.wall())
    if (doing === 'relax') this.#settle(room)
    if (doing === 'outside') this.#throughDoor(who, 20 * SECOND_MS)
    if (doing === 'relax' && before === 'eat') this.#startDishes(who)
    if (doing === 'tidy') this.#startLaundry(room)
  }

  /** A person left a room. */
  left(who: Whereabouts, room: string | null, before: Occupation): void {
    if (who.room === null) this.#leaveHome(who)
    if (room === null || (this.#house.room(room)?.awake ?? 0) > 0 || before === 'sleep') return
    for (const { unit, device } of this.#loads(room)) {
      const used = device.source.plan.kind === 'lamp' || device.source.plan.kind === 'socket'
      if (used && device.on && device.mode === 'manual' && this.#random.chance(0.85)) this.#touch(unit, device, 'down')
    }
    for (const { unit, device } of this.#in(room, AcDevice)) if (device.on) this.#touch(unit, device, 'down')
  }

  #lightUp(room: string): void {
    const { agenda } = this.#house
    const place = this.#house.room(room)
    if (place === undefined || place.plan.use === 'garden' || place.light(agenda.wall()) > this.#random.between(25, 70))
      return
    const lamp = this.#loads(room).find(
      ({ device }) => device.source.plan.kind === 'lamp' && device.mode === 'manual' && !device.on,
    )
    if (lamp !== undefined) this.#touch(lamp.unit, lamp.device, 'up')
  }

  /** An evening in the living room: television, shutters down when it is dark, cool air when it is hot. */
  #settle(room: string): void {
    const { agenda, sky } = this.#house
    const socket = this.#loads(room).find(
      ({ device }) => device.source.plan.kind === 'socket' && device.mode === 'manual' && !device.on,
    )
    if (socket !== undefined && this.#random.chance(0.8)) this.#touch(socket.unit, socket.device, 'up')
    if (sky.sunElevation(agenda.wall()) < -2) this.#cover(room)
    this.#coolDown(room)
  }

  #goToBed(who: Whereabouts, room: string): void {
    this.#cover(room)
    this.#coolDown(room)
    const { agenda } = this.#house
    agenda.after(this.#random.between(4, 25) * 60 * SECOND_MS, () => {
      for (const { unit, device } of this.#loads(room)) {
        if (device.on && device.mode === 'manual' && device.source.plan.kind === 'lamp')
          unit.touch(device.gang, aTouch('down'))
      }
    })
    if (this.#random.chance(0.9)) this.#turnLocks(who, 'down')
  }

  #open(room: string): void {
    if (this.#house.sky.sunElevation(this.#house.agenda.wall()) < -4) return
    for (const { unit, device } of this.#in(room, CoverDevice))
      if (device.class !== 'gate' && device.position < 95) this.#touch(unit, device, 'up', HOLD_MS)
  }

  #cover(room: string): void {
    for (const { unit, device } of this.#in(room, CoverDevice))
      if (device.class !== 'gate' && device.position > COVERED) this.#touch(unit, device, 'down', HOLD_MS)
  }

  #coolDown(room: string): void {
    const celsius = this.#house.room(room)?.temperature(this.#house.agenda.wall()) ?? 0
    if (celsius > TOO_WARM)
      for (const { unit, device } of this.#in(room, AcDevice)) if (!device.on) this.#touch(unit, device, 'up')
  }

  #startDishes(who: Whereabouts): void {
    const room = who.person.rooms.cook
    if (room === undefined || !this.#random.chance(0.6)) return
    for (const device of this.#idle(room)) if (device.source.plan.programme === undefined) device.startAppliance()
  }

  #startLaundry(room: string): void {
    const machine = this.#idle(room).find(({ source }) => source.plan.programme === 'laundry')
    if (machine !== undefined && this.#laundry.chance(0.5)) machine.startAppliance()
  }

  /** The appliances of a room that run no programme. */
  #idle(room: string): readonly LoadDevice[] {
    return this.#loads(room).flatMap(({ device }) => (device.source.busy ? [] : [device]))
  }

  #leaveHome(who: Whereabouts): void {
    this.#throughDoor(who, 6 * SECOND_MS)
    this.#gate(who)
    this.#house.agenda.after(30 * SECOND_MS, () => this.#turnLocks(who, 'down'))
  }

  #comeHome(who: Whereabouts): void {
    this.#gate(who)
    this.#turnLocks(who, 'up')
    this.#throughDoor(who, 6 * SECOND_MS)
  }

  /** A car passes the gate. */
  #gate({ person }: Whereabouts): void {
    if (!person.drives || person.rooms.outside === undefined) return
    const gate = this.#in(person.rooms.outside, CoverDevice).find(({ device }) => device.class === 'gate')
    if (gate === undefined) return
    gate.unit.touch(null, aTouch('up'))
    this.#house.agenda.after(75 * SECOND_MS, () => gate.unit.touch(null, aTouch('down')))
  }

  #throughDoor({ person }: Whereabouts, openMs: number): void {
    const contacts = [person.rooms.pass, person.rooms.eat].flatMap((room) =>
      room === undefined ? [] : this.#house.unitsIn(room),
    )
    const contact = contacts.find((unit) => unit.plan.measures?.includes('door'))
    contact?.measuring?.door(true)
    if (contact !== undefined) this.#house.agenda.after(openMs, () => contact.measuring?.door(false))
  }

  #turnLocks({ person }: Whereabouts, key: 'up' | 'down'): void {
    if (person.rooms.pass === undefined) return
    for (const { unit, device } of this.#in(person.rooms.pass, LockDevice)) unit.touch(device.gang, aTouch(key))
  }

  /** Touches a key after a short delay. */
  #touch(unit: Unit, device: Device, key: 'up' | 'down', heldMs = 300): void {
    this.#house.agenda.after(this.#random.between(1_500, 7_000), () => unit.touch(device.gang, aTouch(key, heldMs)))
  }

  #loads(room: string): readonly Placed<LoadDevice>[] {
    return this.#in(room, LoadDevice)
  }

  #in<D extends Device>(room: string, kind: abstract new (...parts: never[]) => D): readonly Placed<D>[] {
    return this.#house
      .unitsIn(room)
      .flatMap((unit) => placed(unit, kind).filter(({ device }) => device.roomId === room))
  }
}

function placed<D extends Device>(unit: Unit, kind: abstract new (...parts: never[]) => D): Placed<D>[] {
  return unit.devices.flatMap((device) => (device instanceof kind ? [{ unit, device }] : []))
}

const aTouch = (
  key: 'up' | 'down',
  heldMs = 300,
): { key: 'up' | 'down'; strength: number; heldMs: number; edge: boolean } => ({
  key,
  strength: 60,
  heldMs,
  edge: false,
})

/** The people of a house: their places over time, their motion and their touches. */
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

  /** Stops all people. */
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

  #change(who: Whereabouts, doing: Occupation): void {
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
