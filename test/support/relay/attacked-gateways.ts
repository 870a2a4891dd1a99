import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { prepareDataFolder } from '../../../src/settings/data-folder.ts'
import { openGateway } from '../../../src/gateway/gateway.ts'
import { simulatedHome } from '../../../src/gateway/simulated-home.ts'
import { readSettings } from '../../../src/settings/settings.ts'
import { type Clock, systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { type Random, systemRandom } from '../../../src/lib/random.ts'

/**
 * Gateways in their own process that dial hostile relays again and again without waiting: their clock runs ten times
 * as fast, and every random wait is zero.
 */
const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: '' },
    gateways: { type: 'string', default: '1' },
    url: { type: 'string', default: '' },
    ca: { type: 'string', default: '' },
  },
})
const SPEED = 10
const relayClock: Clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() * SPEED,
  after: (delayMs, run) => systemClock.after(delayMs / SPEED, run),
}
const random: Random = {
  ...systemRandom,
  bytes: (count) => (count === 4 ? Buffer.alloc(4) : systemRandom.bytes(count)),
}

for (let number = 0; number < Number(values.gateways); number += 1) await open(join(values.folder, String(number)))
process.on('disconnect', () => process.exit(0))
process.send?.({})

async function open(dataDir: string): Promise<void> {
  const folder = prepareDataFolder(dataDir)
  mkdirSync(dirname(folder.relay.settings), { recursive: true, mode: 0o700 })
  writeFileSync(
    folder.relay.settings,
    JSON.stringify({ url: values.url, ca: values.ca, accounts: [], passthrough: 'on' }),
  )
  const settings = readSettings({ HM_HOST: '127.0.0.1', HM_LOG_LEVEL: 'silent' }, [])
  const line = simulatedHome({ kind: 'sim', units: 1, seed: 1, speed: 1 }, systemClock, 'Europe/Berlin')
  await openGateway({
    settings: { ...settings, dataDir, port: 0 },
    folder,
    clock: systemClock,
    relayClock,
    random,
    log: silentLog,
    openPort: line.openPort,
    newHome: { ...line.newHome, rules: () => ({ automations: [], schedules: [] }), integration: null, past: null },
    defaultZone: 'Europe/Berlin',
    announce: false,
  })
}
