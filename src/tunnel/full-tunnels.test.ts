import { expect } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { recordingLog } from '#support/recording-log.ts'
import { FullTunnels } from './full-tunnels.ts'

const MINUTE_MS = 60_000

proves('relay.full-tunnel', 'a full tunnel is logged once a minute and shown for an hour', () => {
  const [clock, log] = [new ManualClock(Date.now()), recordingLog()]
  const tunnels = new FullTunnels({ clock, log })
  expect(tunnels.lastFullAt).toBeNull()
  for (let count = 0; count < 3; count += 1) tunnels.note(0)
  expect([log.sentences('warn').length, tunnels.lastFullAt]).toEqual([1, clock.now()])
  clock.advance(MINUTE_MS)
  tunnels.note(1)
  expect(log.lines.map(({ fields }) => fields)).toMatchObject([{ slot: 0 }, { slot: 1 }])
  const at = clock.now()
  clock.advance(59 * MINUTE_MS)
  expect(tunnels.lastFullAt).toBe(at)
  clock.advance(MINUTE_MS)
  expect(tunnels.lastFullAt).toBeNull()
})
