import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../lib/durations.ts'
import { systemClock } from '../lib/clock.ts'
import { icalReader } from './ical-reader.ts'

const task = { zone: 'Europe/Berlin', from: Date.UTC(2027, 0, 1), to: Date.UTC(2028, 0, 1) }
const calendar = (...events: readonly (readonly string[])[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:test',
    ...events.flatMap((lines, index) => ['BEGIN:VEVENT', `UID:${index}`, ...lines, 'END:VEVENT']),
    'END:VCALENDAR',
    '',
  ].join('\r\n')
const reader = icalReader(systemClock)
const read = async (text: string) => reader({ ...task, text })

describe('an iCalendar file', () => {
  it('has whole days of the home, times with a zone, and repeated events over daylight saving', async () => {
    const file = calendar(
      ['DTSTART;VALUE=DATE:20270102', 'DTEND;VALUE=DATE:20270104', 'SUMMARY:Weekend'],
      ['DTSTART;TZID=America/New_York:20270503T070000', 'DTEND;TZID=America/New_York:20270503T073000', 'SUMMARY:Call'],
      ['DTSTART:20270503T120000Z', 'DURATION:PT1H', 'SUMMARY:UTC'],
      ['DTSTART:20270503T070000', 'DTEND:20270503T080000', 'SUMMARY:Floating\\, local'],
      ['DTSTART;VALUE=DATE:20270501', 'STATUS:CANCELLED', 'SUMMARY:Off'],
      [
        'DTSTART;TZID=Europe/Berlin:20270322T070000',
        'DTEND;TZID=Europe/Berlin:20270322T071500',
        'RRULE:FREQ=WEEKLY;COUNT=4',
        'EXDATE;TZID=Europe/Berlin:20270405T070000',
        'SUMMARY:Bins',
      ],
    )
    const at = (...utc: readonly [number, number, number, number?]): number => Date.UTC(2027, ...utc)
    const whole = { begins: '2027-01-02', ends: '2027-01-04' }
    expect(await read(file)).toEqual({
      ok: true,
      value: {
        leftOut: [],
        events: [
          { begins: at(0, 1, 23), ends: at(0, 3, 23), title: 'Weekend', dates: whole },
          ...[at(2, 22, 6), at(2, 29, 5), at(3, 12, 5)].map((begins) => ({
            ...{ begins, ends: begins + 15 * 60_000, title: 'Bins' },
          })),
          { begins: at(4, 3, 5), ends: at(4, 3, 6), title: 'Floating, local' },
          { begins: at(4, 3, 11), ends: at(4, 3, 11, 30), title: 'Call' },
          { begins: at(4, 3, 12), ends: at(4, 3, 13), title: 'UTC' },
        ],
      },
    })
  })

  it('gives titles without control characters, and no event that ends before it begins', async () => {
    const file = calendar(
      ['DTSTART;VALUE=DATE:20270102', 'SUMMARY:Soon \u001b[31m\u001b]0;owned\u0007\\nred\u202e'],
      ['DTSTART:20270503T120000Z', 'DTEND:20270503T110000Z', 'SUMMARY:Backwards'],
    )
    const events = await read(file)
    expect(events.ok && events.value.events.map(({ title }) => title)).toEqual(['Soon [31m ]0;owned red'])
  })

  it('is refused if it is none, is too large, or repeats without an end', async () => {
    expect(await read('hello')).toEqual({ ok: false, error: 'It is no iCalendar file.' })
    const large = `BEGIN:VCALENDAR${'x'.repeat(1_100_000)}`
    expect(await read(large)).toEqual({ ok: false, error: 'It is larger than 1 MiB.' })
  })

  it('keeps the other events if one cannot be read, and names that one', async () => {
    const good = ['DTSTART:20270503T120000Z', 'DURATION:PT1H', 'SUMMARY:Good']
    const odd = ['DTSTART:20270503T120000Z', 'RRULE:FREQ=FORTNIGHTLY', 'SUMMARY;LANGUAGE=en:Bins\\, ol\r\n d']
    const often = ['DTSTART:20270101T000000Z', 'RRULE:FREQ=SECONDLY', 'SUMMARY:Tick']
    const content = await read(calendar(good, odd, often))
    expect(content.ok && content.value.events.map(({ title }) => title)).toEqual(['Good'])
    expect(content.ok && content.value.leftOut).toEqual([
      { title: 'Bins, old', reason: 'its rule of repetition (RRULE) cannot be read' },
      { title: 'Tick', reason: 'it repeats every minute or second' },
    ])
    expect(await read(calendar(odd))).toEqual({
      ok: false,
      error: 'It has no event that can be used. “Bins, old”: its rule of repetition (RRULE) cannot be read.',
    })
  })

  it('has at most 5,000 events', { tags: ['long'] }, async () => {
    const hourly = calendar(['DTSTART:20270101T000000Z', 'RRULE:FREQ=HOURLY', 'SUMMARY:Hour'])
    const events = await read(hourly)
    expect(events.ok && events.value.events.length).toBe(5_000)
    const ticking = calendar(['DTSTART:20270101T000000Z', 'RRULE:FREQ=SECONDLY', 'SUMMARY:Tick'])
    expect(await reader({ ...task, to: task.from + 400 * DAY_MS, text: ticking })).toMatchObject({ ok: false })
  })
})
