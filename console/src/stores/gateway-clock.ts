import { type Signal, signal } from '@preact/signals'

/** Lead of the gateway's clock over this browser's, from the newest event. */
let aheadMs = 0

/** Longest delay by network and page; a larger step is a difference between the clocks. */
const DELAY_MS_MAX = 1_000

/** Updates of the clocks in use. */
const ticks = new Set<() => void>()

/** Gateway time in epoch ms for countdowns, updated every second while in use. The browser's clock may be wrong. */
export const nowBySecond = tickingClock(1_000)

/** Gateway time in epoch ms for ages, updated every five seconds while in use. */
export const now = tickingClock(5_000)

/** Gateway time in epoch ms, read once. */
export const gatewayTime = (): number => Date.now() + aheadMs

/** Sets the clock from the send time of a gateway event; clocks on the page correct large differences at once. */
export function setGatewayClock(at: number): void {
  const before = aheadMs
  aheadMs = at - Date.now()
  if (Math.abs(aheadMs - before) > DELAY_MS_MAX) for (const tick of ticks) tick()
}

/** Waiting time of a request, epoch milliseconds. */
export interface Period {
  readonly from: number
  readonly until: number
}

/** Remaining seconds; never more than the whole period, even if the clocks differ. */
export const secondsLeft = ({ from, until }: Period, now: number): number =>
  Math.ceil((until - Math.max(from, now)) / 1000)

function tickingClock(everyMs: number): Signal<number> {
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
