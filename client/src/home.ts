import type { Caller } from './caller.ts'
import type { Gang, House, Room, SceneEntry, SensorState, State, StreamEvent, Unit } from './contract.ts'
import { HmError, TrustError } from './error.ts'
import { type Followed, follow } from './follow.ts'
import { pause } from './transport.ts'

/** A unit, module or gang of the house with its state; another object each time that something of it has changed. */
export type HomeDevice = (Unit | (Gang & { readonly kind: 'gang' })) & {
  /** The module of a gang; null for a unit or module. */
  readonly unit: string | null
  readonly reachable: boolean
  readonly state: State | null
}

/** What changed, for who shows it. */
export type HomeChange =
  /** Everything was read anew. */
  | { readonly what: 'home' }
  | { readonly what: 'device' | 'sensor' | 'scene'; readonly id: string }
  /** Whether what is shown is right: the stream is there, and all was read. */
  | { readonly what: 'connection' }
  /** A list that is not kept here changed, or the integration did. */
  | { readonly what: 'automations' | 'schedules' | 'integration' }
  /** Nothing follows: the home was closed, or `error` says why. */
  | { readonly what: 'ended' }

export interface HomeOptions {
  readonly signal?: AbortSignal
  /** Topics to hear of besides the home's own, over the same socket. */
  readonly also?: readonly string[]
  /** Called with each of their events. */
  readonly heard?: (event: { readonly event: string; readonly state?: unknown }) => void
}

/** A reading that failed is tried again after this, times a random factor. */
const READ_AGAIN_MS = 5_000

/**
 * A live model of the home: what the integration sees, read once and kept right by the stream. What cannot be heard is
 * read again after the break.
 */
export class Home {
  house: House | null = null
  /** Whether what is shown is right: the stream is there, and all was read since. */
  connected = false
  /** Why it is not, or why it ended for good. */
  error: Error | null = null

  readonly #devices = new Map<string, HomeDevice>()
  readonly #sensors = new Map<string, SensorState>()
  readonly #scenes = new Map<string, SceneEntry>()
  readonly #caller: Caller
  readonly #also: Pick<HomeOptions, 'also' | 'heard'>
  readonly #ending = new AbortController()
  readonly #listeners = new Set<(change: HomeChange) => void>()

  private constructor(caller: Caller, also: Pick<HomeOptions, 'also' | 'heard'>) {
    this.#caller = caller
    this.#also = also
  }

  /**
   * Follows the home, and answers once it was read for the first time.
   * @throws what keeps it from being read for good: HmError, TrustError
   */
  static async open(caller: Caller, { signal, ...also }: HomeOptions = {}): Promise<Home> {
    const home = new Home(caller, also)
    signal?.addEventListener('abort', () => home.close())
    if (signal?.aborted) home.close()
    await new Promise<void>((resolve, reject) => {
      const stop = home.onChange(({ what }) => {
        if (what !== 'home' && what !== 'ended') return
        stop()
        if (what === 'home') resolve()
        else reject(home.error ?? new Error('The home was closed before it was read.'))
      })
      void home.#follow()
    })
    return home
  }

  /** Every unit, module and gang, by id. */
  get devices(): ReadonlyMap<string, HomeDevice> {
    return this.#devices
  }

  /** The readings of everything that measures, by its id. */
  get sensors(): ReadonlyMap<string, SensorState> {
    return this.#sensors
  }

  get scenes(): ReadonlyMap<string, SceneEntry> {
    return this.#scenes
  }

