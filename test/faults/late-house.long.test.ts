// @module-tag long
import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { SimProcess } from '#support/bus/sim-process.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { tempFolder } from '#support/temp-folder.ts'

const HOUSE = readFileSync(new URL('../../src/demo/demo-house.yaml', import.meta.url), 'utf8')
/** Seconds from the start of the gateway to the import. */
const ARRIVALS_S = [5, 40, 75]
/** The documented limit for the demo house, and for a single unit (docs/devices.md#states). */
const KNOWN_WITHIN_MS = 25_000
const ONE_KNOWN_WITHIN_MS = 5_000

async function importHouse(gateway: GatewayProcess, file: string): Promise<void> {
  await gateway.admin.call('PUT', '/house/file', { file, yes: true })
}

interface Device {
  readonly id: string
  readonly state: object | null
}

async function devicesOf(gateway: GatewayProcess): Promise<readonly Device[]> {
  const headers = { authorization: `Bearer ${gateway.token}` }
  const { status, body } = await rawRequest(gateway, { path: '/v1/state', headers })
  expect(status).toBe(200)
  return (body as { devices: Device[] }).devices
}

/** Milliseconds from now until every device has a state. */
async function untilKnown(gateway: GatewayProcess): Promise<number> {
  const began = performance.now()
  for (;;) {
    const devices = await devicesOf(gateway)
    if (devices.length > 0 && devices.every(({ state }) => state !== null)) return Math.round(performance.now() - began)
    await wait(100)
  }
}

describe.concurrent('a house imported after the start of the gateway, over a real line', () => {
  for (const seconds of ARRIVALS_S)
    test(
      `is read completely after an import at ${seconds} s, and so is a returning unit`,
      { tags: ['long'] },
      async () => {
        await using sim = await SimProcess.start()
        const env = { HM_HMHC: `tcp://127.0.0.1:${sim.port}` }
        await using gateway = await GatewayProcess.start({ dataDir: tempFolder(), env })
        await wait(seconds * 1_000)
        await importHouse(gateway, HOUSE)
        const house = await untilKnown(gateway)
        const { units, ...rest } = parse(HOUSE) as { units: { id: string }[]; [section: string]: unknown }
        const smaller = { home: rest['home'], floors: rest['floors'], rooms: rest['rooms'] }
        await importHouse(
          gateway,
          JSON.stringify({ ...smaller, units: units.filter(({ id }) => id !== 'study-light') }),
        )
        await importHouse(gateway, HOUSE)
        const one = await untilKnown(gateway)
        console.info(
          `Imported after ${seconds} s: all states after ${house} ms, of a unit that came back after ${one} ms.`,
        )
        expect(house).toBeLessThan(KNOWN_WITHIN_MS)
        expect(one).toBeLessThan(ONE_KNOWN_WITHIN_MS)
      },
    )
})
