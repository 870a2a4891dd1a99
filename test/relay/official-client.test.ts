import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { HostedWorld } from '#support/relay/hosted-world.ts'
import { TokenKeeper } from '#support/relay/token-keeper.ts'

const HOUR = 60 * 60_000
const clock = new PassingClock('now')
let world: HostedWorld

beforeAll(async () => {
  world = await HostedWorld.open({ clock, relayClock: systemClock, settled: false, ...ONE_UNIT })
})
afterAll(() => world[Symbol.asyncDispose]())

/** The official client as documented: the server's address, and a store of tokens. */
function clientOf(
  keeper: TokenKeeper,
  options: ClientOptions = {},
): { readonly client: Client; readonly transport: StreamableHTTPClientTransport } {
  const client = new Client({ name: 'Official client', version: '1' }, options)
  const address = new URL(`${world.origin}/mcp`)
  const transport = new StreamableHTTPClientTransport(address, { authProvider: keeper, fetch: world.fetch })
  onTestFinished(() => client.close())
  return { client, transport }
}

describe('the official MCP client, with nothing but the address', () => {
  test(
    'signs in by itself, uses the tools, refreshes when its token expires, and signs in again once it is revoked',
    { tags: ['long'] },
    async () => {
      const keeper = new TokenKeeper()
      const first = clientOf(keeper)
      await expect(first.client.connect(first.transport)).rejects.toThrow(UnauthorizedError)
      const { searchParams } = await world.letIn(keeper.stored.url!)
      await first.transport.finishAuth(searchParams)

      const { client, transport } = clientOf(keeper)
      await client.connect(transport)
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('house')
      const before = keeper.stored.tokens!

      await clock.pass(HOUR + 1_000)
      expect(await client.callTool({ name: 'house', arguments: {} })).toMatchObject({ structuredContent: {} })
      expect(keeper.stored.tokens!.access_token).not.toBe(before.access_token)

      const [, , link] = keeper.stored.tokens!.access_token.split('.')
      await world.home.running.admin.call('DELETE', `/agents/${link}`)
      delete keeper.stored.url
      await expect(client.callTool({ name: 'house', arguments: {} })).rejects.toThrow(UnauthorizedError)
      expect(String(keeper.stored.url)).toContain('/authorize?')
    },
  )

  test('keeps its session over two idle hours, in which its token expired', { tags: ['long'] }, async () => {
    const keeper = new TokenKeeper()
    const first = clientOf(keeper)
    await expect(first.client.connect(first.transport)).rejects.toThrow(UnauthorizedError)
    const { searchParams } = await world.letIn(keeper.stored.url!)
    await first.transport.finishAuth(searchParams)

    const { client, transport } = clientOf(keeper, {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: 'legacy' },
    })
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }))
    await client.connect(transport)
    const session = transport.sessionId
    const before = keeper.stored.tokens!
    expect(session).toMatch(/^2025-/)

    await clock.pass(2 * HOUR)
    expect(await client.callTool({ name: 'house', arguments: {} })).toMatchObject({ structuredContent: {} })
    expect(keeper.stored.tokens!.access_token).not.toBe(before.access_token)
    expect(transport.sessionId).toBe(session)
  })
})
