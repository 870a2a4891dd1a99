// @module-tag long
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchTrusting } from '#support/gateway/agents.ts'
import { HttpCaller } from '#support/gateway/callers.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { hmProcess } from '#support/gateway/hm-process.ts'
import { INITIALIZE } from '#support/gateway/mcp-initialize.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { buildGateway } from '../../scripts/gateway-build.mjs'

// In the checkout, like in the image, so that it finds packages and files of the sources.
const folder = join(PROJECT_ROOT, 'node_modules/.cache', `built-${process.pid}`)
const main = join(folder, 'gateway.mjs')

async function agentOf({ admin }: GatewayProcess): Promise<string> {
  const { integrations } = await admin.call<{ integrations: { id: string }[] }>('GET', '/integrations')
  const [{ id } = { id: '' }] = integrations
  await admin.call('PATCH', `/integrations/${id}`, { settings: { agent_access: 'on' } })
  return (
    await admin.call<{ token: string }>('POST', '/agents', { integration: id, name: 'Claude', platform: 'Claude Code' })
  ).token
}

beforeAll(() => buildGateway({ root: PROJECT_ROOT, folder }))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the bundle serves a new home, an existing folder and agents, without reading sources', async () => {
  const dataDir = tempFolder()
  const report = join(tempFolder(), 'loaded.json')
  const probe = join(import.meta.dirname, '../support/gateway/report-loaded-modules.mjs')
  await using first = await GatewayProcess.start({ dataDir, main })
  const { token } = first
  expect([(await first.kill('SIGTERM')).code, first.stderr]).toEqual([0, ''])
  const env = { HM_LOADED: report, NODE_OPTIONS: `--import=${probe}` }
  await using second = await GatewayProcess.start({ dataDir, main, env })
  {
    await using http = new HttpCaller({ url: second.url, ca: second.ca, token: token ?? '' })
    expect((await http.call({ method: 'GET', path: '/v1/house' })).status).toBe(200)
    expect((await http.call({ method: 'GET', path: '/openapi.json' })).status).toBe(200)
    const { fetch, agent } = fetchTrusting(second.ca)
    // The first agent loads the MCP code.
    const answer = await fetch(`${second.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await agentOf(second)}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify(INITIALIZE),
    })
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('serverInfo')])
    agent.destroy()
    const hm = [process.execPath, join(folder, 'hm/hm.mjs')]
    const { code, stdout } = await hmProcess(['status', '--json'], dataDir, hm)
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ port: second.port })])
  }
  const { code } = await second.kill('SIGTERM')
  const { files } = JSON.parse(readFileSync(report, 'utf8')) as { readonly files: readonly string[] }
  expect([code, files.filter((file) => file.endsWith('.ts'))]).toEqual([0, []])
  expect(files.filter((file) => file.includes('/node_modules/zod/'))).toEqual([])
})

test('the bundle has no package that no start uses', () => {
  const packages = new Set(
    [...readFileSync(main, 'utf8').matchAll(/"node_modules\/([\w-]+)\//g)].map(([, name]) => name),
  )
  expect(packages).toContain('fastify')
  expect(['ajv', 'light-my-request'].filter((name) => packages.has(name))).toEqual([])
})

test('a stack of the bundle names lines of the sources', async () => {
  const fault = 'data:text/javascript,Intl.DateTimeFormat=()=>{throw%20Error(`planted`)}'
  const env = { NODE_OPTIONS: `--import=${fault}` }
  const { stderr } = await GatewayProcess.fails({ dataDir: tempFolder(), main, env })
  const lines = readFileSync(join(PROJECT_ROOT, 'src/main.ts'), 'utf8').split('\n')
  const place = /The gateway could not start\. Error: planted[^]*?\/src\/main\.ts:(\d+):\d+/.exec(stderr)
  expect(lines[Number(place?.[1]) - 1]).toContain('Intl.DateTimeFormat()')
})
