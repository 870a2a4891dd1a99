// @module-tag repeated
import * as fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { at, ranOn, timetableWorld } from '#support/clocks/timetable-world.ts'
import { NEW_OCCURRENCE_MS, type NewClaim } from '../../ports/rule-store.ts'
import { LATE_RUN_MS, type TimeRule } from '../../model/rules.ts'
import type { Occurrence } from './local-time.ts'
import { Timetable, WAKE_MS_MAX } from './timetable.ts'
import { times } from '#support/long.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('the timetable', () => {
  describe('runs a date that a wrong clock reached early again when it is really there', () => {
    it.each([3, 1])('after a clock that was %i days ahead and reported it as missed', (days) => {
      const { clock, table, due, missed } = timetableWorld('2027-05-03T06:00')
      table.set('s', [{ time: '07:00' }], clock.now())
      table.start([])
      clock.advance(2 * HOUR)
      clock.jumpWall(days * DAY)
      clock.advance(3 * MINUTE)
      clock.jumpWall(-days * DAY)
      clock.advance(4 * DAY)
      const dates = ['03', '04', '05', '06', '07'].map((day) => `s 2027-05-${day}`)
      expect(due).toEqual(dates)
      expect(missed).toEqual([`s ${days} 2027-05-0${3 + days}`])
    })

    it('after a clock that was ahead by a day and ran it', () => {
      const { clock, table, due } = timetableWorld('2027-05-03T06:58')
      table.set('s', [{ time: '07:00' }], clock.now())
      table.start([])
      clock.jumpWall(DAY)
      clock.advance(10 * MINUTE)
      clock.jumpWall(-DAY)
      clock.advance(DAY)
      expect(due).toEqual(['s 2027-05-04', 's 2027-05-04'])
    })

    it('also late, if the gateway was off when the date began', () => {
      for (const missed of [true, false]) {
        const { clock, table, due } = timetableWorld('2027-05-03T07:01')
        table.set('s', [{ time: '07:00' }], at('2027-05-01T12:00'))
        // A clock two days ahead reached it two days before this start.
        const early = { ...ranOn('2027-05-03'), missed, steadyAt: clock.monotonic() - 2 * DAY }
        table.start([{ ...ranOn('2027-05-02'), steadyAt: clock.monotonic() - DAY }, early])
        expect(due).toEqual(['s 2027-05-03'])
      }
    })

    it('on each of the days that a clock repeats after it was set back for good', () => {
      const { clock, table, due, missed } = timetableWorld('2027-05-01T06:00')
      table.set('s', [{ time: '07:00' }], clock.now())
      table.start([])
      clock.advance(3 * DAY)
      clock.jumpWall(-3 * DAY)
      clock.advance(3 * DAY)
      expect(due).toEqual(['01', '02', '03', '01', '02', '03'].map((day) => `s 2027-05-${day}`))
      expect(missed).toEqual([])
    })

    it('but not if it ran by a clock two hours ahead: that was the same day', () => {
      const { clock, table, due, missed } = timetableWorld('2027-05-03T06:30')
      table.set('s', [{ time: '07:00' }], clock.now())
      table.start([])
      clock.advance(HOUR)
      clock.jumpWall(-2 * HOUR)
      clock.advance(DAY)
      expect(due).toEqual(['s 2027-05-03'])
      expect(missed).toEqual([])
    })

    it('or reports it as missed once more, if the gateway was off', () => {
      const { clock, table, missed } = timetableWorld('2027-05-03T07:06')
      table.set('s', [{ time: '07:00' }], at('2027-05-01T12:00'))
      // A clock that was ahead reported it at eight last evening.
      const early = { ...ranOn('2027-05-03'), missed: true, steadyAt: clock.monotonic() - 11 * HOUR }
      table.start([{ ...ranOn('2027-05-02'), steadyAt: clock.monotonic() - DAY }, early])
      expect(missed).toEqual(['s 1 2027-05-03'])
      // A report at the real time is not repeated.
      table.stop()
      table.start([{ ...early, steadyAt: clock.monotonic() }])
      expect(missed).toEqual(['s 1 2027-05-03'])
    })

    it('also if a start under a clock two hours ahead reported it as missed', () => {
      const { clock, table, due, missed } = timetableWorld('2027-05-03T08:30')
      table.set('s', [{ time: '07:00' }], at('2027-05-01T12:00'))
      table.start([ranOn('2027-05-02')])
      clock.jumpWall(-2 * HOUR)
      clock.advance(HOUR)
      expect(due).toEqual(['s 2027-05-03'])
      expect(missed).toEqual(['s 1 2027-05-03'])
    })
  })

  it('never misses and never doubles a run, whatever the clock and the restarts do', () => {
    const event = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 3 * HOUR }) }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('restart' as const), ms: fc.integer({ min: 0, max: 10 * MINUTE }) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('jump' as const), ms: fc.integer({ min: -3 * HOUR, max: 3 * HOUR }) }),
      },
    )
    fc.assert(
      fc.property(fc.array(event, { minLength: 5, maxLength: 40 }), (events) => {
        const rule: TimeRule = { time: '07:00' }
        const since = at('2027-05-03T00:00')
        const claimsByDate = new Map<string, NewClaim[]>()
        const claims: NewClaim[] = []
        let now = since
        // True time, which no jump changes.
        let passed = 0
        const steady = (): number => passed + clock.monotonic()
        const due: string[] = []
        const boot = (): { clock: ManualClock; table: Timetable } => {
          const clock = new ManualClock(now)
          const tell = (run: Occurrence, missed: boolean): void => {
            const dueAt = steady() - (clock.now() - run.at)
            const claim = { owner: 's', slot: '07:00', ...run, missed, steadyAt: steady(), dueAt }
            claimsByDate.set(run.date, [...(claimsByDate.get(run.date) ?? []), claim])
            claims.push(claim)
          }
          const table = new Timetable({
            seed: 'home',
            clock,
            steady,
            where: () => ({ zone: 'Europe/Berlin', place: null }),
            due: (_, run) => {
              expect(clock.now() - run.at).toBeLessThanOrEqual(LATE_RUN_MS)
              expect(clock.now()).toBeGreaterThanOrEqual(run.at)
              tell(run, false)
              due.push(run.date)
            },
            missed: (_, __, last) => tell(last, true),
          })
          table.set('s', [rule], since)
          table.start(claims)
          return { clock, table }
        }
        let { clock, table } = boot()
        let latest = now
        for (const { kind, ms } of events) {
          if (kind === 'pass') clock.advance(ms)
          else if (kind === 'jump') clock.jumpWall(ms)
          else {
            table.stop()
            now = clock.now() + ms
            passed += clock.monotonic() + ms
            ;({ clock, table } = boot())
          }
          latest = Math.max(latest, clock.now())
        }
        clock.advance(WAKE_MS_MAX)
        for (const its of claimsByDate.values())
          for (const [place, claim] of its.entries()) {
            const before = its[place - 1]
            if (before === undefined) continue
            const apart = (claim.steadyAt ?? 0) - (before.steadyAt ?? 0)
            const early = before.missed && (before.steadyAt ?? 0) < claim.dueAt
            expect((before.missed && !claim.missed) || early || apart >= NEW_OCCURRENCE_MS).toBe(true)
          }
        // Every date that is due on the displayed clock was processed, as run or as missed (several missed ones
        // together).
        const newest = [...claimsByDate.keys()].toSorted().at(-1) ?? ''
        const local = Temporal.Instant.fromEpochMilliseconds(clock.now()).toZonedDateTimeISO('Europe/Berlin')
        const expected = (local.hour >= 7 ? local : local.subtract({ days: 1 })).toPlainDate().toString()
        if (expected >= '2027-05-03') expect(newest >= expected).toBe(true)
        // After it is right again, the clock runs each day, including the ones it processed early.
        clock.jumpWall(since + steady() - clock.now())
        clock.advance(DAY)
        due.length = 0
        const days = [1, 2].map((more) =>
          Temporal.Instant.fromEpochMilliseconds(clock.now() - 7 * HOUR)
            .toZonedDateTimeISO('Europe/Berlin')
            .add({ days: more })
            .toPlainDate()
            .toString(),
        )
        clock.advance(2 * DAY)
        expect(due).toEqual(days)
      }),
      { numRuns: times(12, 1_000) },
    )
  })
})
