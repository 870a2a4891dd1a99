import { expect, test } from 'vitest'
import { announcedBench, question, bench, CLIENT, decodedA, HOST, V4, V6 } from '#support/gateway/announcer-bench.ts'
import { CONFLICT_MS } from './conflict-watch.ts'
import type { MdnsPacket } from './socket.ts'

test('a second machine with this gateway’s name causes one warning and no new name', async () => {
  const at = await announcedBench()
  const claim: MdnsPacket = { type: 'response', answers: [decodedA('192.168.1.66')] }
  for (let turn = 0; turn < 5; turn++) at.wire().events.onPacket(claim, { address: '192.168.1.66', port: 5353 })
  expect(at.log.sentences('warn')).toEqual([
    "Another machine announces this gateway's name: clients may find that one instead.",
  ])
  expect(at.announcer.state().conflicts).toEqual([{ address: '192.168.1.66', name: HOST, at: at.clock.now() }])
  const [defence] = await at.during(300, () =>
    at
      .wire()
      .events.onPacket(
        { ...question(HOST, 'A'), authorities: [decodedA('192.168.1.66')] },
        { address: '192.168.1.66', port: 5353 },
      ),
  )
  expect(defence?.packet.answers).toContainEqual(expect.objectContaining({ name: HOST, data: '192.168.1.20' }))
})

test('a conflict lasts as long as the other machine answers to the name', async () => {
  const at = await announcedBench()
  const other = { address: '192.168.1.66', port: 5353 }
  const claim: MdnsPacket = { type: 'response', answers: [decodedA('192.168.1.66')] }
  for (let turn = 0; turn < 5; turn++) {
    at.wire().events.onPacket(claim, other)
    await at.clock.advanceAsync(CONFLICT_MS)
    expect(at.announcer.state().conflicts).toHaveLength(1)
  }
  expect(at.log.sentences('warn')).toHaveLength(1)
  await at.clock.advanceAsync(1)
  expect(at.announcer.state().conflicts).toEqual([])
  at.wire().events.onPacket(claim, other)
  expect(at.log.sentences('warn')).toHaveLength(2)
})

test('packets from many invented addresses do not fill the list or the log', async () => {
  const at = await announcedBench()
  for (let host = 100; host < 200; host++) {
    const address = `192.168.1.${host}`
    at.wire().events.onPacket({ type: 'response', answers: [decodedA(address)] }, { address, port: 5353 })
  }
  expect(at.announcer.state().conflicts).toHaveLength(8)
  expect(at.log.sentences('warn')).toHaveLength(8)
})

test('a conflict while probing is noticed, and the gateway announces itself nevertheless', async () => {
  const at = bench()
  at.announcer.setEnabled(true)
  await at.clock.advanceAsync(400)
  at.wire().events.onPacket(
    { type: 'response', answers: [decodedA('192.168.1.66')] },
    { address: '192.168.1.66', port: 5353 },
  )
  await at.clock.advanceAsync(3000)
  expect(at.log.sentences('warn')).toHaveLength(1)
  expect(at.wire().sent.at(-1)?.packet.type).toBe('response')
})

test("the gateway's own echo, its past, a goodbye and this machine's other programs are no conflict", async () => {
  const at = await announcedBench()
  const { onPacket } = at.wire().events
  for (const { packet } of [...at.wire().sent]) onPacket(packet, { address: '192.168.1.20', port: 5353 })
  at.announcer.update({ addresses: [V4, { ...V6, address: 'fd00::21', cidr: 'fd00::21/64' }], fingerprint: 'EE:FF' })
  for (const { packet } of [...at.wire().sent]) onPacket(packet, CLIENT)
  onPacket({ type: 'response', answers: [decodedA('192.168.1.66', 0)] }, CLIENT)
  onPacket({ type: 'response', answers: [decodedA('172.17.0.1')] }, { address: '192.168.1.20', port: 5353 })
  expect(at.log.sentences('warn')).toEqual([])
})
