import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hm, hmJson } from '#support/gateway/cli.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { power, statusAndCode, RuleCalls } from '#support/gateway/rule-calls.ts'

let home: TestHome
let dir = ''
/** A house file without its revisions. */
const unrevised = (file: string): string => file.replaceAll(/(?<=^ +revision: )\d+$/gm, 'any')
const localOf = (id: string): string => id.split(':').at(-1)!

beforeAll(async () => {
  home = await TestHome.open('http')
  dir = home.running.dataDir
})
afterAll(() => home[Symbol.asyncDispose]())

async function evening(): Promise<{ scene: string; automation: string; schedule: string }> {
  const dim = { device: home.id('living-lamp'), op: 'set_brightness', args: { bri: 40 } }
  const scene = await new RuleCalls(home, 'scene').create({
    name: 'Evening',
    icon: 'lamp',
    roomId: home.id('room:hall'),
    steps: [power(home, 'hall-light', true), { delay: 90 }, dim],
  })
  const automation = await new RuleCalls(home, 'automation').create({
    name: 'Dusk',
    when: [
      { device: home.id('landing-sensor'), detection: 'motion' },
      { time: '20:00', days: [1, 2, 3, 4, 5] },
    ],
    if: [{ device: home.id('hall-light'), state: 'on', is: true }],
    then: [{ scene: scene.id }],
  })
  const schedule = await new RuleCalls(home, 'schedule').create({
    name: 'Porch on',
    at: { time: '06:30' },
    then: [power(home, 'entrance-panel:0', true)],
  })
  return { scene: localOf(scene.id), automation: localOf(automation.id), schedule: localOf(schedule.id) }
}

