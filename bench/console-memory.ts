import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { AdminSocket } from '../src/cli/commands/context.ts'
import type { Memory } from './collection.ts'
import { startServer } from './processes.ts'
import { median, report } from './report.ts'

interface Facts {
  readonly port: number
  readonly caFile: string
  readonly dataDir: string
}

const UNITS = '300'
/** Each a gateway with the console on beside one with it off, started in turns. */
const PAIRS = 3
const MORE_MIB_MAX = 8

/** What the console takes of an idle gateway's memory: beside one without, and once its pages were served. */
export async function consoleMemory(): Promise<void> {
  const more: { idle: number; served: number }[] = []
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const off = await idleMemory('off')
    const on = await idleMemory('on')
    more.push({ idle: on.idle - off.idle, served: on.served - off.idle })
  }
  tell(
    'idle memory for the console',
    more.map(({ idle }) => idle),
  )
  tell(
    'the same once it was opened',
    more.map(({ served }) => served),
  )
}

/** Resident, in MiB, of a gateway that is asked for nothing; and after somebody signed in and was sent every page. */
async function idleMemory(console: 'on' | 'off'): Promise<{ readonly idle: number; readonly served: number }> {
  const gateway = await startServer<Facts>('gateway-server.ts', [UNITS, `console-${console}`])
  try {
    await gateway.ask({ rest: true })
    const { residentMiB: idle } = await gateway.ask<Memory>({ heap: true })
    if (console === 'off') return { idle, served: idle }
    await open(gateway.facts)
    const { residentMiB: served } = await gateway.ask<Memory>({ heap: true })
    return { idle, served }
  } finally {
    await gateway.stop()
  }
}

async function open(facts: Facts): Promise<void> {
  const { body } = await new AdminSocket(facts.dataDir).exchange('POST', '/admin/v1/links', {})
  const [, link = ''] = (body as { links: string[] }).links[0]?.split('#') ?? []
  await exchange(facts, 'POST', '/console/session', JSON.stringify({ link }))
  const page = await exchange(facts, 'GET', '/console/')
  const seen = new Set<string>()
  const rest = [...page.matchAll(/\/console\/(assets\/[\w.-]+)/g)].map(([, path = '']) => path)
  // Each file names those that it loads.
  for (let path = rest.pop(); path !== undefined; path = rest.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    const text = await exchange(facts, 'GET', `/console/${path}`)
    rest.push(...[...text.matchAll(/["'`]\.\/([\w.-]+\.js)["'`]/g)].map(([, name = '']) => `assets/${name}`))
  }
}

function exchange({ port, caFile }: Facts, method: string, path: string, body?: string): Promise<string> {
  const host = `localhost:${port}`
  return new Promise((resolve, reject) => {
    const headers = {
      host,
      origin: `https://${host}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const sent = request({
      host: '127.0.0.1',
      port,
      servername: 'localhost',
      ca: readFileSync(caFile),
      method,
      path,
      headers,
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        if ((response.statusCode ?? 0) < 300) resolve(text)
        else reject(new Error(`${method} ${path} answered ${response.statusCode}: ${text}`))
      })
    })
    sent.end(body)
  })
}

function tell(work: string, mebibytes: readonly number[]): void {
  const figure = median(mebibytes)
  report({
    work,
    figure: `${figure.toFixed(1)} MiB`,
    target: `<= ${MORE_MIB_MAX} MiB`,
    met: figure <= MORE_MIB_MAX,
    detail: `more than without; ${UNITS} units; each: ${mebibytes.map((each) => each.toFixed(1)).join(', ')}`,
  })
}
