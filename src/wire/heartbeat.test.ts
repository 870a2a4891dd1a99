import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { Heartbeat } from './heartbeat.ts'
import { ANSWER_DUE_MS, PING_EACH_MS, PONG_WITHIN_MS, SILENT_MS } from './tunnel.ts'

/** Longest delay of both checks: before the ping and after its timeout. */
const CHECKS_MS = 2_000

function beating(ping: (answered: () => void) => boolean) {
  const clock = new ManualClock()
  let [lost, pings, received] = [0, 0, 0]
  const heartbeat = new Heartbeat({
    clock,
    ping: (answered) => {
      pings += 1
      return ping(answered)
    },
    bytesReceived: () => received,
    lost: () => (lost += 1),
  })
  const receiveBytes = (): number => (received += 1)
  return { clock, heartbeat, lost: () => lost, pings: () => pings, receiveBytes }
}

const answers = (answered: () => void): boolean => {
  answered()
  return true
}

test('a peer that answers is never lost', () => {
  const { clock, heartbeat, lost } = beating(answers)
  clock.advance(10 * SILENT_MS)
  expect(lost()).toBe(0)
  expect(heartbeat.silentMs).toBeLessThanOrEqual(PING_EACH_MS)
})

test('a silent peer is lost within 30 s, and reported once', () => {
  const { clock, lost } = beating(() => true)
  clock.advance(PING_EACH_MS + PONG_WITHIN_MS)
  expect(lost()).toBe(0)
  clock.advance(CHECKS_MS)
  expect(lost()).toBe(1)
  expect(PING_EACH_MS + PONG_WITHIN_MS + CHECKS_MS).toBeLessThan(30_000)
  clock.advance(10 * SILENT_MS)
  expect(lost()).toBe(1)
})

test('a peer on a slow line may answer late, but has to answer', () => {
  const { clock, lost, receiveBytes } = beating(() => true)
  for (let second = 0; second < SILENT_MS / 1_000; second += 1) {
    receiveBytes()
    clock.advance(1_000)
  }
  expect(lost()).toBe(0)
  clock.advance(CHECKS_MS)
  expect(lost()).toBe(1)
})

test('a peer is not lost if its answer came while this process stood still', () => {
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

test('a process with late timers finds a silent peer in time', () => {
  const { clock, lost } = beating(() => true)
  for (let ms = 0; ms < PING_EACH_MS + PONG_WITHIN_MS + CHECKS_MS; ms += 200) {
    clock.stall(200)
    clock.advance(0)
  }
  expect(lost()).toBe(1)
})

test('a peer that does not answer a request gets a ping, and is lost sooner', () => {
  const { clock, heartbeat, lost, pings } = beating(() => true)
  heartbeat.requestSent()
  clock.advance(ANSWER_DUE_MS + CHECKS_MS)
  expect(pings()).toBe(1)
  clock.advance(PONG_WITHIN_MS)
  expect(lost()).toBe(1)
})

test('a peer that sends bytes in time gets no ping', () => {
  const { clock, heartbeat, pings, receiveBytes } = beating(answers)
  for (let turn = 0; turn < 3; turn += 1) {
    heartbeat.requestSent()
    clock.advance(1_000)
    receiveBytes()
  }
  clock.advance(ANSWER_DUE_MS + CHECKS_MS)
  expect(pings()).toBe(0)
})

test('a peer is lost if pings cannot be sent', () => {
  const { clock, lost } = beating(() => false)
  clock.advance(SILENT_MS + CHECKS_MS)
  expect(lost()).toBe(1)
})
