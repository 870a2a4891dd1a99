import { chmodSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ClientUser, connectionCodeOf, loggedIn } from '#support/gateway/client-user.ts'
import { runDoctor, brokenLink } from '#support/gateway/doctor-run.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { tempFolder } from '#support/temp-folder.ts'

let home: TestHome
beforeAll(async () => {
  home = await TestHome.open('http', ONE_UNIT)
})
afterAll(() => home[Symbol.asyncDispose]())

const todo = (text: string): object => ({ todo: expect.stringContaining(text) as string })

describe('hm doctor', () => {
  proves('hm.doctor', 'finds a login file that other users can read, and a damaged one', async () => {
    const me = await loggedIn(home, tempFolder())
    if (process.platform !== 'win32') {
      chmodSync(me.store.file, 0o644)
      const read = await runDoctor(me)
      expect(read).toMatchObject({ code: 2, state: 'broken', profile: null, house: null })
      expect(read.findings).toEqual([
        expect.objectContaining({
          ...brokenLink('login', /Other users can read/),
          ...todo(`chmod 600 ${me.store.file}`),
        }),
      ])
      chmodSync(me.store.file, 0o600)
    }
    writeFileSync(me.store.file, '{"profiles":')
    const damaged = await runDoctor(me)
    expect(damaged).toMatchObject({ code: 2, state: 'broken' })
    expect(damaged.findings).toEqual([
      expect.objectContaining({ ...brokenLink('login', /is damaged/), ...todo('log in again') }),
    ])
    expect((await me.run('doctor')).out).toMatch(/^FAULT {2}login/)
  })

  proves('hm.doctor', 'finds a login whose CA does not match its fingerprint', async () => {
    const me = await loggedIn(home, tempFolder())
    me.change({ fingerprint: Array.from({ length: 32 }, () => 'AB').join(':') })
    const { code, findings } = await runDoctor(me)
    expect([code, findings]).toMatchObject([2, [brokenLink('login', /does not match its fingerprint/)]])
  })

  proves('hm.doctor', 'finds suspended agents, and names the integration to change', async () => {
    const { id } = await home.integrate({ settings: { agent_access: 'on' } })
    const body = { integration: id, name: 'Helper', platform: 'Laptop', session: true }
    const agent = await home.running.admin.call<{ connectionCode: string }>('POST', '/agents', body)
    const me = new ClientUser(tempFolder())
    await me.output('login', agent.connectionCode)
    await home.running.admin.call('PATCH', `/integrations/${id}`, { settings: { agent_access: 'off' } })
    const { code, findings } = await runDoctor(me)
    expect(code).toBe(3)
    expect(findings).toContainEqual(
      expect.objectContaining({
        ...brokenLink('access', /Agent access is off/),
        ...todo(`bin/hm integration set ${id} agent_access=on`),
      }),
    )
  })

  proves('hm.doctor', 'names the integration in the advice for an administrator', async () => {
    const { id } = await home.integrate({ settings: { allow_unlock: 'off' }, expose: ['room:cellar'] })
    const me = new ClientUser(tempFolder())
    await me.output('login', await connectionCodeOf(home, id))
    const { findings } = await runDoctor(me)
    expect(findings).toContainEqual(
      expect.objectContaining({ link: 'exposure', ...todo(`bin/hm integration expose ${id} `) }),
    )
    expect(findings).toContainEqual(
      expect.objectContaining({ link: 'knobs', ...todo(`bin/hm integration set ${id} allow_unlock=on`) }),
    )
    await home.running.admin.call('PATCH', `/integrations/${id}`, { enabled: false })
    expect((await runDoctor(me)).findings).toContainEqual(
      expect.objectContaining({ link: 'access', ...todo(`bin/hm integration enable ${id}`) }),
    )
  })

  proves('hm.doctor', 'finds a silent unit', async () => {
    const me = await loggedIn(home, tempFolder())
    const address = ONE_UNIT.sim?.plan?.units[0]?.address ?? 0
    home.running.sim.silence(address)
    const { name } = (await me.answer<{ devices: { name: string }[] }>('devices')).devices[0]!
    const { live } = home.running.gateway.home
    // The third silence makes it unreachable.
    while (live.reachable('dimmer')) expect((await home.running.hasten(me.run('on', name))).code).toBe(6)
    const all = await runDoctor(me)
    expect(all.code).toBe(0)
    expect(all.findings).toContainEqual(
      expect.objectContaining({ link: 'units', state: 'note', what: expect.stringContaining(name) as string }),
    )
    const one = await runDoctor(me, name)
    expect(one.code).toBe(6)
    expect(one.findings).toContainEqual(expect.objectContaining(brokenLink('units', /does not answer/)))
    home.running.sim.silence(address, false)
  })
})

proves('hm.refusals', 'names the place to enable a disabled integration', async () => {
  const { id } = await home.integrate({})
  const me = new ClientUser(tempFolder())
  await me.output('login', await connectionCodeOf(home, id))
  await home.running.admin.call('PATCH', `/integrations/${id}`, { enabled: false })
  const refused = await me.run('devices')
  expect(refused.code).toBe(3)
  expect(refused.err).toContain(`/console/go/integrations.record?integration=${id}`)
})

test('an unknown class is refused with the list of classes', async () => {
  const me = await loggedIn(home, tempFolder())
  const refused = await me.run('devices', '--class', 'nonsense')
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toMatch(
    /^"nonsense" is not a class of devices: use one of light_switch, light_dimmer, .*gang_module/,
  )
  expect(await me.run('devices', '--class', 'gate')).toMatchObject({ code: 0 })
})
