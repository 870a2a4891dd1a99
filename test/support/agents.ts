import { Agent, request } from 'node:https'
import { Readable } from 'node:stream'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Credential } from '../../src/auth/credential.ts'
import { formatToken, hashSecret, SECRET_BYTES } from '../../src/auth/token.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { TestHome, type TestIntegration } from './harness.ts'
import type { TestGatewayOptions } from './test-gateway.ts'

/** A home whose main integration sees everything, may do everything and lets agents in. */
export async function homeForAgents(options: TestGatewayOptions = {}): Promise<TestHome> {
  const home = await TestHome.open('http', options)
  await home.change(home.main, { settings: { agent_access: 'on' } })
  return home
}

/** A credential of an agent for an integration, as an administrator's acceptance makes it. */
export function agentToken(home: TestHome, integration: TestIntegration = home.main, kind: 'agent' | 'session' = 'agent'): string {
  const { gateway, clock } = home.running
  const secret = systemRandom.bytes(SECRET_BYTES).toString('base64url')
  const link = [...systemRandom.bytes(10)].map((byte) => 'abcdefghjkmnpqrstuvwxyz'.charAt(byte % 23)).join('')
  const credential: Credential = {
    link, integration: integration.id, kind, name: 'Claude', platform: 'Claude Code', secretSha256: hashSecret(secret),
    createdAt: clock.now(), revokedAt: null, lastUsedAt: null, lastUsedVia: null,
    steadyCreatedAt: clock.now(), steadyUsedAt: null, expiredAt: null,
  }
  gateway.stores.core.change(() => gateway.stores.credentials.insert(credential))
  return formatToken({ kind, gateway: gateway.serial, integration: integration.id, link, secret })
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** A `fetch` that trusts a gateway's own CA and nothing else, and hears of a stream as it comes. */
export function fetchTrusting(ca: string): { fetch: Fetch; agent: Agent } {
  const agent = new Agent({ ca, keepAlive: true, servername: 'localhost' })
  const fetch: Fetch = (url, init = {}) => new Promise((resolve, reject) => {
    const headers = Object.fromEntries(new Headers(init.headers))
    const sent = request(url, { method: init.method ?? 'GET', headers, agent, ...(init.signal ? { signal: init.signal } : {}) }, (response) => {
      const status = response.statusCode ?? 0
      const named = Object.entries(response.headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]]))
      const empty = [101, 204, 205, 304].includes(status)
      resolve(new Response(empty ? null : Readable.toWeb(response), { status, headers: named }))
    })
    sent.on('error', reject)
    sent.end(typeof init.body === 'string' ? init.body : undefined)
  })
  return { fetch, agent }
}

export const ERAS = ['2026-07-28', '2025-11-25'] as const
export type Era = (typeof ERAS)[number]

/** The official client at a home's MCP server. */
export async function connectAgent(home: TestHome, token: string, era: Era, options: ClientOptions = {}): Promise<Client & AsyncDisposable> {
  const { fetch, agent } = fetchTrusting(home.ca)
  const client = new Client({ name: 'test', version: '1' }, { ...options, versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' } })
  const transport = new StreamableHTTPClientTransport(new URL(`${home.running.url}/mcp`), { fetch, requestInit: { headers: { authorization: `Bearer ${token}` } } })
  await client.connect(transport)
  return Object.assign(client, {
    [Symbol.asyncDispose]: async () => {
      await client.close()
      agent.destroy()
    },
  })
}
