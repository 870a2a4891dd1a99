import type { HomeEvent } from '../../src/home/model/events.ts'
import type { Room, Scene } from '../../src/home/model/house.ts'
import type { HouseContent } from '../../src/home/ports/house-store.ts'
import type { RuleFile } from '../../src/home/rules/rule-file.ts'
import { type Answering, nameOf } from './answering.ts'

/** The only room of which the observer is shown all; what it does not see stays out of it. */
export const SEEN_ROOM = 'hall'
const SEEN_UNIT = 'u31'
const SEEN_GANG = { unit: 'u23', gang: 0 }

/** Room, floor and scene that only the shadow has. */
const EXTRA = 'cellar'
const SETS_IT_OFF = 'u13'
/** For how long its run waits, in seconds. */
const EXTRA_S = 92
/** What only the shadow does, when something moves that the observer does not see; it takes no place on the radio. */
export const EXTRA_RULES: RuleFile = {
  automations: [
    {
      id: EXTRA,
      name: 'Zn0z cellar',
      enabled: true,
      revision: 1,
      origin: null,
      when: [{ device: SETS_IT_OFF, state: 'pos', above: 10 }],
      if: [],
      then: [{ delay: 2 }, { delay: EXTRA_S - 2 }],
      mode: 'restart',
    },
  ],
  schedules: [],
}

/** What names of hidden things have in addition in the shadow. */
const OTHERWISE = ' otherwise, and longer'

/** What the observer is shown of a home, from its first day to its last. */
export function exposureOfObserver({ units }: HouseContent): string[] {
  const ids = new Set(units.map(({ id }) => id))
  return [
    `room:${SEEN_ROOM}`,
    ...(ids.has(SEEN_UNIT) ? [`unit:${SEEN_UNIT}`] : []),
    ...(ids.has(SEEN_GANG.unit) ? [`gang:${SEEN_GANG.unit}:${SEEN_GANG.gang}`] : []),
  ]
}

/** Whether nothing of a unit is shown to the observer, as long as it is not placed in the room. */
export function isHidden(unit: string): boolean {
  return ![SEEN_UNIT, SEEN_GANG.unit, 'u11', 'u12'].includes(unit)
}

/** A name that the observer must not be told, as the home or its shadow has it. */
export function hiddenName(name: string, isShadow: boolean): string {
  return isShadow ? name + OTHERWISE : name
}

/** The same home for the observer: what it does not see has other names, and there is more of it. */
export function shadowOf(content: HouseContent): HouseContent {
  const otherwise = <T extends { readonly name: string }>(thing: T): T => ({
    ...thing,
    name: hiddenName(thing.name, true),
  })
  const room: Room = { id: EXTRA, name: 'Zrcellarz', floor: EXTRA, position: content.rooms.length + 1 }
  const scenes = content.scenes.map(otherwise)
  const more = scenes.slice(0, 1).map((scene): Scene => ({ ...scene, id: EXTRA, name: 'Zscellarz', position: 9 }))
  return {
    ...content,
    floors: [...content.floors.map(otherwise), { id: EXTRA, name: 'Zfcellarz', position: 9 }],
    rooms: [...content.rooms.map((each) => (each.id === SEEN_ROOM ? each : otherwise(each))), room],
    units: content.units.map((unit) => ({
      ...(isHidden(unit.id) ? otherwise(unit) : unit),
      gangs: unit.gangs.map((gang) =>
        unit.id === SEEN_GANG.unit && gang.gang === SEEN_GANG.gang ? gang : otherwise(gang),
      ),
    })),
    scenes: [...scenes, ...more],
  }
}

export function isExtra(id: string): boolean {
  return id === EXTRA
}

/** What both homes have: acts choose from it, so that they are the same. */
export function withoutExtra(content: HouseContent): HouseContent {
  const without = <T extends { readonly id: string }>(list: readonly T[]): T[] => list.filter(({ id }) => !isExtra(id))
  return {
    ...content,
    floors: without(content.floors),
    rooms: without(content.rooms),
    scenes: without(content.scenes),
  }
}

/** The part of a home that tells what its units say, and rests. */
interface Resting {
  readonly clock: { stayAwake(ms: number): void }
  watch(watcher: { readonly event: (event: HomeEvent) => void }): void
}

/**
 * Both homes live through the time in which a run of the shadow's own may wait: one that rested meanwhile would set the
 * units' clocks at other moments, which take their place on the radio.
 */
export function restAlike(world: Resting): void {
  world.watch({
    event: (event) => {
      if (event.kind === 'state' && event.device === SETS_IT_OFF) world.clock.stayAwake((EXTRA_S + 1) * 1_000)
    },
  })
}

/** The part of a home with its time that tells what the observer is told. */
interface Observed {
  readonly answering: Answering
  readonly observer: string | null
  /** Monotonic milliseconds. */
  readonly now: number
}

/** Everything that the observer is told, from now on, with the time. */
export function toldToObserver(world: Observed): readonly string[] {
  const lines: string[] = []
  const note = (what: string): void => void lines.push(`${world.now} ${what}`)
  world.answering.watch({
    answered: ({ caller, request }, { status, text }) => {
      if (caller !== null && caller.integration === world.observer)
        note(`${nameOf(caller)} gets ${status} for ${request.method} ${request.path} ${text}`)
    },
    told: (caller, text) => {
      if (caller.integration === world.observer) note(`${nameOf(caller)} hears ${text}`)
    },
  })
  return lines
}

/** Where two homes told the observer something different first, in words; null where they did not. */
export function differenceOf(home: readonly string[], shadow: readonly string[]): string | null {
  const at = home.findIndex((line, place) => line !== shadow[place])
  if (at < 0 && home.length === shadow.length) return null
  const place = at < 0 ? home.length : at
  return `${home[place] ?? 'nothing'}\n  but in the shadow ${shadow[place] ?? 'nothing'}`
}
