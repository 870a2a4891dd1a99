import { describe, expect, it } from 'vitest'
import { eventsInFile } from './events-in-file.ts'

const span = { zone: 'Europe/Berlin', from: Date.UTC(2027, 0, 1), to: Date.UTC(2028, 0, 1) }
const event = (...lines: readonly string[]): readonly string[] => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']
const file = (...lines: readonly (string | readonly string[])[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines.flat(), 'END:VCALENDAR', ''].join('\r\n')

/** Begins and titles as `2027-03-28T05:00Z Bins`; dates and times of no zone as the file has them. */
function read(text: string, zone = span.zone): readonly string[] {
  const { events, leftOut } = eventsInFile({ ...span, zone, text })
  const begins = events.map(({ begins: at, title }) => {
    const time = typeof at === 'number' ? new Date(at).toISOString().replace(':00.000Z', 'Z') : at
    return `${time} ${title}`.trim()
  })
  return [...begins.toSorted(), ...leftOut.map(({ title, reason }) => `left out: “${title}”: ${reason}`)]
}
const BINS = ['SUMMARY:Bins', 'UID:bins']

describe('repeated events of a file', () => {
  it('have further times, dates and periods (RDATE), also without a rule', () => {
    const times = event('DTSTART:20270503T120000Z', 'DTEND:20270503T130000Z', 'RDATE:20270504T120000Z,20270506T120000Z')
    expect(read(file(times))).toEqual(['2027-05-03T12:00Z', '2027-05-04T12:00Z', '2027-05-06T12:00Z'])
    const dates = event(
      'DTSTART;VALUE=DATE:20270503',
      'RRULE:FREQ=WEEKLY;COUNT=2',
      'RDATE;VALUE=DATE:20270505',
      ...BINS,
    )
    expect(read(file(dates))).toEqual(['2027-05-03 Bins', '2027-05-05 Bins', '2027-05-10 Bins'])
    const periods = event('DTSTART:20270503T120000Z', 'RDATE;VALUE=PERIOD:20270504T100000Z/PT3H')
    expect(eventsInFile({ ...span, text: file(periods) }).events).toContainEqual({
      ...{ begins: Date.UTC(2027, 4, 4, 10), ends: Date.UTC(2027, 4, 4, 13), title: '' },
    })
  })

  it('leave out times by date, by time and in another zone (EXDATE)', () => {
    const series = (start: string, ...except: readonly string[]): readonly string[] =>
      read(file(event(start, 'RRULE:FREQ=DAILY;COUNT=3', ...except)))
    const timed = 'DTSTART;TZID=Europe/Berlin:20270327T003000'
    const left = ['2027-03-26T23:30Z', '2027-03-28T22:30Z']
    expect(series(timed, 'EXDATE;VALUE=DATE:20270328')).toEqual(left)
    expect(series(timed, 'EXDATE:20270327T233000Z')).toEqual(left)
    expect(series(timed, 'EXDATE:20270328T003000')).toEqual(left)
    expect(series(timed, 'EXDATE;TZID=America/New_York:20270327T193000')).toEqual(left)
    const whole = 'DTSTART;VALUE=DATE:20270327'
    expect(series(whole, 'EXDATE;TZID=Europe/Berlin:20270328T000000')).toEqual(['2027-03-27', '2027-03-29'])
    expect(series(whole, 'EXDATE:20270327T230000Z')).toEqual(['2027-03-27', '2027-03-29'])
  })

  it('end on the day that the rule names, by date or time, wherever the rule names it', () => {
    const series = (start: string, rule: string): readonly string[] => read(file(event(start, `RRULE:${rule}`)))
    const dates = ['2027-05-03', '2027-05-10']
    expect(series('DTSTART;VALUE=DATE:20270503', 'FREQ=WEEKLY;UNTIL=20270510')).toEqual(dates)
    expect(series('DTSTART;VALUE=DATE:20270503', 'UNTIL=20270509T220000Z;FREQ=WEEKLY')).toEqual(dates)
    expect(series('DTSTART:20270503T180000', 'FREQ=WEEKLY;UNTIL=20270510')).toEqual(
      dates.map((its) => `${its}T18:00:00`),
    )
    const zoned = series('DTSTART;TZID=Europe/Berlin:20270503T180000', 'freq=weekly;until=20270510T180000')
    expect(zoned).toEqual(dates.map((its) => `${its}T16:00Z`))
    expect(series('DTSTART:20270503T180000Z', 'COUNT=2;FREQ=WEEKLY')).toEqual(dates.map((its) => `${its}T18:00Z`))
  })

  it('keep their days over daylight saving as dates and by the clock', () => {
    const whole = event('DTSTART;VALUE=DATE:20270327', 'DTEND;VALUE=DATE:20270329', 'RRULE:FREQ=WEEKLY;COUNT=2')
    expect(eventsInFile({ ...span, text: file(whole) }).events.map(({ ends }) => ends)).toEqual([
      '2027-03-29',
      '2027-04-05',
    ])
    const floating = event('DTSTART:20270327T023000', 'DURATION:P1D', 'RRULE:FREQ=DAILY;COUNT=3')
    expect(read(file(floating))).toEqual(['2027-03-27T02:30:00', '2027-03-28T02:30:00', '2027-03-29T02:30:00'])
    const days = event('DTSTART;TZID=Europe/Berlin:20270327T120000', 'DURATION:P1D')
    expect(eventsInFile({ ...span, text: file(days) }).events[0]?.ends).toBe(Date.UTC(2027, 2, 28, 10))
  })

  it('have exceptions that move, cancel and follow', () => {
    const series = event(...BINS, 'DTSTART;TZID=Europe/Berlin:20270503T070000', 'RRULE:FREQ=WEEKLY;COUNT=4')
    const at = 'RECURRENCE-ID;TZID=Europe/Berlin'
    const once = event('UID:bins', `${at}:20270510T070000`, 'DTSTART;TZID=Europe/Berlin:20270511T080000')
    expect(read(file(once, series))).toEqual([
      ...['2027-05-03T05:00Z Bins', '2027-05-11T06:00Z Bins', '2027-05-17T05:00Z Bins', '2027-05-24T05:00Z Bins'],
    ])
    const off = event('UID:bins', `${at}:20270510T070000`, 'STATUS:CANCELLED')
    expect(read(file(series, off))).toEqual([
      ...['2027-05-03T05:00Z Bins', '2027-05-17T05:00Z Bins', '2027-05-24T05:00Z Bins'],
    ])
    const moved = event(
      ...['UID:bins', 'RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20270517T070000'],
      ...['DTSTART;TZID=Europe/Berlin:20270518T090000', 'SUMMARY:Later'],
    )
    expect(read(file(series, moved))).toEqual([
      ...['2027-05-03T05:00Z Bins', '2027-05-10T05:00Z Bins', '2027-05-18T07:00Z Later', '2027-05-25T07:00Z Later'],
    ])
    const ended = event('UID:bins', 'RECURRENCE-ID;RANGE=THISANDFUTURE:20270510T050000Z', 'STATUS:CANCELLED')
    expect(read(file(series, ended))).toEqual(['2027-05-03T05:00Z Bins'])
    const unclear = event('UID:bins', `${at}:20270510T070000`, 'DTSTART:soon', 'SUMMARY:Moved')
    expect(read(file(series, unclear))).toEqual([
      ...['2027-05-03T05:00Z Bins', '2027-05-17T05:00Z Bins', '2027-05-24T05:00Z Bins'],
      'left out: “Moved”: its begin (DTSTART) cannot be read',
    ])
  })
})

describe('events of one UID', () => {
  it('are different events, or versions of one by SEQUENCE', () => {
    const paper = event('UID:None', 'DTSTART;VALUE=DATE:20270503', 'SUMMARY:Paper')
    const glass = event('UID:None', 'DTSTART;VALUE=DATE:20270504', 'SUMMARY:Glass')
    expect(read(file(paper, glass, glass))).toEqual(['2027-05-03 Paper', '2027-05-04 Glass'])
    const newer = event('UID:None', 'SEQUENCE:2', 'DTSTART;VALUE=DATE:20270505', 'SUMMARY:Paper')
    expect(read(file(newer, paper))).toEqual(['2027-05-05 Paper'])
    const alone = event('UID:busy', 'RECURRENCE-ID:20270503T100000Z', 'DTSTART:20270503T100000Z', 'SUMMARY:Busy')
    expect(read(file(alone))).toEqual(['2027-05-03T10:00Z Busy'])
    expect(read(file(event('DTSTART:20270503'), event('DTSTART:20270504')))).toEqual(['2027-05-03', '2027-05-04'])
  })
})

describe('the time zone of an event', () => {
  const zone = (tzid: string, standard: string, daylight: string, ...rules: readonly string[]): readonly string[] => [
    ...['BEGIN:VTIMEZONE', `TZID:${tzid}`, 'BEGIN:STANDARD', `DTSTART:${rules[0]}`, `RRULE:${rules[1]}`],
    ...[`TZOFFSETFROM:${daylight}`, `TZOFFSETTO:${standard}`, 'END:STANDARD', 'BEGIN:DAYLIGHT', `DTSTART:${rules[2]}`],
    ...[`RRULE:${rules[3]}`, `TZOFFSETFROM:${standard}`, `TZOFFSETTO:${daylight}`, 'END:DAYLIGHT', 'END:VTIMEZONE'],
  ]
  const europe = [
    ...['16010101T030000', 'FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10', '16010101T020000', 'FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3'],
  ]
  const weekly = (tzid: string): readonly string[] =>
    event(`DTSTART;TZID=${tzid}:20270322T070000`, 'RRULE:FREQ=WEEKLY;COUNT=2')

  it('is found by the names that programs give it', () => {
    const names = [
      'Europe/Berlin',
      'W. Europe Standard Time',
      '"W. Europe Standard Time"',
      '/mozilla.org/20050126_1/Europe/Berlin',
    ]
    const label = '"(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna"'
    for (const name of [...names, label])
      expect(read(file(weekly(name)), 'America/New_York'), name).toEqual(['2027-03-22T06:00Z', '2027-03-29T05:00Z'])
    expect(read(file(weekly('tzone://Microsoft/Utc')))).toEqual(['2027-03-22T07:00Z', '2027-03-29T07:00Z'])
    expect(read(file(weekly('GMT+0200')))).toEqual(['2027-03-22T05:00Z', '2027-03-29T05:00Z'])
    const ended = event('DTSTART;TZID=UTC+2:20270322T070000', 'RRULE:FREQ=WEEKLY;UNTIL=20270329T070000')
    expect(read(file(ended))).toEqual(['2027-03-22T05:00Z', '2027-03-29T05:00Z'])
  })

  it('is computed from its rules in the file (VTIMEZONE)', () => {
    const own = zone('Customized Time Zone', '+0100', '+0200', ...europe)
    const berlin = ['2027-03-22T06:00Z', '2027-03-29T05:00Z']
    expect(read(file(own, weekly('Customized Time Zone')), 'America/New_York')).toEqual(berlin)
    // Egypt has the same offsets and changes its clocks on other days.
    const east = zone('Home East', '+0200', '+0300', ...europe.with(0, '16010101T040000').with(2, '16010101T030000'))
    expect(read(file(east, weekly('Home East')))).toEqual(['2027-03-22T05:00Z', '2027-03-29T04:00Z'])
    const fixed = [
      ...['BEGIN:VTIMEZONE', 'TZID:Fixed', 'BEGIN:STANDARD', 'DTSTART:19700101T000000', 'TZOFFSETFROM:+0530'],
      ...['TZOFFSETTO:+0530', 'END:STANDARD', 'END:VTIMEZONE'],
    ]
    expect(read(file(fixed, weekly('Fixed')))).toEqual(['2027-03-22T01:30Z', '2027-03-29T01:30Z'])
  })

  it('is named if it is unknown', () => {
    const reason = 'left out: “”: its time zone “Bogus/Zone” is unknown'
    expect(read(file(weekly('Bogus/Zone')))).toEqual([reason])
    const odd = zone('Bogus/Zone', '+0107', '+0213', ...europe)
    expect(read(file(odd, weekly('Bogus/Zone')))).toEqual([reason])
    expect(read(file(weekly('"(UTC+01:00) Nowhere"')))).toEqual([
      'left out: “”: its time zone “(UTC+01:00) Nowhere” is unknown',
    ])
    const end = event('DTSTART:20270503T070000Z', 'DTEND;TZID=Bogus/Zone:20270503T080000')
    expect(read(file(end))).toEqual([reason])
  })

  it('is that of the home for times without one, whatever zones the file describes', () => {
    const floating = event('DTSTART:20270322T070000')
    expect(read(file(zone('Asia/Tokyo', '+0900', '+0900', ...europe), floating))).toEqual(['2027-03-22T07:00:00'])
  })
})

describe('events that cannot be used', () => {
  it('are named with the reason', () => {
    const reasons = {
      'it has no begin (DTSTART)': ['SUMMARY:A'],
      'its begin (DTSTART) cannot be read': ['DTSTART:20270231T070000Z'],
      'its end (DTEND) cannot be read': ['DTSTART:20270503T070000Z', 'DTEND:'],
      'it ends before it begins': ['DTSTART:20270503T070000Z', 'DTEND:20270503T060000Z'],
      'its length (DURATION) cannot be read': ['DTSTART:20270503T070000Z', 'DURATION:an hour'],
      'one of its left out times (EXDATE) cannot be read': ['DTSTART:20270503T070000Z', 'EXDATE:x'],
      'one of its further times (RDATE) cannot be read': ['DTSTART:20270503T070000Z', 'RDATE:x'],
      'it has exceptions by rule (EXRULE)': ['DTSTART:20270503T070000Z', 'EXRULE:FREQ=DAILY'],
      'its rule of repetition (RRULE) cannot be read': ['DTSTART:20270503T070000Z', 'RRULE:FREQ=DAILY;UNTIL=soon'],
    }
    for (const [reason, lines] of Object.entries(reasons))
      expect(read(file(event(...lines))).map((line) => line.split(': ').at(-1))).toEqual([reason])
    const back = event('DTSTART;VALUE=DATE:20270503', 'DTEND;VALUE=DATE:20270502')
    expect(read(file(back))).toEqual(['left out: “”: it ends before it begins'])
    expect(read(file(event('DTSTART:20270503T070000Z', 'DURATION:-PT1H')))).toEqual([
      'left out: “”: it ends before it begins',
    ])
  })

  it('are those without an end, and the end of a file that was cut off is missed', () => {
    const open = ['BEGIN:VEVENT', 'SUMMARY:Open', 'DTSTART:20270502', 'BEGIN:VALARM', 'SUMMARY:Alarm', 'DURATION:PT5M']
    const good = event('DTSTART:20270503', 'SUMMARY:Good')
    expect(read(file(open, good))).toEqual(['2027-05-03 Good', 'left out: “Open”: its end (END:VEVENT) is missing'])
    expect(read(file(good, open))).toEqual(['2027-05-03 Good', 'left out: “Open”: its end (END:VEVENT) is missing'])
    expect(read(['BEGIN:VCALENDAR', ...good, ...open].join('\n'))).toEqual([
      '2027-05-03 Good',
      'left out: “Open”: its end (END:VEVENT) is missing',
      'left out: “End of the file”: it is missing (END:VCALENDAR), so events may be missing too',
    ])
  })
})

describe('a file', () => {
  it('is read with any line ends, folded lines, a byte order mark and lower case', () => {
    const alarm = ['BEGIN:VALARM', 'SUMMARY:Alarm', 'DURATION:PT5M', 'END:VALARM']
    const lines = file(
      event(...alarm, 'dtstart;tzid="Europe/Berlin":2027', ' 0503T070000', 'SUMMARY:Bins\\, o', '\tld'),
    )
    for (const end of ['\r\n', '\n', '\r'])
      expect(read(`\u{feff}${lines.replaceAll('\r\n', end)}`)).toEqual(['2027-05-03T05:00Z Bins, old'])
    expect(read(lines.toLowerCase())).toEqual(['2027-05-03T05:00Z bins, old'])
  })
})
