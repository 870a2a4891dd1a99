// @module-tag repeated
import { Temporal } from 'temporal-polyfill'
import { describe, expect, it } from 'vitest'
import { at, ranOn, timetableWorld } from '#support/clocks/timetable-world.ts'
import { LATE_RUN_MS, type TimeRule } from '../../model/rules.ts'
import { WAKE_MS_MAX } from './timetable.ts'
import { LONG } from '#support/long.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Years; in `npm test` the weeks of one year in which the clocks of the zones change. */
const SPANS = LONG
  ? [['2026-01-01', '2031-01-01']]
  : [
      ['2026-03-01', '2026-04-12'],
      ['2026-09-27', '2026-11-08'],
    ]
describe('the timetable', () => {
  it.each(SPANS)('runs each local date from %s to %s once, on the minute, in every zone', (from, until) => {
    for (const [zone, time] of [
      ['Europe/Berlin', '02:30'],
      ['America/New_York', '02:30'],
      ['Australia/Lord_Howe', '02:15'],
      ['UTC', '00:00'],
    ] as const) {
      const { clock, table, due, missed } = timetableWorld(`${from}T00:00:01`, zone)
      const moments: number[] = []
      table.set('s', [{ time }], clock.now())
      table.start([])
      const { days } = Temporal.PlainDate.from(from).until(until)
      const end = at(`${until}T00:00:00`, zone)
      while (clock.now() < end) {
        const before = due.length
        clock.advance(Math.min(end - clock.now(), Math.max(1, (table.nextOf('s') ?? end) - clock.now())))
        if (due.length > before) moments.push(clock.now())
      }
      // The span starts a second after midnight and ends at midnight, so each time of day occurs equally often.
      expect(due).toHaveLength(days)
      expect(new Set(due).size).toBe(due.length)
      expect(missed).toEqual([])
      expect(moments).toHaveLength(days)
    }
  })

  it('wakes at least once a minute, and never more often without need', () => {
    const { clock, table } = timetableWorld('2027-05-03T12:00')
    table.set('s', [{ time: '12:30' }], clock.now())
    table.start([])
    expect(clock.waiting).toBe(1)
    clock.advance(WAKE_MS_MAX - 1)
    expect(clock.waiting).toBe(1)
    clock.advance(HOUR)
    expect(clock.waiting).toBe(1)
  })

  it('catches up after a start: late within five minutes, missed before that', () => {
    const late = timetableWorld('2027-05-03T07:04:59')
    late.table.set('s', [{ time: '07:00' }], at('2027-05-01T12:00'))
    late.table.start([ranOn('2027-05-02')])
    expect(late.due).toEqual(['s 2027-05-03'])
    expect(late.missed).toEqual([])

    const missed = timetableWorld(at('2027-05-03T07:00') + LATE_RUN_MS + 1)
    missed.table.set('s', [{ time: '07:00' }], at('2027-04-01T12:00'))
    missed.table.start([ranOn('2027-05-01')])
    expect(missed.due).toEqual([])
    expect(missed.missed).toEqual(['s 2 2027-05-03'])
  })

  it('runs the late one and reports the missed ones before it', () => {
    const { clock, table, due, missed } = timetableWorld('2027-05-20T07:03')
    table.set('s', [{ time: '07:00' }], at('2027-05-01T12:00'))
    table.start([])
    expect(due).toEqual(['s 2027-05-20'])
    expect(missed).toEqual(['s 10 2027-05-19'])
    clock.advance(DAY)
    expect(due).toEqual(['s 2027-05-20', 's 2027-05-21'])
    expect(missed).toHaveLength(1)
  })

  it('does not repeat a run from before the restart', () => {
    const { table, due, missed } = timetableWorld('2027-05-03T07:02')
    table.set('s', [{ time: '07:00' }], at('2027-05-01T12:00'))
    table.start([ranOn('2027-05-03')])
    expect([...due, ...missed]).toEqual([])
  })

  it('owes no run from before an edit, and runs a time that was moved later on the same day', () => {
    const { clock, table, due } = timetableWorld('2027-05-03T06:59')
    table.set('s', [{ time: '07:00' }], clock.now())
    table.start([])
    clock.advance(10 * MINUTE)
    table.set('s', [{ time: '07:30' }], clock.now())
    clock.advance(HOUR)
    table.set('s', [{ time: '07:00' }], clock.now())
    clock.advance(HOUR)
    expect(due).toEqual(['s 2027-05-03', 's 2027-05-03'])
  })

  it('is unaffected if the clock jumps an hour back and forth', () => {
    const { clock, table, due, missed } = timetableWorld('2027-05-03T06:50')
    table.set('s', [{ time: '07:00' }], clock.now())
    table.start([])
    clock.advance(20 * MINUTE)
    clock.jumpWall(-HOUR)
    clock.advance(2 * HOUR)
    clock.jumpWall(-HOUR)
    clock.advance(2 * HOUR)
    expect(due).toEqual(['s 2027-05-03'])
    expect(missed).toEqual([])
  })

  it('causes no storm if the clock jumps 400 days, and continues correctly after it is set right', () => {
    const { clock, table, due, missed } = timetableWorld('2027-05-03T12:00')
    table.set('s', [{ time: '07:00' }], clock.now())
    table.start([])
    clock.advance(DAY)
    clock.jumpWall(400 * DAY)
    clock.advance(MINUTE)
    clock.jumpWall(-400 * DAY)
    clock.advance(DAY)
    expect(due).toEqual(['s 2027-05-04', 's 2027-05-05'])
    expect(missed).toEqual(['s 10 2028-06-07'])
  })

  it('starts in 1970 and owes only the really missed runs once the clock is right', () => {
    const { clock, table, due, missed } = timetableWorld(0)
    table.set('s', [{ time: '07:00' }], at('2027-05-01T12:00'))
    table.start([])
    clock.advance(30_000)
    clock.jumpWall(at('2027-05-03T07:01') - clock.now())
    clock.advance(MINUTE)
    expect(due).toEqual(['s 2027-05-03'])
    expect(missed).toEqual(['s 1 2027-05-02'])
  })

  it('follows the home to another time zone without a second run on one date', () => {
    const { clock, table, due, missed, where } = timetableWorld('2027-05-03T06:00')
    table.set('s', [{ time: '07:00' }], clock.now())
    table.start([])
    clock.advance(2 * HOUR)
    where.now = { zone: 'America/New_York', place: null }
    clock.advance(DAY - 2 * HOUR)
    expect(due).toEqual(['s 2027-05-03'])
    clock.advance(8 * HOUR)
    expect(due).toEqual(['s 2027-05-03', 's 2027-05-04'])
    expect(missed).toEqual([])
  })

  it('lists upcoming runs, soonest first', () => {
    const { clock, table } = timetableWorld('2027-05-03T12:00')
    const rules: [string, TimeRule][] = [
      ['a', { time: '13:00' }],
      ['b', { time: '12:30', days: [1, 2] }],
    ]
    for (const [owner, rule] of rules) table.set(owner, [rule], clock.now())
    table.start([])
    expect(table.upcoming(clock.now() + 2 * DAY, 10).map((run) => run.owner)).toEqual(['b', 'a', 'b', 'a'])
    expect(table.upcoming(clock.now() + 300 * DAY, 10)).toHaveLength(10)
  })
})
