// `npm run test:generators` generates clients from openapi/openapi.json and runs them against a gateway. Each client reads
// a dimmer's brightness by its types, creates an automation, and sends it back unchanged. Missing programs are reported
// and are no failure.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpCaller } from '#support/gateway/callers.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { GENERATED_CLIENTS } from './clients.ts'
import type { GeneratedClient } from './generated-client.ts'
import { isThere, ProgramFailed } from './run.ts'

const ROOT = join(import.meta.dirname, '../..')
const OPENAPI = join(ROOT, 'openapi/openapi.json')
/** Folder of generators and generated code between runs, which git ignores. */
const FOLDER = join(ROOT, '.generated')

/** Brightness of the dimmer for every client, and in its automation. */
const DIMMER_BRIGHTNESS = 37
const SENT_BRIGHTNESS = 40

/** Output of a client: brightness of the dimmer and of the returned step in percent. */
interface Read {
  readonly brightness: number
  readonly stepped: number
}

interface Room {
  readonly units: readonly { readonly id: string; readonly class: string }[]
}
interface House {
  readonly floors: readonly { readonly rooms: readonly Room[] }[]
  readonly rooms: readonly Room[]
}

/** Environment variables of the clients for the gateway. */
interface GatewayEnvironment {
  readonly HM_URL: string
  readonly HM_TOKEN: string
  readonly HM_CA: string
}

type Mark = 'passed' | 'absent' | 'FAILED'

/** Result of one client with a description. */
interface Outcome {
  readonly mark: Mark
  readonly detail: string
}

/** A program or package that this machine cannot get. */
class Unavailable extends Error {}

/** @param chosen languages, or an empty list for all */
async function main(chosen: readonly string[]): Promise<number> {
  mkdirSync(FOLDER, { recursive: true })
  const dataDir = mkdtempSync(join(tmpdir(), 'hm-generators-'))
  try {
    await using gateway = await GatewayProcess.start({ dataDir })
    const served = await serve(gateway)
    const marks: Mark[] = []
    for (const client of GENERATED_CLIENTS.filter(({ language }) => chosen.length === 0 || chosen.includes(language))) {
      const { mark, detail } = await outcomeOf(client, served)
      console.log(`${mark} ${client.language} (${client.generator}): ${detail}`)
      marks.push(mark)
    }
    return marks.includes('FAILED') ? 1 : 0
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Prepares a demo home: its first key may change automations, and its dimmer has a known brightness. */
async function serve(gateway: GatewayProcess): Promise<GatewayEnvironment> {
  const token = gateway.token ?? ''
  const [, url = ''] = /(https:\/\/localhost:\d+)/.exec(gateway.printed) ?? []
  const integration = token.split('.')[1] ?? ''
  const ca = join(gateway.dataDir, 'tls/ca.pem')
  await gateway.admin.call('PATCH', `/integrations/${integration}`, { settings: { automations: 'on' } })
  await using caller = new HttpCaller({ url, ca: readFileSync(ca, 'utf8'), token })
  const house = (await caller.call({ method: 'GET', path: '/v1/house' })).body as House
  const units = [...house.floors.flatMap(({ rooms }) => rooms), ...house.rooms].flatMap((room) => room.units)
  const dimmer = units.find((unit) => unit.class === 'light_dimmer')
  if (dimmer === undefined) throw new Error('The demo house has no dimmer.')
  const path = `/v1/devices/${encodeURIComponent(dimmer.id)}/control`
  await caller.call({ method: 'POST', path, body: { op: 'set_brightness', args: { bri: DIMMER_BRIGHTNESS } } })
  return { HM_URL: url, HM_TOKEN: token, HM_CA: ca }
}

async function outcomeOf(client: GeneratedClient, served: GatewayEnvironment): Promise<Outcome> {
  const folder = join(FOLDER, client.language)
  mkdirSync(folder, { recursive: true })
  try {
    const missing = client.programs.filter((program) => !isThere(program))
    if (missing.length > 0) throw new Unavailable(`this machine has no ${missing.join(' and no ')}`)
    await fetchedOrUnavailable('its generator', client.fetch(folder))
    await client.generate(folder, OPENAPI)
    await fetchedOrUnavailable('its libraries', client.resolve?.(folder))
    await client.compile?.(folder)
    return outcomeOfReading(await client.try(folder, { ...process.env, ...served }))
  } catch (error) {
    if (error instanceof Unavailable) return { mark: 'absent', detail: `not tried, because ${error.message}` }
    if (error instanceof ProgramFailed) return { mark: 'FAILED', detail: error.message }
    throw error
  }
}

/** @throws Unavailable if the registries do not have it */
async function fetchedOrUnavailable(what: string, fetched: Promise<unknown> | undefined): Promise<void> {
  try {
    await fetched
  } catch (error) {
    if (error instanceof ProgramFailed) throw new Unavailable(`${what} cannot be fetched: ${error.message}`)
    throw error
  }
}

/** Checks that the client read the dimmer and sent back the same step. */
function outcomeOfReading(printed: string): Outcome {
  const { brightness, stepped } = JSON.parse(printed.trim()) as Read
  const right = brightness === DIMMER_BRIGHTNESS && stepped === SENT_BRIGHTNESS
  const detail = `read a brightness of ${brightness} %, and sent an automation back with ${stepped} %`
  return { mark: right ? 'passed' : 'FAILED', detail }
}

process.exitCode = await main(process.argv.slice(2))
