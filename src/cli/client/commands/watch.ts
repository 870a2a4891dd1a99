import type { House, StreamEvent } from '@hm-gateway/client/src/contract.ts'
import type { ConnectionChange, Followed } from '@hm-gateway/client/src/follow.ts'
import { HomeTime } from '../../shell/home-time.ts'
import { visible } from '../../shell/terminal.ts'
import { type ClientContext, type OpenHome, patiently } from '../home/client-context.ts'
import { failureOf } from '../home/failure.ts'
import { type Place, scenesOf, type Thing, thingsOf, fullName, theOne } from '../home/name-match.ts'
import { faint, lit, readingWords } from '../words/state-words.ts'
import { painted } from './devices.ts'

/** A change, in the shape that `--json` prints, one a line. */
interface Change {
  readonly at: number
  readonly event: 'state' | 'sensor' | 'scene'
  readonly device: string
  readonly name: string
  readonly room: string | null
  readonly roomId: string | null
  readonly class: string
  readonly reachable: boolean
  readonly state: object | null
}

/**
 * `hm watch`: prints changes of the home or a room until the process ends or is refused for good. After a break it
 * prints the changes that it missed.
 */
export async function watch(context: ClientContext, room: string | undefined): Promise<void> {
  const home = await context.open()
  const place = room === undefined ? null : theOne(room, home.rooms, 'room')
  const topics = place === null ? ['*'] : [`room:${place.id}`, 'exposure']
  const watched = new Watched(context, home, place)
  const client = await patiently(context, () => home.following())
  try {
    for await (const event of client.follow(topics)) {
      watched.handle(event)
      if (READ_AGAIN.includes(event.event)) watched.read(await patiently(context, () => client.house()))
    }
  } catch (error) {
    throw failureOf(error)
  }
}

const READ_AGAIN: readonly string[] = ['resync', 'exposure', 'scenes']

/** Last printed state of each device, so that only changes are printed after a gap. */
class Watched {
  readonly #context: ClientContext
  readonly #time: HomeTime
  /** Null for all of the home. */
  readonly #room: Place | null
  #things: Map<string, Thing>
  #scenes: OpenHome['scenes']
  /** Null before the first connection. */
  #isConnected: boolean | null = null
  #wasRead = false

  constructor(context: ClientContext, home: OpenHome, room: Place | null) {
    this.#room = room
    this.#context = context
    this.#time = new HomeTime(home.house.timeZone)
    this.#scenes = home.scenes
    this.#things = new Map(home.things.map((thing) => [thing.id, thing]))
  }

  /** Compares a new read of the house with the printed state, and prints differences. */
  read(house: House): void {
    const before = this.#things
    this.#things = new Map(thingsOf(house).map((thing) => [thing.id, thing]))
    this.#scenes = scenesOf(house)
    for (const thing of this.#things.values()) {
      const old = before.get(thing.id)
      const isSame = JSON.stringify([old?.state, old?.reachable]) === JSON.stringify([thing.state, thing.reachable])
      if (!isSame) this.#printState(thing, thing.state?.asOf ?? Date.now())
    }
    if (!this.#wasRead) this.#context.note(`Watching ${this.#room?.name ?? house.house}. Ctrl-C ends it.`)
    this.#wasRead = true
  }

  handle(event: Followed): void {
    switch (event.event) {
      case 'connection':
        return this.#connection(event)
      case 'resync':
        if (this.#wasRead) this.#context.note('Some changes were missed. The present state of changed devices follows.')
        return
      case 'state':
        return this.#change(event)
      case 'sensor':
        return this.#measured(event)
      case 'scene':
        return this.#sceneChanged(event)
      default:
    }
  }

  #connection({ error }: ConnectionChange): void {
    if (error && this.#isConnected !== false) this.#context.note(`${error.message} Trying again until it answers.`)
    else if (!error && this.#isConnected === false) this.#context.note('Connected again.')
    this.#isConnected = error === null
  }

  #change({ device, state, reachable, at }: Extract<StreamEvent, { readonly event: 'state' }>): void {
    const thing = this.#things.get(device)
    // The event also reports settings of a unit, which do not change its state.
    if (!thing || (state === null && reachable === undefined)) return
    this.#update({ ...thing, state: state ?? thing.state, reachable: reachable ?? thing.reachable }, at)
    if (reachable === undefined || thing.kind !== 'module') return
    for (const gang of this.#things.values()) if (gang.unit === device) this.#update({ ...gang, reachable }, at)
  }

  #update(thing: Thing, at: number): void {
    if (JSON.stringify(thing) === JSON.stringify(this.#things.get(thing.id))) return
    this.#things.set(thing.id, thing)
    this.#printState(thing, at)
  }

  #measured({ device, state, at }: Extract<StreamEvent, { readonly event: 'sensor' }>): void {
    const thing = this.#things.get(device)
    if (!thing) return
    // The readings of a sensor or meter are its state.
    if (thing.class === 'sensor' || thing.class === 'meter') this.#things.set(device, { ...thing, state })
    const words = (): string => readingWords(state)
    this.#line({ ...changeOf(thing, at), event: 'sensor', state }, words)
  }

  #sceneChanged({ device, state, at }: Extract<StreamEvent, { readonly event: 'scene' }>): void {
    const scene = this.#scenes.find(({ id }) => id === device)
    if (!scene) return
    const change = { ...scene, device, at, event: 'scene', class: 'scene', reachable: true, state } as const
    this.#line(change, () => (state.running ? lit('runs') : 'has ended'))
  }

  #printState(thing: Thing, at: number): void {
    if (this.#room !== null && thing.roomId !== this.#room.id) return
    this.#line(changeOf(thing, at), () => painted(thing))
  }

  #line(change: Change, words: () => string): void {
    const { at, event, device, name, room, roomId, class: of, reachable, state } = change
    this.#context.line({ at, event, device, name, room, roomId, class: of, reachable, state }, () => {
      return `${faint(this.#time.when(at).slice(-8))}  ${visible(fullName(change))}: ${words()}`
    })
  }
}

const changeOf = ({ id, name, room, roomId, class: of, reachable, state }: Thing, at: number): Change => ({
  at,
  event: 'state',
  device: id,
  name,
  room,
  roomId,
  class: of,
  reachable,
  state,
})