describe('bin/hm scene', () => {
  test('list, show and delete; a scene in use is deleted only with force', async () => {
    const { scene, automation } = await evening()
    expect((await hm(dir, 'scene', 'list')).out).toMatch(new RegExp(`${scene} +Evening +3 +1 +API: Test`))
    const output = await hm(dir, 'scene', 'show', scene)
    for (const line of [
      'Evening',
      '  created by API: Test',
      '  then      Hall light: turn on',
      '            wait 1 min 30 s',
      '            Floor lamp: set brightness to 40 %',
      `  used by   automation Dusk (${automation})`,
    ]) {
      expect(output.out.split('\n')).toContain(line)
    }
    const refused = await hm(dir, 'scene', 'delete', scene)
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining(`automation Dusk (${automation})`) })
    expect(await hm(dir, 'scene', 'delete', scene, '--force')).toMatchObject({
      code: 0,
      out: `Deleted the scene ${scene}.\n`,
    })
    expect(statusAndCode(await new RuleCalls(home, 'scene').send('GET', home.id(`scene:${scene}`)))).toEqual([
      404,
      'not_found',
    ])
    expect((await hm(dir, 'scene', 'show', scene)).err).toContain('bin/hm scene list')
    await hm(dir, 'automation', 'delete', automation)
  })

  test('a running scene ends with its deletion', async () => {
    const { id } = await new RuleCalls(home, 'scene').create({
      name: 'Long',
      steps: [{ delay: 3_000 }, power(home, 'guest-light', true)],
    })
    await home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(id)}/run` })
    expect((await hmJson<{ scene: { running: boolean } }>(dir, 'scene', 'show', localOf(id))).scene.running).toBe(true)
    await hm(dir, 'scene', 'delete', localOf(id))
    expect(home.running.gateway.home.rules.scenes.running(localOf(id))).toBe(false)
  })
})

describe('bin/hm automation', () => {
  test('list and show describe every part in plain English', async () => {
    const { automation } = await evening()
    expect((await hm(dir, 'automation', 'list')).out).toContain(
      'when Landing sensor detects motion; at 20:00 on Mon-Fri',
    )
    const { out } = await hm(dir, 'automation', 'show', automation)
    for (const line of [
      'Dusk  (on)',
      '  mode      single',
      '  when      when Landing sensor detects motion',
      '            at 20:00 on Mon-Fri',
      '  if        Hall light: power is on',
      '  then      run scene Evening',
    ]) {
      expect(out.split('\n')).toContain(line)
    }
  })

  test('try predicts the result of a trigger, and does nothing', async () => {
    const { automation } = await evening()
    const { commands } = home.running.sim.counters
    await home.call({
      method: 'POST',
      path: home.at('hall-light', '/control'),
      body: { op: 'set_power', args: { on: false } },
    })
    const no = await hm(dir, 'automation', 'try', automation)
    expect(no.out).toContain('Dusk would not run now. This condition is not met right now: Hall light: power is on.')
    expect(no.out).toContain('NO   Hall light: power is on (now: off)')
    await home.call({
      method: 'POST',
      path: home.at('hall-light', '/control'),
      body: { op: 'set_power', args: { on: true } },
    })
    const yes = await hm(dir, 'automation', 'try', automation)
    expect(yes.out).toContain('Dusk would run if triggered now.')
    expect(yes.out).toMatch(/at 20:00 on Mon-Fri, next \d{4}-\d\d-\d\d/)
    expect(home.running.sim.counters.commands).toBe(commands + 2)
    expect((await hm(dir, 'automation', 'try', 'never-was')).err).toContain('There is no automation never-was')
  })

  test('next lists the timed runs of the coming days, soonest first', async () => {
    const { automation, schedule } = await evening()
    const { runs } = await hmJson<{ runs: { kind: string; id: string; at: number; text: string }[] }>(
      dir,
      'automation',
      'next',
      '--days',
      '7',
    )
    const mine = (id: string) => runs.filter((run) => run.id === id)
    expect([mine(schedule).length, mine(automation).length]).toEqual([7, 5])
    expect(runs.map(({ at }) => at)).toEqual(runs.map(({ at }) => at).toSorted((a, b) => a - b))
    expect((await hm(dir, 'automation', 'next', '--days', '1')).out).toMatch(
      /\d\d:\d\d:\d\d +schedule +Porch on +at 06:30/,
    )
    expect((await hm(dir, 'automation', 'next', '--days', 'many')).code).toBe(1)
  })

  test('delete ends it for all clients, and the log names the cause', async () => {
    const { automation } = await evening()
    expect(await hm(dir, 'automation', 'delete', automation)).toMatchObject({
      code: 0,
      out: `Deleted the automation ${automation}.\n`,
    })
    expect(
      statusAndCode(await new RuleCalls(home, 'automation').send('GET', home.id(`automation:${automation}`))),
    ).toEqual([404, 'not_found'])
    const { entries } = (await home.get('/v1/activity')) as {
      entries: { device: string; what: string; cause: object }[]
    }
    expect(
      entries.find(({ device, what }) => device === home.id(`automation:${automation}`) && what === 'deleted')?.cause,
    ).toMatchObject({ source: 'person' })
  })
})

describe('bin/hm schedule', () => {
  test('list, show and delete', async () => {
    const { schedule } = await evening()
    expect((await hm(dir, 'schedule', 'list')).out).toMatch(new RegExp(`${schedule} +Porch on +on +at 06:30 +\\d{4}`))
    expect((await hm(dir, 'schedule', 'show', schedule)).out).toMatch(
      / {2}at {8}at 06:30\n {2}next {6}\d{4}.*\n {2}then {6}Porch lamp: turn on/,
    )
    expect((await hm(dir, 'schedule', 'delete', schedule)).code).toBe(0)
    expect((await hm(dir, 'schedule', 'delete', schedule)).err).toContain('There is no schedule')
  })
})

test(
  'the house file exports and imports scenes, automations and schedules unchanged, and they continue',
  { tags: ['long'] },
  async () => {
    const { scene, automation, schedule } = await evening()
    const exported = async (): Promise<string> =>
      ((await home.running.admin.call('GET', '/house/file')) as { file: string }).file
    const file = join(dir, 'house.yaml')
    const before = await exported()
    writeFileSync(file, before)
    const automations = await new RuleCalls(home, 'automation').list()
    await hm(dir, 'automation', 'delete', automation)
    await hm(dir, 'schedule', 'delete', schedule)
    await hm(dir, 'scene', 'delete', scene)
    expect(await exported()).not.toBe(before)

    expect((await hm(dir, 'house', 'import', '--check', file)).code).toBe(0)
    expect(await new RuleCalls(home, 'automation').list()).toHaveLength(automations.length - 1)
    expect(await hm(dir, 'house', 'import', file)).toMatchObject({ code: 0, err: '' })
    // A deleted object comes back unchanged, with a revision that it never had.
    const imported = await exported()
    expect(unrevised(imported)).toBe(unrevised(before))
    const back = await new RuleCalls(home, 'automation').list()
    const dusk = home.id(`automation:${automation}`)
    const expected = automations.map((automation) =>
      automation.id === dusk ? { ...automation, revision: expect.any(Number) } : automation,
    )
    expect(back).toEqual(expected)
    const revisionIn = (list: typeof back): unknown => list.find(({ id }) => id === dusk)?.revision
    expect(revisionIn(back)).toBeGreaterThan(Number(revisionIn(automations)))
    expect(await new RuleCalls(home, 'schedule').get(home.id(`schedule:${schedule}`))).toMatchObject({
      name: 'Porch on',
      next: expect.any(Number),
    })

    const wrong = join(dir, 'wrong.yaml')
    writeFileSync(wrong, before.replace('device: landing-sensor', 'device: never-was'))
    expect(await hm(dir, 'house', 'import', wrong)).toMatchObject({
      code: 1,
      err: expect.stringContaining('never-was'),
    })
    expect(await exported()).toBe(imported)
  },
)
