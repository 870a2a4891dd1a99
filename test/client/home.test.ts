import { expect, onTestFinished } from 'vitest'
import { caOf, Client, type Home, type HomeChange, NodeTransport } from '../../client/src/node.ts'
import { TestHome } from '#support/gateway/harness.ts'
import type { TestGatewayOptions } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { INTENT_PLAN, intentHouse } from '#support/homes/intent-house.ts'

const isModule = ({ address }: { readonly address: number }): boolean => address === 4
const ONE_MODULE: TestGatewayOptions = {
  sim: { plan: { ...INTENT_PLAN, units: INTENT_PLAN.units.filter(isModule) } },
  firstHouse: { ...intentHouse(), units: intentHouse().units.filter(isModule) },
}

interface Lived {
  readonly home: TestHome
  readonly client: Client
  readonly model: Home
  /** Does something, and waits for the change that it makes in the model. */
  readonly after: (act: () => Promise<unknown>, fits: (change: HomeChange) => boolean) => Promise<void>
}

async function lived(options: TestGatewayOptions = {}): Promise<Lived> {
  const home = await TestHome.open('http', options)
  onTestFinished(() => home[Symbol.asyncDispose]())
  const { url, ca, token } = home.access(home.main.token)
  const client = new Client(new NodeTransport({ addresses: [url], token: token ?? '', ca: caOf(ca) }))
  const model = await client.home()
  onTestFinished(() => model.close())
  const after: Lived['after'] = async (act, fits) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = model.onChange((change) => {
      if (fits(change)) resolve()
    })
    await home.running.hasten(Promise.all([act(), promise]))
    stop()
  }
  return { home, client, model, after }
}

proves(
  'client.home',
  'a live home shows what the service answers, whatever happens to it',
  { tags: ['long'] },
  async () => {
    const { home, client, model, after } = await lived()
    const light = home.id('study-light')
    const before = model.devices.get(light)
    const { on } = before!.state as { on: boolean }
    const stateOf = (id: string): unknown => model.devices.get(id)?.state

    await after(
      () => client.device('light_switch', light).setPower(!on),
      (change) => change.what === 'device' && change.id === light,
    )
    expect(stateOf(light)).toMatchObject({ on: !on })
    expect(model.devices.get(light)).not.toBe(before)

    const weather = home.id('terrace-door')
    await after(
      async () => home.running.sim.house.door(35, true),
      (change) => change.what === 'sensor' && change.id === weather,
    )
    expect(model.sensors.get(weather)).toMatchObject({ door: true })
    expect(stateOf(weather)).toMatchObject({ door: true })

    const scene = home.id('scene:dinner')
    await after(
      () => client.runScene(scene),
      (change) => change.what === 'scene' && change.id === scene && model.scenes.get(scene)?.running === false,
    )

    await after(
      () => client.call('patch', '/v1/devices/{id}', { path: { id: light }, body: { name: 'Reading light' } }),
      () => model.devices.get(light)?.name === 'Reading light',
    )
    await after(
      () => client.call('post', '/v1/scenes', { body: { name: 'Tea' } }),
      () => [...model.scenes.values()].some(({ name }) => name === 'Tea'),
    )

    await after(
      () => home.change(home.main, { expose: ['room:study', 'gang:entrance-panel:1'] }),
      () => model.devices.size < 6,
    )
    expect([...model.devices.keys()].map((id) => id.split(':').slice(2).join(':'))).toEqual([
      'study-light',
      'study-desk',
      'entrance-panel',
      'entrance-panel:1',
    ])
    const { devices } = await client.state()
    for (const { id, state } of devices) expect(stateOf(id), id).toEqual(state)
  },
)

proves('client.home', 'a module that no longer answers takes its gangs along', { tags: ['long'] }, async () => {
  const { home, model, after } = await lived(ONE_MODULE)
  const gang = home.id('module:0')
  expect(model.devices.get(gang)?.reachable).toBe(true)
  home.running.sim.silence(4, true)
  await after(
    () =>
      home.call({
        method: 'POST',
        path: home.at('module:0', '/control'),
        body: { op: 'set_power', args: { on: true } },
      }),
    (change) => change.what === 'device' && change.id === gang,
  )
  expect(model.devices.get(gang)?.reachable).toBe(false)
})
