import { expect } from 'vitest'
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
