import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { Heartbeat } from './heartbeat.ts'
import { ANSWER_DUE_MS, PING_EACH_MS, PONG_WITHIN_MS, SILENT_MS } from './tunnel.ts'

/** How long the looking itself may take, twice: before the ping and after its time. */
const LOOKS_MS = 2_000

function beating(ping: (answered: () => void) => boolean) {
  const clock = new ManualClock()
  let [lost, pings, heard] = [0, 0, 0]
  const heartbeat = new Heartbeat({
    clock,
    ping: (answered) => {
      pings += 1
      return ping(answered)
    },
    bytesReceived: () => heard,
    lost: () => (lost += 1),
  })
  const comes = (): number => (heard += 1)
  return { clock, heartbeat, lost: () => lost, pings: () => pings, comes }
}

const answers = (answered: () => void): boolean => {
  answered()
  return true
}

test('an end that answers is never lost', () => {
  const { clock, heartbeat, lost } = beating(answers)
  clock.advance(10 * SILENT_MS)
  expect(lost()).toBe(0)
  expect(heartbeat.silentMs).toBeLessThanOrEqual(PING_EACH_MS)
})

test('an end that falls silent is found within 30 s, and told once', () => {
  const { clock, lost } = beating(() => true)
  clock.advance(PING_EACH_MS + PONG_WITHIN_MS)
  expect(lost()).toBe(0)
  clock.advance(LOOKS_MS)
  expect(lost()).toBe(1)
  expect(PING_EACH_MS + PONG_WITHIN_MS + LOOKS_MS).toBeLessThan(30_000)
  clock.advance(10 * SILENT_MS)
  expect(lost()).toBe(1)
})

test('an end whose answer stands behind other bytes on a slow line is kept, though not without any answer', () => {
  const { clock, lost, comes } = beating(() => true)
  for (let second = 0; second < SILENT_MS / 1_000; second += 1) {
    comes()
    clock.advance(1_000)
  }
  expect(lost()).toBe(0)
  clock.advance(LOOKS_MS)
  expect(lost()).toBe(1)
})

test('an end whose answer came while this process stood still is kept', () => {
  let reply = (): void => undefined
  const { clock, lost } = beating((answered) => {
    reply = answered
    return true
  })
  clock.advance(PING_EACH_MS + 1_000)
  clock.stall(SILENT_MS)
  clock.advance(1_000)
  expect(lost()).toBe(0)
  reply()
  clock.advance(PONG_WITHIN_MS)
  expect(lost()).toBe(0)
})

test('an end that falls silent is found in time also by a process whose timers are late', () => {
  const { clock, lost } = beating(() => true)
  for (let ms = 0; ms < PING_EACH_MS + PONG_WITHIN_MS + LOOKS_MS; ms += 200) {
    clock.stall(200)
    clock.advance(0)
  }
  expect(lost()).toBe(1)
})

test('an end that was asked something and says nothing is asked whether it is there, and found sooner', () => {
  const { clock, heartbeat, lost, pings } = beating(() => true)
  heartbeat.requestSent()
  clock.advance(ANSWER_DUE_MS + LOOKS_MS)
  expect(pings()).toBe(1)
  clock.advance(PONG_WITHIN_MS)
  expect(lost()).toBe(1)
})

test('an end that says something in time is not asked whether it is there', () => {
  const { clock, heartbeat, pings, comes } = beating(answers)
  for (let turn = 0; turn < 3; turn += 1) {
    heartbeat.requestSent()
    clock.advance(1_000)
    comes()
  }
  clock.advance(ANSWER_DUE_MS + LOOKS_MS)
  expect(pings()).toBe(0)
})

test('an end to which no ping can be sent is lost as well', () => {
  const { clock, lost } = beating(() => false)
  clock.advance(SILENT_MS + LOOKS_MS)
  expect(lost()).toBe(1)
})
