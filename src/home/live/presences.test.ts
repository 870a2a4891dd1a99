import { describe, expect, test } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempHistory } from '#support/homes/history.ts'
import { storedHouse } from '#support/homes/stored-house.ts'
import { CoreDb } from '../../db/core/core-db.ts'
import { SqlitePresence } from '../../db/core/presence-store.ts'
import { Emitter } from '../../lib/emitter.ts'
import { DAY_MS, MINUTE_MS } from '../../lib/durations.ts'
import { drainOutbox } from '../record/outbox.ts'
import type { Cause, HomeEvent } from '../model/events.ts'
import { ANYONE, anyoneOf, PRESENCES } from '../model/presence.ts'
import { Presences } from './presences.ts'

const PHONE: Cause = { source: 'integration', name: 'Phone', integration: 'i', link: 'l' }
const BY_HAND: Cause = { source: 'person', name: 'Anna' }

/** A home of Anna and Ben; a restart keeps only the stored state. */
class PeopleHome {
  readonly clock = new ManualClock()
  readonly core = new CoreDb(':memory:')
  readonly history = tempHistory({ clock: this.clock })
  readonly emitted: HomeEvent[] = []
  readonly #events = new Emitter<HomeEvent>((error) => {
    throw error
  })
  readonly house = storedHouse({}, { core: this.core, events: this.#events, clock: this.clock })
  presences = this.#started()

  constructor() {
    this.core.onOutbox = () => drainOutbox(this.core, this.history.activity)
    this.people('anna', 'ben')
    this.#events.on((event) => this.emitted.push(event))
  }

  people(...ids: readonly string[]): void {
    this.house.takePeople(ids.map((id) => ({ id, name: id })))
  }

  restart(offMs: number): void {
    this.presences.stop()
    this.clock.advance(offMs)
    this.presences = this.#started()
  }

  entries(): readonly string[] {
    drainOutbox(this.core, this.history.activity)
    const { entries } = this.history.activity.page({ subjects: { all: true }, from: 0, to: 2 ** 41, limit: 100 })
    return entries.flatMap(({ subject, what }) => (subject.kind === 'person' ? [`${subject.id} ${what}`] : []))
  }

  get now(): readonly string[] {
    return ['anna', 'ben', ANYONE].map((id) => this.presences.of(id).is)
  }

  #started(): Presences {
    const { house, core, clock, history } = this
    const parts = { house, work: core, activity: history.activity, events: this.#events, clock }
    const presences = new Presences({ ...parts, store: new SqlitePresence(core) })
    presences.start()
    return presences
  }
}

describe('the presence of people', () => {
  proves(['devices.presence-anyone'], 'anyone is home while one person is, and away when all are', () => {
    for (const [states, is] of [
      [[], 'unknown'],
      [['away', 'away'], 'away'],
      [['away', 'unknown'], 'unknown'],
      [['unknown', 'home', 'away'], 'home'],
    ] as const)
      expect(anyoneOf(states)).toBe(is)
    const home = new PeopleHome()
    home.presences.report('anna', 'away', PHONE)
    expect(home.now).toEqual(['away', 'unknown', 'unknown'])
    home.presences.report('ben', 'away', PHONE)
    expect(home.now).toEqual(['away', 'away', 'away'])
    home.presences.report('ben', 'home', PHONE)
    expect(home.now).toEqual(['away', 'home', 'home'])
  })

  proves(['devices.presence-anyone'], 'a person who is added or removed has neither come nor gone', () => {
    const home = new PeopleHome()
    for (const person of ['anna', 'ben']) home.presences.report(person, 'away', PHONE)
    home.emitted.length = 0
    home.people('anna', 'ben', 'cleo')
    home.people('anna', 'ben')
    const changes = home.emitted.flatMap((event) => (event.kind === 'presence' ? [event] : []))
    expect(changes.map(({ isReported }) => isReported)).toEqual([false, false])
    expect(changes.flatMap(({ changes: list }) => list.map(({ person, is }) => [person, is]))).toEqual([
      [ANYONE, 'unknown'],
      [ANYONE, 'away'],
    ])
  })

  proves(['devices.presence-stored'], 'presence and its start survive a restart', () => {
    const home = new PeopleHome()
    home.presences.report('anna', 'home', PHONE)
    const { since } = home.presences.of('anna')
    home.restart(DAY_MS)
    expect(home.now).toEqual(['home', 'unknown', 'home'])
    expect(home.presences.of('anna')).toMatchObject({ since, cause: PHONE })
    expect(home.presences.of(ANYONE)).toMatchObject({ since })
  })

  proves(['devices.presence-stored'], 'entries of presence last 7 days and go with their person', () => {
    const home = new PeopleHome()
    home.presences.report('anna', 'home', PHONE)
    home.presences.report('ben', 'home', PHONE)
    expect(home.entries()).toEqual(['ben is home', 'anna is home'])
    home.clock.advance(DAY_MS)
    home.presences.report('ben', 'away', PHONE)
    expect(home.entries()).toHaveLength(3)
    home.people('ben')
    expect(home.entries()).toEqual(['ben is away', 'ben is home'])
    home.people('anna', 'ben')
    expect(home.now).toEqual(['unknown', 'away', 'unknown'])
    home.history.upkeep.step(home.clock.now() + 6 * DAY_MS + 1)
    expect(home.entries()).toEqual(['ben is away'])
  })

  test('a person of core.db takes their presence along', () => {
    const home = new PeopleHome()
    const { db } = home.core
    home.core.change(() => db.prepare("INSERT INTO persons (id, name, created_at) VALUES ('anna', 'Anna', 0)").run())
    home.presences.report('anna', 'home', PHONE)
    home.core.change(() => db.prepare("DELETE FROM persons WHERE id = 'anna'").run())
    expect(db.prepare("SELECT * FROM presence WHERE person = 'anna'").all()).toEqual([])
  })

  proves(
    ['devices.presence-console'],
    'a used console means home, never away, and not against a fresh report by hand',
    () => {
      for (const from of PRESENCES) {
        const home = new PeopleHome()
        home.presences.report('anna', from, PHONE)
        home.presences.usedAtHome({ id: 'anna', integration: null })
        home.clock.advance(DAY_MS)
        expect(home.presences.of('anna').is).toBe('home')
      }
      const home = new PeopleHome()
      home.presences.report('anna', 'away', BY_HAND)
      home.presences.usedAtHome({ id: 'anna', integration: null })
      expect(home.presences.of('anna').is).toBe('away')
      home.clock.advance(10 * MINUTE_MS)
      home.presences.usedAtHome({ id: 'anna', integration: null })
      expect(home.presences.of('anna')).toMatchObject({ is: 'home', cause: { source: 'presence', name: 'console' } })
      home.presences.usedAtHome({ id: 'a stranger', integration: null })
      expect(home.now).toEqual(['home', 'unknown', 'home'])
    },
  )

  test('a report that changes nothing is no event and no entry', () => {
    const home = new PeopleHome()
    home.presences.report('anna', 'home', PHONE)
    home.presences.report('anna', 'home', BY_HAND)
    expect(home.presences.of('anna').cause).toEqual(PHONE)
    expect(home.entries()).toEqual(['anna is home'])
    expect(home.emitted.filter(({ kind }) => kind === 'presence')).toHaveLength(1)
  })
})
