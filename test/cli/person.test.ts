import { expect } from 'vitest'
import { HomeCommands } from '#support/gateway/home-commands.ts'
import { verifiesAlone } from '#support/gateway/harness.ts'

const verifies = verifiesAlone(() => ({}), { over: 'http' })

verifies('console.member-commands', 'an administrator adds, lists and removes people', async (home) => {
  const commands = new HomeCommands(home)
  expect(await commands.output('person', 'list')).toContain('Nobody has an account yet')
  expect(await commands.output('person', 'add', 'Anna')).toContain('Anna is an administrator.')
  expect(await commands.output('person', 'add', 'Lena', '--child', '--expose', 'room:hall')).toContain(
    'Lena is a member',
  )
  expect(await commands.sentence('person', 'add', 'Ben', '--guest')).toContain('A guest needs --until')
  expect(await commands.sentence('person', 'add', 'Ben', '--expose', 'room:hall')).toContain('Give --member')
  expect(await commands.output('person', 'add', 'Ben', '--guest', '--until', '3d')).toContain('Ben is a member')
  expect(await commands.output('person', 'list')).toMatch(/Anna +administrator +-[\s\S]*Lena +member +[0-9a-f-]{36}/)
  const { integrations } = await home.running.admin.call<{ integrations: { name: string }[] }>('GET', '/integrations')
  expect(integrations.find(({ name }) => name === 'Lena')).toMatchObject({
    expose: ['room:hall'],
    people: 'anyone',
    settings: { allow_unlock: 'off', advanced_config: 'off' },
  })
  expect(integrations.find(({ name }) => name === 'Ben')).toMatchObject({ people: 'none' })
  expect(await commands.output('person', 'remove', 'lena')).toBe('Removed Lena.\n')
  expect(await commands.output('person', 'list')).not.toContain('Lena')
})
