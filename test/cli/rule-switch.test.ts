import { expect } from 'vitest'
import { HomeCommands } from '#support/gateway/home-commands.ts'
import { verifiesAlone } from '#support/gateway/harness.ts'
import { power, RuleCalls } from '#support/gateway/rule-calls.ts'

const verifies = verifiesAlone(() => ({}), { over: 'http' })
const WHEN = { automation: { when: [{ time: '07:00' }] }, schedule: { at: { time: '07:00' } } } as const

verifies('administration.rule-switch', 'a rule is switched by its id and by its name', async (home) => {
  const commands = new HomeCommands(home)
  for (const kind of ['automation', 'schedule'] as const) {
    const calls = new RuleCalls(home, kind)
    const rule = await calls.create({ name: 'Dusk', ...WHEN[kind], then: [power(home, 'hall-light', true)] })
    const id = rule.id.split(':').at(-1) ?? ''
    expect(await commands.output(kind, 'off', id)).toBe(`Dusk (${id}) is off now, revision 2.\n`)
    expect(await calls.get(rule.id)).toMatchObject({ enabled: false, revision: 2 })
    expect(await commands.output(kind, 'off', id)).toBe(`Dusk (${id}) is off now, revision 2.\n`)
    expect(await commands.answer(kind, 'on', 'dusk')).toMatchObject({ [kind]: { id, enabled: true, revision: 3 } })
    expect(await commands.output(kind, 'list')).toMatch(/Dusk +on /)
    expect(await commands.output(kind, 'show', 'dusk')).toContain(`id        ${id}\n`)
    const { entries } = (await home.get('/v1/activity')) as { entries: readonly object[] }
    expect(entries.slice(0, 2)).toMatchObject([
      { what: 'turned on', cause: { source: 'person' } },
      { what: 'turned off', cause: { source: 'person' } },
    ])
    if (kind === 'automation') expect(await commands.output(kind, 'try', 'DUSK')).toMatch(/^Dusk would run/)
    else
      expect(
        await commands.output(
          kind,
          'off',
          'Dusk',
          '--until',
          '2099-01-01'.replace('2099', `${new Date().getFullYear() + 1}`),
        ),
      ).toMatch(/^Dusk .* is off now until \d{4}-01-01 .*, next run \d{4}-01-01 07:00:00, revision 4\.\n/)
    const stale = await calls.send('PATCH', rule.id, { ifRevision: 1, name: 'Dawn' })
    expect(stale.status).toBe(409)
  }
})

verifies(
  'administration.rule-switch',
  'an ambiguous or unknown name switches no rule',
  { tags: ['long'] },
  async (home) => {
    const commands = new HomeCommands(home)
    const calls = new RuleCalls(home, 'automation')
    const body = { name: 'Dusk', ...WHEN.automation, then: [power(home, 'hall-light', true)] }
    const [one, two] = [await calls.create(body), await calls.create(body)].map(({ id }) => id.split(':').at(-1))
    expect(await commands.sentence('automation', 'off', 'Dusk')).toBe(
      `2 automations have the name Dusk: use an id, ${one} or ${two}.`,
    )
    expect(await commands.sentence('schedule', 'on', 'Dusk')).toBe(
      'There is no schedule Dusk; `bin/hm schedule list` lists them.',
    )
    const missing = home.running.admin.call('PATCH', '/automations/none', { enabled: true })
    await expect(missing).rejects.toThrow('There is no automation none; `bin/hm automation list` lists them.')
    expect((await calls.list()).filter(({ enabled }) => enabled)).toHaveLength(2)
  },
)

verifies(
  'administration.rule-switch',
  'a rule is switched until a time, and is then in the other state',
  async (home) => {
    const commands = new HomeCommands(home)
    const calls = new RuleCalls(home, 'automation')
    const rule = await calls.create({
      name: 'Until',
      ...WHEN.automation,
      then: [power(home, 'hall-light', true)],
    })
    const id = rule.id.split(':').at(-1) ?? ''
    expect(await commands.output('automation', 'off', 'Until', '--until', '2h')).toMatch(
      new RegExp(`^Until \\(${id}\\) is off now until \\d{4}-.*, revision 2\\.\n`),
    )
    const { automation } = await home.running.admin.call<{ automation: { until: number } }>('GET', `/automations/${id}`)
    expect(automation.until).toBeGreaterThan(Date.now() + 7_000_000)
    expect(await commands.output('automation', 'list')).toMatch(/Until +off until \d{4}-\S+ \S+ /)
    expect(await commands.output('automation', 'show', id)).toMatch(/^Until {2}\(off until \d{4}-\S+ \S+\)\n/)
    const { usedBy } = await home.running.admin.call<{ usedBy: object[] }>('GET', '/devices/hall-light')
    expect(usedBy).toContainEqual(expect.objectContaining({ id, enabled: false, until: automation.until }))
    expect(await commands.answer('automation', 'on', 'Until')).toMatchObject({ automation: { until: null } })
    expect(await commands.sentence('automation', 'off', 'Until', '--until', 'tomorrow')).toBe(
      '"tomorrow" is not a time such as 45m, 2h, 3d, 2027-01-31, 2027-01-31T12:00 or 2027-01-31T12:00Z.',
    )
    expect(await commands.sentence('automation', 'off', 'Until', '--until', '2020-01-01')).toBe(
      'until: must be a time in the future, within the next 366 days.',
    )
  },
)
