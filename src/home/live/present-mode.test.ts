import { describe, expect, test } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { storedHouse } from '#support/homes/stored-house.ts'
import { recordingLog } from '#support/recording-log.ts'
import { CoreDb } from '../../db/core/core-db.ts'
import { SqliteMode } from '../../db/core/single-rows.ts'
import { Emitter } from '../../lib/emitter.ts'
import { DAY_MS, HOUR_MS } from '../../lib/durations.ts'
import type { Cause, HomeEvent } from '../model/events.ts'
import { PresentMode } from './present-mode.ts'

const ANNA: Cause = { source: 'person', name: 'Anna' }
const LATE_MS_MAX = 60_000

/** A home whose mode can be set; `restarted` keeps only the stored state. */
class ModeHome {
  readonly clock = new ManualClock()
  readonly core = new CoreDb(':memory:')
  readonly emitted: HomeEvent[] = []
  isClockDoubted = false
  readonly #events = new Emitter<HomeEvent>((error) => {
    throw error
  })
  readonly house = storedHouse({}, { core: this.core, events: this.#events, clock: this.clock })
  mode = this.#started()

  constructor() {
    this.#events.on((event) => this.emitted.push(event))
  }

  restart(offMs: number): void {
    this.mode.stop()
    this.clock.advance(offMs)
    this.mode = this.#started()
  }

  get changes(): readonly string[] {
    return this.emitted.flatMap((event) => (event.kind === 'mode' ? [`${event.before} ${event.held.mode}`] : []))
  }

  entries(): readonly { readonly what: string; readonly cause: Cause }[] {
    const rows = this.core.db.prepare<[], string>('SELECT draft FROM activity_outbox ORDER BY id').pluck().all()
    return rows.map((row) => JSON.parse(row) as { readonly what: string; readonly cause: Cause })
  }

  #started(): PresentMode {
    const { house, core, clock } = this
    const parts = { house, work: core, events: this.#events, clock, log: recordingLog(), store: new SqliteMode(core) }
    const mode = new PresentMode({ ...parts, isClockDoubted: () => this.isClockDoubted })
    mode.start()
    return mode
  }
}

describe('the mode of the home', () => {
  test('is home in a new home, and lasts until somebody changes it', () => {
    const home = new ModeHome()
    expect(home.mode.now).toMatchObject({ mode: 'home', until: null, previous: null })
    home.mode.set('night', null, ANNA)
    home.mode.set('night', null, ANNA)
    home.restart(DAY_MS)
    expect(home.mode.now).toMatchObject({ mode: 'night', until: null, previous: null, cause: ANNA })
    expect(home.changes).toEqual(['home night'])
    expect(home.entries()).toMatchObject([{ what: 'changed to Night', cause: ANNA }])
  })

  proves(['devices.mode-until'], 'a temporary mode is over within 60 s of its end', () => {
    let latest = 0
    for (let minutes = 1; minutes <= 240; minutes += 7) {
      const home = new ModeHome()
      const until = home.clock.now() + minutes * 60_000 + 17
      home.mode.set('away', null, ANNA)
      home.mode.set('guest', until, ANNA)
      home.clock.advance(until - home.clock.now() - 1)
      expect(home.mode.now).toMatchObject({ mode: 'guest', previous: 'away', until })
      while (home.mode.now.mode === 'guest') home.clock.advance(1_000)
      latest = Math.max(latest, home.clock.now() - until)
      expect(home.mode.now).toMatchObject({ mode: 'away', until: null, previous: null })
    }
    console.info(`A temporary mode ended at most ${latest} ms after its end.`)
    expect(latest).toBeLessThanOrEqual(LATE_MS_MAX)
  })

  proves(['devices.mode-until'], 'its end survives a restart, and a doubted clock delays it', () => {
    const home = new ModeHome()
    home.mode.set('guest', home.clock.now() + HOUR_MS, ANNA)
    home.restart(1_000)
    expect(home.mode.now).toMatchObject({ mode: 'guest', previous: 'home' })
    home.isClockDoubted = true
    home.clock.advance(2 * HOUR_MS)
    expect(home.mode.now.mode).toBe('guest')
    home.isClockDoubted = false
    home.clock.advance(LATE_MS_MAX)
    expect(home.mode.now.mode).toBe('home')
    expect(home.entries().at(-1)).toMatchObject({
      what: 'changed to Home',
      cause: { source: 'gateway', name: 'gateway', by: ANNA },
    })
    home.mode.set('guest', home.clock.now() + HOUR_MS, ANNA)
    home.restart(DAY_MS)
    expect(home.mode.now).toMatchObject({ mode: 'home', until: null })
  })

  test('a second temporary mode returns to the lasting one', () => {
    const home = new ModeHome()
    home.mode.set('guest', home.clock.now() + DAY_MS, ANNA)
    home.mode.set('night', home.clock.now() + HOUR_MS, ANNA)
    home.clock.advance(HOUR_MS)
    expect(home.mode.now.mode).toBe('home')
    home.clock.advance(DAY_MS)
    expect(home.changes).toEqual(['home guest', 'guest night', 'night home'])
  })

  test('a removed mode is left for the one before', () => {
    const home = new ModeHome()
    const modes = [...home.house.modes.values()]
    home.house.setModes([...modes, { id: 'party', name: 'Party' }], 'mode Party added', ANNA)
    home.mode.set('party', home.clock.now() + HOUR_MS, ANNA)
    home.house.setModes(modes, 'mode Party removed', ANNA)
    expect(home.mode.now).toMatchObject({ mode: 'home', until: null })
    expect(home.changes).toEqual(['home home', 'home party', 'party home'])
  })
})
