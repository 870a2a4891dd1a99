import { expect, test } from 'vitest'
import type { LanAddress } from '../lib/lan-addresses.ts'
import {
  announcedBench,
  question,
  bench,
  CLIENT,
  HOST,
  INSTANCE,
  show,
  TYPE,
  V4,
  V6,
  WIFI,
  type RecordedSocket,
} from '#support/gateway/announcer-bench.ts'
import { RETRY_FIRST_MS, RETRY_LAST_MS } from './announcer.ts'
import { ECHO_CHECK_MS } from './echo-check.ts'

test('a switched-off announcer sends no packets and loads no library', async () => {
  const at = bench()
  at.announcer.update({ port: 1 })
  await at.clock.advanceAsync(60_000)
  expect(at.wires).toHaveLength(0)
})

test('the names are probed three times a quarter of a second apart, then announced twice a second apart, then queried once a minute', async () => {
  const at = await announcedBench()
  const { sent } = at.wire()
  expect(sent.map(({ packet }) => packet.type)).toEqual(['query', 'query', 'query', 'response', 'response'])
  expect(sent.slice(1).map(({ at: time }, index) => time - (sent[index]?.at ?? 0))).toEqual([250, 250, 250, 1000])
  expect(sent[0]?.packet.questions).toEqual([
    { name: INSTANCE, type: 'ANY' },
    { name: HOST, type: 'ANY' },
  ])
  expect(show(sent[0]?.packet.authorities)).toEqual([`${INSTANCE} SRV`, `${INSTANCE} TXT`, `${HOST} A`, `${HOST} AAAA`])
  const later = await at.during(10 * ECHO_CHECK_MS)
  expect(later.length).toBeGreaterThanOrEqual(9)
  expect(later.length).toBeLessThanOrEqual(10)
  for (const { packet } of later) {
    expect(packet).toMatchObject({ type: 'query', authorities: [] })
    // The known answers keep other machines with the same records silent.
    expect(show(packet.answers)).toEqual([`${INSTANCE} SRV`, `${INSTANCE} TXT`, `${HOST} A`, `${HOST} AAAA`])
  }
})

test('the announcement has both pointers, host, port, text and addresses, with the right times to live and flush bits', async () => {
  const at = await announcedBench()
  expect(at.wire().sent.at(-1)?.packet.answers).toEqual([
    { name: '_services._dns-sd._udp.local', type: 'PTR', ttl: 4500, flush: false, data: TYPE },
    { name: TYPE, type: 'PTR', ttl: 4500, flush: false, data: INSTANCE },
    { name: INSTANCE, type: 'SRV', ttl: 120, flush: true, data: { priority: 0, weight: 0, port: 8490, target: HOST } },
    {
      name: INSTANCE,
      type: 'TXT',
      ttl: 4500,
      flush: true,
      data: ['v=1.1.0', 'gw=AB12', 'path=/v1', 'fp=AA:BB'].map((text) => Buffer.from(text)),
    },
    { name: HOST, type: 'A', ttl: 120, flush: true, data: '192.168.1.20' },
    { name: HOST, type: 'AAAA', ttl: 120, flush: true, data: 'fd00::20' },
    { name: INSTANCE, type: 'NSEC', ttl: 120, flush: true, data: { nextDomain: INSTANCE, rrtypes: ['SRV', 'TXT'] } },
    { name: HOST, type: 'NSEC', ttl: 120, flush: true, data: { nextDomain: HOST, rrtypes: ['A', 'AAAA'] } },
  ])
})

test('a changed address is announced, and the old one withdrawn', async () => {
  const at = await announcedBench()
  const next = { ...V6, address: 'fd00::21', cidr: 'fd00::21/64' }
  const [first, second, ...more] = await at.during(5000, () => at.announcer.update({ addresses: [V4, next] }))
  expect(more).toEqual([])
  expect(first?.packet.answers?.[0]).toEqual({ name: HOST, type: 'AAAA', ttl: 0, flush: false, data: 'fd00::20' })
  expect(show(second?.packet.answers)).toEqual(show(first?.packet.answers).slice(1))
  expect(second?.packet.answers).toContainEqual({ name: HOST, type: 'AAAA', ttl: 120, flush: true, data: 'fd00::21' })
})

test('an unchanged update sends no packet; a new fingerprint and port are announced', async () => {
  const at = await announcedBench()
  expect(await at.during(5000, () => at.announcer.update({ addresses: [V6, V4], port: 8490 }))).toEqual([])
  const sent = await at.during(5000, () => at.announcer.update({ fingerprint: 'CC:DD', port: 8491 }))
  expect(sent).toHaveLength(2)
  const answers = sent[1]?.packet.answers ?? []
  expect(answers).toContainEqual(
    expect.objectContaining({ type: 'SRV', data: { priority: 0, weight: 0, port: 8491, target: HOST } }),
  )
  const text = answers.find((record) => record.type === 'TXT')
  expect(text?.type === 'TXT' ? String(text.data) : '').toContain('fp=CC:DD')
})

test('a new IPv4 address moves to a new socket without a goodbye between', async () => {
  const at = await announcedBench()
  const old = at.wire()
  const before = old.sent.length
  at.announcer.update({ addresses: [{ ...V4, address: '192.168.1.99', cidr: '192.168.1.99/24' }] })
  await at.clock.advanceAsync(3000)
  expect(old.closed).toBe(true)
  expect(old.sent).toHaveLength(before)
  expect(at.wire().place.address).toBe('192.168.1.99')
  expect(at.wire().sent.at(-1)?.packet.answers).toContainEqual(
    expect.objectContaining({ type: 'A', data: '192.168.1.99' }),
  )
})

