import type { World } from '../world/world.ts'
import { makeIntegration, makeKey, ADMINISTRATOR_ACTS } from './administrators.ts'
import { houseSections } from '../../src/home/house/house-file.ts'
import { exposureOfObserver } from '../world/shadow.ts'
import { CALLER_ACTS, OPENING_ACTS } from './callers.ts'
import { idFor, type ActKind } from './act.ts'
import { SeededRandom } from '../../src/sim/model/seeded-random.ts'
import { NATURE_ACTS } from './nature.ts'
import { UNIT_ACTS } from './units.ts'
import { DAY_MS } from '../../src/lib/durations.ts'

/** Integrations that a home has from the beginning. */
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

/** The home until its units are read. A late house is imported a while after the start. */
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

/** The observer sees part of the home, and may do everything with it. */
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

/** Every home has a schedule: most of those that callers want to make are refused. */
function makeDailySchedule(world: World): void {
  const { witness } = world
  if (witness === null) return
  const chance = world.chance('daily schedule')
  const time = `${String(chance.whole(1, 22)).padStart(2, '0')}:${String(chance.whole(0, 59)).padStart(2, '0')}`
  const then = [{ scene: idFor(world, witness, 'scene:evening') }]
  const body = { name: world.newName(), at: { time }, days: [1, 2, 3, 4, 5, 6, 7], then }
  void world.answering.ask(witness, 'schedules.create', { body })
}

/** What administrators do first: they let somebody in, who makes a few rules. */
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
    void CALLER_ACTS.find((each) => each.name === name)?.run(world, chance)
    await world.settle()
  }
}

const ACTS = [...CALLER_ACTS, ...ADMINISTRATOR_ACTS, ...OPENING_ACTS, ...NATURE_ACTS, ...UNIT_ACTS]
const WEIGHT = ACTS.reduce((sum, { weight }) => sum + weight, 0)
/** Acts come in bouts: so many a day, of so many acts within seconds of each other. */
const BOUTS_A_DAY = 14

/** One act of a run: what, and when (monotonic milliseconds). */
export interface PlannedAct {
  readonly index: number
  readonly at: number
  readonly kind: ActKind
}

/** What happens in a run, drawn from its seed alone: leaving one act out changes no other. */
export function planOf(seed: number, days: number, from: number): PlannedAct[] {
  const chance = new SeededRandom(`plan ${seed}`)
  const acts: PlannedAct[] = []
  let at = from
  for (;;) {
    at += chance.between(0, (2 * DAY_MS) / BOUTS_A_DAY)
    let moment = at
    for (let left = chance.whole(1, 5); left > 0; left--) {
      moment += chance.chance(0.3) ? 0 : chance.whole(1, 20_000)
      if (moment >= from + days * DAY_MS) return acts
      acts.push({ index: acts.length, at: Math.floor(moment), kind: drawn(chance) })
    }
    at = moment
  }
}

function drawn(chance: SeededRandom): ActKind {
  let left = chance.between(0, WEIGHT)
  const found = ACTS.find(({ weight }) => (left -= weight) < 0)
  if (found === undefined) throw new Error('No act was drawn.')
  return found
}
