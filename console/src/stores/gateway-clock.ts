import { type Signal, signal } from '@preact/signals'

/** How far the gateway's clock is ahead of this browser's, as its newest event told. */
let aheadMs = 0

/**
 * The gateway's time in epoch ms, moving every second while somebody reads it: what the gateway says of moments is
 * compared with its own clock, whatever that of the browser shows.
 */
export const gatewayNow = ticking(1_000)

/** The same for ages, moving every five seconds. */
export const now = ticking(5_000)

/** The gateway's time in epoch ms. */
export const gatewayTime = (): number => Date.now() + aheadMs

/** Takes the moment that an event of the gateway says it was sent at. */
export function setGatewayClock(at: number): void {
  aheadMs = at - Date.now()
}

/** Since when and until when something waits, epoch milliseconds. */
export interface Span {
  readonly from: number
  readonly until: number
}

/** How long it waits still; never more than it had when it began: what the clocks differ by is nobody's time. */
export const secondsLeft = ({ from, until }: Span, now: number): number =>
  Math.ceil((until - Math.max(from, now)) / 1000)

function ticking(everyMs: number): Signal<number> {
  let timer: ReturnType<typeof setInterval> | undefined
  const time = signal(Date.now(), {
    watched: () => {
      tick()
      timer = setInterval(tick, everyMs)
    },
    unwatched: () => clearInterval(timer),
  })
  const tick = (): void => {
    time.value = gatewayTime()
  }
  return time
}
