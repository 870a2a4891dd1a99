import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { WebSocket } from 'ws'
import { messageLoad } from '../load.ts'
import { runCommand } from './command.ts'
import { installed } from './install.ts'
import { exchange, type Peer, plainSocket, type RunningPeer, watch } from './peer.ts'

const PACKAGES = { 'iobroker.js-controller': '7.2.3', 'iobroker.ws': '4.1.0' }
/** A version that js-controller accepts and that npm still has. */
const OVERRIDES = { '@iobroker/plugin-sentry': '3.2.1' }
const PORT = 18_733
const PROGRAM = 'node_modules/iobroker.js-controller'
const SET_UP_MS_MAX = 120_000
const HOMES = [30, 300]
/** Type of a call in ioBroker's messages over WebSocket. */
const CALL = 3
/** Without other programs: at its start it would change Node's own file by sudo. */
const ENV = { ...process.env, PATH: dirname(process.execPath) }

/** ioBroker's controller with its WebSocket adapter. */
export const IOBROKER: Peer = {
  name: 'iobroker',
  note: 'without TLS, sign-in, log, an acknowledgement (a set returns before any device); no admin pages',
  devicesMax: Math.max(...HOMES),
  start: async (devices) => {
    const folder = installed('iobroker', PACKAGES, OVERRIDES)
    await setUp(folder)
    const command = controller(folder)
    const last = stateOf(devices, devices - 1)
    const startMs = await command.until(async () => (await call('getState', [last])).includes('"val"'))
    return { ...command, startMs, ...workOf(devices) }
  },
}

const controller = (folder: string) =>
  runCommand(process.execPath, [`${PROGRAM}/controller.js`], { cwd: folder, env: ENV })

const stateOf = (devices: number, number: number): string => `0_userdata.0.home${devices}.switch${number}`

/** Creates its databases, the adapter's instance and the homes, once. */
async function setUp(folder: string): Promise<void> {
  const made = join(folder, 'made.txt')
  if (existsSync(made)) return
  // The adapter listens on loopback, and does not wait for the admin pages.
  const file = join(folder, 'node_modules/iobroker.ws/io-package.json')
  const adapter = JSON.parse(readFileSync(file, 'utf8')) as { common: object; native: object }
  const common = { ...adapter.common, globalDependencies: [] }
  writeFileSync(
    file,
    JSON.stringify({ ...adapter, common, native: { ...adapter.native, port: PORT, bind: '127.0.0.1' } }),
  )
  for (const args of [
    ['setup', 'first'],
    ['add', 'ws', '--enabled'],
  ]) {
    const command = [`${PROGRAM}/iobroker.js`, ...args]
    const { status, stdout, stderr } = spawnSync(process.execPath, command, {
      cwd: folder,
      env: ENV,
      encoding: 'utf8',
      timeout: SET_UP_MS_MAX,
    })
    if (status !== 0)
      throw new Error(`\`node ${command.join(' ')}\` failed: ${`${stdout}${stderr}`.trim().slice(-300)}`)
  }
  await using command = controller(folder)
  await command.until(async () => (await call('name', ['bench'])).length > 0)
  const switchState = { type: 'boolean', role: 'switch', read: true, write: true, def: true, name: 'Switch' }
  for (const devices of HOMES)
    for (let number = 0; number < devices; number += 1)
      await call('setObject', [stateOf(devices, number), { type: 'state', common: switchState, native: {} }])
  writeFileSync(made, '')
}

async function opened(): Promise<WebSocket> {
  const socket = await plainSocket(PORT, '/?sid=1')
  await exchange(socket, [CALL, 1, 'name', ['bench']], '"name"')
  return socket
}

/** The response to one call on a new connection. */
async function call(name: string, args: readonly unknown[]): Promise<string> {
  const socket = await opened()
  const answer = await exchange(socket, [CALL, 2, name, args], `[${CALL},2,`)
  socket.terminate()
  return answer
}

type StateMessage = readonly [
  type: number,
  id: number,
  name: string,
  args: readonly [id: string, state: { val: unknown }],
]

function workOf(devices: number): Pick<RunningPeer, 'open' | 'listen' | 'changer'> {
  const first = stateOf(devices, 0)
  const calls = {
    read: ['getState', [first]],
    state: ['getStates', [`0_userdata.0.home${devices}.*`]],
    set: ['setState', [first, true]],
  }
  return {
    open: async (work) =>
      messageLoad([await opened()], JSON.stringify([CALL, 2, ...calls[work]]), (data) => data.includes(`[${CALL},2,`)),
    listen: async (seen) => {
      const socket = await opened()
      await exchange(socket, [CALL, 2, 'subscribe', [first]], `[${CALL},2,`)
      watch(socket, ([, , name, args]: StateMessage) => (name === 'stateChange' ? args[1].val : undefined), seen)
    },
    changer: async () => {
      const socket = await opened()
      return (on) => exchange(socket, [CALL, 2, 'setState', [first, on]], `[${CALL},2,`)
    },
  }
}
