import type { ToolAnswer } from './agents.ts'
import type { TestHome } from './harness.ts'
import { rawRequest } from './raw-client.ts'

/** Calls one tool in a single request, with arguments that the official client might not send. */
export type CallTool = (name: string, args: unknown) => Promise<ToolAnswer>

export function callerOfTools(home: TestHome, token: string): CallTool {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  return async (name, args) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
    const response = rawRequest(home.access(null), {
      method: 'POST',
      path: '/mcp',
      headers,
      body: JSON.stringify(message),
    })
    const { text } = await home.running.hasten(response)
    const { result, error } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as {
      readonly result?: ToolAnswer
      readonly error?: unknown
    }
    if (result === undefined) throw new Error(`${name} ${JSON.stringify(args)}: ${JSON.stringify(error)}`)
    return result
  }
}
