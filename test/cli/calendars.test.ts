import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifiesAlone } from '#support/gateway/harness.ts'
import { HomeCommands } from '#support/gateway/home-commands.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { readHouseFile } from '../../src/home/house/house-file.ts'

const verifies = verifiesAlone(() => ({}), { over: 'http' })

verifies('automations.calendar-list', 'a calendar is added, shown, exported, removed and imported', async (home) => {
  const commands = new HomeCommands(home)
  const dates = ['--date', '2027-12-06 Paper', '--date', '12-24..01-02 Closed']
  expect(await commands.output('calendar', 'add', 'Fête d’été', ...dates)).toMatch(/^fete-d-ete +Fête d’été +dates /m)
  expect(await commands.output('calendar', 'show', 'fete-d-ete')).toContain('Closed')
  expect(await commands.sentence('calendar', 'show', 'none')).toContain('There is no calendar none')
  expect(await commands.sentence('calendar', 'add', 'X', '--date', 'soon')).toContain('is no date like')
  expect(await commands.sentence('calendar', 'add', 'X')).toContain('needs one of')
  const event = (title: string, rule: string, zone = 'W. Europe Standard Time') => [
    'BEGIN:VEVENT',
    'UID:None',
    `SUMMARY:${title}`,
    `DTSTART;TZID=${zone}:20261201T070000`,
    rule,
    'END:VEVENT',
  ]
  const good = event('Good', 'RDATE;TZID=Europe/Berlin:20261203T070000')
  const lost = event('Lost', 'RRULE:FREQ=WEEKLY', 'Bogus/Zone')
  const lines = ['BEGIN:VCALENDAR', ...good, ...event('Odd', 'RRULE:FREQ=NEVER'), ...lost]
  const odd = join(tempFolder(), 'odd.ics')
  writeFileSync(odd, [...lines, 'END:VCALENDAR', ''].join('\r\n'))
  expect(await commands.output('calendar', 'add', 'Odd', '--file', odd)).toMatch(/^odd .* 2 events are left out/m)
  expect(await commands.output('calendar', 'show', 'odd')).toMatch(
    / Good\n.* Good\n[^]*Bogus\/Zone” is unknown\.\n“Odd” is left out: its rule of repetition \(RRULE\) cannot be read\.\n/,
  )
  const file = join(tempFolder(), 'house.yaml')
  writeFileSync(file, await commands.output('house', 'export'))
  expect(await commands.output('calendar', 'remove', 'fete-d-ete')).not.toContain('fete')
  await commands.output('house', 'import', file)
  expect(await commands.output('calendar', 'show', 'fete-d-ete')).toContain('Closed')
  expect(await commands.output('calendar', 'change', 'fete-d-ete', '--name', 'Feste')).toMatch(/^fete-d-ete +Feste /m)
})

proves('automations.calendar', 'a house file has the source of each calendar, and bounds of all', () => {
  const read = (calendars: unknown): unknown => {
    const file = readHouseFile(JSON.stringify({ home: { name: 'Home' }, calendars }), 'Europe/Berlin')
    return file.ok ? file.value.calendars : file.error
  }
  const bins = { id: 'bins', name: 'Bins', dates: [{ from: '01-02', title: 'Paper' }] }
  const far = { id: 'far', name: 'Far', url: 'https://example.org/a.ics' }
  expect(read([bins, far])).toEqual([bins, far])
  expect(read([bins, bins])).toBe('Two calendars have the id bins.')
  expect(read([bins, { ...far, name: 'Bins' }])).toBe('Two calendars have the name Bins.')
  expect(read([{ id: 'a', name: 'A' }])).toContain('needs one of `dates`, `file` and `url`')
  expect(read([{ ...bins, dates: [{ from: '02-30' }] }])).toContain('must be a date')
  expect(read([{ ...far, url: 'http://example.org/a.ics' }])).toContain('must be an https address')
  const many = Array.from({ length: 21 }, (_, index) => ({ ...far, id: `c-${index}`, name: `C ${index}` }))
  expect(read(many)).toBe('A home has at most 20 calendars.')
  const large = [1, 2, 3].map((n) => ({ id: `c-${n}`, name: 'Large', file: 'x'.repeat(1_000_000) }))
  expect(read(large)).toBe('The files of all calendars may have 2 MiB together.')
})
