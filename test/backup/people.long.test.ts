// @module-tag long
import { join } from 'node:path'
import { expect } from 'vitest'
import { hm } from '#support/gateway/cli.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { PushBrowser } from '#support/gateway/push-browser.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { tempFolder } from '#support/temp-folder.ts'

interface Person {
  readonly id: string
  readonly integration: string
}

interface Subscription {
  readonly id: string
  readonly person: string
}

proves('backup.restore', 'a restored home knows members and their devices; ended ones stay ended', async () => {
  const [dataDir, file] = [tempFolder(), join(tempFolder(), 'home.hmb')]
  const settings = { ...ONE_UNIT, settled: false, dataDir }
  const [lena, ben, device] = await (async () => {
    await using running = await TestGateway.open(settings)
    using visitor = new ConsoleVisitor(running)
    await running.admin.call('POST', '/persons', { name: 'Anna' })
    const memberOf = async (name: string): Promise<Person> =>
      (await running.admin.call<{ person: Person }>('POST', '/persons', { name, member: { opening: 'ask' } })).person
    const subscribe = async (name: string, browser: string): Promise<Subscription> => {
      const { address } = new PushBrowser(`https://push.example/send/${browser}`)
      const answer = await visitor.as(await visitor.signInByLink(name), 'POST', '/admin/v1/push', address)
      return (answer.body as { subscription: Subscription }).subscription
    }
    const [first, second] = [await memberOf('Lena'), await memberOf('Ben')]
    const [phone, tablet] = [await subscribe('Lena', 'phone'), await subscribe('Lena', 'tablet')]
    await subscribe('Ben', 'bens')
    await running.admin.call('POST', '/backups/write', { file })
    await running.admin.call('DELETE', `/persons/${second.id}`)
    await running.admin.call('DELETE', `/push/${tablet.id}`)
    return [first, second, phone] as const
  })()
  await hm(dataDir, 'restore', file)
  await using restored = await TestGateway.open(settings)
  using visitor = new ConsoleVisitor(restored)
  const { persons } = await restored.admin.call<{ persons: Person[] }>('GET', '/persons')
  expect(persons).toMatchObject([{ name: 'Anna' }, { id: lena.id, integration: lena.integration, role: 'member' }])
  expect(await restored.admin.call('GET', `/integrations/${lena.integration}`)).toMatchObject({
    integration: { kind: 'member', person: lena.id, opening: 'ask' },
  })
  await expect(restored.admin.call('GET', `/integrations/${ben.integration}`)).rejects.toThrow('no integration')
  const { subscriptions } = await restored.admin.call<{ subscriptions: Subscription[] }>('GET', '/push')
  expect(subscriptions).toMatchObject([{ id: device.id, person: lena.id }])
  const { body } = await visitor.as(await visitor.signInByLink('Lena'), 'GET', '/admin/v1/session')
  expect(body).toMatchObject({ role: 'member', record: { id: lena.integration, opening: 'ask' } })
})
