import type { TestHome } from './harness.ts'

/** Number of operations that a simulated unit has executed. */
export function commandsOf(home: TestHome, address: number): number {
  return home.running.sim.counters.units.get(address)?.commands ?? 0
}

type DeviceFields = Readonly<Record<string, unknown>>

/** Resolves to the state of a device, by its local key, once it fits. */
export function awaitState(home: TestHome, key: string, fits: (state: DeviceFields) => boolean): Promise<DeviceFields> {
  const { states } = home.running.gateway.home.live
  return awaited(home, () => {
    const state = states.get(key)?.state
    return state && fits(state) ? state : undefined
  })
}

/** Resolves once the gateway's adapter is up or down. */
export async function awaitAdapter(home: TestHome, state: 'up' | 'down'): Promise<void> {
  const { bus } = home.running.gateway.home
  await awaited(home, () => ((bus.down === null) === (state === 'up') ? true : undefined))
}

/** Resolves when no scene runs. */
export async function awaitScenesEnd(home: TestHome): Promise<void> {
  const { rules, house } = home.running.gateway.home
  await awaited(home, () => ([...house.scenes.keys()].some((id) => rules.scenes.running(id)) ? undefined : true))
}

/** Resolves to a result of `look`, now or after an event of the home. */
function awaited<T>(home: TestHome, look: () => T | undefined): Promise<T> {
  const found = new Promise<T>((resolve) => {
    const already = look()
    if (already !== undefined) return resolve(already)
    const stop = home.running.gateway.home.events.on(() => {
      const now = look()
      if (now === undefined) return
      stop()
      resolve(now)
    })
  })
  return home.running.hasten(found)
}
