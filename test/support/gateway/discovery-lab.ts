/**
 * Runs inside the network lab of discovery-lab.sh: a gateway's TLS server and announcement, and a client machine that
 * finds it by avahi and connects by curl. Prints one JSON line per step.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createServer } from 'node:https'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { API_VERSION } from '../../../src/api/contract/index.ts'
import { DAY_MS } from '../../../src/lib/durations.ts'
import { watchAddresses } from '../../../src/lib/lan-addresses.ts'
import { type Clock, systemClock } from '../../../src/lib/clock.ts'
import { systemRandom as random } from '../../../src/lib/random.ts'
import { createAnnouncer } from '../../../src/mdns/announcer.ts'
import { openTls } from '../../../src/tls/tls.ts'
import { recordingLog } from '#support/recording-log.ts'

const SERIAL = 'ab12cd34ef56'
const NAME = `hm-${SERIAL}.local`
const [dir = '', client = process.env['CLIENT'] ?? ''] = process.argv.slice(2)
const run = promisify(execFile)
const log = recordingLog()

/** Shortens the check once a minute to two seconds. */
const clock: Clock = { ...systemClock, after: (ms, act) => systemClock.after(Math.min(ms, 2000), act) }
/** Reads the addresses only on request. */
const watcher = watchAddresses({ clock, log, intervalMs: DAY_MS })
const tls = await openTls({ dir, serial: SERIAL, addresses: watcher.texts, clock, random, log })
const server = createServer(tls.secureContextOptions(), (_request, response) => response.end('served'))
tls.attach(server)
server.listen(8490, '::')
await once(server, 'listening')
const announcer = createAnnouncer({
  serial: SERIAL,
  version: API_VERSION,
  port: 8490,
  fingerprint: tls.ca.fingerprint,
  addresses: watcher.current(),
  clock,
  random,
  log,
})
// Renews the certificate before the announcement, so that clients can verify the new address.
watcher.onChange((addresses) => void tls.checkAddresses().then(() => announcer.update({ addresses })))

async function onClient(...command: string[]): Promise<string> {
  const [program = '', ...before] = client.split(' ')
  return (await run(program, [...before, ...command], { timeout: 20_000 })).stdout.trim()
}

/**
 * Observations of the client machine: the service, the addresses of the name, and the gateway's response at each of
 * them.
 */
async function look(step: string): Promise<void> {
  const browsed = await onClient('avahi-browse', '--resolve', '--parsable', '--terminate', '_hm-api._tcp')
  const found: string[] = []
  for (const family of ['-4', '-6'])
    found.push((await onClient('avahi-resolve', family, '--name', NAME)).split('\t')[1] ?? '')
  const answers: string[] = []
  for (const address of found) {
    const host = address.includes(':') ? `[${address}]` : address
    const curl = ['curl', '--silent', '--show-error', '--noproxy', '*', '--cacert', tls.ca.file]
    answers.push(await onClient(...curl, `https://${host}:8490/`))
    answers.push(await onClient(...curl, '--resolve', `${NAME}:8490:${host}`, `https://${NAME}:8490/`))
  }
  print({ step, resolved: browsed.split('\n').filter((line) => line.startsWith('=')), found, answers })
}

function print(seen: object): void {
  process.stdout.write(`${JSON.stringify(seen)}\n`)
}

const [program = '', ...before] = client.split(' ')
const browser = spawn(program, [...before, 'avahi-browse', '--parsable', '_hm-api._tcp'], {
  stdio: ['ignore', 'pipe', 'ignore'],
})
const events = createInterface(browser.stdout)[Symbol.asyncIterator]()

announcer.setEnabled(true)
print({ step: 'appeared', line: (await events.next()).value, fingerprint: tls.ca.fingerprint })
await look('found')

/** Resolves when the gateway has announced itself again. */
const announcedAgain = (): Promise<void> => log.logged('The gateway is announced on this network.')

/** The client machine asks the multicast group for the address. */
async function ask(step: string): Promise<void> {
  const question = join(import.meta.dirname, 'mdns-question.ts')
  print({ step, found: await onClient(process.execPath, question, NAME, '10.77.0.2') })
}

let again = announcedAgain()
await run('ip', ['address', 'delete', '10.77.0.1/24', 'dev', 'home0'])
await run('ip', ['address', 'add', '10.77.0.9/24', 'dev', 'home0'])
watcher.check()
await again
await look('moved')

// Between two address checks the cable is pulled out and returns with another interface index.
await run('ip', ['address', 'delete', '10.77.0.9/24', 'dev', 'home0'])
await run('ip', ['address', 'add', '10.77.0.1/24', 'dev', 'home0'])
again = announcedAgain()
watcher.check()
await again
again = announcedAgain()
await run('ip', ['link', 'delete', 'home0'])
await run('bash', ['-c', 'plug'])
watcher.check()
await again
await ask('replugged')

// The cable returns with the same interface index, which no address check notices.
const number = watcher.current().find((one) => one.interface === 'home0')?.index
again = announcedAgain()
await run('ip', ['link', 'delete', 'home0'])
await run('bash', ['-c', `plug ${number}`])
watcher.check()
await again
await ask('unnoticed')

await announcer.stop()
let event = await events.next()
while (event.done !== true && !event.value.startsWith('-')) event = await events.next()
print({ step: 'gone', line: event.value, errors: log.sentences('error') })
browser.kill()
watcher.stop()
await tls.stop()
server.close()
server.closeAllConnections()
