import type { Memory } from './collection.ts'
import { type BenchGateway, consoleCode, startGateway } from './gateway.ts'
import { fetched, requestText } from './load.ts'
import { atMost, median } from './report.ts'

const UNITS = 300
/** Each a gateway with the console on beside one with it off, started in turns. */
const PAIRS = 3
const MORE_MIB_MAX = 8

/** What the console takes of an idle gateway's memory: beside one without, and once its pages were served. */
export async function consoleMemory(): Promise<void> {
  const more: { idle: number; served: number }[] = []
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const [off, on] = [await idleMemory('off'), await idleMemory('on')]
    more.push({ idle: on.idle - off.idle, served: on.served - off.idle })
  }
  const [idle, served] = [more.map((each) => each.idle), more.map((each) => each.served)]
  tell('idle memory for the console', idle)
  tell('the same once it was opened', served)
}

/** Resident, in MiB, of a gateway that is asked for nothing; and after somebody signed in and was sent every page. */
async function idleMemory(console: 'on' | 'off'): Promise<{ readonly idle: number; readonly served: number }> {
  await using gateway = await startGateway(UNITS, console === 'off' ? 'console-off' : 'plain')
  await gateway.ask({ rest: true })
  const { residentMiB: idle } = await gateway.ask<Memory>({ heap: true })
  if (console === 'off') return { idle, served: idle }
  await open(gateway)
  const { residentMiB: served } = await gateway.ask<Memory>({ heap: true })
  return { idle, served }
}

async function open(gateway: BenchGateway): Promise<void> {
  const { door } = gateway
  const origin = `origin: https://localhost:${door.port}\r\n`
  const asked = async (method: string, path: string, body = ''): Promise<string> => {
    const answer = await fetched(door, requestText(method, path, door.port, null, origin, body))
    if (answer.status >= 300) throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.body}`)
    return answer.body
  }
  await asked('POST', '/console/session', JSON.stringify({ link: await consoleCode(gateway) }))
  const page = await asked('GET', '/console/')
  const seen = new Set<string>()
  const rest = [...page.matchAll(/\/console\/(assets\/[\w.-]+)/g)].map(([, path = '']) => path)
  // Each file names those that it loads.
  for (let path = rest.pop(); path !== undefined; path = rest.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    const text = await asked('GET', `/console/${path}`)
    rest.push(...[...text.matchAll(/["'`]\.\/([\w.-]+\.js)["'`]/g)].map(([, name = '']) => `assets/${name}`))
  }
}

function tell(work: string, mebibytes: readonly number[]): void {
  const detail = `more than without; ${UNITS} units; each: ${mebibytes.map((each) => each.toFixed(1)).join(', ')}`
  atMost(work, median(mebibytes), { most: MORE_MIB_MAX, unit: 'MiB', digits: 1, detail })
}