test('an interface that was removed and came back with the same address is announced anew, without a goodbye', async () => {
  const numbered = (index: number): LanAddress[] => [V4, V6].map((one) => ({ ...one, index }))
  const at = await announcedBench(numbered(4))
  const old = at.wire()
  const before = old.sent.length
  expect(await at.during(5000, () => at.announcer.update({ addresses: numbered(4) }))).toEqual([])
  // The number is unknown for a moment, while the interface has no link-local address yet.
  expect(await at.during(5000, () => at.announcer.update({ addresses: [V4, V6] }))).toEqual([])
  at.announcer.update({ addresses: numbered(5) })
  await at.clock.advanceAsync(5000)
  expect([old.closed, old.sent.length]).toEqual([true, before])
  expect(at.wire().sent.map(({ packet }) => packet.type)).toEqual(['query', 'query', 'query', 'response', 'response'])
})

test('a gateway that no longer hears itself announces itself anew and reports the network until it does', async () => {
  const at = await announcedBench()
  const silent = [{ interface: 'eth0', address: '192.168.1.20' }]
  at.deaf = true
  await at.clock.advanceAsync(ECHO_CHECK_MS + 5000)
  expect(at.wires.map(({ closed }) => closed)).toEqual([true, false])
  expect(at.announcer.state().silent).toEqual(silent)
  await at.clock.advanceAsync(10 * ECHO_CHECK_MS)
  expect(at.announcer.state().silent).toEqual(silent)
  expect(at.log.sentences('warn')).toEqual([
    'The gateway does not hear its own announcement on this network; it announces itself anew.',
  ])
  at.deaf = false
  await at.clock.advanceAsync(2 * ECHO_CHECK_MS)
  const sockets = at.wires.length
  await at.clock.advanceAsync(2 * ECHO_CHECK_MS)
  expect(at.announcer.state().silent).toEqual([])
  expect(at.wires).toHaveLength(sockets)
})

test('a single lost question causes no new announcement', async () => {
  const at = await announcedBench()
  at.deaf = true
  await at.clock.advanceAsync(ECHO_CHECK_MS - 5000)
  const sentBefore = at.wire().sent.length
  while (at.wire().sent.length === sentBefore) await at.clock.advanceAsync(100)
  at.deaf = false
  await at.clock.advanceAsync(10_000)
  expect(at.wires).toHaveLength(1)
  expect(at.announcer.state().silent).toEqual([])
})

test('every home network gets only its own addresses, and other networks get no packets', async () => {
  const docker: LanAddress = {
    interface: 'docker0',
    family: 4,
    address: '172.17.0.1',
    cidr: '172.17.0.1/16',
    home: false,
  }
  const at = await announcedBench([V4, V6, WIFI, docker])
  expect(at.wires.map((wire) => wire.place.address)).toEqual(['192.168.1.20', '10.0.0.20'])
  const addressesOf = (wire: RecordedSocket | undefined): unknown[] =>
    (wire?.sent.at(-1)?.packet.answers ?? []).flatMap((record) =>
      record.type === 'A' || record.type === 'AAAA' ? [record.data] : [],
    )
  expect(at.wires.map(addressesOf)).toEqual([['192.168.1.20', 'fd00::20'], ['10.0.0.20']])
})

test('a switched-off or stopped announcer withdraws all records and answers no question', async () => {
  const at = await announcedBench()
  const wire = at.wire()
  const [goodbye, ...more] = await at.during(5000, () => at.announcer.setEnabled(false))
  expect(more).toEqual([])
  expect(goodbye?.packet.answers?.map((record) => 'ttl' in record && record.ttl)).toEqual(
    Array.from({ length: 8 }, () => 0),
  )
  expect(wire.closed).toBe(true)
  wire.events.onPacket(question(HOST, 'A'), CLIENT)
  await at.clock.advanceAsync(5000)
  expect(wire.sent.at(-1)).toEqual(goodbye)
  at.announcer.setEnabled(true)
  await at.clock.advanceAsync(5000)
  const again = at.wire()
  await at.announcer.stop()
  expect(again.sent.at(-1)?.packet.answers?.[0]).toMatchObject({ ttl: 0 })
  expect(again.closed).toBe(true)
  expect(at.clock.waiting).toBe(0)
})

test('an announcer that is switched off while probing has no records to withdraw', async () => {
  const at = bench()
  at.announcer.setEnabled(true)
  await at.clock.advanceAsync(300)
  const wire = at.wire()
  at.announcer.setEnabled(false)
  await at.clock.advanceAsync(5000)
  expect(wire.sent.every(({ packet }) => packet.type === 'query')).toBe(true)
  expect(wire.closed).toBe(true)
})

test('a missing network or an occupied port is logged once and retried, less and less often, until it works', async () => {
  const at = bench()
  at.failing = true
  at.announcer.setEnabled(true)
  await at.clock.advanceAsync(20 * RETRY_LAST_MS)
  expect(at.log.sentences('warn')).toEqual(['The gateway cannot be announced on this network; it tries again.'])
  expect(at.announcer.state().silent).toEqual([{ interface: 'eth0', address: '192.168.1.20' }])
  at.failing = false
  await at.clock.advanceAsync(RETRY_LAST_MS)
  expect(at.announcer.state().silent).toEqual([])
  expect(at.wires).toHaveLength(1)
  await at.clock.advanceAsync(5000)
  // The announcer worked meanwhile, so a new failure is logged again.
  at.wire().events.onTrouble(new Error('network down'))
  await at.clock.advanceAsync(RETRY_FIRST_MS + 5000)
  expect(at.log.sentences('warn')).toHaveLength(2)
  expect(at.wires.map((wire) => wire.closed)).toEqual([true, false])
  expect(at.wire().sent.at(-1)?.packet.type).toBe('response')
})
