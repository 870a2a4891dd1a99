import { newAgent, newIntegration, startGateway } from './gateway.ts'
import { httpLoad, type LoadRun, requestText } from './load.ts'
import { startServer } from './processes.ts'
import { ratioOf } from './ratio.ts'
import { atMost } from './report.ts'

/** Highest cost of a tool call, relative to an empty tool. */
const TIMES_MAX = 1.2
/** Half of the limit for one credential, because answered requests stay open for a moment. */
const CONNECTIONS = 16
const MCP_HEADERS = 'accept: application/json, text/event-stream\r\n'

/** Tool calls and the list of tools, compared with a tool of the official library that does nothing. */
export async function benchMcp(): Promise<void> {
  await using gateway = await startGateway(300)
  await using library = await startServer<{ readonly port: number }>('bare-server.ts', [gateway.facts.leaf, 'mcp'])
  await gateway.ask({ rest: true })
  const settings = { agent_access: 'on', advanced_config: 'read' }
  const { token } = await newAgent(gateway, await newIntegration(gateway, 'Agent', settings))
  const first = gateway.facts.lamp.split(':')
  const lamp = [first[0], token.split('.')[1], ...first.slice(2)].join(':')
  const load = (port: number, method: string, params: object): Promise<LoadRun> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const request = requestText('POST', '/mcp', port, token, MCP_HEADERS, body)
    return httpLoad({ ...gateway.address, port }, request, 200, CONNECTIONS)
  }
  const call = 'tools/call'
  for (const [work, method, params, most] of [
    ['tools/list', 'tools/list', {}, null],
    ['tool intents', call, { name: 'intents', arguments: { device: lamp } }, TIMES_MAX],
    ['tool state', call, { name: 'state', arguments: { ids: [lamp] } }, TIMES_MAX],
  ] as const) {
    const empty = await load(library.facts.port, call, { name: 'nothing', arguments: {} })
    const { cpu, ours, baseline } = await ratioOf(
      [empty, library],
      [await load(gateway.facts.port, method, params), gateway],
    )
    const [times = 0, highest = 0, lowest = 0] = cpu.map((share) => 1 / share)
    const range = `${lowest.toFixed(2)}-${highest.toFixed(2)}`
    const detail = `${range}; ${ours.cpuMicros.toFixed(0)} us of CPU, the empty tool ${baseline.cpuMicros.toFixed(0)} us`
    atMost(work, times, { most, unit: 'x empty tool', digits: 2, detail })
  }
}
