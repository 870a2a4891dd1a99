import { expect } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { recordingLog } from '#support/recording-log.ts'
import { FullTunnels } from './relay-link.ts'

const MINUTE_MS = 60_000

proves('relay.full-tunnel', 'a full tunnel is logged once a minute and shown for an hour', () => {
  const [clock, log] = [new ManualClock(Date.now()), recordingLog()]
  const tunnels = new FullTunnels({ clock, log })
  expect(tunnels.lately).toBeNull()
  for (let count = 0; count < 3; count += 1) tunnels.full(0)
  expect([log.sentences('warn').length, tunnels.lately]).toEqual([1, clock.now()])
  clock.advance(MINUTE_MS)
  tunnels.full(1)
  expect(log.lines.map(({ fields }) => fields)).toMatchObject([{ slot: 0 }, { slot: 1 }])
  const at = clock.now()
  clock.advance(59 * MINUTE_MS)
  expect(tunnels.lately).toBe(at)
  clock.advance(MINUTE_MS)
  expect(tunnels.lately).toBeNull()
})
