import type { Doing } from '../house-plan.ts'
import type { PhysicalHouse } from '../physical-house.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { AcDevice } from '../units/ac-device.ts'
import { CoverDevice } from '../units/cover-device.ts'
import type { Device } from '../units/device.ts'
import { LoadDevice } from '../units/load-device.ts'
import { WASH_PROGRAMME } from '../units/load-source.ts'
import { LockDevice } from '../units/lock-device.ts'
import type { Unit } from '../units/unit.ts'
import type { Whereabouts } from './whereabouts.ts'

const SECOND_MS = 1_000
/** Long enough for any shutter to get all the way. */
const HOLD_MS = 60 * SECOND_MS
const TOO_WARM = 26
const COVERED = 5

interface Placed<D extends Device> {
  readonly unit: Unit
  readonly device: D
}

/** What people do with keys, doors and shutters when they come and go. What runs by itself they leave alone. */
export class Habits {
  readonly #house: PhysicalHouse
  readonly #random: SeededRandom

  constructor(house: PhysicalHouse, random: SeededRandom) {
    this.#house = house
    this.#random = random
  }

  /** Somebody starts something, in a room they may have come into. */
  began(who: Whereabouts, before: Doing, moved: boolean): void {
    const { room, doing } = who
    if (before === 'away') this.#comeHome(who)
    if (room === null) return
    if (doing === 'sleep') return this.#goToBed(who, room)
    if (before === 'sleep') this.#open(who.person.rooms.sleep ?? room)
    if (moved) this.#lightUp(room)
    if (doing === 'wash') this.#house.room(room)?.steam(this.#random.between(12, 28), this.#house.agenda.wall())
    if (doing === 'relax') this.#settle(room)
    if (doing === 'outside') this.#throughDoor(who, 20 * SECOND_MS)
    if (doing === 'relax' && before === 'eat') this.#startAppliances(who)
  }

  /** Somebody went out of a room. */
  left(who: Whereabouts, room: string | null, before: Doing): void {
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

  /** An evening in the living room: something to watch, shutters down when it is dark, cool air when it is hot. */
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

  #startAppliances(who: Whereabouts): void {
    const room = who.person.rooms.cook
    if (room === undefined || !this.#random.chance(0.6)) return
    for (const { device } of this.#loads(room)) if (!device.source.busy) device.startAppliance(WASH_PROGRAMME)
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

  /** A car goes through the gate. */
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

  /** A finger that takes a moment to get to the key. */
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
