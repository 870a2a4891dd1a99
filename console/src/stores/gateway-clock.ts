import { signal } from '@preact/signals'

const TICK_MS = 1_000

/** How far the gateway's clock is ahead of this browser's, as its newest event told. */
let aheadMs = 0
let ticking = 0

/**
 * The gateway's time in epoch ms, moving every second while somebody reads it: what the gateway says of moments is
 * compared with its own clock, whatever that of the browser shows.
 */
export const gatewayNow = signal(Date.now(), {
  watched: () => {
    tick()
    ticking = window.setInterval(tick, TICK_MS)
  },
  unwatched: () => window.clearInterval(ticking),
})

/** Takes the moment that an event of the gateway says it was sent at. */
export function setGatewayClock(at: number): void {
  aheadMs = at - Date.now()
}

function tick(): void {
  gatewayNow.value = Date.now() + aheadMs
}
