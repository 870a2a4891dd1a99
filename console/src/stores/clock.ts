import { signal } from '@preact/signals'

const TICK_MS = 5_000

/** The time by which ages are told, epoch milliseconds; it moves every five seconds. */
export const now = signal(Date.now())

setInterval(() => {
  now.value = Date.now()
}, TICK_MS)
