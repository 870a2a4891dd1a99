import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { HomeCommands } from '#support/gateway/home-commands.ts'
import { type TestHome, verifiesAlone } from '#support/gateway/harness.ts'
import { power, RuleCalls } from '#support/gateway/rule-calls.ts'
import { tempFolder } from '#support/temp-folder.ts'

const verifies = verifiesAlone(() => ({}), { over: 'http' })

/** A thing of each kind that rules name, the part that names it, and its path for administrators. */
async function things(home: TestHome) {
  const { admin } = home.running
  await admin.call('POST', '/persons', { name: 'Ben' })
  const { person } = await admin.call<{ person: { id: string } }>('POST', '/persons', { name: 'Anna' })
  await admin.call('POST', '/modes', { name: 'Film' })
  await admin.call('POST', '/calendars', { name: 'Waste', dates: [{ from: '2027-03-10' }] })
  const light = power(home, 'hall-light', true)
  const scene = await new RuleCalls(home, 'scene').create({ name: 'Evening', steps: [light] })
  const other = await new RuleCalls(home, 'schedule').create({ name: 'Other', at: { time: '06:30' }, then: [light] })
  const [sceneId, otherId] = [scene, other].map(({ id }) => id.split(':').at(-1))
  return [
    { path: `persons/${person.id}`, part: { if: [{ person: person.id, is: 'home' }] }, words: 'a removed person' },
    { path: 'modes/film', part: { if: [{ mode: ['film'] }] }, words: 'film (removed)' },
    { path: 'calendars/waste', part: { if: [{ calendar: 'waste' }] }, words: 'waste (removed)' },
    { path: `scenes/${sceneId}`, part: { then: [{ scene: scene.id }] }, words: `${sceneId} (removed)` },
    {
      path: `schedules/${otherId}`,
      part: { then: [{ rule: other.id, enabled: true }] },
      words: `${otherId} (removed)`,
    },
  ]
}

interface InWords {
  readonly id: string
  readonly enabled: boolean
  readonly until: number | null
  readonly if: readonly string[]
  readonly then: readonly string[]
}

verifies(
  'automations.removed',
  'a thing that a rule names is removed only with force; the rule is off, visible and exported',
  { tags: ['long'] },
  async (home) => {
    const commands = new HomeCommands(home)
    const { admin } = home.running
    await commands.output('integration', 'people', home.main.id, 'each')
    const own = new RuleCalls(home, 'automation')
    const rules = []
    for (const { part, ...thing } of await things(home)) {
      const draft = {
        name: `User of ${thing.path}`,
        when: [{ time: '03:00' }],
        then: [power(home, 'hall-light', true)],
      }
      const { id } = await own.create({ ...draft, ...part })
      rules.push({ ...thing, id, local: id.split(':').at(-1)! })
    }
    await admin.call('PATCH', `/automations/${rules[0]!.local}`, { enabled: false, until: Date.now() + 3_600_000 })
    for (const { path, local } of rules) {
      await expect(admin.call('DELETE', `/${path}`)).rejects.toThrow(`automation User of ${path} (${local}): change`)
      await admin.call('DELETE', `/${path}?force=true`)
    }
    const list = await own.list()
    const { automations } = await admin.call<{ automations: readonly InWords[] }>('GET', '/automations')
    const { attention } = await admin.call<{ attention: readonly { kind: string; what: string }[] }>('GET', '/status')
    for (const { id, local, words, path } of rules) {
      const rule = automations.find((one) => one.id === local)!
      expect([rule.enabled, rule.until, [...rule.if, ...rule.then].join()]).toEqual([
        false,
        null,
        expect.stringContaining(words),
      ])
      expect(list.find((one) => one.id === id)).toMatchObject({ enabled: false })
      expect(attention).toContainEqual(
        expect.objectContaining({ kind: 'rule', what: expect.stringContaining(`User of ${path} names`) }),
      )
    }
    const file = join(tempFolder(), 'house.yaml')
    const exported = await commands.output('house', 'export')
    expect(exported).toMatch(/^missing:\n {2}- calendar:waste\n {2}- mode:film\n/m)
    writeFileSync(file, exported.replaceAll('User of', 'Imported user of'))
    await commands.output('house', 'import', file)
    expect((await own.list()).map(({ name }) => name)).toContain('Imported user of modes/film')
    writeFileSync(file, exported.replace('  - mode:film\n', ''))
    expect(await commands.sentence('house', 'import', file)).toContain('names the mode film, which is not in the file')
  },
)

