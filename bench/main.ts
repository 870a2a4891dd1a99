import { parseArgs } from 'node:util'
import { CHROMIUM } from '../test/support/console/browser.ts'
import { benchPushes } from './console-pushes.ts'
import { benchConsole } from './console.ts'
import { fanOut } from './fan-out.ts'
import { fairness } from './fairness.ts'
import { firstStart } from './first-start.ts'
import { growth } from './growth.ts'
import { benchHistory } from './history.ts'
import { benchHolds } from './loop-holds.ts'
import { benchSlowReaders } from './slow-readers.ts'
import { benchMcp } from './mcp.ts'
import { pinLoad } from './processes.ts'
import { attempted, summary } from './report.ts'
import { benchRelay } from './relay.ts'
import { rest } from './rest.ts'
import { rulesStart } from './rules-start.ts'
import { large, service } from './service.ts'
import { startUp } from './start-up.ts'

/**
 * `npm run bench [-- section … | all --rest MINUTES --rows N --years N --against CHECKOUT]` prints figures with their
 * targets (docs/performance.md). Without sections it runs those of `TABLE`. Ratios compare the server's processor time
 * per piece of work with a bare server in the same run. Throughput varies with other load on the machine.
 */
const SECTIONS: Readonly<Record<string, () => unknown>> = {
  start: startUp,
  rest: () => rest(Number(values.rest)),
  service,
  large,
  stream: fanOut,
  mcp: benchMcp,
  growth,
  history: () => benchHistory(Number(values.rows), Number(values.years)),
  holds: benchHolds,
  relay: benchRelay,
  console: async () => {
    needsBrowser()
    await benchPushes()
    await benchConsole()
  },
  'first-start': () => {
    needsBrowser()
    return firstStart()
  },
  fairness,
  memory: benchSlowReaders,
  rules: () => rulesStart(values.against),
}

/** The cost for a home and the shares of a bare server's speed. */
const TABLE: readonly string[] = ['start', 'rest', 'service', 'large', 'stream', 'mcp']
const ALL = 'all'

function needsBrowser(): void {
  if (CHROMIUM === null) throw new Error('there is no browser here; HM_CHROMIUM names a Chromium')
}

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: {
    rest: { type: 'string', default: '10' },
    rows: { type: 'string', default: '300000' },
    years: { type: 'string', default: '1' },
    against: { type: 'string' },
  },
})
const unknown = names.filter((name) => name !== ALL && !Object.hasOwn(SECTIONS, name))
if (unknown.length > 0) {
  const known = [...Object.keys(SECTIONS), ALL].join(', ')
  process.stderr.write(`Unknown section ${unknown.join(', ')}; there are ${known}.\n`)
  process.exit(2)
}
const pinned = pinLoad()
process.stdout.write(
  `${pinned ? 'Server on one core, load on the other.' : 'Cores are not pinned here: figures scatter more.'} Ratios by CPU time.\n\n`,
)
const wanted = names.length === 0 ? TABLE : names
for (const [name, run] of Object.entries(SECTIONS))
  if (wanted.includes(name) || wanted.includes(ALL)) await attempted(name, run)
summary()
process.exit(0)
