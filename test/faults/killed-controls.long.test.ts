// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { callerOver } from '#support/gateway/caller-over.ts'
import { COMPILED } from '#support/gateway/gateway-process.ts'
import type { RawCaller } from '#support/gateway/callers.ts'
import { FOREVER } from '#support/homes/history.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { GATEWAY_FLAGS } from '../../scripts/gateway-flags.mjs'
import { openHistory } from '../../src/db/history/history-db.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { systemRandom } from '../../src/lib/random.ts'

const CHILD = new URL('./controlled-child.ts', import.meta.url).pathname
const KILLS = 200
/** Homes that are killed at the same time. */
const HOMES = 2
const BRIGHTNESSES = 100
/** Longest time from the first acknowledgement to the kill. */
const KILL_WITHIN_MS = 60

/** Facts that a gateway prints once it listens. */
interface Facts {
  readonly port: number
  readonly serial: string
  readonly caFile: string
  readonly token: string | null
  readonly dimmers: readonly string[]
}

/** Numbers of controls or entries by dimmer and brightness. */
type Counts = Map<string, number>

/** A home whose dimmers are set until its gateway is killed. */
class KilledHome {
  readonly sent: Counts = new Map()
  readonly acknowledged: Counts = new Map()
  readonly #dataDir = tempFolder()
  #token = ''
  #level = 0
  /** Number of kills that left entries in the journal. */
  journals = 0

  async killOnce(): Promise<void> {
    const child = spawn(process.execPath, [...GATEWAY_FLAGS, CHILD, this.#dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...COMPILED },
    })
    const [printed] = (await once(child.stdout, 'data')) as [Buffer]
    const facts = JSON.parse(printed.toString()) as Facts
    this.#token ||= facts.token ?? ''
    const access = {
      url: `https://127.0.0.1:${facts.port}`,
      ca: readFileSync(facts.caFile, 'utf8'),
      token: this.#token,
    }
    await using http = callerOver('http', access)
    const begun = Promise.withResolvers<void>()
    const prefix = `/v1/devices/${facts.serial}:${this.#token.split('.')[1]}`
    const setting = facts.dimmers.map((dimmer) => this.#set(http, prefix, dimmer, begun.resolve))
    const working = [...setting, readActivity(http)]
    await begun.promise
    await wait(Math.random() * KILL_WITHIN_MS)
    child.kill('SIGKILL')
    await Promise.all([once(child, 'close'), ...working])
    this.journals += statSync(join(this.#dataDir, 'history.db-rows'), { throwIfNoEntry: false })?.size ? 1 : 0
  }

  /** Stored entries of the dimmers. */
  stored(): Counts {
    const file = join(this.#dataDir, 'history.db')
    const history = openHistory({ file, clock: systemClock, random: systemRandom, log: silentLog })
    const stored: Counts = new Map()
    for (const { subject, data } of history.activity.iterate(0, FOREVER)) {
      const to = data?.['to'] as { readonly bri?: number } | undefined
      if (subject.kind === 'device') count(stored, `${subject.id} ${to?.bri}`)
    }
    history.close()
    return stored
  }

  /** Sets a dimmer to ever other brightnesses until the gateway is gone. */
  async #set(http: RawCaller, prefix: string, dimmer: string, begin: () => void): Promise<void> {
    for (;;) {
      this.#level = (this.#level + 1) % BRIGHTNESSES
      const bri = 1 + this.#level
      const key = `${dimmer} ${bri}`
      count(this.sent, key)
      const body = { op: 'set_brightness', args: { bri } }
      const answer = await http.call({ method: 'POST', path: `${prefix}:${dimmer}/control`, body }).catch(() => null)
      if (answer === null) return
      expect(answer.status).toBe(200)
      count(this.acknowledged, key)
      begin()
    }
  }
}

/** Reads the activity now and then, so that a kill meets commits too. */
async function readActivity(http: RawCaller): Promise<void> {
  while (await http.call({ method: 'GET', path: '/v1/activity?limit=1' }).catch(() => null)) await wait(10)
}

const count = (counts: Counts, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1)
const sum = (numbers: Iterable<number>): number => [...numbers].reduce((all, one) => all + one, 0)

describe('kill -9 while controls are acknowledged', () => {
  test(`leaves an entry of each in the activity, in ${KILLS} kills, and none twice`, { timeout: 600_000 }, async () => {
    const homes = Array.from({ length: HOMES }, () => new KilledHome())
    await Promise.all(
      homes.map(async (home) => {
        for (let kill = 0; kill < KILLS / HOMES; kill += 1) await home.killOnce()
      }),
    )
    for (const home of homes) {
      const stored = home.stored()
      const isRight = ([key, sent]: [string, number]): boolean =>
        (stored.get(key) ?? 0) >= (home.acknowledged.get(key) ?? 0) && (stored.get(key) ?? 0) <= sent
      expect([...home.sent].filter((control) => !isRight(control))).toEqual([])
    }
    const acknowledged = sum(homes.flatMap((home) => [...home.acknowledged.values()]))
    const journals = sum(homes.map((home) => home.journals))
    console.info(
      `${acknowledged} controls acknowledged in ${KILLS} kills, all in the activity once; ${journals} kills left a journal`,
    )
  })
})
