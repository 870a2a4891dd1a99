import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import multicastDns from 'multicast-dns'
import type { ResponsePacket } from 'multicast-dns'
import { expect, onTestFinished, test } from 'vitest'
import { API_VERSION } from '../../src/api/contract/index.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { createAnnouncer } from '../../src/mdns/announcer.ts'
import type { Announcer } from '../../src/mdns/announcer.ts'
import { recordingLog } from '#support/recording-log.ts'
import type { RecordingLog } from '#support/recording-log.ts'

const GROUP = '224.0.0.251'
const HOST = 'hm-ab12.local'
const TYPE = '_hm-api._tcp.local'
const INSTANCE = `hm-ab12.${TYPE}`

interface Loopback {
  announcer: Announcer
  /** Another program on the same network. */
  peer: multicastDns.MulticastDNS
  log: RecordingLog
  port: number
}

/** A gateway and a second program on real sockets of the loopback interface, on another port than the system's. */
async function loopback(): Promise<Loopback> {
  const mdnsPort = 20_000 + (systemRandom.bytes(2).readUInt16BE() % 20_000)
  const peer = multicastDns({ port: mdnsPort, interface: '127.0.0.1', bind: '0.0.0.0' })
  peer.on('error', () => {})
  peer.on('warning', () => {})
  await new Promise<void>((resolve) => {
    peer.once('ready', resolve)
  })
  const log = recordingLog()
  const announcer = createAnnouncer({
    serial: 'ab12',
    version: API_VERSION,
    port: 8490,
    fingerprint: 'AA:BB',
    clock: systemClock,
    random: systemRandom,
    log,
    mdnsPort,
    group: GROUP,
    addresses: [{ interface: 'lo', family: 4, address: '127.0.0.1', cidr: '127.0.0.1/8', home: true }],
  })
  onTestFinished(async () => {
    await announcer.stop()
    await new Promise<void>((resolve) => {
      peer.destroy(resolve)
    })
  })
  return { announcer, peer, log, port: mdnsPort }
}

/** Next response with a record of this name and type. */
function nextResponse(
  peer: multicastDns.MulticastDNS,
  name: string,
  type: string,
  fits: (ttl: number) => boolean = () => true,
): Promise<ResponsePacket> {
  return new Promise((resolve) => {
    const listen = (packet: ResponsePacket): void => {
      const found = packet.answers.some(
        (record) => record.name === name && record.type === type && 'ttl' in record && fits(record.ttl ?? -1),
      )
      if (!found) return
      peer.off('response', listen)
      resolve(packet)
    }
    peer.on('response', listen)
  })
}

test(
  'over real sockets, the gateway announces itself, answers questions and withdraws its records',
  { tags: ['long'] },
  async () => {
    const { announcer, peer, log } = await loopback()
    const announcement = nextResponse(peer, INSTANCE, 'SRV')
    announcer.setEnabled(true)
    const packet = await announcement
    expect(packet.answers).toContainEqual(
      expect.objectContaining({
        name: INSTANCE,
        type: 'SRV',
        ttl: 120,
        flush: true,
        data: { priority: 0, weight: 0, port: 8490, target: HOST },
      }),
    )
    const text = packet.answers.find((record) => record.type === 'TXT')
    expect(text?.type === 'TXT' && Array.isArray(text.data) ? text.data.map(String) : []).toEqual([
      'v=1.1.0',
      'gw=ab12',
      'path=/v1',
      'fp=AA:BB',
    ])

    const list = nextResponse(peer, '_services._dns-sd._udp.local', 'PTR')
    peer.query('_services._dns-sd._udp.local', 'PTR')
    expect((await list).answers).toContainEqual(expect.objectContaining({ data: TYPE }))

    const goodbye = nextResponse(peer, INSTANCE, 'SRV', (ttl) => ttl === 0)
    await announcer.stop()
    expect((await goodbye).answers).toContainEqual(
      expect.objectContaining({ name: TYPE, type: 'PTR', ttl: 0, data: INSTANCE }),
    )
    expect(log.lines.filter((line) => line.level === 'warn' || line.level === 'error')).toEqual([])
  },
)

test('damaged, cut and foreign packets do no harm', { tags: ['long'] }, async () => {
  const { announcer, peer, port } = await loopback()
  const sound: Buffer[] = []
  const ear = createSocket({ type: 'udp4', reuseAddr: true })
    .on('message', (message) => sound.push(message))
    .bind(port, '0.0.0.0')
  await once(ear, 'listening')
  ear.addMembership(GROUP, '127.0.0.1')
  const announcement = nextResponse(peer, HOST, 'A')
  announcer.setEnabled(true)
  peer.query({
    questions: [
      { name: TYPE, type: 'PTR' },
      { name: HOST, type: 'A' },
    ],
    answers: [{ name: TYPE, type: 'PTR', ttl: 9, data: INSTANCE }],
  })
  await announcement
  ear.close()
  expect(sound.length).toBeGreaterThanOrEqual(4)
  const thrower = createSocket('udp4').bind(0, '127.0.0.1')
  onTestFinished(() => {
    thrower.close()
  })
  await once(thrower, 'listening')
  thrower.setMulticastInterface('127.0.0.1')
  for (let turn = 0; turn < 1000; turn++) {
    const [source = Buffer.alloc(0), [at = 0, value = 0, length = 0]] = [
      sound[turn % sound.length],
      systemRandom.bytes(3),
    ]
    const packet = turn % 10 === 0 ? systemRandom.bytes(length + 1) : Buffer.from(source)
    packet[at % packet.length] = value
    await new Promise((resolve) => {
      thrower.send(packet.subarray(0, turn % 5 === 0 ? length + 1 : packet.length), port, GROUP, resolve)
    })
  }
  // A late damaged packet may reach the peer first, so it asks again.
  for (let found = false; !found;) {
    const list = nextResponse(peer, TYPE, 'PTR')
    peer.query(TYPE, 'PTR')
    found = (await list).answers.some((answer) => 'data' in answer && answer.data === INSTANCE)
  }
})
