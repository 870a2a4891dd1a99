import { createServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { bareTls, serveBare } from './bare-https.ts'

/**
 * The official library by itself: a node:https server with the gateway's own certificate, and one tool, `nothing`, that
 * checks nothing and answers a short text. What a call costs here no gateway that uses the library can go below.
 * Arguments: the leaf file (certificate and key in one).
 */
const [leaf = ''] = process.argv.slice(2)
const ADDRESS = 'https://localhost/mcp'
const SCHEMA = z.object({})

async function answer(text: string, headers: { readonly 'content-type': string; accept: string }): Promise<Response> {
  const server = new McpServer({ name: 'bare', version: '1' })
  server.registerTool('nothing', { description: 'Does nothing.', inputSchema: SCHEMA }, () => ({
    content: [{ type: 'text', text: '{}' }],
  }))
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  return transport.handleRequest(new Request(ADDRESS, { method: 'POST', headers }), { parsedBody: JSON.parse(text) })
}

const server = createServer(bareTls(leaf), (incoming, outgoing) => {
  const { 'content-type': type = '', accept = '' } = incoming.headers
  void buffer(incoming)
    .then((body) => answer(body.toString(), { 'content-type': type, accept }))
    .then(async (response) => {
      const whole = Buffer.from(await response.arrayBuffer())
      outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), 'content-length': whole.length })
      outgoing.end(whole)
    })
})

serveBare(server)
