import { expect, test } from 'vitest'
import { announcedBench, question, CLIENT, HOST, INSTANCE, show, TYPE, V4 } from '#support/gateway/announcer-bench.ts'
import type { MdnsPacket } from './socket.ts'

test("a browser's question is answered within 20 to 120 ms, with the records that it needs next", async () => {
  const at = await announcedBench()
  const askedAt = at.clock.monotonic()
  const [answer, ...more] = await at.during(1000, () =>
    at.wire().events.onPacket(question(TYPE.toUpperCase(), 'PTR'), CLIENT),
  )
  expect(more).toEqual([])
  expect(answer?.to).toBeUndefined()
  expect(answer?.at).toBeGreaterThanOrEqual(askedAt + 20)
  expect(answer?.at).toBeLessThan(askedAt + 120)
  expect(show(answer?.packet.answers)).toEqual([`${TYPE} PTR`])
  expect(show(answer?.packet.additionals)).toEqual([
    `${INSTANCE} SRV`,
    `${INSTANCE} TXT`,
    `${INSTANCE} NSEC`,
    `${HOST} A`,
    `${HOST} AAAA`,
    `${HOST} NSEC`,
  ])
})

test('a question for a unique record is answered at once; a missing type is denied', async () => {
  const at = await announcedBench([V4])
  const [answer] = await at.during(0, () => at.wire().events.onPacket(question(HOST, 'A'), CLIENT))
  expect(show(answer?.packet.answers)).toEqual([`${HOST} A`])
  await at.clock.advanceAsync(2000)
  const [denial] = await at.during(0, () => at.wire().events.onPacket(question(HOST, 'AAAA'), CLIENT))
  expect(denial?.packet.answers).toEqual([
    { name: HOST, type: 'NSEC', ttl: 120, flush: true, data: { nextDomain: HOST, rrtypes: ['A'] } },
  ])
})

test('known answers are not repeated unless half their time to live is over', async () => {
  const at = await announcedBench()
  const known = (ttl: number): MdnsPacket =>
    question(TYPE, 'PTR', { answers: [{ name: TYPE, type: 'PTR', ttl, class: 'IN', data: INSTANCE }] })
  expect(await at.during(1000, () => at.wire().events.onPacket(known(2250), CLIENT))).toEqual([])
  expect(await at.during(1000, () => at.wire().events.onPacket(known(2249), CLIENT))).toHaveLength(1)
})

test('an answer waits for further known answers', async () => {
  const at = await announcedBench()
  const { onPacket } = at.wire().events
  const rest: MdnsPacket = {
    type: 'query',
    flags: 0,
    questions: [],
    answers: [{ name: TYPE, type: 'PTR', ttl: 4000, class: 'IN', data: INSTANCE }],
  }
  const truncated = question(TYPE, 'PTR', { flags: 0x0200 })
  expect(await at.during(399, () => onPacket(truncated, CLIENT))).toEqual([])
  expect(await at.during(1000, () => onPacket(rest, CLIENT))).toEqual([])
  // Known answers of another machine do not count.
  onPacket(truncated, CLIENT)
  expect(await at.during(1000, () => onPacket(rest, { ...CLIENT, address: '192.168.1.78' }))).toHaveLength(1)
})

test('a record is sent once a second at most, however many questions come', async () => {
  const at = await announcedBench()
  const sent = await at.during(0, () => {
    for (let turn = 0; turn < 1000; turn++) at.wire().events.onPacket(question(HOST, 'A'), CLIENT)
  })
  expect(sent).toHaveLength(1)
})

test('a plain DNS client gets a unicast answer with its id and question, for ten seconds at most', async () => {
  const at = await announcedBench()
  const from = { address: '192.168.1.77', port: 40_000 }
  const [answer, ...more] = await at.during(1000, () =>
    at.wire().events.onPacket(question(INSTANCE, 'SRV', { id: 77 }), from),
  )
  expect(more).toEqual([])
  expect(answer?.to).toEqual(from)
  expect(answer?.packet).toMatchObject({ id: 77, questions: [{ name: INSTANCE, type: 'SRV' }] })
  for (const record of [...(answer?.packet.answers ?? []), ...(answer?.packet.additionals ?? [])])
    expect(record).toMatchObject({ ttl: 10, flush: false })
})

test('questions from another network, for other names, or inside responses are ignored', async () => {
  const at = await announcedBench()
  const { onPacket } = at.wire().events
  expect(
    await at.during(1000, () => {
      onPacket(question(HOST, 'A'), { address: '8.8.8.8', port: 53 })
      onPacket(question(HOST, 'A'), { address: '192.168.2.1', port: 5353 })
      onPacket(question('other.local', 'A'), CLIENT)
      onPacket(question(TYPE, 'A'), CLIENT)
      onPacket({ ...question(HOST, 'A'), type: 'response' }, CLIENT)
      onPacket({ type: 'query' }, CLIENT)
    }),
  ).toEqual([])
})
