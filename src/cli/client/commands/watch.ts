import type { House, SensorState, StreamEvent } from '../../../../client/src/contract.ts'
import type { Followed } from '../../../../client/src/follow.ts'
import { HomeTime } from '../../home-time.ts'
import { visible } from '../../print.ts'
import type { ClientContext } from '../client-context.ts'
import { failureOf } from '../failure.ts'
import { type Thing, thingsOf } from '../home-things.ts'
import { fullName, theOne } from '../name-match.ts'
import type { OpenHome } from '../open-home.ts'
import { faint, lit } from '../paint.ts'
import { said } from '../said.ts'
import { readingWords } from '../state-words.ts'
import { painted } from './devices.ts'

/** One change, as `--json` prints it, one a line. */
interface Change {
  readonly at: number
  readonly event: 'state' | 'sensor' | 'scene'
  readonly device: string
  readonly name: string
  readonly room: string | null
  readonly class: string
  readonly reachable: boolean
  readonly state: object | null
}

/**
 * `hm watch`: the home, or a room of it, as it changes, until the process ends. What was missed in a break is told after
 * it.
 */
export async function watch(context: ClientContext, room: string | undefined): Promise<void> {
  const home = await context.open()
  const place = room === undefined ? null : theOne(room, home.rooms, 'room')
  const topics = place === null ? ['*'] : [`room:${place.id}`]
  const watched = new Watched(context, home, place?.name ?? null)
  try {
    const client = await home.following()
    for await (const event of client.follow(topics)) {
      if (event.event === 'resync' || event.event === 'exposure') watched.read(await client.house())
      else watched.hear(event)
    }
  } catch (error) {
    throw failureOf(error)
  }
}

/** What was last said of each device, so that a gap tells only what has changed. */
class Watched {
  readonly #context: ClientContext
  readonly #time: HomeTime
  readonly #scenes: OpenHome['scenes']
  /** The name of the room that is watched; null for all of the home. */
  readonly #room: string | null
  #things: Map<string, Thing>
  #isThere = false
  #wasRead = false

  constructor(context: ClientContext, home: OpenHome, room: string | null) {
    this.#room = room
    this.#context = context
    this.#time = new HomeTime(home.house.timeZone)
    this.#scenes = home.scenes
    this.#things = new Map(home.things.map((each) => [each.id, each]))
  }

  /** Takes the house as it was read anew, and tells what is not as it was said. */
  read(house: House): void {
    const before = this.#things
    this.#things = new Map(thingsOf(house).map((each) => [each.id, each]))
    for (const each of this.#things.values()) {
      const old = before.get(each.id)
      const isSame = JSON.stringify([old?.state, old?.reachable]) === JSON.stringify([each.state, each.reachable])
      if (!isSame && (this.#room === null || each.room === this.#room)) this.#tell(each, each.state?.asOf ?? Date.now())
    }
    if (!this.#wasRead) said(`Watching ${this.#room ?? house.house}. Ctrl-C ends it.`)
    this.#wasRead = true
  }

  hear(event: Followed): void {
    switch (event.event) {
      case 'connection':
        if (event.error) said(`${event.error.message} Trying again until it is there.`)
        else if (this.#isThere) said('There again.')
        this.#isThere = true
        return
      case 'state':
        return this.#change(event)
      case 'sensor':
        return this.#measured(event)
      case 'scene':
        return this.#ran(event)
      default:
    }
  }

  #change({ device, state, reachable, at }: Extract<StreamEvent, { readonly event: 'state' }>): void {
    const thing = this.#things.get(device)
    // Settings of a unit are told in the same event; they are no change of its state.
    if (!thing || (state === null && reachable === undefined)) return
    const after = { ...thing, state: state ?? thing.state, reachable: reachable ?? thing.reachable }
    if (JSON.stringify(after) === JSON.stringify(thing)) return
    this.#things.set(device, after)
    this.#tell(after, at)
  }

  #measured({
    device,
    state,
    at,
  }: {
    readonly device: string
    readonly state: SensorState
    readonly at: number
  }): void {
    const thing = this.#things.get(device)
    if (!thing) return
    const words = (): string => readingWords(state)
    this.#line({ ...changeOf(thing, at), event: 'sensor', state }, words)
  }

  #ran({ device, state, at }: Extract<StreamEvent, { readonly event: 'scene' }>): void {
    const scene = this.#scenes.find(({ id }) => id === device)
    if (!scene) return
    const change = { ...scene, device, at, event: 'scene', class: 'scene', reachable: true, state } as const
    this.#line(change, () => (state.running ? lit('runs') : 'has ended'))
  }

  #tell(thing: Thing, at: number): void {
    this.#line(changeOf(thing, at), () => painted(thing))
  }

  #line(change: Change, words: () => string): void {
    const { at, event, device, name, room, class: of, reachable, state } = change
    this.#context.line({ at, event, device, name, room, class: of, reachable, state }, () => {
      return `${faint(this.#time.when(at).slice(-8))}  ${visible(fullName(change))}: ${words()}`
    })
  }
}

const changeOf = ({ id, name, room, class: of, reachable, state }: Thing, at: number): Change => ({
  at,
  event: 'state',
  device: id,
  name,
  room,
  class: of,
  reachable,
  state,
})
