import type { Caller } from './caller.ts'
import type { Gang, House, Room, SceneEntry, SensorState, State, StreamEvent, Unit } from './contract.ts'
import { HmError, TrustError } from './error.ts'
import { type Followed, follow } from './follow.ts'
import { pause } from './transport.ts'

/** A unit, module or gang of the house with its state. Every change makes a new object. */
export type HomeDevice = (Unit | (Gang & { readonly kind: 'gang' })) & {
  /** The module of a gang; null for a unit or module. */
  readonly unit: string | null
  readonly reachable: boolean
  readonly state: State | null
}

/** A change of the model, for its listeners. */
export type HomeChange =
  /** The whole home was read again. */
  | { readonly what: 'home' }
  | { readonly what: 'device' | 'sensor' | 'scene'; readonly id: string }
  /** `connected` or `error` changed. */
  | { readonly what: 'connection' }
  /** The integration changed, or a list that this model does not hold. */
  | { readonly what: 'automations' | 'schedules' | 'integration' }
  /** Last change: the home was closed, or `error` has the reason. */
  | { readonly what: 'ended' }

export interface HomeOptions {
  readonly signal?: AbortSignal
  /** Further topics to subscribe to over the same socket. */
  readonly also?: readonly string[]
  /** Called with every event of the further topics. */
  readonly heard?: (event: { readonly event: string; readonly state?: unknown }) => void
}

/** Longest pause before a failed read is retried; the actual one is random. */
const READ_AGAIN_MS = 5_000

/**
 * A live model of the devices that the integration sees. The stream keeps it current; after a gap it reads the home
 * again.
 */
export class Home {
  house: House | null = null
  /** True if the model is current: the stream is connected, and the home was read since. */
  connected = false
  /** Reason if the model is not current, or has ended. */
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
   * Follows the home; resolves after the first read.
   * @throws HmError, TrustError if the home cannot be read and retries are pointless
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

  /** Readings of all sensors and meters, by id. */
  get sensors(): ReadonlyMap<string, SensorState> {
    return this.#sensors
  }

  get scenes(): ReadonlyMap<string, SceneEntry> {
    return this.#scenes
  }

  /** Calls a listener at every change. Returns a function that removes the listener. */
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
      for await (const event of follow(this.#caller, topics, { signal: this.#ending.signal })) await this.#take(event)
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
   * Reads the home until it succeeds. Events that happen meanwhile follow afterwards. The model is not current before,
   * even while the stream is connected.
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
    // The state of a sensor or meter is its readings.
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
        // A listener that throws must not keep the change from other listeners.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}

function refill<T extends { readonly id: string }>(map: Map<string, T>, list: readonly T[]): void {
  map.clear()
  for (const item of list) map.set(item.id, item)
}

/** Every unit, module and gang of a house. */
function devicesOf(house: House): HomeDevice[] {
  const rooms: readonly Room[] = [...house.floors.flatMap((floor) => floor.rooms), ...house.rooms]
  return [...rooms.flatMap(({ units }) => units), ...house.units].flatMap((unit) => [
    { ...unit, unit: null, state: unit.state ?? null },
    ...(unit.gangs ?? []).map((gang) => ({ ...gang, kind: 'gang' as const, unit: unit.id, reachable: unit.reachable })),
  ])
}
