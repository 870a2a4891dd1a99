// `npm run test:generators`: clients made from openapi/openapi.json, each tried against a running gateway. A client
// reads a dimmer's brightness with its types, makes an automation, and sends it back as it was read. What the machine
// cannot do is said, and is no failure.

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
/** Generators and what they make stay here between runs; git ignores it. */
const FOLDER = join(ROOT, '.generated')

/** The brightness of the dimmer that every client reads, and the one that it asks for in its automation. */
const SHOWN_BRIGHTNESS = 37
const SENT_BRIGHTNESS = 40

/** What a client says that it read: percent, and the percent of the step that came back. */
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

/** Where the gateway is, as the clients take it from their environment. */
interface Served {
  readonly HM_URL: string
  readonly HM_TOKEN: string
  readonly HM_CA: string
}

type Mark = 'passed' | 'absent' | 'FAILED'

/** What became of one client, and what there is to say of it. */
interface Outcome {
  readonly mark: Mark
  readonly said: string
}

/** Something that this machine does not have and cannot get. */
class NotHere extends Error {}

/** @param chosen languages; all where none is named. */
async function main(chosen: readonly string[]): Promise<number> {
  mkdirSync(FOLDER, { recursive: true })
  const dataDir = mkdtempSync(join(tmpdir(), 'hm-generators-'))
  try {
    await using gateway = await GatewayProcess.start({ dataDir })
    const served = await serve(gateway)
    const marks: Mark[] = []
    for (const client of GENERATED_CLIENTS.filter(({ language }) => chosen.length === 0 || chosen.includes(language))) {
      const { mark, said } = await outcomeOf(client, served)
      console.log(`${mark} ${client.language} (${client.generator}): ${said}`)
      marks.push(mark)
    }
    return marks.includes('FAILED') ? 1 : 0
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** A demo home whose first key may change automations, with a dimmer of a brightness that is known. */
async function serve(gateway: GatewayProcess): Promise<Served> {
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
  await caller.call({ method: 'POST', path, body: { op: 'set_brightness', args: { bri: SHOWN_BRIGHTNESS } } })
  return { HM_URL: url, HM_TOKEN: token, HM_CA: ca }
}

async function outcomeOf(client: GeneratedClient, served: Served): Promise<Outcome> {
  const folder = join(FOLDER, client.language)
  mkdirSync(folder, { recursive: true })
  try {
    const missing = client.programs.filter((program) => !isThere(program))
    if (missing.length > 0) throw new NotHere(`there is no ${missing.join(', no ')} here`)
    await hereOnly('its generator', client.fetch(folder))
    await client.generate(folder, OPENAPI)
    await hereOnly('what its code needs', client.resolve?.(folder))
    await client.compile?.(folder)
    return outcomeOfReading(await client.try(folder, { ...process.env, ...served }))
  } catch (error) {
    if (error instanceof NotHere) return { mark: 'absent', said: `not tried, because ${error.message}` }
    if (error instanceof ProgramFailed) return { mark: 'FAILED', said: error.message }
    throw error
  }
}

/** @throws NotHere where the registries do not give it. */
async function hereOnly(what: string, fetched: Promise<unknown> | undefined): Promise<void> {
  try {
    await fetched
  } catch (error) {
    if (error instanceof ProgramFailed) throw new NotHere(`${what} cannot be had here: ${error.message}`)
    throw error
  }
}

/** Whether the client read what stands in the demo house, and sent back the step that it read. */
function outcomeOfReading(printed: string): Outcome {
  const { brightness, stepped } = JSON.parse(printed.trim()) as Read
  const right = brightness === SHOWN_BRIGHTNESS && stepped === SENT_BRIGHTNESS
  const said = `read a brightness of ${brightness} %, and sent an automation back with ${stepped} %`
  return { mark: right ? 'passed' : 'FAILED', said }
}

process.exitCode = await main(process.argv.slice(2))
