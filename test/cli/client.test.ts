import { execFileSync } from 'node:child_process'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ClientUser, connectionCodeOf, loggedIn } from '#support/gateway/client-user.ts'
import { runDoctor, brokenLink } from '#support/gateway/doctor-run.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { TestRelay } from '#support/relay/test-relay.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { proves } from '#support/gateway/verifies.ts'

let home: TestHome
beforeAll(async () => {
  home = await TestHome.open('http', { begins: 'now' })
})
afterAll(() => home[Symbol.asyncDispose]())

const user = (): Promise<ClientUser> => loggedIn(home, tempFolder())

describe('hm as a client', () => {
  proves('hm.login', 'logs in to homes, lists them, and forgets them', async () => {
    const me = new ClientUser(tempFolder())
    expect(await me.run('devices')).toMatchObject({ code: 2, err: expect.stringContaining('hm login') as string })
    expect(await me.run('login', 'hmc1_abc')).toMatchObject({ code: 1 })
    expect(await me.answer('login', await connectionCodeOf(home))).toMatchObject({
      profile: 'sonnenwinkel',
      house: 'Sonnenwinkel',
    })
    expect(me.store.get(undefined).ca).toBe(home.ca)
    expect(statSync(me.store.file).mode & 0o777).toBe(0o600)
    await me.output('login', await connectionCodeOf(home), '--profile', 'second')
    const { profiles } = await me.answer<{ profiles: { name: string; current: boolean }[] }>('profiles', 'sonnenwinkel')
    expect(profiles.map(({ name, current }) => [name, current])).toEqual([
      ['sonnenwinkel', true],
      ['second', false],
    ])
    expect(await me.output('devices', '--profile', 'second')).toContain('Hall light')
    const relay = { url: 'https://relay.example', ca: null, endToEnd: false }
    me.change({ ...me.store.get('second'), relay })
    await me.output('login', await connectionCodeOf(home), '--profile', 'second')
    expect(me.store.get('second').relay).toEqual(relay)
    await me.output('login', await connectionCodeOf(home), '--profile', 'second', '--no-relay')
    expect(me.store.get('second').relay).toBeNull()
    await me.output('profiles', 'sonnenwinkel')
    await me.output('logout')
    expect((await me.run('devices', '--profile', 'sonnenwinkel')).err).toBe(
      'There is no login "sonnenwinkel". Known logins: second.',
    )
    expect(await me.output('profiles')).toMatch(/^\* +second/m)
  })

  test.skipIf(process.platform === 'win32')('refuses a login file that other users can read', async () => {
    const me = await user()
    execFileSync('chmod', ['644', me.store.file])
    expect(await me.run('devices')).toMatchObject({ code: 2, err: expect.stringContaining('chmod 600') as string })
  })

  proves('hm.names', 'finds a name by case, beginning, room and class, and lists the candidates', async () => {
    const me = await user()
    const nameOf = async (...words: readonly string[]): Promise<string> =>
      (await me.answer<{ name: string }>('stop', ...words)).name
    // The shutter stands still, so stopping it has no effect.
    expect(await home.running.hasten(nameOf('GARDEN', 'SHUTTER'))).toBe('Garden shutter')
    expect(await home.running.hasten(nameOf('living room/garden'))).toBe('Garden shutter')
    expect(await home.running.hasten(nameOf('bedroom shut'))).toBe('Bedroom shutter')
    expect(await home.running.hasten(nameOf('curt'))).toBe('Curtain')
    expect(await home.running.hasten(nameOf(home.id('living-shutter')))).toBe('Garden shutter')
    expect(await me.run('off', 'reading', 'lamp')).toEqual({
      code: 1,
      out: '',
      err: '"reading lamp" may be Bedroom Left reading lamp, Bedroom Right reading lamp: add the room or the floor, or use the id.',
    })
    expect(await me.run('on', 'hal', 'lihgt')).toMatchObject({
      code: 1,
      err: 'This login sees no device "hal lihgt". Did you mean Hall light?',
    })
    expect((await me.run('devices', '--room', 'attic')).err).toContain('This login sees no room "attic"')
  })

  proves('hm.control', 'sets properties of the class, and prints the confirmed state', async () => {
    const me = await user()
    const printed = (...words: readonly string[]): Promise<string> => home.running.hasten(me.output(...words))
    expect(await printed('set', 'bedroom', 'light', '40', '%')).toBe('Bedroom light: on, 40 %\n')
    expect(await printed('toggle', 'bedroom', 'light')).toBe('Bedroom light: off\n')
    expect(await printed('set', 'bedroom', 'light', 'eco')).toBe('Bedroom light: off\n')
    expect(await printed('set', 'towel heater', 'temperature', 'to', '23.5', 'degrees')).toContain('to 23.5 °C')
    await printed('on', 'ac')
    await printed('set', 'ac', 'cool')
    await printed('set', 'ac', 'fan', 'low')
    expect(await printed('set', 'ac', '21°C')).toBe('Bedroom Air conditioner: cool to 21 °C, fan low\n')
    expect(await printed('open', 'front', 'door')).toBe('Hall Front door: unlocked\n')
    expect(await printed('set', 'front', 'door', 'locked')).toBe('Hall Front door: locked\n')
    expect(await home.running.hasten(me.answer('set', 'television', 'and', 'stereo', 'mute'))).toMatchObject({
      device: home.id('living-remote'),
      state: { key: 'mute' },
    })
    const { devices } = await me.answer<{ devices: object[] }>('devices', '--room', 'bedroom', '--class', 'ac')
    expect(devices).toMatchObject([{ name: 'Air conditioner', room: 'Bedroom', state: { temp: 21, mode: 'cool' } }])
    expect(await me.output('scenes')).toMatch(/^Dinner +Dining room +3$/m)
    expect(await printed('run', 'dinn')).toBe('Dinner runs.\n')
    expect(await printed('mode', 'guest', '--until', '2h')).toMatch(/^The mode is Guest until 20/)
    expect(await printed('mode')).toContain('Others: Home, Away, Night, Vacation.')
    expect(await printed('mode', 'home')).toBe('The mode is Home.\n')
    expect(await printed('group', 'lights', '30', '--room', 'living')).toMatch(/^Living room Ceiling light: on, 30 %$/m)
    expect(await printed('group', 'light', 'off', '--room', 'bathroom')).toBe('Bathroom Mirror light: off\n')
    expect((await me.run('set', 'bedroom', 'light')).err).toBe(
      'Add a value for Bedroom light; it takes: on, off; a brightness such as 40; mode auto, eco, manual.',
    )
    expect(await me.run('set', 'bedroom', 'light', 'purple')).toMatchObject({
      code: 1,
      err: 'Bedroom light cannot be set to "purple"; it takes: on, off; a brightness such as 40; mode auto, eco, manual.',
    })
  })

  proves('hm.control', 'controls groups by class and by name', { tags: ['long'] }, async () => {
    const me = await user()
    const printed = (...words: readonly string[]): Promise<string> => home.running.hasten(me.output(...words))
    expect(await home.running.hasten(me.answer('group', 'covers', 'stop', '--floor', 'top'))).toMatchObject({
      devices: [{ device: home.id('studio-shutter'), name: 'Roof window shutter', state: { move: 'stopped' } }],
      unsaid: [],
    })
    expect(await me.output('devices', '--room', 'bathroom', '--class', 'light')).toContain('Mirror light')
    expect((await me.run('group', 'lights')).err).toMatch(/^Add a value for the group; it takes: on, off;/)
    expect((await me.run('group', 'lamps', 'off')).err).toMatch(/^There is no such group: send light, cover/)
    expect(await me.output('groups', 'create', 'Beds', 'bedroom light', 'mirror light')).toBe(
      'Beds: Bedroom light, Bathroom Mirror light.\n',
    )
    await me.output('groups', 'remove', 'beds', 'mirror light')
    await me.output('groups', 'rename', 'beds', 'Night')
    expect(await me.output('groups')).toMatch(/^Night +Bedroom light$/m)
    expect(await printed('group', 'night', 'on')).toContain('Bedroom light: on')
    expect(await me.output('groups', 'delete', 'night')).toBe('Deleted the group Night.\n')
  })

  proves(
    'hm.refusals',
    'prints the refusal of the gateway, with an exit code for each kind',
    { tags: ['long'] },
    async () => {
      const me = await user()
      expect(await me.run('set', 'bedroom', 'light', '140')).toMatchObject({
        code: 3,
        err: 'args.bri: must be at most 100.',
      })
      const { id } = await home.integrate({ settings: { allow_unlock: 'off' } })
      const guest = new ClientUser(tempFolder())
      await guest.output('login', await connectionCodeOf(home, id))
      const refused = await guest.process('open', 'front', 'door', '--json')
      expect(refused).toMatchObject({ code: 3, stdout: '' })
      expect(JSON.parse(refused.stderr)).toEqual({
        error: {
          code: 'unlock_not_allowed',
          message: expect.stringMatching(/allow_unlock\.\n.*\/console\/go\/integrations\.record\?/) as string,
          appAction: 'integrations.record',
          retryAfter: null,
        },
      })
      await home.running.admin.call('DELETE', `/integrations/${id}`)
      expect(await guest.run('devices')).toMatchObject({ code: 2, err: expect.stringContaining('hm login') as string })
      guest.change({ addresses: ['https://127.0.0.1:1'] })
      expect(await guest.run('devices')).toMatchObject({ code: 4, err: expect.stringContaining('hm doctor') as string })
    },
  )

  proves('hm.record', 'explains states, energy and causes', async () => {
    const me = await user()
    await home.running.hasten(me.output('on', 'hall', 'light'))
    expect(await me.output('why', 'hall', 'light', '--since', '2h')).toMatch(
      /^Hall light turned on at .*: API: Test\.\n/,
    )
    expect(await me.output('activity', '--limit', '1', '--device', 'hall light')).toMatch(
      /^\S+ \S+ {2}Hall light: turned on {2}\(API: Test\)\nTimes are the home's/,
    )
    await me.output('mode', 'night')
    expect(await me.output('activity', '--limit', '1')).toMatch(/^\S+ \S+ {2}The mode: changed to Night /)
    expect(await me.output('energy')).toMatch(/^Sonnenwinkel used \d+\.\d\d kWh this day\.\n$/)
    const { parts } = await me.answer<{ parts: { name: string }[] }>('energy', '--by', 'floor', '--period', 'month')
    expect(parts.map(({ name }) => name).toSorted()).toEqual(['First floor', 'Ground floor', 'Top floor'])
    expect((await me.process('energy', '--by', 'room')).stderr).toBe('')
  })

  proves('hm.completion', 'completes commands and names from a file without starting a process', async () => {
    const me = await user()
    const folder = tempFolder()
    const script = join(folder, 'hm')
    writeFileSync(script, await me.output('completion', 'bash'))
    const completed = (...words: readonly string[]): string[] => {
      const typed = `COMP_WORDS=(hm ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}`
      const bash = `source '${script}'; ${typed}; _hm; printf '%s\\n' "\${COMPREPLY[@]}"`
      const out = execFileSync('bash', ['--norc', '-c', bash], {
        env: { PATH: '/usr/bin:/bin', ...me.env },
        encoding: 'utf8',
      })
      return out.split('\n').filter((line) => line !== '')
    }
    expect(completed('to')).toEqual(['toggle'])
    expect(completed('key', '')).toEqual(['create', 'list', 'failures', 'revoke'])
    expect(completed('on', 'hall')).toEqual(['Hall\\ light', 'Hall\\ Entrance\\ panel', 'Hall\\ Front\\ door'])
    expect(completed('on', '"hall l')).toEqual(['Hall light'])
    expect(completed('run', '')).toContain('Good\\ night')
    expect(completed('on', 'floor')).toEqual(['Floor\\ lamp'])
    // A name in two rooms is printed with the room.
    expect(completed('on', 'reading')).toEqual([])
    expect(completed('devices', '--room', 'kit')).toEqual(['Kitchen'])
    expect(completed('devices', '--class', 'light_')).toEqual(['light_switch', 'light_dimmer'])
    expect(completed('activity', '-f', '--device', 'hall l')).toEqual(['Hall\\ light'])
    expect(completed('energy', '--by', '')).toEqual(['room', 'floor', 'device'])
    expect(completed('energy', '--by', 'room', '--period', 'm')).toEqual(['month'])
    expect(completed('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    const names = join(me.env['XDG_CACHE_HOME'] ?? '', 'hm', 'names')
    expect(existsSync(names)).toBe(true)
    // In an open quote a name would be shell code, so names with special characters are left out.
    writeFileSync(names, 'device\tXylo $(touch x)\ndevice\tXylo lamp\n')
    expect(completed('on', '"xylo')).toEqual(['Xylo lamp'])
    expect(completed('on', 'xylo')).toEqual(['Xylo\\ \\$\\(touch\\ x\\)', 'Xylo\\ lamp'])
    for (const shell of ['zsh', 'fish']) expect(await me.output('completion', shell)).toContain('toggle')
    expect((await me.run('completion', 'sh')).err).toBe('The shell "sh" is not supported: use bash, zsh or fish.')
  })

  proves('hm.follow', 'prints each change of a room as a line', async () => {
    const me = await user()
    await home.running.hasten(me.output('off', 'hall', 'light'))
    await using watching = me.following('watch', 'hall', '--json')
    expect(JSON.parse(await watching.notice())).toEqual({ note: { message: 'Watching Hall. Ctrl-C ends it.' } })
    await home.running.hasten(me.output('on', 'bedroom', 'light'))
    await home.running.hasten(me.output('on', 'hall', 'light'))
    const events: { event: string; name: string; room: string }[] = []
    // The lamp also sends readings at any time.
    while (events.at(-1)?.event !== 'state') events.push(JSON.parse(await watching.line()) as (typeof events)[number])
    expect(events.at(-1)).toMatchObject({ name: 'Hall light', state: { on: true } })
    expect(new Set(events.map(({ room }) => room))).toEqual(new Set(['Hall']))
  })

  proves(
    'hm.doctor',
    'gets a clean report of the doctor, and the effects of a knob or the exposure',
    { tags: ['long'] },
    async () => {
      const me = await user()
      expect(await runDoctor(me)).toMatchObject({ code: 0, state: 'well' })
      await home.change(home.main, { settings: { allow_unlock: 'off' } })
      const { code, findings } = await runDoctor(me, 'front door')
      expect(code).toBe(0)
      expect(findings).toContainEqual(
        expect.objectContaining({
          link: 'knobs',
          what: expect.stringMatching(/Front door can be closed but not opened/) as string,
        }),
      )
      await home.change(home.main, { expose: ['room:hall'] })
      const hidden = await runDoctor(me, 'bedroom light')
      expect(hidden).toMatchObject({ code: 1, state: 'broken' })
      expect(hidden.findings).toContainEqual(
        expect.objectContaining(brokenLink('exposure', /no device "bedroom light"/)),
      )
      await home.change(home.main, { expose: ['scene:dinner'] })
      expect((await runDoctor(me)).findings).toContainEqual(
        expect.objectContaining(brokenLink('exposure', /nothing is exposed/)),
      )
      await home.change(home.main, { expose: ['all'], settings: { allow_unlock: 'on' } })
    },
  )

  proves(
    'hm.relay',
    'uses the relay when the home cannot be reached, and the doctor reports a stopped relay',
    async () => {
      const relay = await TestRelay.open()
      await relay.serve(home.running)
      const me = await user()
      const { addresses } = me.store.get(undefined)
      me.change({ addresses: ['https://127.0.0.1:1'], relay: { url: relay.url, ca: relay.ca, endToEnd: false } })
      expect(await me.output('devices', '--room', 'hall')).toContain('Hall light')
      const outside = await runDoctor(me)
      expect(outside).toMatchObject({ code: 0, state: 'well' })
      expect(outside.findings).toContainEqual(expect.objectContaining({ link: 'relay', state: 'well' }))
      me.change({ addresses })
      await relay[Symbol.asyncDispose]()
      const alone = await runDoctor(me)
      expect(alone.code).toBe(4)
      expect(alone.findings).toContainEqual(expect.objectContaining(brokenLink('relay', /relay does not answer/)))
      expect(await me.output('devices', '--room', 'hall')).toContain('Hall light')
    },
  )
})
