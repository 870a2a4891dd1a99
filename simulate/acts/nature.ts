import type { SeededRandom } from '../../src/sim/model/seeded-random.ts'
import type { Unit as SimulatedUnit } from '../../src/sim/units/unit.ts'
import { NO_FAULTS } from '../../src/sim/line/faults.ts'
import type { DiskMark } from '../world/journal.ts'
import type { World } from '../world/world.ts'
import { act, type ActKind, pick, withOne, withCaller } from './act.ts'
import { CALLER_ACTS } from './callers.ts'
import { ADMINISTRATOR_ACTS } from './administrators.ts'

const MINUTE = 60_000
const DAY = 86_400_000
/** The home stays awake this long after a fault, and longer while the link is busy. */
const RIGHT_AGAIN_MS = 20_000
/** By then every check that reads the wall clock once a minute has run. */
const NOTICED_MS = 65_000
/** By then a unit has reacted to a touch. */
const REACTS_MS = 5_000

/** Acts of people in the house, and faults around the gateway. */
export const NATURE_ACTS: readonly ActKind[] = [
  { ...act('touch', 10, touch), always: true },
  { ...act('move', 4, move), always: true },
  { ...act('fall silent', 2, fallSilent), always: true },
  { ...act('touch out of reach', 2, touchOutOfReach), always: true },
  { ...act('cut the mains', 1, cutMains), always: true },
  { ...act('unplug', 2, unplug), always: true },
  { ...act('disturb the line', 2, disturb), always: true },
  { ...act('reset the adapter', 1, (world) => disturbed(world, 0, () => world.house.resetAdapter())), always: true },
  { ...act('drop the line', 1, (world) => disturbed(world, 0, () => world.house.dropLine())), always: true },
  act('refuse writes', 1, refuseWrites),
  act('set the clock', 1, setClock),
  act('be days ahead', 1, beDaysAhead),
  { ...act('restart', 1, restart), atOnce: true },
  act('crash', 2, (world, chance) => crash(world, null, chance)),
  act('crash after a run', 4, crashAfterRun),
  act('crash over a run', 2, crashOverRun),
  act('crash after an answer', 3, crashAfterAnswer),
  { ...act('crash in the middle', 3, crashInTheMiddle), atOnce: true },
]

const KEYS = ['up', 'mode', 'down'] as const
const FINGER = { strength: 50, heldMs: 300, edge: false } as const

function touch(world: World, chance: SeededRandom): void {
  withOne(chance, world.house.house.units, (unit) => {
    withOne(chance, unit.devices, ({ gang }) => world.house.touch(unit.address, gang, chance.pick(KEYS)))
  })
}

function move(world: World, chance: SeededRandom): void {
  withOne(chance, world.home.plan.rooms, ({ id }) => world.house.motion(id))
}

/** Disturbs the line for `ms`. The home is awake while frames are lost. */
function disturbed(world: World, ms: number, disturb: () => void): void {
  disturb()
  world.trouble('line', ms)
  world.clock.stayAwake(RIGHT_AGAIN_MS)
  world.clock.after(ms, () => world.clock.stayAwake(RIGHT_AGAIN_MS))
}

function fallSilent(world: World, chance: SeededRandom): void {
  withOne(chance, world.house.house.units, (unit) => silence(world, unit, chance.whole(5_000, 20 * MINUTE)))
}

/** Silences a unit for `ms`. Its reports are lost; afterwards it reports its state. */
function silence(world: World, unit: SimulatedUnit, ms: number): void {
  const { address } = unit
  disturbed(world, ms, () => world.house.silence(address))
  world.clock.after(ms, () => {
    // A unit that was removed meanwhile answers again after it is put back.
    if (world.physical.at(address)?.unit === unit) world.house.silence(address, false)
    else unit.silence(false)
    for (const device of unit.devices) unit.reportState(device, 'touch')
  })
}

/** A person touches a unit that cannot reach the gateway. A caller may control it at the same time. */
function touchOutOfReach(world: World, chance: SeededRandom): void {
  withOne(chance, world.house.house.units, (unit) => {
    const ms = chance.whole(5_000, 15 * MINUTE)
    silence(world, unit, ms)
    world.clock.after(chance.whole(100, ms), () => {
      world.clock.stayAwake(REACTS_MS)
      withOne(chance, unit.devices, ({ gang }) => unit.touch(gang, { ...FINGER, key: chance.pick(KEYS) }))
    })
  })
}

/** Cuts the mains of some units or of the whole house. Their settings decide their state afterwards. */
function cutMains(world: World, chance: SeededRandom): void {
  const addresses = world.house.house.units.map(({ address }) => address)
  const cut = chance.chance(0.5) ? addresses : addresses.filter(() => chance.chance(0.2))
  const ms = chance.whole(1_000, 15 * MINUTE)
  disturbed(world, ms, () => world.house.cutMains(cut))
  world.clock.after(ms, () =>
    world.house.returnMains(cut.filter((address) => world.physical.at(address) !== undefined)),
  )
}

