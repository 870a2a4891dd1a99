import { Agent, request } from 'node:https'
import { Readable } from 'node:stream'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { TestHome, type TestIntegration } from './harness.ts'
import type { TestGatewayOptions } from './test-gateway.ts'

/** A home whose main integration sees and may do everything, and allows agents. */
export async function homeForAgents(options: TestGatewayOptions = {}): Promise<TestHome> {
  const home = await TestHome.open('http', options)
  await home.change(home.main, { settings: { agent_access: 'on' } })
  return home
}

/** A credential of an agent for an integration, created as by an administrator. */
export async function agentToken(
  home: TestHome,
  integration: TestIntegration = home.main,
  session = false,
): Promise<string> {
  const { token } = (await home.running.admin.call('POST', '/agents', {
    integration: integration.id,
    name: 'Claude',
    platform: 'Claude Code',
    session,
  })) as { token: string }
  return token
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** A `fetch` that trusts only a gateway's own CA and reads streams as they arrive. */
export function fetchTrusting(ca: string): { fetch: Fetch; agent: Agent } {
  const agent = new Agent({ ca, keepAlive: true, servername: 'localhost' })
  const fetch: Fetch = (url, init = {}) =>
    new Promise((resolve, reject) => {
      const headers = Object.fromEntries(new Headers(init.headers))
      const sent = request(
        url,
        { method: init.method ?? 'GET', headers, agent, ...(init.signal ? { signal: init.signal } : {}) },
        (response) => {
          const status = response.statusCode ?? 0
          const named = Object.entries(response.headers).flatMap(([name, value]) =>
            value === undefined ? [] : [[name, String(value)] as [string, string]],
          )
          const empty = [101, 204, 205, 304].includes(status)
          resolve(new Response(empty ? null : Readable.toWeb(response), { status, headers: named }))
        },
      )
      sent.on('error', reject)
      sent.end(typeof init.body === 'string' ? init.body : undefined)
    })
  return { fetch, agent }
}

export const ERAS = ['2026-07-28', '2025-11-25'] as const
export type Era = (typeof ERAS)[number]

/** Connects the official client to a home's MCP server. */
export async function connectAgent(
  home: TestHome,
  token: string,
  era: Era,
  options: ClientOptions = {},
): Promise<Client & AsyncDisposable> {
  const { url, ca } = home.access(null)
  const { fetch, agent } = fetchTrusting(ca)
  const client = new Client(
    { name: 'test', version: '1' },
    { ...options, versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' } },
  )
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    fetch,
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  const call = client.callTool.bind(client)
  return Object.assign(client, {
    callTool: (...asked: Parameters<typeof call>) => home.running.hasten(call(...asked)),
    [Symbol.asyncDispose]: async () => {
      await client.close()
      agent.destroy()
    },
  })
}

/** The answer of a tool: a result or a refusal. */
export interface ToolAnswer {
  readonly isError?: boolean
  readonly content: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent?: Record<string, unknown>
}

export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
  return (await client.callTool({ name, arguments: args })) as ToolAnswer
}

/** The Error of a refused call. Fails the test if the call succeeded. */
export function refusalOf(answer: ToolAnswer): {
  readonly code: string
  readonly message: string
  readonly retryAfter?: number
} {
  if (answer.isError !== true) throw new Error(`not refused: ${answer.content[0]?.text}`)
  return (
    JSON.parse(answer.content[0]?.text ?? '') as { error: { code: string; message: string; retryAfter?: number } }
  ).error
}
