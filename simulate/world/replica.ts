import type { HomeEvent } from '../../src/home/model/events.ts'
import type { Room, Scene } from '../../src/home/model/house.ts'
import type { HouseContent } from '../../src/home/ports/house-store.ts'
import type { RuleFile } from '../../src/home/rules/rule-file.ts'
import { type Answering, nameOf } from './sim-calls.ts'

/** The only room that the observer sees completely. Hidden units stay out of it. */
export const SEEN_ROOM = 'hall'
const SEEN_UNIT = 'u31'
const SEEN_GANG = { unit: 'u23', gang: 0 }

/** Id of the room, floor and scene that only the replica has. */
const EXTRA = 'cellar'
const EXTRA_TRIGGER = 'u13'
/** Seconds that the extra run waits. */
const EXTRA_S = 92
/** Rules of the replica alone. They run when a hidden unit moves, and use no air time. */
export const EXTRA_RULES: RuleFile = {
  automations: [
    {
      id: EXTRA,
      name: 'Zn0z cellar',
      enabled: true,
      revision: 1,
      origin: null,
      when: [{ device: EXTRA_TRIGGER, state: 'pos', above: 10 }],
      if: [],
      then: [{ delay: 2 }, { delay: EXTRA_S - 2 }],
      mode: 'restart',
    },
  ],
  schedules: [],
}

/** Suffix of hidden names in the replica. */
const REPLICA_SUFFIX = ' renamed, and longer'

/** Largest exposure of the observer. */
export function exposureOfObserver({ units }: HouseContent): string[] {
  const ids = new Set(units.map(({ id }) => id))
  return [
    `room:${SEEN_ROOM}`,
    ...(ids.has(SEEN_UNIT) ? [`unit:${SEEN_UNIT}`] : []),
    ...(ids.has(SEEN_GANG.unit) ? [`gang:${SEEN_GANG.unit}:${SEEN_GANG.gang}`] : []),
  ]
}

/** True if the observer sees nothing of a unit outside its room. */
export function isHidden(unit: string): boolean {
  return ![SEEN_UNIT, SEEN_GANG.unit, 'u11', 'u12'].includes(unit)
}

/** A hidden name in the home or its replica. */
export function hiddenName(name: string, isReplica: boolean): string {
  return isReplica ? name + REPLICA_SUFFIX : name
}

/** A home that looks the same to the observer, with other hidden names and more hidden things. */
export function replicaOf(content: HouseContent): HouseContent {
  const renamed = <T extends { readonly name: string }>(thing: T): T => ({
    ...thing,
    name: hiddenName(thing.name, true),
  })
  const room: Room = { id: EXTRA, name: 'Zrcellarz', floor: EXTRA, position: content.rooms.length + 1 }
  const scenes = content.scenes.map(renamed)
  const more = scenes.slice(0, 1).map((scene): Scene => ({ ...scene, id: EXTRA, name: 'Zscellarz', position: 9 }))
  return {
    ...content,
    floors: [...content.floors.map(renamed), { id: EXTRA, name: 'Zfcellarz', position: 9 }],
    rooms: [...content.rooms.map((its) => (its.id === SEEN_ROOM ? its : renamed(its))), room],
    units: content.units.map((unit) => ({
      ...(isHidden(unit.id) ? renamed(unit) : unit),
      gangs: unit.gangs.map((gang) =>
        unit.id === SEEN_GANG.unit && gang.gang === SEEN_GANG.gang ? gang : renamed(gang),
      ),
    })),
    scenes: [...scenes, ...more],
  }
}

export function isExtra(id: string): boolean {
  return id === EXTRA
}

/** The content that both homes have. Acts choose from it, so that they are the same. */
export function withoutExtra(content: HouseContent): HouseContent {
  const without = <T extends { readonly id: string }>(list: readonly T[]): T[] => list.filter(({ id }) => !isExtra(id))
  return {
    ...content,
    floors: without(content.floors),
    rooms: without(content.rooms),
    scenes: without(content.scenes),
  }
}

/** The part of a home that emits events and rests. */
interface Resting {
  readonly clock: { stayAwake(ms: number): void }
  watch(watcher: { readonly event: (event: HomeEvent) => void }): void
}

/**
 * Keeps both homes awake while the extra run of the replica waits. A rest of only one home would change the times at
 * which it sets the units' clocks, and so its air time.
 */
export function restAlike(world: Resting): void {
  world.watch({
    event: (event) => {
      if (event.kind === 'state' && event.device === EXTRA_TRIGGER) world.clock.stayAwake((EXTRA_S + 1) * 1_000)
    },
  })
}

/** The part of a home that shows the observer's traffic. */
interface Observed {
  readonly answering: Answering
  readonly observer: string | null
  /** Monotonic milliseconds. */
  readonly now: number
}

/** Collects everything that the observer receives from now on, with the time. */
export function observerLog(world: Observed): readonly string[] {
  const lines: string[] = []
  const note = (what: string): void => void lines.push(`${world.now} ${what}`)
  world.answering.watch({
    answered: ({ caller, request }, { status, text }) => {
      if (caller !== null && caller.integration === world.observer)
        note(`${nameOf(caller)} gets ${status} for ${request.method} ${request.path} ${text}`)
    },
    received: (caller, text) => {
      if (caller.integration === world.observer) note(`${nameOf(caller)} hears ${text}`)
    },
  })
  return lines
}

/** Describes the first difference between the observer's logs of two homes, or returns null. */
export function differenceOf(home: readonly string[], replica: readonly string[]): string | null {
  const at = home.findIndex((line, place) => line !== replica[place])
  if (at < 0 && home.length === replica.length) return null
  const place = at < 0 ? home.length : at
  return `${home[place] ?? 'nothing'}\n  but in the replica ${replica[place] ?? 'nothing'}`
}
