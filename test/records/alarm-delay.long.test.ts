// @module-tag long
import { performance } from 'node:perf_hooks'
import { expect } from 'vitest'
import { verifiesAlone } from '#support/gateway/harness.ts'
import { systemClock } from '../../src/lib/clock.ts'

const verifies = verifiesAlone(() => ({ clock: systemClock, settled: false }))

/** The address of the sensor of the bathroom. */
const BATHROOM = 63
const REPORTS = 100

verifies(
  ['devices.alarms', '6.2.sensor'],
  'prints the time from a report of smoke to its event on the stream, by the clock of the machine',
  { tags: ['long'] },
  async (home) => {
    // The unit is known once it was read.
    await home.running.settled()
    const socket = await home.socket()
    await socket.subscribe(['sensor'])
    const taken: number[] = []
    for (let report = 0; report < REPORTS; report += 1) {
      const smoke = report % 2 === 0
      socket.events.splice(0)
      const began = performance.now()
      home.running.sim.house.detect(BATHROOM, 'smoke', smoke)
      await socket.event(
        ({ device, state }) =>
          device === home.id('bathroom-climate') && (state as { readonly smoke?: boolean }).smoke === smoke,
      )
      taken.push(performance.now() - began)
    }
    socket.close()
    const sorted = taken.toSorted((a, b) => a - b)
    const at = (part: number): string => (sorted[Math.ceil(part * REPORTS) - 1] ?? 0).toFixed(1)
    console.log(`smoke: report to event, ${REPORTS} reports: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`)
    expect(taken).toHaveLength(REPORTS)
  },
)
