import { OWNER_ID } from '../../../src/auth/persons/person.ts'
import { ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

/** Unit number of the demo home's hall light. */
const HALL_LIGHT = 11
/** Unit number of the sensor in its living room. */
const LIVING_CLIMATE = 27
/** Unit number of its front door's lock, which detects tampering. */
const FRONT_DOOR = 13
/** Unanswered requests after which the adapter marks a unit lost. */
const REQUESTS_MAX = 9

interface UnitStatus {
  readonly gateway: string
  readonly units: { readonly unreachable: readonly unknown[] }
}

/** The demo home with a silent lamp, a smoke alarm and a tamper alarm. */
export async function troubledHome(
  ends: AsyncDisposableStack,
): Promise<{ running: TestGateway; visitor: ConsoleVisitor }> {
  const running = ends.use(await TestGateway.open())
  const visitor = ends.use(new ConsoleVisitor(running))
  await running.admin.call('POST', '/persons', { name: 'Anna' })
  running.sim.house.cutMains([HALL_LIGHT])
  const anna = await visitor.signInByLink('Anna')
  const readStatus = (): Promise<UnitStatus> => running.admin.call('GET', '/status')
  const { gateway } = await readStatus()
  const lamp = `/admin/home/v1/devices/${gateway}:${OWNER_ID}:hall-light`
  for (let tries = 0; (await readStatus()).units.unreachable.length === 0; tries += 1) {
    if (tries > REQUESTS_MAX) throw new Error('The hall light answers without power.')
    await running.hasten(visitor.as(anna, 'POST', `${lamp}/control`, { op: 'set_power', args: { on: true } }))
  }
  running.sim.house.detect(LIVING_CLIMATE, 'smoke', true)
  running.sim.house.detect(FRONT_DOOR, 'tamper', true)
  return { running, visitor }
}
