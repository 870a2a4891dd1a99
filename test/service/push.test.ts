import { expect } from 'vitest'
import { IDLE_MS } from '../../src/auth/persons/console-session.ts'
import { conditionDraft } from '../../src/home/messages/home-messages.ts'
import type { MessageDraft } from '../../src/home/model/messages.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { hm } from '#support/gateway/cli.ts'
import { ConsoleVisitor, type ConsoleSecrets } from '#support/gateway/console-visitor.ts'
import { PushBrowser } from '#support/gateway/push-browser.ts'
import { pushService } from '#support/gateway/push-service.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'

const PASSWORD = 'correct horse battery'

interface Listed {
  readonly key: string
  readonly subscriptions: { id: string; own: boolean; current: boolean; names: boolean; host: string; name: string }[]
}

proves(
  ['messages.push-session', 'messages.push-list'],
  'a subscription outlives an idle session, but no session that somebody ended, and is listed without its address',
  async () => {
    const clock = new ManualClock(Date.now())
    await using running = await TestGateway.open({ ...ONE_UNIT, settled: false, clock, relayClock: systemClock })
    using visitor = new ConsoleVisitor(running)
    await running.admin.call('POST', '/persons', { name: 'Anna', password: PASSWORD })
    const [phone, tablet] = ['phone', 'tablet'].map((name) => new PushBrowser(`https://push.example/send/${name}`)) as [
      PushBrowser,
      PushBrowser,
    ]
    const listed = async () => (await running.admin.call<Listed>('GET', '/push')).subscriptions
    const subscribe = (secrets: ConsoleSecrets, body: object) => visitor.as(secrets, 'POST', '/admin/v1/push', body)
    const signIn = () => visitor.signInByLink('Anna')

    // A session that idled until its end does not end its subscription.
    const first = await signIn()
    expect((await subscribe(first, phone.address)).status).toBe(201)
    clock.stall(IDLE_MS)
    const second = await signIn()
    expect((await visitor.as(first, 'GET', '/admin/v1/push')).status).toBe(401)
    expect(await listed()).toMatchObject([{ host: 'push.example', name: 'Anna', own: false, current: false }])

    // The same browser in a new session replaces it; the worker renews its address without any session.
    expect((await subscribe(second, { ...phone.address, names: true })).status).toBe(201)
    const own = (await visitor.as(second, 'GET', '/admin/v1/push')).body as Listed
    expect(own.subscriptions).toMatchObject([{ own: true, current: true, names: true }])
    const renewal = { old: { endpoint: phone.endpoint, auth: phone.address.auth }, ...tablet.address }
    const renew = (body: object, origin = visitor.origin) =>
      visitor.ask({ method: 'POST', path: '/console/push', body, headers: { origin } })
    expect((await renew(renewal, 'https://elsewhere.example')).status).toBe(403)
    const wrong = { ...renewal, old: { ...renewal.old, auth: tablet.address.auth } }
    expect([(await renew(wrong)).status, (await renew(renewal)).body]).toEqual([404, { renewed: true }])
    const { out: stdout } = await hm(running.dataDir, 'message', 'channels')
    expect(stdout).toMatch(/device +Anna +push\.example +none/)
    expect(`${JSON.stringify(own)}${stdout}`).not.toContain('/send/')

    // Signing out ends it, and so does a new password, also for expired sessions.
    expect((await visitor.as(second, 'DELETE', `/admin/v1/sessions/${second.session}`)).status).toBe(200)
    expect(await listed()).toEqual([])
    const third = await signIn()
    expect((await subscribe(third, phone.address)).status).toBe(201)
    clock.stall(IDLE_MS)
    await signIn()
    const [anna] = (await running.admin.call<{ persons: { id: string }[] }>('GET', '/persons')).persons
    await running.admin.call('PUT', `/persons/${anna!.id}/password`, { password: `${PASSWORD} 2` })
    expect(await listed()).toEqual([])
    expect(await subscribe(await visitor.signInByLink(), phone.address)).toMatchObject({ status: 422 })
    await expect(running.admin.call('POST', '/push', phone.address)).rejects.toThrow(/in the browser/)
  },
)

proves(
  ['messages.push-recipients', 'messages.push-list'],
  'a member gets the messages of their view, and knows of no other device',
  async () => {
    const clock = new ManualClock(Date.now())
    await using service = await pushService()
    const network = { outsideNetwork: service.network, relayClock: systemClock }
    await using running = await TestGateway.open({ ...ONE_UNIT, settled: false, clock, ...network })
    using visitor = new ConsoleVisitor(running)
    await running.admin.call('POST', '/persons', { name: 'Anna', password: PASSWORD })
    const { person } = await running.admin.call<{ person: { integration: string } }>('POST', '/persons', {
      ...{ name: 'Lena', member: { expose: ['mode'] } },
    })
    const ids: string[] = []
    const [annas, lenas] = ['Anna', 'Lena'].map((name) => new PushBrowser(`${service.origin}/send/${name}`)) as [
      PushBrowser,
      PushBrowser,
    ]
    const lena = await visitor.signInByLink('Lena')
    for (const [secrets, browser] of [
      [await visitor.signInByLink('Anna'), annas],
      [lena, lenas],
    ] as const) {
      const { body } = await visitor.as(secrets, 'POST', '/admin/v1/push', { ...browser.address, names: true })
      ids.push((body as { subscription: { id: string } }).subscription.id)
    }
    const [ofAnna, ofLena] = ids
    const list = (await visitor.as(lena, 'GET', '/admin/v1/push')).body as Listed
    expect(list.subscriptions).toMatchObject([{ id: ofLena, own: true }])
    for (const [method, path] of [
      ['DELETE', ofAnna],
      ['POST', `${ofAnna}/test`],
    ] as const)
      expect((await visitor.as(lena, method, `/admin/v1/push/${path}`)).status).toBe(404)

    const received = () =>
      service.received.map(({ headers }) => String(headers['path']).replace('/send/', '')).toSorted()
    const post = (draft: Partial<MessageDraft>, to: readonly string[]) => {
      service.received.splice(0)
      running.gateway.home.messages.post({ ...conditionDraft('test', 'x', 'A test', '/'), ...draft })
      return expect.poll(received).toEqual(to)
    }
    await post({ ref: 'all' }, ['Anna', 'Lena'])
    await post({ ref: 'home', to: 'home' }, ['Anna', 'Lena'])
    await post({ ref: 'us', to: 'administrators' }, ['Anna'])
    await post({ ref: 'lamp', subjects: { devices: [...running.gateway.home.house.devices.keys()], scenes: [] } }, [
      'Anna',
    ])
    await running.admin.call('PATCH', `/integrations/${person.integration}`, { enabled: false })
    await post({ ref: 'later' }, ['Anna'])
  },
)
