import type { HomeEvent } from '../src/home/model/events.ts'
import { TriggerIndex } from '../src/home/rules/automations/trigger-index.ts'
import { atMost } from './report.ts'

const EVENTS = 200_000
const AUTOMATIONS = 1_000

/** An event through 1,000 automations: what it costs to find those that it concerns. */
export async function benchRules(): Promise<void> {
  for (const concerned of [0, 3, 30]) {
    const index = new TriggerIndex()
    for (let number = 0; number < AUTOMATIONS; number += 1) {
      const device = number < concerned ? 'lamp' : `lamp-${number}`
      index.set(String(number), [{ device, state: 'on', is: true }])
    }
    const event: HomeEvent = {
      kind: 'state',
      device: 'lamp',
      state: { on: true, mode: 'manual' },
      previous: { on: false, mode: 'manual' },
      changed: true,
      trigger: 'touch',
      cause: { source: 'unit', name: 'touched' },
      asOf: 0,
    }
    const begun = performance.now()
    for (let count = 0; count < EVENTS; count += 1) index.match(event)
    const micros = ((performance.now() - begun) * 1000) / EVENTS
    const bound = { most: 50, unit: 'us', digits: 2, detail: 'matching alone, in a tight loop' }
    atMost(`event through 1,000 automations, ${concerned} concerned`, micros, bound)
  }
  await Promise.resolve()
}
