import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { scopeOf, mcpServer, TOOLS } from './server.ts'

const MESSAGES: readonly (readonly [method: string, params: object])[] = [
  ['tools/list', {}],
  ['tools/call', { name: 'house', arguments: {} }],
  ['tools/call', { name: 'no such tool', arguments: {} }],
  ['tools/call', { arguments: {} }],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['prompts/list', {}],
  ['no/such/method', {}],
  ['ping', {}],
  [
    'initialize',
    { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', title: 'Test', version: '1' } },
  ],
]

async function answer(message: object, serve: () => McpServer): Promise<string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const request = new Request('https://localhost/mcp', { method: 'POST', headers })
  const handler = createMcpHandler(serve)
  const response = await handler.fetch(request, { parsedBody: message })
  const text = await response.text()
  await handler.close()
  return `${response.status} ${text}`
}

test.each(MESSAGES)(
  'the answer to %s is the same with only its scope registered as with everything',
  async (method, params) => {
    const message = { jsonrpc: '2.0', id: 1, method, params }
    const full = await answer(message, () => mcpServer())
    expect(await answer(message, () => mcpServer({ scope: scopeOf(message) }))).toBe(full)
  },
)

test('a call has only its tool in scope, a list has the tools, and other messages have everything', () => {
  for (const tool of TOOLS)
    expect(scopeOf({ method: 'tools/call', params: { name: tool.name } })).toEqual({ kind: 'call', tool })
  expect(scopeOf({ method: 'tools/list' })).toEqual({ kind: 'list' })
  for (const other of [undefined, null, [], [{ method: 'tools/list' }], { method: 'tools/call' }, { method: 'ping' }])
    expect(scopeOf(other)).toEqual({ kind: 'other' })
})
