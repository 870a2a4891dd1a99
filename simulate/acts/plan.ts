import type { World } from '../world/world.ts'
import { makeIntegration, makeKey, ADMINISTRATOR_ACTS } from './administrators.ts'
import { houseSections } from '../../src/home/house/house-file.ts'
import { exposureOfObserver } from '../world/replica.ts'
import { CALLER_ACTS, OPENING_ACTS } from './callers.ts'
import { idFor, type ActKind } from './act.ts'
import { SeededRandom } from '../../src/sim/model/seeded-random.ts'
import { NATURE_ACTS } from './nature.ts'
import { UNIT_ACTS } from './units.ts'
import { DAY_MS } from '../../src/lib/durations.ts'

/** Integrations of a new home. */
const INTEGRATIONS = 3

/** Price of a kWh on the only tariff of a home. */
export const PRICE = 0.3

/** The witness sees the whole home. Its answers are compared with the physical units. */
async function letWitnessIn(world: World): Promise<void> {
  const settings = { structural: 'on', automations: 'on', schedules: 'on', advanced_config: 'read' }
  const body = { name: 'Witness', expose: ['all'], settings }
  const made = await world.answering.order('integrations.create', { body })
  const { id } = made.body['integration'] as { readonly id: string }
  const { body: key } = await world.answering.order('keys.create', { body: { integration: id, name: '' } })
  world.witness = { integration: id, link: String(key['link']), token: String(key['token']), kind: 'key' }
}

/** Runs the home until its units have been read. A late house is imported some time after the start. */
export async function arrive(world: World): Promise<void> {
  const { lateMs, content, rules } = world.home
  await letWitnessIn(world)
  if (lateMs !== null) {
    await world.clock.passTo(world.now + lateMs, () => 0)
    const file = JSON.stringify(houseSections(content, rules))
    void world.answering.order('house.import', { body: { file, check: false } })
  }
  await world.settle()
  const file = JSON.stringify({ name: 'Flat', rates: [{ price: PRICE }] })
  void world.answering.order('tariff.set', { body: { file } })
  await world.settleIn()
}

/** Creates the observer, an integration with full permissions for a part of the home. */
async function letObserverIn(world: World): Promise<void> {
  const settings = {
    structural: 'on',
    automations: 'on',
    schedules: 'on',
    agent_access: 'on',
    advanced_config: 'read_write',
  }
  const body = { name: 'Observer', expose: exposureOfObserver(world.content), settings }
  const made = await world.answering.order('integrations.create', { body })
  const { id } = made.body['integration'] as { readonly id: string }
  world.observer = id
  await makeKey(world, id)
  await makeKey(world, id)
}

/** Makes sure that every home has a schedule, because most creations by callers are refused. */
function makeDailySchedule(world: World): void {
  const { witness } = world
  if (witness === null) return
  const chance = world.chance('daily schedule')
  const time = `${String(chance.whole(1, 22)).padStart(2, '0')}:${String(chance.whole(0, 59)).padStart(2, '0')}`
  const then = [{ scene: idFor(world, witness, 'scene:evening') }]
  const body = { name: world.newName(), at: { time }, days: [1, 2, 3, 4, 5, 6, 7], then }
  void world.answering.ask(witness, 'schedules.create', { body })
}

/** Creates the first integrations. Their callers create a few rules. */
export async function letIn(world: World): Promise<void> {
  await letObserverIn(world)
  makeDailySchedule(world)
  await world.settle()
  for (let count = 0; count < INTEGRATIONS; count++) {
    makeIntegration(world, world.chance(`first ${count}`))
    await world.settle()
  }
  for (const name of ['make a schedule', 'make a schedule', 'make an automation']) {
    const chance = world.chance(`first ${name}`)
    void CALLER_ACTS.find((kind) => kind.name === name)?.run(world, chance)
    await world.settle()
  }
}

const ACTS = [...CALLER_ACTS, ...ADMINISTRATOR_ACTS, ...OPENING_ACTS, ...NATURE_ACTS, ...UNIT_ACTS]
const WEIGHT = ACTS.reduce((sum, { weight }) => sum + weight, 0)
/** Acts come in bouts: several acts within seconds of each other. */
const BOUTS_A_DAY = 14

/** One act of a run and its time (monotonic milliseconds). */
export interface PlannedAct {
  readonly index: number
  readonly at: number
  readonly kind: ActKind
}

/** Draws the acts of a run from its seed alone, so that omitting one act changes no other. */
export function planOf(seed: number, days: number, from: number): PlannedAct[] {
  const chance = new SeededRandom(`plan ${seed}`)
  const acts: PlannedAct[] = []
  let at = from
  for (;;) {
    at += chance.between(0, (2 * DAY_MS) / BOUTS_A_DAY)
    let moment = at
    for (let count = chance.whole(1, 5); count > 0; count--) {
      moment += chance.chance(0.3) ? 0 : chance.whole(1, 20_000)
      if (moment >= from + days * DAY_MS) return acts
      acts.push({ index: acts.length, at: Math.floor(moment), kind: drawn(chance) })
    }
    at = moment
  }
}

function drawn(chance: SeededRandom): ActKind {
  let remaining = chance.between(0, WEIGHT)
  const kind = ACTS.find(({ weight }) => (remaining -= weight) < 0)
  if (kind === undefined) throw new Error('No act was drawn.')
  return kind
}
