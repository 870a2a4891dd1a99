import { OWNER_ID } from '../../../src/auth/persons/person.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

/** The hall light of the demo home, on the unit bus. */
const HALL_LIGHT = 11
/** The sensor of its living room. */
const LIVING_CLIMATE = 27
/** Its front door, whose lock detects tampering. */
const FRONT_DOOR = 13
/** The adapter takes a unit for lost after some requests without an answer. */
const REQUESTS_MAX = 9

interface Told {
  readonly gateway: string
  readonly units: { readonly unreachable: readonly unknown[] }
}

/** The demo home with a lamp that has lost its power, of which the gateway knows, with smoke and tampering. */
export async function troubledHome(
  ends: AsyncDisposableStack,
): Promise<{ running: TestGateway; visitor: ConsoleVisitor }> {
  const running = ends.use(await TestGateway.open())
  const visitor = ends.use(new ConsoleVisitor(running))
  await running.admin.call('POST', '/persons', { name: 'Anna' })
  running.sim.house.cutMains([HALL_LIGHT])
  const anna = await visitor.entered('Anna')
  const told = (): Promise<Told> => running.admin.call('GET', '/status')
  const { gateway } = await told()
  const lamp = `/admin/home/v1/devices/${gateway}:${OWNER_ID}:hall-light`
  for (let tries = 0; (await told()).units.unreachable.length === 0; tries += 1) {
    if (tries > REQUESTS_MAX) throw new Error('The hall light answers without power.')
    await running.hasten(visitor.as(anna, 'POST', `${lamp}/control`, { op: 'set_power', args: { on: true } }))
  }
  running.sim.house.detect(LIVING_CLIMATE, 'smoke', true)
  running.sim.house.detect(FRONT_DOOR, 'tamper', true)
  return { running, visitor }
}
