import { createServer, type Server } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { join } from 'node:path'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { WebSocket } from 'ws'
import { nextTurn } from '../src/lib/next-turn.ts'
import { scratch } from './scratch.ts'
import { type ProcessCalls, bareTls, serveBare } from './served.ts'

/**
 * Comparison servers with the gateway's certificate. Arguments: the leaf file (certificate and key in one) and the name
 * of the server.
 */
type Bare = readonly [server: Server, answers?: ProcessCalls]
const KINDS: Readonly<Record<string, () => Bare | Promise<Bare>>> = { answers, fastify, mcp }
const [leaf = '', kind = 'answers'] = process.argv.slice(2)

await serveBare(...((await KINDS[kind]?.()) ?? (await answers())))

/** The baseline: node:https with a configured response, and bare ws that echoes messages. */
async function answers(): Promise<Bare> {
  const [{ WebSocketServer }, { textFrame }] = await Promise.all([import('ws'), import('../src/ws/websocket-frame.ts')])
  const known = new Map<string, { readonly status: number; readonly body: Buffer }>()
  const server = createServer(bareTls(leaf), (request, response) => {
    const { status, body } = known.get(request.url ?? '') ?? { status: 404, body: Buffer.from('{}') }
    const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length }
    const reply = (): void => void response.writeHead(status, headers).end(body)
    if (request.method === 'GET') reply()
    else request.resume().on('end', reply)
  })
  const clients = new Set<WebSocket>()
  new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
    clients.add(socket)
    socket.on('error', () => socket.terminate())
    socket.on('close', () => clients.delete(socket))
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
  })
  const answer = ({ path, status, body }: { path: string; status: number; body: string }): void => {
    known.set(path, { status, body: Buffer.from(body) })
  }
  const broadcast = async ({ text, times }: { text: string; times: number }): Promise<void> => {
    // A prepared frame, written raw to every socket: the lowest cost of a broadcast.
    const frame = textFrame(text)
    // One event per turn of the loop, as from a bus.
    for (let time = 0; time < times; time += 1) {
      for (const client of clients) (client as unknown as Raw)._socket.write(frame)
      await nextTurn()
    }
  }
  return [server, { answer, broadcast }]
}

interface Raw {
  readonly _socket: { write(bytes: Buffer): void }
}

/** A service of fastify that stores a row for each control and returns the configured response. */
async function fastify(): Promise<Bare> {
  const [{ fastify: framework }, { default: Database }] = await Promise.all([
    import('fastify'),
    import('better-sqlite3'),
  ])
  const folder = scratch()
  process.once('exit', () => folder[Symbol.dispose]())
  const rows = new Database(join(folder.path, 'rows.db'))
  rows.pragma('journal_mode = WAL')
  rows.pragma('synchronous = NORMAL')
  rows.exec('CREATE TABLE control (at INTEGER, device TEXT, body TEXT)')
  const insert = rows.prepare('INSERT INTO control VALUES (?, ?, ?)')
  let body = '{}'
  const service = framework({ https: bareTls(leaf), logger: false })
  service.post<{ Params: { id: string } }>('/v1/devices/:id/control', async (request, reply) => {
    insert.run(Date.now(), request.params.id, JSON.stringify(request.body))
    return reply.type('application/json; charset=utf-8').send(body)
  })
  await service.ready()
  return [service.server, { answer: (next: { body: string }) => void (body = next.body) }]
}

/**
 * The official library alone, with the tools `nothing`, which validates nothing and returns a short text, and `same`,
 * which returns the configured result. Their costs are the lower bounds for every gateway with this library.
 */
async function mcp(): Promise<Bare> {
  const { McpServer, WebStandardStreamableHTTPServerTransport } = await import('@modelcontextprotocol/server')
  const { z } = await import('zod')
  const inputSchema = z.object({})
  let same: CallToolResult = { content: [] }
  const answer = async (parsedBody: unknown, headers: Record<string, string>): Promise<Response> => {
    const server = new McpServer({ name: 'bare', version: '1' })
    server.registerTool('nothing', { description: 'Does nothing.', inputSchema }, () => ({
      content: [{ type: 'text', text: '{}' }],
    }))
    server.registerTool('same', { description: 'Returns a given result.', inputSchema }, () => same)
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    return transport.handleRequest(new Request('https://localhost/mcp', { method: 'POST', headers }), { parsedBody })
  }
  const server = createServer(bareTls(leaf), (incoming, outgoing) => {
    const { 'content-type': type = '', accept = '' } = incoming.headers
    void buffer(incoming)
      .then((body) => answer(JSON.parse(body.toString()), { 'content-type': type, accept }))
      .then(async (response) => {
        const whole = Buffer.from(await response.arrayBuffer())
        outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), 'content-length': whole.length })
        outgoing.end(whole)
      })
  })
  return [server, { answer: ({ body }: { body: string }) => void (same = JSON.parse(body)) }]
}
