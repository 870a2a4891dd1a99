import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { SettingsError } from '../../relay/settings.ts'
import { freePort } from '#support/free-port.ts'
import { proves } from '#support/gateway/verifies.ts'
import { RelayProcess } from '#support/relay/relay-process.ts'
import { TestRelay } from '#support/relay/test-relay.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** A port of loopback that another program has. */
async function takenPort(): Promise<number> {
  const server = createServer()
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

const advice = (port: number): string => `Port ${port} is in use: choose another with HM_RELAY_METRICS_PORT.`

proves('relay.start', 'a relay whose port for metrics is taken opens no other port either', async () => {
  const [port, metricsPort, dataDir] = [await freePort(), await takenPort(), tempFolder()]
  await expect(TestRelay.open({ port, metricsPort, dataDir })).rejects.toThrow(new SettingsError(advice(metricsPort)))
  const relay = await TestRelay.open({ port, metricsPort: 0, dataDir })
  onTestFinished(() => relay[Symbol.asyncDispose]())
  expect(relay.relay.port).toBe(port)
})

proves.long('relay.start', 'the process of such a relay exits with code 1 and says why', async () => {
  const metricsPort = await takenPort()
  const env = { HM_RELAY_METRICS_PORT: String(metricsPort), HM_RELAY_LOG_LEVEL: 'error' }
  const start = RelayProcess.start({ dataDir: tempFolder(), port: await freePort(), env })
  await expect(start).rejects.toThrow(`The relay ended with 1: ${advice(metricsPort)}`)
})
