import { expect } from 'vitest'
import { loggedIn } from '#support/gateway/client-user.ts'
import { HomeCommands } from '#support/gateway/home-commands.ts'
import { verifiesAlone } from '#support/gateway/harness.ts'
import { tempFolder } from '#support/temp-folder.ts'

const verifies = verifiesAlone(() => ({}), { over: 'http' })

verifies(
  'devices.presence-commands',
  'an administrator shows, sets and lists presence, and lets programs report it',
  async (home) => {
    const commands = new HomeCommands(home)
    expect(await commands.output('presence', 'list')).toContain('No administrator has an account yet')
    const { person } = await home.running.admin.call<{ person: { id: string } }>('POST', '/persons', { name: 'Anna' })
    expect(await commands.output('presence', 'list')).toMatch(new RegExp(`^${person.id} +Anna +unknown +- +-`, 'm'))
    expect(await commands.output('presence', 'set', 'anna', 'home')).toBe('Anna: home.\n')
    expect(await commands.output('presence', 'set', person.id, 'away')).toBe('Anna: away.\n')
    expect(await commands.output('presence', 'list')).toMatch(/Anna +away +\S+ \S+ +administrator \(command line\)/)
    expect(await commands.output('presence', 'history', 'Anna')).toMatch(/away.*\n.*home/)
    expect(await commands.sentence('presence', 'set', 'Ben', 'home')).toContain('No person is called Ben')
    const { id } = home.main
    expect(await commands.output('integration', 'people', id, 'each')).toContain('people   each')
    expect(await commands.output('integration', 'reports', id, person.id, '--dry-run')).toContain('presence of Anna')
    expect(await commands.output('integration', 'reports', id, 'anna', person.id)).toContain(`reports ${person.id}`)
    expect(await commands.sentence('integration', 'reports', id, 'stranger')).toContain('No person is called stranger')
    expect(await home.get('/v1/integration')).toMatchObject({ integration: { people: 'each', reports: [person.id] } })
    const body = { is: 'home' }
    const put = { method: 'PUT', path: `/v1/persons/${person.id}/presence`, body } as const
    expect(await home.call(put)).toMatchObject({ status: 200 })
    const me = await loggedIn(home, tempFolder())
    expect(await me.output('people')).toMatch(/^Somebody is home\.\nAnna: home since /)
    expect(await me.output('people', 'anna')).toMatch(/^Anna: home since /)
    expect((await me.run('people', 'ben', 'home')).err).toContain('This login sees no person')
    await commands.output('integration', 'reports', id)
    expect(await home.call(put)).toMatchObject({ status: 403 })
  },
)
