import { readFileSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import { fetchTrusting } from '#support/gateway/agents.ts'
import { INITIALIZE } from '#support/gateway/mcp-initialize.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { tempFolder } from '#support/temp-folder.ts'

const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' }

interface Sent {
  readonly token: string
  readonly body?: object
  readonly session?: string
  readonly method?: 'GET' | 'DELETE'
}

/** Sends a request of an agent to a gateway. */
async function send({ gateway, url }: TestGateway, { token, body, session, method }: Sent): Promise<Response> {
  const { fetch, agent } = fetchTrusting(readFileSync(gateway.caFile, 'utf8'))
  onTestFinished(() => agent.destroy())
  return fetch(`${url}/mcp`, {
    method: method ?? 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

proves('agents.mcp-sessions', 'sessions stay open or ended over a restart', async () => {
  const options = { dataDir: tempFolder(), settled: false, ...ONE_UNIT }
  const begun = async (at: TestGateway, token: string): Promise<string> =>
    (await send(at, { token, body: INITIALIZE })).headers.get('mcp-session-id') ?? ''
  let gateway = await TestGateway.open(options)
  const { admin } = gateway
  const { integration } = await admin.call<{ integration: { id: string } }>('POST', '/integrations', {
    name: 'Agents',
    expose: ['all'],
    settings: { agent_access: 'on' },
  })
  const made = (): Promise<{ token: string; link: string }> =>
    admin.call('POST', '/agents', { integration: integration.id, name: 'Robot', platform: 'Lab' })
  const [own, other] = [await made(), await made()]
  const [live, ended] = [await begun(gateway, own.token), await begun(gateway, own.token)]
  const foreign = await begun(gateway, other.token)
  expect((await send(gateway, { token: own.token, session: ended, method: 'DELETE' })).status).toBe(200)
  await gateway.stop()

  gateway = await TestGateway.open(options)
  onTestFinished(() => gateway[Symbol.asyncDispose]())
  const listed = async (token: string, session: string): Promise<number> =>
    (await send(gateway, { token, session, body: LIST })).status
  expect(await listed(own.token, live)).toBe(200)
  expect([await listed(own.token, ended), await listed(own.token, foreign)]).toEqual([404, 404])
  const stream = await send(gateway, { token: own.token, session: live, method: 'GET' })
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  await admin.call('DELETE', `/agents/${own.link}`)
  // The stream ends with the credential.
  await stream.text()
  expect([await listed(own.token, live), await listed(other.token, foreign)]).toEqual([401, 200])
})
