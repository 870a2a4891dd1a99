import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { recordingLog } from '#support/recording-log.ts'
import { RivalGateways } from './rival-gateways.ts'
import type { TunnelSettings } from './settings-file.ts'

const SETTINGS: TunnelSettings = { url: 'https://relay.example', ca: null, accounts: [], passthrough: 'off' }

/** A tunnel that stays linked. */
const TUNNEL = { state: 'linked', closed: new Promise<void>(() => {}) } as const

function rivals(own: readonly number[] = [], { fails = false, settings = SETTINGS } = {}) {
  const clock = new ManualClock()
  const exceeded: number[] = []
  const log = recordingLog()
  let found = 0
  const epochs = {
    next: () => Promise.resolve(5),
    isOwn: (epoch: number) => own.includes(epoch),
    exceed: (epoch: number) => exceeded.push(epoch),
  }
  const file = {
    current: settings as TunnelSettings | null,
    writes: 0,
    replace: async (change: (current: TunnelSettings | null) => TunnelSettings | null) => {
      if (fails) throw new Error('full')
      file.current = change(file.current)
      file.writes += 1
    },
  }
  const made = new RivalGateways({ clock, epochs, file, log, onTakeover: () => (found += 1) })
  return { clock, exceeded, file, lines: log.lines, rivals: made, found: () => found }
}

test('a takeover by an own tunnel is no sign of another gateway', () => {
  const { rivals: made, found } = rivals([1, 2])
  expect([made.handleTakeover(0, 1, 2), made.lastSeenAt, found()]).toEqual([null, null, 0])
})

test('a single takeover, as after a restart, is reversed without a warning', () => {
  const { rivals: made, exceeded, found, clock } = rivals([1])
  expect(made.handleTakeover(0, 1, 7)).toBe('take_back')
  // The relay reports the same epoch again.
  expect(made.handleTakeover(0, 1, 7)).toBe('take_back')
  clock.advance(31_000)
  expect(made.handleTakeover(0, 1, 8)).toBe('take_back')
  expect([made.lastSeenAt, found(), exceeded]).toEqual([null, 0, [7, 7, 8]])
})

test('the second takeover reports another gateway; after the third, the gateway with the older connection gives way', async () => {
  const { rivals: made, found, clock, file } = rivals([1, 2, 3])
  made.handleConnected(TUNNEL, () => {})
  clock.advance(10_000)
  expect([made.handleTakeover(0, 1, 7), made.handleTakeover(1, 2, 8)]).toEqual(['take_back', 'take_back'])
  expect([made.handleTakeover(0, 1, 9), found(), made.lastSeenAt]).toEqual(['take_back', 1, clock.now()])
  expect(made.gaveWay).toBe(false)
  // Both gateways count the same takeovers.
  expect([made.handleTakeover(0, 3, 3), found()]).toEqual(['give_way', 2])
  expect([made.gaveWay, file.current?.rival]).toEqual([true, { at: clock.now(), gaveWay: true }])
  expect(await made.nextEpoch()).toBe(0)
  clock.advance(25 * 60 * 60_000)
  expect(made.lastSeenAt).not.toBeNull()
})

test('a newly connected gateway reconnects until the other has given way, however long that takes', () => {
  const { rivals: made, clock } = rivals()
  made.handleConnected(TUNNEL, () => {})
  const answers = [11, 12, 13, 14].map((by) => {
    clock.advance(9_000)
    return made.handleTakeover(0, 1, by)
  })
  expect(answers).toEqual([...Array<string>(3).fill('take_back'), 'give_way'])
})

test('the warning lasts a day, also over a restart, and is stored at most once a minute', () => {
  const first = rivals()
  first.rivals.handleConnected(TUNNEL, () => {})
  for (const by of [7, 8, 9]) first.rivals.handleTakeover(0, 1, by)
  expect([first.found(), first.file.writes]).toEqual([2, 1])
  const { rivals: made, clock } = rivals([], { settings: first.file.current ?? SETTINGS })
  expect(made.lastSeenAt).toBe(first.rivals.lastSeenAt)
  clock.advance(25 * 60 * 60_000)
  expect(made.lastSeenAt).toBeNull()
})

test('a gateway that gave way leaves the next rival alone, and serves again once there is none', async () => {
  const settings = { ...SETTINGS, rival: { at: 0, gaveWay: true } }
  const { rivals: made, clock, file, found } = rivals([], { settings })
  expect([made.handleTakeover(0, 0, 9), found()]).toEqual(['stay_away', 0])
  const { promise, resolve } = Promise.withResolvers<void>()
  made.handleConnected(TUNNEL, resolve)
  clock.advance(10_000)
  await promise
  expect([made.gaveWay, file.current?.rival]).toEqual([false, { at: 0, gaveWay: false }])
  expect(await made.nextEpoch()).toBe(5)
})

test('a gateway gives way even if its disk is full', async () => {
  const { rivals: made, lines } = rivals([], { fails: true })
  for (const by of [1, 2, 3, 4, 5, 6]) made.handleTakeover(0, 0, by)
  await Promise.resolve()
  expect([made.gaveWay, lines.length > 0]).toEqual([true, true])
})
