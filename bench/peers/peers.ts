import { httpLoad, type LoadRun, messageLoad, openSockets, requestText } from '../load.ts'

/** Kinds of work in the comparison. */
export type PeerWork = 'read one device' | 'state of 30 devices' | 'set one device'

/** Facts about a listening peer from its process. */
export interface PeerFacts {
  readonly port: number
  readonly places?: readonly { readonly aid: number; readonly iid: number }[]
  readonly node?: number
}

export interface Peer {
  readonly name: string
  readonly packages: Readonly<Record<string, string>>
  /** File in this folder that runs the peer. */
  readonly host: string
  /** Work of the gateway that the peer does not do. */
  readonly without: string
  /** Opens the load, or returns null if the peer has no such request. */
  open(work: PeerWork, facts: PeerFacts): Promise<LoadRun> | null
}

const PIN = '031-45-154'
const SCHEMA = 40
const BINARY_SWITCH = 37

export const PEERS: readonly Peer[] = [
  {
    name: 'homebridge',
    packages: { '@homebridge/hap-nodejs': '2.2.3' },
    host: 'homebridge.ts',
    without: 'its HAP server over plain http',
    open(work, { port, places = [] }) {
      const [first = { aid: 0, iid: 0 }] = places
      const read = (of: readonly { aid: number; iid: number }[]): Promise<LoadRun> =>
        loadOf(port, 'GET', `/characteristics?id=${of.map(({ aid, iid }) => `${aid}.${iid}`).join(',')}`)
      if (work === 'read one device') return read([first])
      if (work === 'state of 30 devices') return read(places)
      const body = JSON.stringify({ characteristics: [{ ...first, value: true }] })
      return loadOf(port, 'PUT', '/characteristics', { extra: `authorization: ${PIN}\r\n`, body, expect: 204 })
    },
  },
  {
    name: 'zwave-js-server',
    packages: { '@zwave-js/server': '3.10.2', 'zwave-js': '15.29.0', '@zwave-js/testing': '15.29.0' },
    host: 'zwave.ts',
    without: 'plain WebSocket, nobody signs in; the mock of the radio is in its process, and a set includes it',
    open(work, { port, node = 0 }) {
      const valueId = { commandClass: BINARY_SWITCH, endpoint: 0 }
      const commands: Readonly<Record<PeerWork, object>> = {
        'read one device': {
          command: 'node.get_value',
          nodeId: node,
          valueId: { ...valueId, property: 'currentValue' },
        },
        'state of 30 devices': { command: 'start_listening' },
        'set one device': {
          command: 'node.set_value',
          nodeId: node,
          valueId: { ...valueId, property: 'targetValue' },
          value: true,
        },
      }
      return commanded(port, commands[work])
    },
  },
  {
    name: 'webthing',
    packages: { webthing: '0.15.0' },
    host: 'webthing.ts',
    without: 'plain http, nobody signs in',
    open(work, { port }) {
      if (work === 'state of 30 devices') return null
      const path = '/0/properties/on'
      return work === 'read one device' ? loadOf(port, 'GET', path) : loadOf(port, 'PUT', path, { body: '{"on":true}' })
    },
  },
]

function loadOf(
  port: number,
  method: string,
  path: string,
  { extra = '', body = '', expect = 200 }: { extra?: string; body?: string; expect?: number } = {},
): Promise<LoadRun> {
  return httpLoad({ port, ca: '', plain: true }, requestText(method, path, port, null, extra, body), expect)
}

/** Load of sockets that repeat this command of zwave-js-server, after the negotiation of the protocol version. */
async function commanded(port: number, command: object): Promise<LoadRun> {
  const sockets = await openSockets({ port, ca: '', plain: true }, '', null)
  for (const socket of sockets) {
    const settled = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer) => {
        if (data.includes('"hello"')) resolve()
      })
    })
    socket.send(JSON.stringify({ messageId: 'hello', command: 'set_api_schema', schemaVersion: SCHEMA }))
    await settled
  }
  return messageLoad(sockets, JSON.stringify({ ...command, messageId: 'load' }), isResult)
}

/** True for a response. Sockets also receive events after a request for the state. */
function isResult(data: Buffer): boolean {
  const head = data.subarray(0, 120).toString('latin1')
  if (!head.includes('"type":"result"')) return false
  if (!head.includes('"success":true')) throw new Error(`a command was refused: ${head}`)
  return true
}
