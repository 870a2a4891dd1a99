import type { TestHome } from './harness.ts'

/** Operations that a simulated unit was made to carry out so far. */
export function commandsOf(home: TestHome, address: number): number {
  return home.running.sim.counters.units.get(address)?.commands ?? 0
}

/** The state of a device, by its local key, as soon as it is as asked: now, or when its unit tells. */
export function until(
  home: TestHome,
  key: string,
  fits: (state: Readonly<Record<string, unknown>>) => boolean,
): Promise<Readonly<Record<string, unknown>>> {
  const { live, events } = home.running.gateway.home
  const now = (): Readonly<Record<string, unknown>> | undefined => {
    const state = live.states.get(key)?.state
    return state && fits(state) ? state : undefined
  }
  const asked = new Promise<Readonly<Record<string, unknown>>>((resolve) => {
    const already = now()
    if (already) return resolve(already)
    const stop = events.on(() => {
      const state = now()
      if (!state) return
      stop()
      resolve(state)
    })
  })
  return home.running.hasten(asked)
}
