import { expect } from 'vitest'
import { OWNER_ID } from '../../src/auth/persons/person.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'

const LAN = { address: '127.0.1.1', netmask: '255.255.255.0', family: 'IPv4', mac: '02:00:00:00:00:01' } as const
const AT_HOME = '127.0.1.7'
const ELSEWHERE = '127.0.2.7'
const ROUNDS = 20

proves(
  ['devices.presence-console'],
  'only a console in the home network means home, only a report means away',
  async () => {
    const interfaces = () => ({ eth0: [{ ...LAN, internal: false, cidr: '127.0.1.1/24' }] })
    await using running = await TestGateway.open({ interfaces })
    using visitor = new ConsoleVisitor(running)
    const { admin } = running
    const { person } = await admin.call<{ person: { id: string } }>('POST', '/persons', { name: 'Anna' })
    const record = { name: 'Phone', expose: ['nothing'], reports: [person.id] }
    const { integration } = await admin.call<{ integration: { id: string } }>('POST', '/integrations', record)
    const { token } = await admin.call<{ token: string }>('POST', '/keys', { integration: integration.id })
    const path = `/v1/persons/${person.id}/presence`
    const report = (is: string) =>
      visitor.ask({ method: 'PUT', path, body: { is }, headers: { authorization: `Bearer ${token}` } })
    const anna = visitor.headersOf(await visitor.signInByLink('Anna'))
    const use = (from: string) => visitor.ask({ method: 'POST', path: '/admin/v1/session/use', headers: anna, from })
    const presence = async (): Promise<string> => {
      const { presence: now } = await admin.call<{ presence: { is: string } }>('GET', `/persons/${person.id}/presence`)
      return now.is
    }
    let [byKey, byConsole] = [0, 0]
    for (let round = 0; round < ROUNDS; round++) {
      expect(await report('home')).toMatchObject({ status: 200 })
      byKey += Number((await presence()) === 'home')
      await report('away')
      expect(await use(ELSEWHERE)).toMatchObject({ status: 200 })
      await visitor.ask({ path: '/admin/home/v1/house', headers: anna, from: AT_HOME })
      expect(await presence()).toBe('away')
      await use(AT_HOME)
      byConsole += Number((await presence()) === 'home')
    }
    console.info(
      `Home at once by a key ${byKey} times, by a console ${byConsole} times of ${ROUNDS}; away only by the key.`,
    )
    expect([byKey, byConsole]).toEqual([ROUNDS, ROUNDS])
    const answer = await admin.call('GET', `/persons/${person.id}/presence`)
    expect(answer).toMatchObject({ presence: { source: 'console in the home network' } })
  },
)

proves(
  ['automations.presence-opens-nothing'],
  "a member's use of the console at home opens nothing that the member may not open",
  async () => {
    const interfaces = () => ({ eth0: [{ ...LAN, internal: false, cidr: '127.0.1.1/24' }] })
    await using running = await TestGateway.open({ interfaces })
    using visitor = new ConsoleVisitor(running)
    const { admin } = running
    await admin.call('POST', '/persons', { name: 'Anna' })
    const anna = visitor.headersOf(await visitor.signInByLink('Anna'))
    const ask = (method: string, path: string, body?: object) =>
      running.hasten(visitor.ask({ method, path: `/admin/home/v1${path}`, body, headers: anna }))
    const gate = `${running.gateway.serial}:${OWNER_ID}:driveway-gate`
    const comes = async (name: string, settings: object, closes: boolean): Promise<string | null> => {
      const { person } = await admin.call<{ person: { id: string; integration: string } }>('POST', '/persons', {
        ...{ name, member: { expose: ['room:studio'], settings } },
      })
      const when = [{ person: person.id, is: 'home' }]
      const made = await ask('POST', '/automations', { name, when, then: [{ device: gate, op: 'open' }] })
      expect(made.status, made.text).toBe(201)
      const member = visitor.headersOf(await visitor.signInByLink(name))
      if (closes) await admin.call('PATCH', `/integrations/${person.integration}`, { enabled: false })
      const begun = running.clock.now()
      await visitor.ask({ method: 'POST', path: '/admin/v1/session/use', headers: member, from: AT_HOME })
      const path = `/persons/${person.id}/presence`
      const { presence } = await admin.call<{ presence: { is: string } }>('GET', path)
      if (presence.is !== 'home') return null
      for (;;) {
        const { body } = await ask('GET', `/activity?limit=1&device=${encodeURIComponent(gate)}`)
        const [entry] = (body as { entries: { at: number; what: string }[] }).entries
        if (entry && entry.at >= begun) return entry.what
      }
    }
    expect(await comes('Closed', { allow_unlock: 'on' }, true)).toBeNull()
    expect(await comes('Careful', {}, false)).toBe('open refused: no permission to open')
    expect(await comes('Allowed', { allow_unlock: 'on' }, false)).toBe('started opening')
  },
)
