import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runCommand } from './command.ts'
import { installed } from './install.ts'
import type { Peer } from './peer.ts'

const CONFIGURATION = `version: 5
mqtt: { server: 'mqtt://127.0.0.1:1', base_topic: zigbee2mqtt }
serial: { port: /dev/ttyACM0, adapter: zstack }
advanced: { log_output: [console] }
`

/** zigbee2mqtt, which has no simulated radio: without a stick its start fails, and the reason is reported. */
export const ZIGBEE2MQTT: Peer = {
  name: 'zigbee2mqtt',
  note: '',
  devicesMax: 0,
  start: async () => {
    const folder = installed('zigbee2mqtt', { zigbee2mqtt: '2.14.1' })
    const data = join(folder, 'data')
    mkdirSync(data, { recursive: true })
    writeFileSync(join(data, 'configuration.yaml'), CONFIGURATION)
    // Without git in the path it does not compare its version with this repository's.
    const env = { ...process.env, PATH: dirname(process.execPath), ZIGBEE2MQTT_DATA: data }
    await using command = runCommand(process.execPath, ['node_modules/zigbee2mqtt/index.js'], { cwd: folder, env })
    await command.until(() => Promise.resolve(false))
    throw new Error('it has no simulated radio')
  },
}
