import { expect, test } from 'vitest'
import type { LanAddress } from '../lib/addresses.ts'
import { systemRandom } from '../lib/random.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { recordingLog } from '#support/recording-log.ts'
import type { RecordingLog } from '#support/recording-log.ts'
import { createAnnouncer, RETRY_FIRST_MS, RETRY_LAST_MS } from './announcer.ts'
import type { Announcer } from './announcer.ts'
import type { MdnsPacket, MdnsRecord, Sender, SocketEvents, SocketPlace } from './socket.ts'

const HOST = 'hm-ab12.local'
const TYPE = '_hm-api._tcp.local'
const INSTANCE = `hm-ab12.${TYPE}`
const CLIENT: Sender = { address: '192.168.1.77', port: 5353 }
const V4: LanAddress = { interface: 'eth0', family: 4, address: '192.168.1.20', cidr: '192.168.1.20/24', home: true }
const V6: LanAddress = { interface: 'eth0', family: 6, address: 'fd00::20', cidr: 'fd00::20/64', home: true }
const WIFI: LanAddress = { interface: 'wlan0', family: 4, address: '10.0.0.20', cidr: '10.0.0.20/8', home: true }

interface Wire {
  readonly place: SocketPlace
  readonly events: SocketEvents
  /** Packets sent, with the monotonic time. */
  readonly sent: { at: number; packet: MdnsPacket; to: Sender | undefined }[]
  closed: boolean
}

interface Bench {
  clock: ManualClock
  log: RecordingLog
  wires: Wire[]
  announcer: Announcer
  /** The socket that is open on the first network. */
  wire: () => Wire
  /** What the first network's socket sends while `ms` pass. */
  during: (ms: number, act?: () => void) => Promise<Wire['sent']>
  failing: boolean
}

function bench(addresses: readonly LanAddress[] = [V4, V6]): Bench {
  const clock = new ManualClock()
  const log = recordingLog()
  const wires: Wire[] = []
  const at: Bench = {
    clock,
    log,
    wires,
    failing: false,
    announcer: createAnnouncer({
      serial: 'AB12',
      port: 8490,
      fingerprint: 'AA:BB',
      addresses,
      clock,
      random: systemRandom,
      log,
      loadSockets: async () => (place, events) => {
        if (at.failing) throw new Error('no network')
        const wire: Wire = { place, events, sent: [], closed: false }
        wires.push(wire)
        return {
          send: async (packet, to) => {
            wire.sent.push({ at: clock.monotonic(), packet, to })
            return true
          },
          close: async () => {
            wire.closed = true
          },
        }
      },
    }),
    wire: () => {
      const open = wires.find((wire) => !wire.closed)
      if (open === undefined) throw new Error('no socket is open')
      return open
    },
    during: async (ms, act = () => {}) => {
      const wire = at.wire()
      const before = wire.sent.length
      act()
      await clock.advanceAsync(ms)
      return wire.sent.slice(before)
    },
  }
  return at
}

async function announced(addresses?: readonly LanAddress[]): Promise<Bench> {
  const at = bench(addresses)
  at.announcer.setEnabled(true)
  await at.clock.advanceAsync(5000)
  return at
}

const show = (records: readonly MdnsRecord[] = []): string[] => records.map((record) => `${record.name} ${record.type}`)
const ask = (name: string, type: 'A' | 'AAAA' | 'PTR' | 'SRV' | 'TXT', more: Partial<MdnsPacket> = {}): MdnsPacket => ({
  type: 'query',
  id: 0,
  flags: 0,
  questions: [{ name, type, class: 'IN' }],
  answers: [],
  authorities: [],
  additionals: [],
  ...more,
})
/** What the library decodes from the wire: texts as buffers, classes as names. */
const heardA = (data: string, ttl = 120): MdnsRecord => ({ name: HOST, type: 'A', ttl, class: 'IN', data })

test('nothing is sent before it is switched on, and nothing is loaded', async () => {
  const at = bench()
  at.announcer.update({ port: 1 })
  await at.clock.advanceAsync(60_000)
  expect(at.wires).toHaveLength(0)
})

test('the names are probed three times a quarter of a second apart, then announced twice a second apart, then there is silence', async () => {
  const at = await announced()
  const { sent } = at.wire()
  expect(sent.map(({ packet }) => packet.type)).toEqual(['query', 'query', 'query', 'response', 'response'])
  expect(sent.slice(1).map(({ at: time }, index) => time - (sent[index]?.at ?? 0))).toEqual([250, 250, 250, 1000])
  expect(sent[0]?.packet.questions).toEqual([
    { name: INSTANCE, type: 'ANY' },
    { name: HOST, type: 'ANY' },
  ])
  expect(show(sent[0]?.packet.authorities)).toEqual([`${INSTANCE} SRV`, `${INSTANCE} TXT`, `${HOST} A`, `${HOST} AAAA`])
  expect(await at.during(3_600_000)).toEqual([])
})

