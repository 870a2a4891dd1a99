import { newAgent, newIntegration, startGateway } from './gateway.ts'
import { httpLoad, requestText } from './load.ts'
import { type ServerProcess, startServer } from './processes.ts'
import { ratioOf } from './ratio.ts'
import { atMost } from './report.ts'

/** Highest cost of a tool call, relative to its request. */
const TIMES_MAX = 3
/** Half of the limit for one credential, because answered requests stay open for a moment. */
const CONNECTIONS = 16
const MCP_HEADERS = 'accept: application/json, text/event-stream\r\n'

interface Compared {
  readonly work: string
  readonly method: string
  readonly params: object
  /** The request of the service for comparison. */
  readonly path: string
  readonly timesMax: number | null
}

type Served = Pick<ServerProcess<{ readonly port: number }>, 'facts' | 'cpuNs'>

/** Tool calls compared with their requests, and the list of tools compared with a short response. */
export async function benchMcp(): Promise<void> {
  await using gateway = await startGateway(300)
  await gateway.ask({ rest: true })
  const { address } = gateway
  const { port } = address
  const settings = { agent_access: 'on', advanced_config: 'read' }
  const { token } = await newAgent(gateway, await newIntegration(gateway, 'Agent', settings))
  const first = gateway.facts.lamp.split(':')
  const lamp = [first[0], token.split('.')[1], ...first.slice(2)].join(':')
  const device = `/v1/devices/${encodeURIComponent(lamp)}`
  const compared = async ({ work, method, params, path, timesMax }: Compared, server: Served = gateway) => {
    const own = { port: server.facts.port, ca: address.ca }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const request = await httpLoad(address, requestText('GET', path, port, token), 200, CONNECTIONS)
    const call = await httpLoad(own, requestText('POST', '/mcp', own.port, token, MCP_HEADERS, body), 200, CONNECTIONS)
    const ratio = await ratioOf([request, gateway], [call, server])
    const of = path.replace(lamp, '{id}').replace(encodeURIComponent(lamp), '{id}')
    const detail = `of ${of}, ${ratio.cpuMicros.toFixed(0)} us of CPU each, ${Math.round(ratio.perSecond)}/s`
    atMost(work, 1 / ratio.cpu, { most: timesMax, unit: 'times', digits: 1, detail })
  }
  await compared({ work: 'tools/list', method: 'tools/list', params: {}, path: device, timesMax: TIMES_MAX })
  for (const [name, args, path] of [
    ['intents', { device: lamp }, `${device}/intents`],
    ['state', { ids: [lamp] }, '/v1/state'],
  ] as const)
    await compared({
      work: `tool ${name}`,
      method: 'tools/call',
      params: { name, arguments: args },
      path,
      timesMax: TIMES_MAX,
    })
  // The library's share is the lower bound.
  await using bare = await startServer<{ readonly port: number }>('bare-server.ts', [gateway.facts.leaf, 'mcp'])
  const call = { method: 'tools/call', params: { name: 'nothing', arguments: {} }, path: `${device}/intents` }
  await compared({ work: 'the library alone, a tool that does nothing', ...call, timesMax: null }, bare)
}
