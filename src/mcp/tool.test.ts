import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { expect } from 'vitest'
import { z } from 'zod'
import { proves } from '#support/gateway/verifies.ts'
import { type Answer } from '../api/call.ts'
import type { Dispatcher } from '../api/dispatch.ts'
import { McpCaller } from './caller.ts'
import { LocalTimes } from './times.ts'
import { tool } from './tool.ts'

type Registered = (args: unknown, ctx: unknown) => Promise<CallToolResult>

proves('agents.mcp-defect', 'a defect inside a tool is logged, and told with the reference of the log', async () => {
  const logged: unknown[] = []
  const refused = (error: unknown): Answer => {
    logged.push(error)
    return { status: 500, headers: {}, body: '{"error":{"code":"internal","message":"The log has it under abc."}}' }
  }
  const caller = new McpCaller(
    { refused } as unknown as Dispatcher,
    { token: 't', via: 'home', peer: '192.0.2.1', link: 'l' },
    new LocalTimes(() => 'Europe/Berlin'),
  )
  const defect = new Error('a table is gone')
  let run: Registered = () => Promise.reject(new Error('No tool was registered.'))
  tool('broken', {
    title: 'Broken',
    description: 'Fails.',
    input: z.strictObject({}),
    output: z.looseObject({}),
    run: () => Promise.reject(defect),
  }).register(
    { registerTool: (_name: string, _config: unknown, each: Registered) => (run = each) } as unknown as McpServer,
    false,
  )
  const result = await run({}, { http: { authInfo: { extra: { caller } } }, mcpReq: {} })
  expect(logged).toEqual([defect])
  expect(result).toEqual({
    isError: true,
    content: [{ type: 'text', text: '{"error":{"code":"internal","message":"The log has it under abc."}}' }],
  })
})
