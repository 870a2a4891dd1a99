import { createServer } from 'node:https'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { webBodyOf, writeBody } from '../src/http/web-body.ts'
import { bareTls, serveBare } from './bare-https.ts'

/**
 * The official library by itself: a node:https server with the gateway's own certificate, and one tool, `nothing`, that
 * checks nothing and answers a short text. What a call costs here no gateway that uses the library can go below.
 * Arguments: the leaf file (certificate and key in one).
 */
const [leaf = ''] = process.argv.slice(2)
const ADDRESS = 'https://localhost/mcp'

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bare', version: '1' })
  server.registerTool('nothing', { description: 'Does nothing.', inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: '{}' }],
  }))
  return server
})

const server = createServer(bareTls(leaf), (incoming, outgoing) => {
  const { 'content-type': type = '', accept = '' } = incoming.headers
  const request = new Request(ADDRESS, {
    method: 'POST',
    headers: { 'content-type': type, accept },
    body: webBodyOf(incoming),
    duplex: 'half',
  })
  void handler.fetch(request).then(async (response) => {
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    if (response.body === null) outgoing.end()
    else await writeBody(response.body, outgoing)
  })
})

serveBare(server)
