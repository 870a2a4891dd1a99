import { newAgent, newIntegration, startGateway } from './gateway.ts'
import { fetchOnce, httpLoad, type LoadRun, requestText } from './load.ts'
import { startServer } from './processes.ts'
import { ratioOf } from './ratio.ts'
import { atMost } from './report.ts'

/** Highest cost of a tool call, relative to an empty tool. */
const TIMES_MAX = 1.2
/** Half of the limit for one credential, because answered requests stay open for a moment. */
const CONNECTIONS = 16
const LIST = 'tools/list'
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
  const request = (port: number, method: string, params: object): string => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    return requestText('POST', '/mcp', port, token, MCP_HEADERS, body)
  }
  const load = (port: number, method: string, params: object): Promise<LoadRun> =>
    httpLoad({ ...gateway.address, port }, request(port, method, params), 200, CONNECTIONS)
  const call = 'tools/call'
  const compared = async (work: string, tool: string, params: object, most: number | null): Promise<void> => {
    const { cpu, ours, baseline } = await ratioOf(
      [await load(library.facts.port, call, { name: tool, arguments: {} }), library],
      [await load(gateway.facts.port, work === LIST ? LIST : call, params), gateway],
    )
    const [times = 0, highest = 0, lowest = 0] = cpu.map((share) => 1 / share)
    const range = `${lowest.toFixed(2)}-${highest.toFixed(2)}`
    const detail = `${range}; ${ours.cpuMicros.toFixed(0)} us of CPU, the library's tool ${baseline.cpuMicros.toFixed(0)} us`
    atMost(work, times, { most, unit: `x tool ${tool}`, digits: 2, detail })
  }
  await compared(LIST, 'nothing', {}, null)
  for (const [name, args] of [
    ['intents', { device: lamp }],
    ['state', { ids: [lamp] }],
  ] as const) {
    const params = { name, arguments: args }
    await compared(`tool ${name}`, 'nothing', params, TIMES_MAX)
    const { body } = await fetchOnce(gateway.address, request(gateway.facts.port, call, params))
    await library.ask({ answer: { body: JSON.stringify((JSON.parse(body) as { result: object }).result) } })
    await compared(`tool ${name}, beside its own result`, 'same', params, null)
  }
}
