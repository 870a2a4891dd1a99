import { API_VERSION } from '../../../src/api/contract/index.ts'
import type { LanAddress } from '../../../src/lib/lan-addresses.ts'
import { systemRandom } from '../../../src/lib/random.ts'
import { createAnnouncer } from '../../../src/mdns/announcer.ts'
import type { Announcer } from '../../../src/mdns/announcer.ts'
import type { MdnsPacket, PacketSender, SocketEvents, SocketPlace } from '../../../src/mdns/socket.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { recordingLog } from '#support/recording-log.ts'
import type { RecordingLog } from '#support/recording-log.ts'

/** A record of a packet. */
export type MdnsRecord = NonNullable<MdnsPacket['answers']>[number]

export const HOST = 'hm-ab12.local'
export const TYPE = '_hm-api._tcp.local'
export const INSTANCE = `hm-ab12.${TYPE}`
export const CLIENT: PacketSender = { address: '192.168.1.77', port: 5353 }
export const V4: LanAddress = {
  interface: 'eth0',
  family: 4,
  address: '192.168.1.20',
  cidr: '192.168.1.20/24',
  home: true,
}
export const V6: LanAddress = { interface: 'eth0', family: 6, address: 'fd00::20', cidr: 'fd00::20/64', home: true }
export const WIFI: LanAddress = { interface: 'wlan0', family: 4, address: '10.0.0.20', cidr: '10.0.0.20/8', home: true }

export interface RecordedSocket {
  readonly place: SocketPlace
  readonly events: SocketEvents
  /** Sent packets, with monotonic time. */
  readonly sent: { at: number; packet: MdnsPacket; to: PacketSender | undefined }[]
  closed: boolean
}

interface AnnouncerBench {
  clock: ManualClock
  log: RecordingLog
  wires: RecordedSocket[]
  announcer: Announcer
  /** The open socket on the first network. */
  wire: () => RecordedSocket
  /** Packets that the first network's socket sends while `ms` pass. */
  during: (ms: number, act?: () => void) => Promise<RecordedSocket['sent']>
  failing: boolean
  /** True if the sockets do not receive their own packets. */
  deaf: boolean
}

/** An announcer on made-up networks, under a clock that stands still. */
export function bench(addresses: readonly LanAddress[] = [V4, V6]): AnnouncerBench {
  const clock = new ManualClock()
  const log = recordingLog()
  const wires: RecordedSocket[] = []
  const at: AnnouncerBench = {
    clock,
    log,
    wires,
    failing: false,
    deaf: false,
    announcer: createAnnouncer({
      serial: 'AB12',
      version: API_VERSION,
      port: 8490,
      fingerprint: 'AA:BB',
      addresses,
      clock,
      random: systemRandom,
      log,
      loadSockets: async () => (place, events) => {
        if (at.failing) throw new Error('no network')
        const wire: RecordedSocket = { place, events, sent: [], closed: false }
        wires.push(wire)
        return {
          send: async (packet, to) => {
            wire.sent.push({ at: clock.monotonic(), packet, to })
            if (!at.deaf && to === undefined) events.onPacket(packet, place)
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

/** An announcer after its announcement, when it is silent. */
export async function announcedBench(addresses?: readonly LanAddress[]): Promise<AnnouncerBench> {
  const at = bench(addresses)
  at.announcer.setEnabled(true)
  await at.clock.advanceAsync(5000)
  return at
}

export const show = (records: readonly MdnsRecord[] = []): string[] =>
  records.map((record) => `${record.name} ${record.type}`)
export const question = (
  name: string,
  type: 'A' | 'AAAA' | 'PTR' | 'SRV' | 'TXT',
  more: Partial<MdnsPacket> = {},
): MdnsPacket => ({
  type: 'query',
  id: 0,
  flags: 0,
  questions: [{ name, type, class: 'IN' }],
  answers: [],
  authorities: [],
  additionals: [],
  ...more,
})
/** A record as the library decodes it: text as buffers, classes as names. */
export const decodedA = (data: string, ttl = 120): MdnsRecord => ({ name: HOST, type: 'A', ttl, class: 'IN', data })
