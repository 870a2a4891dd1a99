import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '#support/free-port.ts'
import { environmentOf, NEWEST } from '../../test/home-assistant/environments.ts'
import { programsIn } from '../../test/home-assistant/python.ts'
import { scratch } from '../scratch.ts'
import { runCommand } from './command.ts'
import { exchange, type Peer, plainChanger, plainLoad, plainSocket, type RunningPeer, watch } from './peer.ts'

/** The installation of `npm run test:home-assistant`. */
const FOLDER = join(import.meta.dirname, '../../.generated/home-assistant')
const CLIENT = 'http://127.0.0.1/'
const FIRST = 'switch.switch_0'

/** Home Assistant Core with template switches, whose states are its own. */
export const HOME_ASSISTANT: Peer = {
  name: 'home-assistant',
  note: 'without TLS, log (no recorder); its switches are templates without a device',
  devicesMax: Infinity,
  start: async (devices) => {
    const python = environmentOf(NEWEST, FOLDER, programsIn(FOLDER))
    const port = await freePort()
    const folder = scratch()
    writeFileSync(join(folder.path, 'configuration.yaml'), configuration(port, devices))
    const run = () => runCommand(python, ['-m', 'homeassistant', '--skip-pip', '-c', '.'], { cwd: folder.path })
    const first = run()
    await first.until(() => answers(port, '/api/onboarding', ''))
    const token = await signedIn(port)
    // It stores the user only after its own start.
    const isRunning = () => answers(port, '/api/config', token, '"RUNNING"')
    await first.until(isRunning)
    await first[Symbol.asyncDispose]()
    const command = run()
    const startMs = await command.until(() => answers(port, `/api/states/switch.switch_${devices - 1}`, token))
    await command.until(isRunning)
    const stop = async (): Promise<void> => {
      await command[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    }
    return { pid: command.pid, startMs, [Symbol.asyncDispose]: stop, ...workOf(port, token) }
  },
}

function configuration(port: number, devices: number): string {
  const switches = Array.from(
    { length: devices },
    (_, number) => `      - name: Switch ${number}\n        turn_on: []\n        turn_off: []\n`,
  )
  const http = `http:\n  server_host: 127.0.0.1\n  server_port: ${port}\n`
  return `${http}api:\nconfig:\nonboarding:\ntemplate:\n  - switch:\n${switches.join('')}`
}

/** True if the response has status 200 and contains the text. */
async function answers(port: number, path: string, token: string, text = ''): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
  return response.status === 200 && (await response.text()).includes(text)
}

/** Creates the first user. Returns an access token. */
async function signedIn(port: number): Promise<string> {
  const post = async (path: string, body: string, type: string): Promise<Record<string, string>> => {
    const headers = { 'content-type': type }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })
    return (await response.json()) as Record<string, string>
  }
  const user = { client_id: CLIENT, name: 'A', username: 'a', password: 'a-b-c', language: 'en' }
  const made = await post('/api/onboarding/users', JSON.stringify(user), 'application/json')
  const form = { grant_type: 'authorization_code', code: made['auth_code'] ?? '', client_id: CLIENT }
  const { access_token } = await post(
    '/auth/token',
    new URLSearchParams(form).toString(),
    'application/x-www-form-urlencoded',
  )
  return access_token ?? ''
}

interface StateEvent {
  readonly event?: { readonly data: { readonly new_state: { readonly state: string } } }
}

function workOf(port: number, token: string): Pick<RunningPeer, 'open' | 'listen' | 'changer'> {
  const extra = `authorization: Bearer ${token}\r\n`
  const body = JSON.stringify({ entity_id: FIRST })
  return {
    open: (work) => {
      if (work === 'read') return plainLoad(port, 'GET', `/api/states/${FIRST}`, { extra })
      if (work === 'state') return plainLoad(port, 'GET', '/api/states', { extra })
      return switchedOn(port, extra, body)
    },
    listen: async (seen) => {
      const socket = await plainSocket(port, '/api/websocket')
      await exchange(socket, { type: 'auth', access_token: token }, 'auth_ok')
      await exchange(socket, { id: 1, type: 'subscribe_events', event_type: 'state_changed' }, '"success"')
      watch(socket, ({ event }: StateEvent) => event?.data.new_state.state, seen)
    },
    changer: () => plainChanger(port, (on) => ['POST', `/api/services/switch/turn_${on ? 'on' : 'off'}`, extra, body]),
  }
}

/** Repeats a service call that changes nothing after its first time, so that all responses have one length. */
async function switchedOn(port: number, extra: string, body: string) {
  const path = '/api/services/switch/turn_on'
  await (
    await plainChanger(port, () => ['POST', path, extra, body])
  )(true)
  return plainLoad(port, 'POST', path, { extra, body })
}
