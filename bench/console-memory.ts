import type { Memory } from './collection.ts'
import { type BenchGateway, consoleCode, startGateway } from './gateway.ts'
import { fetchOnce, requestText } from './load.ts'
import { atMost, median } from './report.ts'

const UNITS = 300
/** Pairs of gateways with the console on and off, started in turns. */
const PAIRS = 3
const MORE_MIB_MAX = 8

/** Memory of an idle gateway for the console: compared with one without, and after serving its pages. */
export async function consoleMemory(): Promise<void> {
  const more: { idle: number; served: number }[] = []
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const [off, on] = [await idleMemory('off'), await idleMemory('on')]
    more.push({ idle: on.idle - off.idle, served: on.served - off.idle })
  }
  const [idle, served] = [more.map((pair) => pair.idle), more.map((pair) => pair.served)]
  reportMemory('idle memory for the console', idle)
  reportMemory('the same after its pages were served', served)
}

/** Resident memory of a gateway in MiB: without requests, and after a sign-in and all pages. */
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
  const { address } = gateway
  const origin = `origin: https://localhost:${address.port}\r\n`
  const request = async (method: string, path: string, body = ''): Promise<string> => {
    const answer = await fetchOnce(address, requestText(method, path, address.port, null, origin, body))
    if (answer.status >= 300) throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.body}`)
    return answer.body
  }
  await request('POST', '/console/session', JSON.stringify({ link: await consoleCode(gateway) }))
  const page = await request('GET', '/console/')
  const seen = new Set<string>()
  const rest = [...page.matchAll(/\/console\/(assets\/[\w.-]+)/g)].map(([, path = '']) => path)
  // Each file names the files that it loads.
  for (let path = rest.pop(); path !== undefined; path = rest.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    const text = await request('GET', `/console/${path}`)
    rest.push(...[...text.matchAll(/["'`]\.\/([\w.-]+\.js)["'`]/g)].map(([, name = '']) => `assets/${name}`))
  }
}

function reportMemory(work: string, mebibytes: readonly number[]): void {
  const detail = `more than without; ${UNITS} units; each: ${mebibytes.map((mib) => mib.toFixed(1)).join(', ')}`
  atMost(work, median(mebibytes), { most: MORE_MIB_MAX, unit: 'MiB', digits: 1, detail })
}