function unplug(world: World, chance: SeededRandom): void {
  const ms = chance.whole(100, 6 * MINUTE)
  disturbed(world, ms, () => world.house.unplug(chance.chance(0.5) ? chance.whole(1, 60) : 0))
  world.clock.after(ms, () => (world.house.plugged ? world.house.dropLine() : world.house.plug()))
}

function disturb(world: World, chance: SeededRandom): void {
  const ms = chance.whole(1_000, 2 * MINUTE)
  const faults = { drop: 0.1, corrupt: 0.1, duplicate: 0.1, delay: 0.2 }
  disturbed(world, ms, () => world.house.setFaults(faults))
  world.clock.stayAwake(ms)
  world.clock.after(ms, () => world.house.setFaults(NO_FAULTS))
}

function refuseWrites(world: World, chance: SeededRandom): void {
  const { life } = world
  const ms = chance.whole(500, 5 * MINUTE)
  const syncs = chance.chance(0.5)
  const refuse = syncs ? life.files.failSyncs : life.files.refuseWrites
  refuse(true)
  world.trouble('disk', ms)
  // The first change during the fault is committed before the fault is detected.
  if (syncs) tryToChange(world, chance)
  world.clock.stayAwake(NOTICED_MS)
  world.clock.after(ms, () => {
    world.clock.stayAwake(NOTICED_MS)
    if (world.running && world.life === life) refuse(false)
  })
}

function tryToChange(world: World, chance: SeededRandom): void {
  for (const after of [100, 2_000]) {
    const body = { name: world.newName(), steps: [] }
    world.clock.after(after, () => {
      if (world.running)
        withCaller(world, chance, (caller) => void world.answering.ask(caller, 'scenes.create', { body }))
    })
  }
}

/** Moves the clock forward or back by minutes, days or years, and corrects it later. */
function setClock(world: World, chance: SeededRandom): void {
  const ms = chance.pick([1, -1]) * chance.pick([3 * MINUTE, 40 * MINUTE, DAY, 3 * DAY, 800 * DAY])
  wrongClock(world, ms, chance.whole(MINUTE, 3 * 3_600_000))
}

/** Sets the clock a day or two ahead for some minutes. Runs of that day are still due afterwards. */
function beDaysAhead(world: World, chance: SeededRandom): void {
  wrongClock(world, chance.pick([1, 1, 2]) * DAY, chance.whole(MINUTE, 30 * MINUTE))
}

function wrongClock(world: World, ms: number, wrongMs: number): void {
  world.clock.jump(ms)
  world.trouble('clock', wrongMs)
  world.clock.stayAwake(NOTICED_MS)
  world.clock.after(wrongMs, () => {
    world.clock.jump(-ms)
    world.clock.stayAwake(NOTICED_MS)
  })
}

function offMs(chance: SeededRandom): number {
  return chance.chance(0.3) ? chance.whole(MINUTE, 40 * MINUTE) : chance.whole(500, 20_000)
}

function off(world: World, ms: number): void {
  world.trouble('down', ms)
  world.clock.after(ms, () => {
    world.start()
    world.trouble('line', 0)
  })
}

/** Shuts the gateway down and starts it again. */
export async function restart(world: World, chance: SeededRandom): Promise<void> {
  await world.stop()
  off(world, offMs(chance))
}

function crash(world: World, mark: DiskMark | null, chance: SeededRandom, ms = offMs(chance)): void {
  world.crash(mark, chance)
  world.house.dropLine()
  off(world, ms)
}

/** Milliseconds until the next run of a schedule; Infinity without schedules. */
function untilRun(world: World): number {
  const { rules } = world.life.home
  return (
    Math.min(...rules.schedules.list().map(({ id }) => rules.timed.nextOf('schedule', id) ?? Infinity)) -
    world.clock.now()
  )
}

/** Cuts the power within minutes after the next scheduled run. */
function crashAfterRun(world: World, chance: SeededRandom): void {
  const wait = untilRun(world) + chance.whole(1_000, 4 * MINUTE)
  if (!Number.isFinite(wait)) return
  world.clock.after(wait, () => {
    if (world.running) crash(world, null, chance)
  })
}

/** Cuts the power before the next scheduled run. It returns after that time, early enough to run it, or later. */
function crashOverRun(world: World, chance: SeededRandom): void {
  const wait = untilRun(world) - 20_000
  const ms = chance.whole(25_000, 15 * MINUTE)
  if (!Number.isFinite(wait)) return
  world.clock.after(wait, () => {
    if (world.running) crash(world, null, chance, ms)
  })
}

/** Cuts the power at the moment when a write is acknowledged. */
function crashAfterAnswer(world: World, chance: SeededRandom): void {
  withCaller(world, chance, (caller) => {
    const body = { name: world.newName(), steps: [] }
    void world.answering.ask(caller, 'scenes.create', { body }).then(() => {
      if (world.running) crash(world, null, chance)
    })
  })
}

/** Cuts the power after a write and before its response. */
async function crashInTheMiddle(world: World, chance: SeededRandom): Promise<void> {
  const { answering } = world
  const mark = world.markDisk()
  answering.withholds = true
  await pick(chance, [...CALLER_ACTS, ...ADMINISTRATOR_ACTS])?.run(world, chance)
  await world.settle()
  answering.withholds = false
  crash(world, mark, chance)
}
