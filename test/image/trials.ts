import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHROMIUM, openBrowser } from '#support/console/browser.ts'
import { freePort } from '#support/free-port.ts'
import { HttpCaller, type RawAnswer } from '#support/gateway/callers.ts'
import { plugIn, pullOut, SimProcess } from '#support/bus/sim-process.ts'
import { errorCode } from '../../src/lib/files.ts'
import type { Image } from './builder.ts'
import { Container } from './container.ts'
import { missing, run } from './host.ts'

/** User id of the image. */
const UID = 1000
const STOP_MS_MAX = 2_000
/** Size of a disk that has room for a home and is quickly full. */
const DISK_MIB = 96
const DEVICE = '/dev/ttyUSB0'

/** A volume like Docker's: owned by the image's user, on a separate disk. */
export class Volume implements AsyncDisposable {
  readonly path: string
  readonly #filler: string

  private constructor(path: string) {
    this.path = path
    this.#filler = join(path, 'filler')
  }

  static async make(path: string): Promise<Volume> {
    mkdirSync(path, { recursive: true })
    const options = `size=${DISK_MIB}m,mode=0700,uid=${UID},gid=${UID}`
    await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path])
    return new Volume(path)
  }

  get ca(): string {
    return readFileSync(join(this.path, 'tls/ca.pem'), 'utf8')
  }

  /** Fills the disk up to its last page. Writes more than the free space, because the gateway writes too. */
  fill(): void {
    const { bsize, bavail } = statfsSync(this.path)
    try {
      writeFileSync(this.#filler, Buffer.alloc(bsize * (bavail + 1)), { flag: 'a' })
    } catch (error) {
      if (errorCode(error) !== 'ENOSPC') throw error
    }
  }

  empty(): void {
    rmSync(this.#filler, { force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run('umount', ['--lazy', this.path])
  }
}

/** The image, a folder for the trials, and the output of their results. */
export interface Bench {
  readonly image: Image
  readonly folder: string
  readonly say: (line: string) => void
}

const MIB = 2 ** 20

/** Tries a new gateway: service, isolation, console and stop. Returns a key. */
export async function triesGateway({ image, folder, say }: Bench, volume: Volume): Promise<string> {
  const port = await freePort()
  await using box = await Container.start(image, { volume: volume.path, env: { HM_PORT: String(port) } })
  await box.exec('node', 'scripts/healthcheck.mjs')
  await box.exec('hm', 'status')
  const { integration } = JSON.parse(await box.exec('hm', 'integration', 'create', '--name', 'Trial', '--json')) as {
    integration: { id: string }
  }
  await box.exec('hm', 'integration', 'set', integration.id, 'structural=on')
  const made = await box.exec('hm', 'key', 'create', '--integration', integration.id, '--json')
  const { token } = JSON.parse(made) as { token: string }
  await using http = new HttpCaller({ url: `https://127.0.0.1:${port}`, ca: volume.ca, token })
  assert.equal((await http.call({ method: 'GET', path: '/v1/house' })).status, 200)
  say('ok   a new gateway serves the house over HTTPS')
  await isIsolated(box)
  say('ok   not root, no capability, no new privileges; only the volume and /tmp are writable')
  await showsConsole(box, port, volume, folder, say)
  await namesSources(box)
  say('ok   it runs as the bundle, whose stacks name the sources')
  await stopsQuickly(box, 'a stop', say)
  return token
}

/** The stack of a planted fault at the start names its place in the sources. */
async function namesSources(box: Container): Promise<void> {
  const fault = 'data:text/javascript,Intl.DateTimeFormat=()=>{throw%20Error(`planted`)}'
  const start = `HM_DATA_DIR=/tmp/planted node --import='${fault}' built/gateway.mjs 2>&1; rm -rf /tmp/planted`
  assert.match(await box.exec('sh', '-c', start), /planted[^]*file:\/\/\/app\/src\/main\.ts:\d+:\d+/)
}

const residentMib = (box: Container): number => Math.round(Number(/\d+/.exec(box.status('VmRSS'))?.[0]) / 1024)

async function isIsolated(box: Container): Promise<void> {
  const ids = box.status('Uid').split('\t')
  assert.deepEqual([...new Set(ids)], [String(UID)])
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) assert.match(box.status(set), /^0+$/)
  assert.equal(box.status('NoNewPrivs'), '1')
  for (const place of ['/app', '/etc', '/usr/local/bin', '/app/.compile-cache', '/dev', '/home/node'])
    await assert.rejects(box.exec('sh', '-c', `echo x > ${place}/written`), /Read-only|Permission denied/)
  await box.exec('sh', '-c', 'echo x > /tmp/written && echo x > /data/written && rm /data/written')
}

async function showsConsole(
  box: Container,
  port: number,
  volume: Volume,
  folder: string,
  say: (line: string) => void,
): Promise<void> {
  if (CHROMIUM === null) return say('skip the console: no Chromium here (HM_CHROMIUM names one)')
  const [, code = ''] = /#(\S+)/.exec(await box.exec('hm', 'console')) ?? []
  const browser = await openBrowser({ port, ca: volume.ca }, join(folder, 'browser'))
  try {
    const page = await browser.newPage()
    await page.goto(`https://localhost:${port}/console/#${code}`)
    await page.getByRole('switch').first().waitFor()
    say('ok   a link of `hm console` opens the home in a browser')
  } finally {
    await browser.close()
  }
}

