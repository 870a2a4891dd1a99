import { computed } from '@preact/signals'
import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { localIdOf } from '../lib/addresses.ts'
import { keptReading } from './kept-reading.ts'
import { sawState, type Since } from './readings.ts'
import { admin } from './session.ts'

const reading = keptReading(() => admin.call('get', '/admin/v1/states'))

/** The beginning of each state by the local id of its device. */
const told = computed(() => new Map(reading.value.value?.states.map((each) => [each.device, each] as const)))

/**
 * Since when a device is in its state; null before it has one. A unit confirms its state again now and then, so the
 * gateway is asked when the state began. The page sees later changes itself.
 */
export function sinceOf(device: HomeDevice): Since | null {
  const first = sawState(device)
  const began = told.value.get(localIdOf(device.id))
  // The answer is of an earlier state if this one began after it.
  const isAnswered = first !== null && first.at <= (reading.value.value?.at ?? 0)
  return isAnswered && began && began.since <= first.at ? { at: began.since, isExact: began.exact } : first
}