  /** Calls a listener at every change; what it answers stops that. */
  onChange(listener: (change: HomeChange) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  close(): void {
    this.#ending.abort()
  }

  async #follow(): Promise<void> {
    try {
      const topics = ['*', ...(this.#also.also ?? [])]
      for await (const each of follow(this.#caller, topics, { signal: this.#ending.signal })) await this.#take(each)
    } catch (error) {
      this.error = error instanceof Error ? error : new Error(String(error))
    }
    this.connected = false
    this.#tell({ what: 'ended' })
  }

  async #take(heard: Followed): Promise<void> {
    switch (heard.event) {
      case 'connection':
        return this.#connect(heard.connected, heard.error)
      case 'resync':
      case 'exposure':
        return this.#read()
      case 'integration':
        await this.#read()
        return this.#tell({ what: 'integration' })
      case 'scenes':
        return this.#read()
      case 'automations':
      case 'schedules':
        return this.#tell({ what: heard.event })
      case 'state':
        return this.#changeState(heard)
      case 'sensor':
        return this.#changeReadings(heard)
      case 'scene':
        return this.#changeScene(heard.device, heard.state.running)
      default:
        return this.#also.heard?.(heard)
    }
  }

  #connect(connected: boolean, error: Error | null): void {
    this.connected = connected
    this.error = error
    this.#tell({ what: 'connection' })
  }

  /**
   * Reads everything, however often it takes. What happened meanwhile is heard afterwards; until it was read what is
   * shown is not right, whatever the stream says.
   */
  async #read(): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      try {
        const options = { signal }
        const [house, { sensors }, { scenes }] = await Promise.all([
          this.#caller.call('get', '/v1/house', options),
          this.#caller.call('get', '/v1/sensors', options),
          this.#caller.call('get', '/v1/scenes', options),
        ])
        this.house = house
        refill(this.#devices, devicesOf(house))
        refill(this.#scenes, scenes)
        this.#sensors.clear()
        for (const { id, readings, asOf } of sensors) if (asOf !== null) this.#sensors.set(id, { ...readings, asOf })
        this.#tell({ what: 'home' })
        if (!this.connected) this.#connect(true, null)
        return
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof TrustError || (error instanceof HmError && error.status === 401)) throw error
        if (this.connected) this.#connect(false, error instanceof Error ? error : new Error(String(error)))
        await pause(this.#caller.timing, READ_AGAIN_MS * this.#caller.timing.random(), signal)
      }
    }
  }

  #changeState({ device: id, state, reachable }: Extract<StreamEvent, { readonly event: 'state' }>): void {
    const device = this.devices.get(id)
    if (!device) return
    this.#replace({ ...device, state, reachable: reachable ?? device.reachable })
    if (reachable === undefined || device.kind !== 'module') return
    for (const gang of this.devices.values()) if (gang.unit === id) this.#replace({ ...gang, reachable })
  }

  #changeReadings({ device: id, state }: Extract<StreamEvent, { readonly event: 'sensor' }>): void {
    this.#sensors.set(id, state)
    this.#tell({ what: 'sensor', id })
    const device = this.devices.get(id)
    // What only measures has its readings as its state.
    if (device && (device.class === 'sensor' || device.class === 'meter')) this.#replace({ ...device, state })
  }

  #changeScene(id: string, running: boolean): void {
    const scene = this.scenes.get(id)
    if (!scene) return
    this.#scenes.set(id, { ...scene, running })
    this.#tell({ what: 'scene', id })
  }

  #replace(device: HomeDevice): void {
    this.#devices.set(device.id, device)
    this.#tell({ what: 'device', id: device.id })
  }

  #tell(change: HomeChange): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(change)
      } catch (error) {
        // A listener's defect is its own, and nobody else misses anything for it.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}

function refill<T extends { readonly id: string }>(map: Map<string, T>, list: readonly T[]): void {
  map.clear()
  for (const each of list) map.set(each.id, each)
}

/** Every unit, module and gang of a house. */
function devicesOf(house: House): HomeDevice[] {
  const rooms: readonly Room[] = [...house.floors.flatMap((floor) => floor.rooms), ...house.rooms]
  return [...rooms.flatMap(({ units }) => units), ...house.units].flatMap((unit) => [
    { ...unit, unit: null, state: unit.state ?? null },
    ...(unit.gangs ?? []).map((gang) => ({ ...gang, kind: 'gang' as const, unit: unit.id, reachable: unit.reachable })),
  ])
}
