// @module-tag long
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { HOUR_MS } from '../../src/lib/durations.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { everyClient, expectServed } from '#support/client/lasting-clients.ts'
import { freePort } from '#support/free-port.ts'
import { agentToken, homeForAgents } from '#support/gateway/agents.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { nextVersion } from '#support/gateway/next-version.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { mcpPython } from './python/environment.ts'

const python = await mcpPython()

test('official clients continue after a restart, a kill and an update with one initialisation', async () => {
  const options = { dataDir: tempFolder(), env: { HM_PORT: String(await freePort()) } }
  let gateway = await GatewayProcess.start(options)
  onTestFinished(() => gateway[Symbol.asyncDispose]())
  const { admin, ca } = gateway
  const { integration } = await admin.call<{ integration: { id: string } }>('POST', '/integrations', {
    name: 'Agents',
    expose: ['all'],
    settings: { agent_access: 'on', allow_unlock: 'on' },
  })
  const token = async (): Promise<string> => {
    const what = { integration: integration.id, name: 'Robot', platform: 'Lab', session: false }
    return (await admin.call<{ token: string }>('POST', '/agents', what)).token
  }
  const clients = await everyClient({ url: `https://localhost:${gateway.port}/mcp`, ca, admin, token, python })
  await expectServed(clients)

  await gateway.kill('SIGTERM')
  gateway = await GatewayProcess.start(options)
  await expectServed(clients)

  await gateway.kill('SIGKILL')
  gateway = await GatewayProcess.start({ ...options, main: nextVersion(join(tempFolder(), 'next')) })
  await expectServed(clients)
})

test('official clients continue after two idle hours', async () => {
  const clock = new PassingClock()
  await using home = await homeForAgents({ clock })
  const { admin, gateway } = home.running
  const url = `https://localhost:${gateway.port}/mcp`
  const clients = await everyClient({ url, ca: home.ca, admin, token: () => agentToken(home), python })
  const hasten = <T>(work: Promise<T>): Promise<T> => clock.hasten(work)
  await expectServed(clients, hasten)
  await clock.pass(2 * HOUR_MS)
  await expectServed(clients, hasten)
})