/** Tries the same home with a serial adapter, which is unplugged, and on a full disk. */
export async function triesFaults({ image, folder, say }: Bench, volume: Volume, token: string): Promise<void> {
  if (missing(['socat']).length > 0) return say('skip the serial adapter and the full disk: no socat here')
  await using sim = await SimProcess.start()
  const line = join(folder, 'adapter')
  const socat = plugIn(line, sim.port)
  await using _ = { [Symbol.asyncDispose]: () => pullOut(socat) }
  const port = await freePort()
  const env = { HM_PORT: String(port), HM_HMHC: DEVICE }
  const device = { from: await ofDialout(line), to: DEVICE }
  await using http = new HttpCaller({ url: `https://127.0.0.1:${port}`, ca: volume.ca, token })
  const lamp = idOf(token, 'hall-light')
  const body = { op: 'set_power', args: { on: true } }
  const control = (): Promise<RawAnswer> => http.call({ method: 'POST', path: `/v1/devices/${lamp}/control`, body })
  const hall = new Hall(http, token)
  {
    await using box = await Container.start(image, { volume: volume.path, env, device })
    await reachesStatus(control, 200)
    say(`ok   a lamp is switched over ${DEVICE}, which belongs to the group dialout`)
    await pullOut(socat)
    await reachesStatus(control, 503)
    await hall.hasLastName()
    say('ok   an unplugged adapter: control answers 503, everything else works')
    await fillsUp(volume, hall)
    await box.exec('node', 'scripts/healthcheck.mjs')
  }
  // The container was killed, and starts without the adapter.
  await using box = await Container.start(image, { volume: volume.path, env })
  await hall.hasLastName()
  say('ok   a full disk: changes answer 503, reading and a start go on, and no change that was answered is lost')
  volume.empty()
  await reachesStatus(() => hall.rename(), 200)
  say('ok   with room again changes are stored')
  await stopsQuickly(box, 'a stop without the adapter', say)
}

/** A room that is renamed again and again. */
class Hall {
  readonly #http: HttpCaller
  readonly #id: string
  #renames = 0
  /** The last name that the gateway has answered with 200. */
  #name: string | null = null

  constructor(http: HttpCaller, token: string) {
    this.#http = http
    this.#id = idOf(token, 'room:hall')
  }

  async rename(): Promise<RawAnswer> {
    this.#renames += 1
    const name = `Hall ${this.#renames}`
    const answer = await this.#http.call({ method: 'PATCH', path: `/v1/rooms/${this.#id}`, body: { name } })
    if (answer.status === 200) this.#name = name
    return answer
  }

  /** Reading works, and the home has the last name that was stored. */
  async hasLastName(): Promise<void> {
    const { status, body } = await this.#http.call({ method: 'GET', path: '/v1/house' })
    assert.equal(status, 200)
    if (this.#name !== null) assert.ok(JSON.stringify(body).includes(JSON.stringify(this.#name)), this.#name)
  }
}

/** The first change on a full disk is stored in the gateway's reserve of 4 MiB; that fills up too. */
async function fillsUp(volume: Volume, hall: Hall): Promise<void> {
  volume.fill()
  assert.equal((await hall.rename()).status, 200)
  volume.fill()
  await reachesStatus(() => hall.rename(), 503)
  await hall.hasLastName()
}

async function stopsQuickly(box: Container, what: string, say: (line: string) => void): Promise<void> {
  const resident = residentMib(box)
  const { code, ms } = await box.stop()
  assert.deepEqual([code, ms < STOP_MS_MAX], [0, true])
  say(`ok   ${what} ends with 0 after ${Math.round(ms)} ms; resident ${resident} MiB before`)
}

/** The id `SERIAL:INTEGRATION:local` of a thing for the token `hm_key_SERIAL.INTEGRATION.…`. */
function idOf(token: string, local: string): string {
  const [serial = '', integration = ''] = token.replace(/^hm_key_/, '').split('.')
  return encodeURIComponent(`${serial}:${integration}:${local}`)
}

/** Gives a serial port to the group dialout, as udev does. Returns the target of the link. */
async function ofDialout(link: string): Promise<string> {
  const path = (await run('sh', ['-c', `while [ ! -e "$1" ]; do sleep 0.1; done; readlink -f "$1"`, 'sh', link])).trim()
  await run('sh', ['-c', 'chgrp dialout "$1" && chmod 660 "$1"', 'sh', path])
  return path
}

const TRIES_MAX = 400

/** Repeats a request until its response has this status. */
async function reachesStatus(ask: () => Promise<{ readonly status: number }>, status: number): Promise<void> {
  let last = 0
  for (let tries = 0; tries < TRIES_MAX && last !== status; tries += 1) {
    last = (await ask()).status
    if (last !== status) await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.equal(last, status)
}

/** Tries the relay: health, isolation, an invitation and its stop. */
export async function triesRelay({ image, say }: Bench, volume: Volume): Promise<void> {
  const port = String(await freePort())
  const env = { HM_RELAY_PORT: port, HM_RELAY_URL: `https://localhost:${port}` }
  await using box = await Container.start(image, { volume: volume.path, env })
  await box.exec('node', 'scripts/healthcheck.mjs', 'relay')
  await isIsolated(box)
  assert.match(await box.exec('hm-relay', 'invite'), /https:/)
  say('ok   the relay is as isolated as the gateway')
  await stopsQuickly(box, 'a stop of the relay', say)
}

/** The size of an image, and its part above the base. */
export async function sizes(base: string, { root }: Image): Promise<string> {
  const [small, whole] = (await run('du', ['-s', '--block-size=1', base, root]))
    .split('\n')
    .map((line) => Number.parseInt(line))
  const mib = (bytes = 0): number => Math.round(bytes / MIB)
  return `${mib(whole)} MiB unpacked, ${mib((whole ?? 0) - (small ?? 0))} MiB of it above the base`
}
