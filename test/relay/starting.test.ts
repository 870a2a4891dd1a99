import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { SettingsError } from '../../relay/model/relay-settings.ts'
import { freePort } from '#support/free-port.ts'
import { proves } from '#support/gateway/verifies.ts'
import { Browser } from '#support/relay/browser.ts'
import { RelayProcess } from '#support/relay/relay-process.ts'
import { TestRelay } from '#support/relay/test-relay.ts'
import { trustingFetch } from '#support/relay/trusting-fetch.ts'
import { keptIn } from '#support/relay/written.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** A loopback port that another program uses. */
async function takenPort(): Promise<number> {
  const server = createServer()
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

const advice = (port: number): string => `Port ${port} is in use: choose another with HM_RELAY_METRICS_PORT.`

proves('relay.start', 'a relay whose port for metrics is in use opens no other port either', async () => {
  const [port, metricsPort, dataDir] = [await freePort(), await takenPort(), tempFolder()]
  await expect(TestRelay.open({ port, metricsPort, dataDir })).rejects.toThrow(new SettingsError(advice(metricsPort)))
  const relay = await TestRelay.open({ port, metricsPort: 0, dataDir })
  onTestFinished(() => relay[Symbol.asyncDispose]())
  expect(relay.relay.port).toBe(port)
})

proves('relay.start', 'an address of another machine is refused in one sentence', async () => {
  for (const host of ['999.1.1.1', '192.0.2.77'])
    await expect(TestRelay.open({ host })).rejects.toThrow(
      new RegExp(`^The relay cannot listen at ${host} \\(E[A-Z_]+\\): choose an address .* HM_RELAY_HOST\\.$`),
    )
})

proves('relay.start', 'a data folder that is a file is refused in one sentence', async () => {
  const dataDir = join(tempFolder(), 'a-file')
  writeFileSync(dataDir, '')
  await expect(TestRelay.open({ dataDir })).rejects.toThrow(/^The data folder .* cannot be written \(E[A-Z]+\): /)
})

proves('relay.one-process', 'a second relay on a data folder is refused until the first one has ended', async () => {
  const dataDir = tempFolder()
  const first = await TestRelay.open({ dataDir })
  await expect(TestRelay.open({ dataDir })).rejects.toThrow(
    new SettingsError(
      `A relay already runs on the data folder ${dataDir}: stop it first, or choose another folder with HM_RELAY_DATA_DIR.`,
    ),
  )
  await first[Symbol.asyncDispose]()
  const next = await TestRelay.open({ dataDir })
  await next[Symbol.asyncDispose]()
})

proves('relay.one-process', 'the second process exits with code 1 and says why', { tags: ['long'] }, async () => {
  const [dataDir, env] = [tempFolder(), { HM_RELAY_LOG_LEVEL: 'error' }]
  await using _ = await RelayProcess.start({ dataDir, port: await freePort(), env })
  const second = RelayProcess.start({ dataDir, port: await freePort(), env })
  await expect(second).rejects.toThrow(`The relay ended with 1: A relay already runs on the data folder ${dataDir}`)
})

proves('relay.erased', 'the files of the relay contain no data of a deleted account', async () => {
  const relay = await TestRelay.open({ dataDir: tempFolder() })
  onTestFinished(() => relay[Symbol.asyncDispose]())
  const { fetch, agent } = trustingFetch(relay.ca)
  onTestFinished(() => agent.destroy())
  const person = new Browser(relay.relay.url, fetch)
  const account = { email: 'erased@example.org', password: 'correct horse battery' }
  await person.submit(await person.open('/signup'), 'Create account', account)
  const { password, id } = (await relay.relay.accounts.byEmail(account.email))!
  const secrets = [account.email, password, id]
  const found = (): string[] => secrets.filter((secret) => keptIn(relay.dataDir).includes(secret))
  expect(found()).toEqual(secrets)
  const form = await person.open('/account/delete')
  const deleted = await person.submit(form, 'Delete the account', { current: account.password })
  expect(deleted.title).toBe('Your account is deleted')
  expect(found()).toEqual([])
})

proves('relay.start', 'the process of such a relay exits with code 1 and says why', { tags: ['long'] }, async () => {
  const metricsPort = await takenPort()
  const env = { HM_RELAY_METRICS_PORT: String(metricsPort), HM_RELAY_LOG_LEVEL: 'error' }
  const start = RelayProcess.start({ dataDir: tempFolder(), port: await freePort(), env })
  await expect(start).rejects.toThrow(`The relay ended with 1: ${advice(metricsPort)}`)
})