test('what is announced: both pointers, host and port, text and addresses, with the right times to live and flush bits', async () => {
  const at = await announced()
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

test("a browser's question is answered within 20 to 120 ms, with all that it will ask next", async () => {
  const at = await announced()
  const asked = at.clock.monotonic()
  const [answer, ...more] = await at.during(1000, () =>
    at.wire().events.onPacket(ask(TYPE.toUpperCase(), 'PTR'), CLIENT),
  )
  expect(more).toEqual([])
  expect(answer?.to).toBeUndefined()
  expect(answer?.at).toBeGreaterThanOrEqual(asked + 20)
  expect(answer?.at).toBeLessThan(asked + 120)
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

test("a question for what is the gateway's alone is answered at once; a type that it lacks is denied", async () => {
  const at = await announced([V4])
  const [answer] = await at.during(0, () => at.wire().events.onPacket(ask(HOST, 'A'), CLIENT))
  expect(show(answer?.packet.answers)).toEqual([`${HOST} A`])
  await at.clock.advanceAsync(2000)
  const [denial] = await at.during(0, () => at.wire().events.onPacket(ask(HOST, 'AAAA'), CLIENT))
  expect(denial?.packet.answers).toEqual([
    { name: HOST, type: 'NSEC', ttl: 120, flush: true, data: { nextDomain: HOST, rrtypes: ['A'] } },
  ])
})

test('what the asking one knows is not told again, unless half its time is over', async () => {
  const at = await announced()
  const known = (ttl: number): MdnsPacket =>
    ask(TYPE, 'PTR', { answers: [{ name: TYPE, type: 'PTR', ttl, class: 'IN', data: INSTANCE }] })
  expect(await at.during(1000, () => at.wire().events.onPacket(known(2250), CLIENT))).toEqual([])
  expect(await at.during(1000, () => at.wire().events.onPacket(known(2249), CLIENT))).toHaveLength(1)
})

test('where more known answers are to come, the answer waits for them', async () => {
  const at = await announced()
  const { onPacket } = at.wire().events
  const rest: MdnsPacket = {
    type: 'query',
    flags: 0,
    questions: [],
    answers: [{ name: TYPE, type: 'PTR', ttl: 4000, class: 'IN', data: INSTANCE }],
  }
  const truncated = ask(TYPE, 'PTR', { flags: 0x0200 })
  expect(await at.during(399, () => onPacket(truncated, CLIENT))).toEqual([])
  expect(await at.during(1000, () => onPacket(rest, CLIENT))).toEqual([])
  // Somebody else's knowledge is no reason to keep silent.
  onPacket(truncated, CLIENT)
  expect(await at.during(1000, () => onPacket(rest, { ...CLIENT, address: '192.168.1.78' }))).toHaveLength(1)
})

test('no record is sent twice within a second, however often it is asked for', async () => {
  const at = await announced()
  const sent = await at.during(0, () => {
    for (let turn = 0; turn < 1000; turn++) at.wire().events.onPacket(ask(HOST, 'A'), CLIENT)
  })
  expect(sent).toHaveLength(1)
})

test('a plain DNS client is answered alone, with its id and question, for ten seconds at most', async () => {
  const at = await announced()
  const from = { address: '192.168.1.77', port: 40_000 }
  const [answer, ...more] = await at.during(1000, () =>
    at.wire().events.onPacket(ask(INSTANCE, 'SRV', { id: 77 }), from),
  )
  expect(more).toEqual([])
  expect(answer?.to).toEqual(from)
  expect(answer?.packet).toMatchObject({ id: 77, questions: [{ name: INSTANCE, type: 'SRV' }] })
  for (const record of [...(answer?.packet.answers ?? []), ...(answer?.packet.additionals ?? [])])
    expect(record).toMatchObject({ ttl: 10, flush: false })
})

test('questions from another network, for other names, or in answers are not answered', async () => {
  const at = await announced()
  const { onPacket } = at.wire().events
  expect(
    await at.during(1000, () => {
      onPacket(ask(HOST, 'A'), { address: '8.8.8.8', port: 53 })
      onPacket(ask(HOST, 'A'), { address: '192.168.2.1', port: 5353 })
      onPacket(ask('other.local', 'A'), CLIENT)
      onPacket(ask(TYPE, 'A'), CLIENT)
      onPacket({ ...ask(HOST, 'A'), type: 'response' }, CLIENT)
      onPacket({ type: 'query' }, CLIENT)
    }),
  ).toEqual([])
})

test('a changed address is announced anew, and the gone one taken back', async () => {
  const at = await announced()
  const next = { ...V6, address: 'fd00::21', cidr: 'fd00::21/64' }
  const [first, second, ...more] = await at.during(5000, () => at.announcer.update({ addresses: [V4, next] }))
  expect(more).toEqual([])
  expect(first?.packet.answers?.[0]).toEqual({ name: HOST, type: 'AAAA', ttl: 0, flush: false, data: 'fd00::20' })
  expect(show(second?.packet.answers)).toEqual(show(first?.packet.answers).slice(1))
  expect(second?.packet.answers).toContainEqual({ name: HOST, type: 'AAAA', ttl: 120, flush: true, data: 'fd00::21' })
})

test('an unchanged update sends nothing; a new fingerprint and port are announced', async () => {
  const at = await announced()
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
  const at = await announced()
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

test("each network hears only the addresses that reach it; networks that are not the home's hear nothing", async () => {
  const docker: LanAddress = {
    interface: 'docker0',
    family: 4,
    address: '172.17.0.1',
    cidr: '172.17.0.1/16',
    home: false,
  }
  const at = await announced([V4, V6, WIFI, docker])
  expect(at.wires.map((wire) => wire.place.address)).toEqual(['192.168.1.20', '10.0.0.20'])
  const addressesOf = (wire: Wire | undefined): unknown[] =>
    (wire?.sent.at(-1)?.packet.answers ?? []).flatMap((record) =>
      record.type === 'A' || record.type === 'AAAA' ? [record.data] : [],
    )
  expect(at.wires.map(addressesOf)).toEqual([['192.168.1.20', 'fd00::20'], ['10.0.0.20']])
})

test('switched off and stopped, everything is taken back and nothing is answered', async () => {
  const at = await announced()
  const wire = at.wire()
  const [goodbye, ...more] = await at.during(5000, () => at.announcer.setEnabled(false))
  expect(more).toEqual([])
  expect(goodbye?.packet.answers?.map((record) => 'ttl' in record && record.ttl)).toEqual(
    Array.from({ length: 8 }, () => 0),
  )
  expect(wire.closed).toBe(true)
  wire.events.onPacket(ask(HOST, 'A'), CLIENT)
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

test('switched off while still probing, there is nothing to take back', async () => {
  const at = bench()
  at.announcer.setEnabled(true)
  await at.clock.advanceAsync(300)
  const wire = at.wire()
  at.announcer.setEnabled(false)
  await at.clock.advanceAsync(5000)
  expect(wire.sent.every(({ packet }) => packet.type === 'query')).toBe(true)
  expect(wire.closed).toBe(true)
})

test('no network or a taken port is said once and tried again, less and less often, until it works', async () => {
  const at = bench()
  at.failing = true
  at.announcer.setEnabled(true)
  await at.clock.advanceAsync(20 * RETRY_LAST_MS)
  expect(at.log.sentences('warn')).toEqual(['The gateway cannot be announced on this network; it tries again.'])
  at.failing = false
  await at.clock.advanceAsync(RETRY_LAST_MS)
  expect(at.wires).toHaveLength(1)
  await at.clock.advanceAsync(5000)
  // It worked between, so a new trouble is news again.
  at.wire().events.onTrouble(new Error('network down'))
  await at.clock.advanceAsync(RETRY_FIRST_MS + 5000)
  expect(at.log.sentences('warn')).toHaveLength(2)
  expect(at.wires.map((wire) => wire.closed)).toEqual([true, false])
  expect(at.wire().sent.at(-1)?.packet.type).toBe('response')
})

test("another machine with this gateway's name is warned of once and nothing is renamed", async () => {
  const at = await announced()
  const claim: MdnsPacket = { type: 'response', answers: [heardA('192.168.1.66')] }
  for (let turn = 0; turn < 5; turn++) at.wire().events.onPacket(claim, { address: '192.168.1.66', port: 5353 })
  expect(at.log.sentences('warn')).toEqual([
    "Another machine announces this gateway's name: clients may find that one instead.",
  ])
  const [defence] = await at.during(300, () =>
    at
      .wire()
      .events.onPacket(
        { ...ask(HOST, 'A'), authorities: [heardA('192.168.1.66')] },
        { address: '192.168.1.66', port: 5353 },
      ),
  )
  expect(defence?.packet.answers).toContainEqual(expect.objectContaining({ name: HOST, data: '192.168.1.20' }))
})

test('a conflict is noticed while probing, and the gateway announces itself all the same', async () => {
  const at = bench()
  at.announcer.setEnabled(true)
  await at.clock.advanceAsync(400)
  at.wire().events.onPacket(
    { type: 'response', answers: [heardA('192.168.1.66')] },
    { address: '192.168.1.66', port: 5353 },
  )
  await at.clock.advanceAsync(3000)
  expect(at.log.sentences('warn')).toHaveLength(1)
  expect(at.wire().sent.at(-1)?.packet.type).toBe('response')
})

test("the gateway's own echo, its past, a goodbye and this machine's other programs are no conflict", async () => {
  const at = await announced()
  const { onPacket } = at.wire().events
  for (const { packet } of [...at.wire().sent]) onPacket(packet, { address: '192.168.1.20', port: 5353 })
  at.announcer.update({ addresses: [V4, { ...V6, address: 'fd00::21', cidr: 'fd00::21/64' }], fingerprint: 'EE:FF' })
  for (const { packet } of [...at.wire().sent]) onPacket(packet, CLIENT)
  onPacket({ type: 'response', answers: [heardA('192.168.1.66', 0)] }, CLIENT)
  onPacket({ type: 'response', answers: [heardA('172.17.0.1')] }, { address: '192.168.1.20', port: 5353 })
  expect(at.log.sentences('warn')).toEqual([])
})
