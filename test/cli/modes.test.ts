import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { HomeCommands } from '#support/gateway/home-commands.ts'
import { verifiesAlone } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { readHouseFile } from '../../src/home/house/house-file.ts'

const verifies = verifiesAlone(() => ({}), { over: 'http' })

verifies('devices.mode', 'a mode that an administrator adds can be set, until it is removed', async (home) => {
  const commands = new HomeCommands(home)
  expect(await commands.output('modes', 'add', 'Fête d’été')).toMatch(/^fete-d-ete +Fête d’été *$/m)
  expect(await home.call({ method: 'PUT', path: '/v1/mode', body: { mode: 'fete-d-ete' } })).toMatchObject({
    status: 200,
    body: { name: 'Fête d’été' },
  })
  expect(await commands.output('modes', 'rename', 'fete-d-ete', 'Party')).toMatch(/^fete-d-ete +Party +yes$/m)
  expect(await commands.sentence('modes', 'add', 'Party')).toBe('name: a mode Party exists already.')
  expect(await commands.sentence('modes', 'remove', 'home')).toContain('cannot be removed')
  expect(await commands.sentence('modes', 'remove', 'none')).toContain('There is no mode none')
  const file = join(tempFolder(), 'house.yaml')
  writeFileSync(file, await commands.output('house', 'export'))
  expect(readFileSync(file, 'utf8')).toContain('modes:\n  - id: fete-d-ete\n    name: Party\n')
  expect(await commands.output('modes', 'remove', 'fete-d-ete')).not.toContain('Party')
  expect(await home.get('/v1/mode')).toMatchObject({ mode: 'home' })
  await commands.output('house', 'import', file)
  expect(await commands.output('modes', 'list')).toMatch(/^fete-d-ete +Party *$/m)
  for (const name of ['Six', 'Seven', 'Eight', 'Nine', 'Ten', 'Eleven']) await commands.output('modes', 'add', name)
  expect(await commands.sentence('modes', 'add', 'Thirteen')).toBe('A home has at most 12 modes.')
})

verifies('devices.mode', 'modes and calendars of an older home with one name are exported with two', async (home) => {
  const commands = new HomeCommands(home)
  const { house } = home.running.gateway.home
  const cause = { source: 'person', name: 'Anna' } as const
  const twins = ['a', 'b', 'c'].map((id) => ({ id, name: 'Twin' }))
  house.setModes([...house.modes.values(), ...twins, { id: 'other', name: 'Away' }], 'modes added', cause)
  const dates = [{ from: '12-24' }]
  house.setCalendars(
    twins.map((one) => ({ ...one, dates })),
    'calendars added',
    cause,
  )
  const file = join(tempFolder(), 'house.yaml')
  const exported = await commands.output('house', 'export')
  writeFileSync(file, exported)
  await commands.output('house', 'import', file)
  writeFileSync(file, exported.replaceAll('Twin (2)', 'Double'))
  await commands.output('house', 'import', file)
  for (const list of ['modes', 'calendar'])
    expect(await commands.output(list, 'list')).toMatch(/^a +Twin\b[^]*^b +Double\b[^]*^c +Twin \(3\)/m)
  expect(await commands.output('modes', 'list')).toMatch(/^other +Away \(2\)/m)
  expect(await commands.output('modes', 'rename', 'Twin (3)', 'Single')).toMatch(/^c +Single\b/m)
  const set = await home.call({ method: 'PUT', path: '/v1/mode', body: { mode: 'c' } })
  expect(set).toMatchObject({ status: 200, body: { name: 'Single' } })
  expect(await commands.output('calendar', 'remove', 'double')).not.toContain('Double')
})

proves('devices.mode-list', 'a house file may leave the modes of every home out', () => {
  const read = (modes: string): unknown => {
    const file = readHouseFile(`home: { name: Home }\n${modes}`, 'Europe/Berlin')
    return file.ok ? file.value.modes : file.error
  }
  const builtIn = ['home', 'away', 'night', 'vacation', 'guest']
  const ids = (modes: unknown): readonly string[] => (modes as { id: string }[]).map(({ id }) => id)
  expect(ids(read(''))).toEqual(builtIn)
  expect(ids(read('modes: [{ id: party, name: Party }]'))).toEqual([...builtIn, 'party'])
  expect(read('modes: [{ id: guest, name: Besuch }]')).toContainEqual({ id: 'guest', name: 'Besuch' })
  expect(read('modes: [{ id: a, name: A }, { id: a, name: B }]')).toBe('Two modes have the id a.')
  expect(read('modes: [{ id: a, name: A }, { id: b, name: A }]')).toBe('Two modes have the name A.')
  expect(read('modes: [{ id: a, name: Away }]')).toBe('Two modes have the name Away.')
  const many = Array.from({ length: 8 }, (_, index) => `{ id: m${index}, name: M${index} }`).join(', ')
  expect(read(`modes: [${many}]`)).toBe('A home has at most 12 modes, with the 5 of every home.')
})