verifies(
  'automations.removed',
  'a rule whose mode is removed is off, and hidden only where the mode could be hidden',
  async (home) => {
    const { admin } = home.running
    await admin.call('POST', '/modes', { name: 'Film' })
    const part = await home.integrate({ expose: ['unit:hall-light', 'mode'], settings: { automations: 'on' } })
    const theirs = new RuleCalls(home, 'automation', part)
    const then = [{ device: home.id('hall-light', part), op: 'set_power', args: { on: true } }]
    const rule = await theirs.create({ name: 'Film light', when: [{ mode: 'film' }], then })
    await expect(admin.call('DELETE', '/modes/film')).rejects.toThrow('is used by automation Film light')
    await admin.call('DELETE', '/modes/film?force=true')
    const all = new RuleCalls(home, 'automation')
    expect(await all.get(all.mine(rule.id))).toMatchObject({ enabled: false, when: [{ mode: 'film' }] })
    expect((await theirs.send('GET', rule.id)).status).toBe(404)
    expect(await theirs.list()).toEqual([])
  },
)

verifies(
  'automations.groups-deleted',
  'a hidden rule of a group that a program deletes is off, and the program learns nothing about it',
  async (home) => {
    const part = await home.integrate({ expose: ['unit:study-light'] })
    const members = [home.id('study-light', part)]
    const made = await home.call({
      method: 'POST',
      path: '/v1/groups',
      body: { name: 'Desk', members },
      token: part.token,
    })
    const { id } = (made.body as { group: { id: string } }).group
    const local = id.split(':').at(-1) ?? ''
    const rules = new RuleCalls(home, 'automation')
    const then = [{ group: home.id(`group:${local}`), op: 'set_power', args: { on: false } }]
    const rule = await rules.create({ name: 'Desk off', when: [{ time: '23:00' }], then })
    const path = `/v1/groups/${encodeURIComponent(id)}`
    const gone = await home.call({ method: 'DELETE', path, query: { ifRevision: '1' }, token: part.token })
    expect(gone).toMatchObject({ status: 200, body: { deleted: id } })
    expect(gone.text).not.toContain('off')
    expect(await rules.get(rule.id)).toMatchObject({ enabled: false })
    const { attention } = await home.running.admin.call<{ attention: readonly object[] }>('GET', '/status')
    expect(JSON.stringify(attention)).toContain(`Desk off names the group ${local}, which was removed`)
    const commands = new HomeCommands(home)
    const exported = await commands.output('house', 'export')
    expect(exported).toContain(`missing:\n  - group:${local}\n`)
    const file = join(tempFolder(), 'house.yaml')
    writeFileSync(file, exported.replace('Desk off', 'Desk out'))
    await commands.output('house', 'import', file)
    expect(await rules.get(rule.id)).toMatchObject({ name: 'Desk out', enabled: false })
    writeFileSync(file, exported.replace(`  - group:${local}\n`, '').replace('missing:\n', ''))
    expect(await commands.sentence('house', 'import', file)).toContain(
      `names the group ${local}, which is not in the file`,
    )
  },
)

verifies(
  'automations.groups-emptied',
  'a rule with a group goes off with the integration that saved it, which the answer, the list and the status name',
  async (home) => {
    const { admin } = home.running
    const who = await home.integrate({ name: 'Panel', settings: { automations: 'on' } })
    const when = [{ time: '23:00' }]
    const own = new RuleCalls(home, 'automation', who)
    const rule = await own.create({ name: 'All off', when, then: [{ group: 'light', op: 'toggle' }] })
    const plain = await own.create({
      name: 'Lamp',
      when,
      then: [{ ...power(home, 'study-light', true), device: home.id('study-light', who) }],
    })
    const preview = await admin.call('POST', `/integrations/${who.id}/preview`, { enabled: false })
    expect(preview).toMatchObject({ groupRules: ['All off'] })
    const commands = new HomeCommands(home)
    expect(await commands.output('integration', 'delete', 'panel')).toContain(
      'Turned off, since their groups had the devices that it saw: All off.',
    )
    const all = new RuleCalls(home, 'automation')
    expect(await all.get(all.mine(rule.id))).toMatchObject({ enabled: false })
    expect(await all.get(all.mine(plain.id))).toMatchObject({ enabled: true })
    const attention = async (): Promise<string> =>
      JSON.stringify((await admin.call<{ attention: readonly object[] }>('GET', '/status')).attention)
    expect(await attention()).toContain('The groups of the automation All off have no devices')
    await admin.call('PATCH', `/automations/${rule.id.split(':').at(-1)}`, { enabled: true })
    expect(await attention()).not.toContain('All off')
  },
)
