import type { CallToolResult, McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import type { Answer } from '../../api/call.ts'
import type { Dispatcher } from '../../api/dispatch.ts'
import type { Identity } from '../../auth/authenticator.ts'
import { McpCaller } from './mcp-caller.ts'
import { LocalTimes } from './times.ts'
import { tool } from './tool.ts'

type Listed = StandardSchemaWithJSON
type Registered = (args: unknown, ctx: unknown) => Promise<CallToolResult>

test('the schemas of a tool are made once, however many servers list it', () => {
  const listed: { inputSchema: Listed; outputSchema: Listed }[] = []
  const server = {
    registerTool: (_name: string, config: (typeof listed)[number]) => listed.push(config),
  } as unknown as McpServer
  const definition = {
    title: 'Plain',
    description: 'Does nothing.',
    input: z.strictObject({ id: z.string() }),
    output: z.looseObject({ id: z.string() }),
    run: () => Promise.resolve({}),
  }
  const plain = tool('plain', definition)
  const listedSchemas = (): unknown[] => {
    plain.register(server, false)
    const { inputSchema, outputSchema } = listed.at(-1)!
    return [inputSchema, outputSchema].map((schema) =>
      schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }),
    )
  }
  const [first, second] = [listedSchemas(), listedSchemas()]
  expect(first[0]).toMatchObject({ type: 'object', required: ['id'] })
  for (const [index, schema] of second.entries()) expect(schema).toBe(first[index])
})

proves(
  'agents.mcp-defect',
  'a defect inside a tool is logged, and the answer has the reference of the log',
  async () => {
    const logged: unknown[] = []
    const refused = (error: unknown): Answer => {
      logged.push(error)
      return { status: 500, headers: {}, body: '{"error":{"code":"internal","message":"The log has it as abc."}}' }
    }
    const caller = new McpCaller(
      { refused } as unknown as Dispatcher,
      {
        token: 't',
        via: 'home',
        audience: 'mcp',
        peer: '192.0.2.1',
        identity: { credential: { link: 'l' } } as Identity,
      },
      new LocalTimes(() => 'Europe/Berlin', new ManualClock()),
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
      {
        registerTool: (_name: string, _config: unknown, handler: Registered) => (run = handler),
      } as unknown as McpServer,
      false,
    )
    const result = await run({}, { http: { authInfo: { extra: { caller } } }, mcpReq: {} })
    expect(logged).toEqual([defect])
    expect(result).toEqual({
      isError: true,
      content: [{ type: 'text', text: '{"error":{"code":"internal","message":"The log has it as abc."}}' }],
    })
  },
)
