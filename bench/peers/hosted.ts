import { messageLoad, openConnection, requestText } from '../load.ts'
import { ALL_CORES, startServer } from '../processes.ts'
import type { Hosted } from './host.ts'
import { installed } from './install.ts'
import {
  exchange,
  type Peer,
  type PeerWork,
  plainAt,
  plainChanger,
  plainLoad,
  plainSocket,
  type RunningPeer,
  watch,
} from './peer.ts'

/** Facts about a listening peer from its process. */
export interface PeerFacts {
  readonly port: number
  readonly places?: readonly { readonly aid: number; readonly iid: number }[]
}

const PIN = 'authorization: 031-45-154\r\n'
const SCHEMA = 40
const VALUE = { commandClass: 37, endpoint: 0 }
/** The first node after the controller. */
const NODE = 2

/** A library that runs in a process of this benchmark. */
function hosted(
  peer: Omit<Peer, 'start'>,
  packages: Readonly<Record<string, string>>,
  workOf: (facts: PeerFacts) => Pick<RunningPeer, 'open' | 'listen' | 'changer'>,
): Peer {
  return {
    ...peer,
    start: async (devices) => {
      const folder = installed(peer.name, packages)
      const begun = performance.now()
      // Without the gateway's flags of Node.
      const server = await startServer<Hosted<PeerFacts>>(`peers/${peer.name}.ts`, [folder, String(devices)], {
        flags: [],
        core: ALL_CORES,
      })
      const startMs = performance.now() - begun
      if (!('failed' in server.facts)) return { ...server, startMs, ...workOf(server.facts) }
      await server.stop()
      throw new Error(`it could not be started: ${server.facts.failed}`)
    },
  }
}

const HOMEBRIDGE = hosted(
  { name: 'homebridge', note: 'without TLS, pairing, log (its HAP server over plain http)', devicesMax: 149 },
  { '@homebridge/hap-nodejs': '2.2.3' },
  ({ port, places = [] }) => {
    const [first = { aid: 0, iid: 0 }] = places
    const read = (of: readonly { aid: number; iid: number }[]) =>
      plainLoad(port, 'GET', `/characteristics?id=${of.map(({ aid, iid }) => `${aid}.${iid}`).join(',')}`)
    const write = (fields: object): string => JSON.stringify({ characteristics: [{ ...first, ...fields }] })
    return {
      open: (work) => {
        if (work === 'read') return read([first])
        if (work === 'state') return read(places)
        return plainLoad(port, 'PUT', '/characteristics', { extra: PIN, body: write({ value: true }), expect: 204 })
      },
      listen: async (seen) => {
        const socket = await openConnection(plainAt(port))
        socket.on('data', (chunk: Buffer) => {
          const [, value] = /EVENT[^]*"value":(\w+)/.exec(chunk.toString('latin1')) ?? []
          if (value !== undefined) seen(value)
        })
        socket.write(requestText('PUT', '/characteristics', port, null, PIN, write({ ev: true })))
      },
      changer: () => plainChanger(port, (on) => ['PUT', '/characteristics', PIN, write({ value: on })]),
    }
  },
)

interface ZwaveEvent {
  readonly event?: { readonly args?: { readonly property?: string; readonly newValue?: unknown } }
}

const ZWAVE = hosted(
  {
    name: 'zwave-js-server',
    note: 'without TLS, sign-in, log; a set includes the mock of the radio in its process',
    devicesMax: 231,
  },
  { '@zwave-js/server': '3.10.2', 'zwave-js': '15.29.0', '@zwave-js/testing': '15.29.0' },
  ({ port }) => {
    const negotiated = async () => {
      const socket = await plainSocket(port, '')
      await exchange(socket, { messageId: 'hello', command: 'set_api_schema', schemaVersion: SCHEMA }, '"hello"')
      return socket
    }
    const set = (value: boolean): object => ({
      command: 'node.set_value',
      nodeId: NODE,
      valueId: { ...VALUE, property: 'targetValue' },
      value,
    })
    const commands: Readonly<Record<PeerWork, object>> = {
      read: { command: 'node.get_value', nodeId: NODE, valueId: { ...VALUE, property: 'currentValue' } },
      state: { command: 'start_listening' },
      set: set(true),
    }
    return {
      open: async (work) =>
        messageLoad([await negotiated()], JSON.stringify({ ...commands[work], messageId: 'load' }), isResult),
      listen: async (seen) => {
        const socket = await negotiated()
        await exchange(socket, { ...commands.state, messageId: 'listen' }, '"listen"')
        const changed = ({ event }: ZwaveEvent): unknown =>
          event?.args?.property === 'currentValue' ? event.args.newValue : undefined
        watch(socket, changed, seen)
      },
      changer: async () => {
        const socket = await negotiated()
        return (on) => exchange(socket, { ...set(on), messageId: 'change' }, '"change"')
      },
    }
  },
)

/** True for a response. Sockets also receive events after a request for the state. */
function isResult(data: Buffer): boolean {
  const head = data.subarray(0, 120).toString('latin1')
  if (!head.includes('"type":"result"')) return false
  if (!head.includes('"success":true')) throw new Error(`a command was refused: ${head}`)
  return true
}

const WEBTHING = hosted(
  { name: 'webthing', note: 'without TLS, sign-in, log, a request for all states', devicesMax: Infinity },
  { webthing: '0.15.0' },
  ({ port }) => {
    const path = '/0/properties/on'
    return {
      open: (work) => {
        if (work === 'state') return null
        return work === 'read' ? plainLoad(port, 'GET', path) : plainLoad(port, 'PUT', path, { body: '{"on":true}' })
      },
      listen: async (seen) =>
        watch(await plainSocket(port, '/0'), ({ data }: { data: { on?: boolean } }) => data.on, seen),
      changer: () => plainChanger(port, (on) => ['PUT', path, '', JSON.stringify({ on })]),
    }
  },
)

export const HOSTED: readonly Peer[] = [HOMEBRIDGE, ZWAVE, WEBTHING]
