import { parseArgs } from 'node:util'
import { CHROMIUM } from '../test/support/console/browser.ts'
import { consoleMemory } from './console-memory.ts'
import { benchPushes } from './console-pushes.ts'
import { benchConsole } from './console.ts'
import { constrained } from './constrained.ts'
import { fairness } from './fairness.ts'
import { firstStart } from './first-start.ts'
import { benchFloor } from './floor.ts'
import { growth } from './growth.ts'
import { benchHistory } from './history.ts'
import { benchHolds } from './holds.ts'
import { memory } from './memory.ts'
import { benchSlowReaders } from './slow-readers.ts'
import { benchMcp } from './mcp.ts'
import { benchMetrics } from './metrics.ts'
import { pinLoad } from './processes.ts'
import { attempted, summary } from './report.ts'
import { benchRelay } from './relay.ts'
import { CONTROLS, Pair } from './service.ts'
import { startUp } from './start-up.ts'

/**
 * `npm run bench [-- section … --minutes N --rows N --years N]` prints figures with their targets (docs/performance.md).
 * Ratios compare the server's processor time per piece of work with a bare server in the same run. Throughput varies
 * with other load on the machine.
 */
const SECTIONS: Readonly<Record<string, () => unknown>> = {
  start: startUp,
  floor: benchFloor,
  service: async () => {
    const pair = await Pair.start(300)
    const { lamp } = pair.gateway.facts
    await pair.controls(CONTROLS)
    await pair.gateway.ask({ rest: true })
    const device = `/v1/devices/${encodeURIComponent(lamp)}`
    pair.memory('resident memory, 300 units, no sockets', 110)
    await pair.request({ work: 'read one device', path: device, target: 0.62 })
    await pair.request({ work: 'state, 300 units', path: '/v1/state', target: 0.85 })
    await pair.request({
      work: 'state, unchanged, If-None-Match',
      path: '/v1/state',
      extra: ({ head }) => `if-none-match: ${/etag: (\S+)/i.exec(head)?.[1]}\r\n`,
      expect: 304,
      target: 2.2,
    })
    await pair.request({ work: 'house, 300 units', path: '/v1/house', target: 0.85 })
    await pair.request({ work: 'intents of one unit', path: `${device}/intents`, target: 0.8 })
    await pair.messages('WebSocket request and answer', device, 0.65)
    await pair.handshakes(0.9)
    await pair.gateway.ask({ instantly: true })
    await pair.request({
      work: 'control, bus time excluded',
      method: 'POST',
      path: `${device}/control`,
      body: '{"op":"set_brightness","args":{"bri":40}}',
      target: 0.48,
    })
    await pair.stop()
  },
  large: async () => {
    const pair = await Pair.start(3_000)
    await pair.gateway.ask({ rest: true })
    await pair.request({ work: 'state, 3,000 units', path: '/v1/state', target: 0.92 })
    await pair.stop()
  },
  stream: async () => {
    const pair = await Pair.start(300)
    await pair.gateway.ask({ instantly: true })
    await pair.fanOut(1, 2_000, null)
    await pair.fanOut(100, 200, 0.9)
    pair.memory('resident memory, 300 units, after 100 sockets', 120)
    await pair.fanOut(1_000, 30, 0.95)
    await pair.stop()
  },
  mcp: benchMcp,
  growth,
  metrics: benchMetrics,
  history: () => benchHistory(Number(values.rows), Number(values.years)),
  holds: benchHolds,
  relay: benchRelay,
  console: async () => {
    needsBrowser()
    await benchPushes()
    await benchConsole()
    await consoleMemory()
  },
  'first-start': () => {
    needsBrowser()
    return firstStart()
  },
  fairness,
  constrained,
  memory: async () => {
    await benchSlowReaders()
    await memory(minutes)
  },
}

function needsBrowser(): void {
  if (CHROMIUM === null) throw new Error('there is no browser here; HM_CHROMIUM names a Chromium')
}

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '1' },
    rows: { type: 'string', default: '300000' },
    years: { type: 'string', default: '1' },
  },
})
const minutes = Number(values.minutes)
const unknown = names.filter((name) => !Object.hasOwn(SECTIONS, name))
if (unknown.length > 0) {
  process.stderr.write(`Unknown section ${unknown.join(', ')}; there are ${Object.keys(SECTIONS).join(', ')}.\n`)
  process.exit(2)
}
const pinned = pinLoad()
process.stdout.write(
  `${pinned ? 'Server on one core, load on the other.' : 'Cores are not pinned here: figures scatter more.'} Ratios by CPU time.\n\n`,
)
for (const [name, run] of Object.entries(SECTIONS)) {
  if (names.length > 0 && !names.includes(name)) continue
  await attempted(name, run)
}
summary()
process.exit(0)
