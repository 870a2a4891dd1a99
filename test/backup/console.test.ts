import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { openedGateway, setRecoveryPhrase } from '#support/faults/backups.ts'
import { hm } from '#support/gateway/cli.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { proves } from '#support/gateway/verifies.ts'
import { TestOperator } from '#support/operations/test-operator.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'

const HOUR = 3_600_000

proves(
  'backup.console',
  'a fresh session makes a backup and downloads it encrypted; other sessions cannot',
  { tags: ['long'] },
  async () => {
    const clock = new PassingClock()
    const running = await openedGateway({ clock })
    using visitor = new ConsoleVisitor(running)
    const anna = await visitor.signInByLink()
    const made = await visitor.as(anna, 'POST', '/admin/v1/backups', {})
    const { name } = (made.body as { backup: { name: string } }).backup
    const path = `/admin/v1/backups/${name}/file`
    // A download needs a recovery phrase.
    expect(await visitor.as(anna, 'GET', path)).toMatchObject({ status: 422, body: { error: { code: 'validation' } } })
    const phrase = await setRecoveryPhrase(running)
    const taken = await visitor.as(anna, 'GET', path)
    expect(taken).toMatchObject({ status: 200, headers: { 'content-disposition': `attachment; filename="${name}"` } })
    expect(taken.text).not.toContain('Sonnenwinkel')
    expect(taken.text.startsWith('age-encryption.org/v1\n')).toBe(true)
    expect(await visitor.as(anna, 'GET', '/admin/v1/backups/home-none.hmb/file')).toMatchObject({ status: 404 })
    expect(await visitor.ask({ path })).toMatchObject({ status: 401 })
    const { entries } = await running.admin.call<{ entries: { what: string }[] }>('GET', '/activity')
    expect(entries.map(({ what }) => what)).toContain(`The backup ${name} was downloaded`)
    await clock.pass(HOUR)
    for (const [method, at, body] of [
      ['GET', path, undefined],
      ['POST', '/admin/v1/backups/phrase', undefined],
      ['POST', `/admin/v1/backups/${name}/restore`, {}],
      ['PUT', '/admin/v1/backups/choice', { encrypted: false }],
    ] as const)
      expect(await visitor.as(anna, method, at, body), at).toMatchObject({
        status: 403,
        body: { error: { code: 'sign_in_again' } },
      })
    expect(phrase.split(' ')).toHaveLength(12)
    const file = join(tempFolder(), name)
    writeFileSync(file, Buffer.alloc(0))
    expect((await hm(running.dataDir, 'backup', 'check', file)).code).toBe(3)
  },
)

proves(
  'operations.tokens',
  'the scope backup only makes, lists and downloads backups',
  { tags: ['long'] },
  async () => {
    const running = await openedGateway({})
    await setRecoveryPhrase(running)
    using operator = await TestOperator.of(running, 'backup')
    const made = await operator.ask('/admin/v1/backups', { method: 'POST', body: {} })
    const { name } = (made.body as { backup: { name: string } }).backup
    expect((await operator.ask('/admin/v1/backups')).text).toContain(name)
    const taken = await operator.ask(`/admin/v1/backups/${name}/file`)
    expect([taken.status, taken.text.startsWith('age-encryption.org/v1\n')]).toEqual([200, true])
    using monitoring = await TestOperator.of(running, 'metrics')
    expect((await monitoring.ask(`/admin/v1/backups/${name}/file`)).status).toBe(401)
    for (const path of ['/admin/v1/metrics', '/admin/v1/status', '/admin/v1/backups/phrase'])
      expect([path, (await operator.ask(path)).status]).toEqual([path, 401])
    expect((await operator.ask(`/admin/v1/backups/${name}/restore`, { method: 'POST', body: {} })).status).toBe(401)
  },
)
