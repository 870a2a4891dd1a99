import { type Signal, signal } from '@preact/signals'

/** How far the gateway's clock is ahead of this browser's, as its newest event told. */
let aheadMs = 0

/** What the network and a busy page take; more is a difference between the two clocks. */
const DELAY_MS_MAX = 1_000

/** Moves the clocks that somebody reads. */
const ticks = new Set<() => void>()

/**
 * The gateway's time in epoch ms, moving every second while somebody reads it: what the gateway says of moments is
 * compared with its own clock, whatever that of the browser shows.
 */
export const gatewayNow = ticking(1_000)

/** The same for ages, moving every five seconds. */
export const now = ticking(5_000)

/** The gateway's time in epoch ms. */
export const gatewayTime = (): number => Date.now() + aheadMs

/** Takes the moment that an event of the gateway says it was sent at; a clock that showed another moves at once. */
export function setGatewayClock(at: number): void {
  const before = aheadMs
  aheadMs = at - Date.now()
  if (Math.abs(aheadMs - before) > DELAY_MS_MAX) for (const tick of ticks) tick()
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
      ticks.add(tick)
      timer = setInterval(tick, everyMs)
    },
    unwatched: () => {
      ticks.delete(tick)
      clearInterval(timer)
    },
  })
  const tick = (): void => {
    time.value = gatewayTime()
  }
  return time
}
