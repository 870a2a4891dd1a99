import { describe, expect } from 'vitest'
import { parse, stringify } from 'yaml'
import { DEMO_PLAN } from '../../src/demo/demo-plan.ts'
import type { UnitPlan } from '../../src/sim/model/house-plan.ts'
import { HomeCommands } from '#support/gateway/home-commands.ts'
import { type TestHome, verifiesAlone } from '#support/gateway/harness.ts'

const lamp = { kind: 'lamp', watts: 8, lux: 80 } as const
const gang = (number: number) => ({ gang: number, kind: 'switch', room: 'kitchen', load: lamp }) as const
const SMALLER: UnitPlan = { address: 121, model: 'HMHHX2', room: 'kitchen', gangs: [gang(0), gang(1)] }
const verifies = verifiesAlone(() => ({ sim: { plan: { ...DEMO_PLAN, units: [...DEMO_PLAN.units, SMALLER] } } }))

interface Group {
  readonly id: string
  readonly members: readonly string[]
  readonly revision: number
}

async function created(home: TestHome, ...locals: readonly string[]): Promise<Group> {
  const members = locals.map((local) => home.id(local))
  const answer = await home.call({ method: 'POST', path: '/v1/groups', body: { name: 'Evening', members } })
  return (answer.body as { group: Group }).group
}

async function only(home: TestHome): Promise<Group> {
  const { groups } = (await home.get('/v1/groups')) as { groups: Group[] }
  expect(groups).toHaveLength(1)
  return groups[0]!
}

interface HouseFile {
  readonly groups: readonly { readonly id: string; readonly members: readonly string[] }[]
}

describe('a named group', () => {
  verifies(
    'devices.groups-kept',
    'is part of the house file, with a new revision for another content',
    async (home) => {
      const group = await created(home, 'living-lamp', 'hall-light')
      const { file } = await home.running.admin.call<{ file: string }>('GET', '/house/file')
      const content = parse(file) as HouseFile
      expect(content.groups).toMatchObject([{ name: 'Evening', members: ['hall-light', 'living-lamp'] }])
      await home.running.admin.call('PUT', '/house/file', { file })
      expect(await only(home)).toEqual(group)
      const smaller = { ...content, groups: content.groups.map((one) => ({ ...one, members: ['hall-light'] })) }
      const preview = await home.running.admin.call('PUT', '/house/file', { file: stringify(smaller), check: true })
      expect(preview).toMatchObject({
        groups: 1,
        // An administrator who changes the members answers for openings of rules that name the group.
        differences: [{ kind: 'group', change: 'changed', fields: ['members', 'author'] }],
      })
      await home.running.admin.call('PUT', '/house/file', { file: stringify(smaller) })
      expect(await only(home)).toMatchObject({ id: group.id, members: [home.id('hall-light')], revision: 2 })
      const invented = { ...content, groups: content.groups.map((one) => ({ ...one, members: ['invented'] })) }
      await expect(home.running.admin.call('PUT', '/house/file', { file: stringify(invented) })).rejects.toThrow(
        'names invented',
      )
      const none = { ...content, groups: [] }
      await home.running.admin.call('PUT', '/house/file', { file: stringify(none) })
      expect(await home.get('/v1/groups')).toMatchObject({ groups: [] })
    },
  )

  verifies('devices.groups-kept', 'loses the gangs that a replaced module no longer has', async (home) => {
    await created(home, 'kitchen-panel:0', 'kitchen-panel:2', 'living-lamp')
    const commands = new HomeCommands(home)
    const preview = await commands.answer<{ places: object[] }>('house', 'replace', 'kitchen-panel', '121', '--dry-run')
    expect(preview.places).toContainEqual(
      expect.objectContaining({ kind: 'group', part: 'members', proposal: 'leave_out', device: 'kitchen-panel:2' }),
    )
    await commands.answer('house', 'replace', 'kitchen-panel', '121', '--yes')
    expect(await only(home)).toMatchObject({ members: [home.id('living-lamp'), home.id('kitchen-panel:0')] })
  })
})
