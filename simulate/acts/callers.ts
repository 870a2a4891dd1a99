import type { SeededRandom } from '../../src/sim/model/seeded-random.ts'
import type { SimCaller, RecordedReply } from '../world/sim-calls.ts'
import { hiddenName, isExtra } from '../world/replica.ts'
import type { World } from '../world/world.ts'
import { act, type ActKind, pick, withOne, ask, idFor, operation, steps, targets, withCaller } from './act.ts'

/** An act of a random caller. */
const byCaller = (
  name: string,
  weight: number,
  run: (world: World, chance: SeededRandom, caller: SimCaller) => void,
): ActKind => act(name, weight, (world, chance) => withCaller(world, chance, (caller) => run(world, chance, caller)))

/** Acts of integrations and agents. */
export const CALLER_ACTS: readonly ActKind[] = [
  byCaller('control', 20, control),
  byCaller('control twice', 3, controlTwice),
  byCaller('control many', 4, controlMany),
  byCaller('read', 10, read),
  byCaller('listen', 5, listen),
  byCaller('leave', 1, (world, _chance, caller) => world.answering.leave(caller)),
  byCaller('make a scene', 3, makeScene),
  byCaller('edit a scene', 4, editScene),
  byCaller('run a scene', 5, runScene),
  byCaller('make an automation', 3, makeAutomation),
  byCaller('make a schedule', 4, makeSchedule),
  byCaller('edit a rule', 5, editRule),
  byCaller('stop a run', 1, stopRun),
  byCaller('write a setting', 2, writeSetting),
  byCaller('rename', 2, rename),
]

function control(world: World, chance: SeededRandom, caller: SimCaller): void {
  withOne(chance, targets(world), (target) => {
    const args = { body: operation(chance, target), id: idFor(world, caller, target.key) }
    void ask(world, chance, caller, 'devices.control', args)
  })
}

/** Repeats a write with the same idempotency key, immediately or after its response. */
function controlTwice(world: World, chance: SeededRandom, caller: SimCaller): void {
  withOne(chance, targets(world), (target) => {
    const args = { id: idFor(world, caller, target.key), body: operation(chance, target), key: world.newName() }
    const first = world.answering.ask(caller, 'devices.control', args)
    const again = (): void => {
      if (world.running) void world.answering.ask(caller, 'devices.control', args)
    }
    if (chance.chance(0.3)) again()
    else void first.then(() => world.clock.after(chance.whole(1, 60_000), again))
  })
}

function controlMany(world: World, chance: SeededRandom, caller: SimCaller): void {
  const some = targets(world).filter(() => chance.chance(0.5))
  const controls = some.map((target) => ({ device: idFor(world, caller, target.key), ...operation(chance, target) }))
  const room = pick(chance, world.known.rooms)?.id ?? 'hall'
  const inRoom = { room: idFor(world, caller, `room:${room}`), op: 'set_power', args: { on: chance.chance(0.5) } }
  const body = chance.chance(0.5) && controls.length > 0 ? { controls } : inRoom
  void ask(world, chance, caller, 'control.batch', { body })
}

const READS = [
  'house.get',
  'state.get',
  'sensors.list',
  'integration.get',
  'scenes.list',
  'automations.list',
  'schedules.list',
  'runs.list',
  'activity.list',
] as const

function read(world: World, chance: SeededRandom, caller: SimCaller): void {
  const target = pick(chance, targets(world))
  if (chance.chance(0.4) && target !== undefined) {
    const name = chance.pick(['devices.get', 'explain.get', 'intents.list'] as const)
    return void ask(world, chance, caller, name, { id: idFor(world, caller, target.key) })
  }
  void ask(world, chance, caller, chance.pick(READS))
}

function listen(world: World, _chance: SeededRandom, caller: SimCaller): void {
  if (world.answering.connect(caller)) world.answering.subscribe(caller, ['*'])
}

function makeScene(world: World, chance: SeededRandom, caller: SimCaller): void {
  const own = world.newName()
  const name = caller.integration === world.observer ? own : hiddenName(own, world.isReplica)
  const body = { name, steps: steps(world, chance, (local) => idFor(world, caller, local)) }
  void ask(world, chance, caller, 'scenes.create', { body })
}

function editScene(world: World, chance: SeededRandom, caller: SimCaller): void {
  withOne(chance, world.known.scenes, ({ id, revision }) => {
    const changed = chance.chance(0.6) ? { steps: steps(world, chance, (local) => idFor(world, caller, local)) } : {}
    const body = { name: world.newName(), ifRevision: chance.chance(0.9) ? revision : revision + 1, ...changed }
    void ask(world, chance, caller, 'scenes.edit', { id: idFor(world, caller, `scene:${id}`), body })
  })
}

function runScene(world: World, chance: SeededRandom, caller: SimCaller): void {
  withOne(chance, world.known.scenes, ({ id }) => {
    void ask(world, chance, caller, 'scenes.run', { id: idFor(world, caller, `scene:${id}`) })
  })
}

/** The actions of a rule: a scene, or its own steps. */
function actionsOf(world: World, chance: SeededRandom, caller: SimCaller): object[] {
  const scene = pick(chance, world.known.scenes)
  if (scene !== undefined && chance.chance(0.5)) return [{ scene: idFor(world, caller, `scene:${scene.id}`) }]
  return steps(world, chance, (local) => idFor(world, caller, local))
}

function makeAutomation(world: World, chance: SeededRandom, caller: SimCaller): void {
  const lamp = idFor(world, caller, 'u11')
  const scene = pick(chance, world.known.scenes)?.id ?? 'evening'
  const when = chance.pick<object>([
    { device: lamp, state: 'on', is: true },
    { device: lamp, state: 'on', is: false, for: 90 },
    { time: timeOfDay(chance) },
    { scene: idFor(world, caller, `scene:${scene}`) },
  ])
  const body = { name: world.newName(), when: [when], then: actionsOf(world, chance, caller), mode: 'single' }
  void ask(world, chance, caller, 'automations.create', { body })
}

function makeSchedule(world: World, chance: SeededRandom, caller: SimCaller): void {
  const then = actionsOf(world, chance, caller)
  const body = { name: world.newName(), at: { time: timeOfDay(chance) }, days: [1, 2, 3, 4, 5, 6, 7], then }
  void ask(world, chance, caller, 'schedules.create', { body })
}

/** Not near midnight, so that a late run has the same date. */
function timeOfDay(chance: SeededRandom): string {
  return `${String(chance.whole(1, 22)).padStart(2, '0')}:${String(chance.whole(0, 59)).padStart(2, '0')}`
}

function editRule(world: World, chance: SeededRandom, caller: SimCaller): void {
  const { rules } = world.life.home
  const kind = chance.pick(['automation', 'schedule'] as const)
  const list = { automation: rules.automations, schedule: rules.schedules }[kind].list()
  const known = list.filter(({ id }) => !isExtra(id))
  withOne<{ id: string; revision: number; enabled: boolean }>(chance, known, ({ id, revision, enabled }) => {
    const then = chance.chance(0.4) ? { then: actionsOf(world, chance, caller) } : {}
    const body = { name: world.newName(), enabled: chance.chance(0.7) || !enabled, ifRevision: revision, ...then }
    void ask(world, chance, caller, `${kind}s.edit`, { id: idFor(world, caller, `${kind}:${id}`), body })
  })
}

function stopRun(world: World, chance: SeededRandom, caller: SimCaller): void {
  void ask(world, chance, caller, 'runs.list').then((reply) => {
    const runs = (reply.body['runs'] ?? []) as readonly { readonly runId: string }[]
    withOne(chance, runs, ({ runId }) => {
      if (world.running) void ask(world, chance, caller, 'runs.stop', { id: runId })
    })
  })
}

function writeSetting(world: World, chance: SeededRandom, caller: SimCaller): void {
  const params = { id: idFor(world, caller, 'u11'), intent: 'off_delay' }
  void ask(world, chance, caller, 'intents.write', { params, body: { value: chance.pick([60, 90, 120]) } })
}

function rename(world: World, chance: SeededRandom, caller: SimCaller): void {
  withOne(chance, world.known.rooms, ({ id, name }) => {
    const [mark = ''] = name.split(' ')
    const body = { name: `${mark} ${chance.whole(2, 99)}` }
    void ask(world, chance, caller, 'rooms.rename', { id: idFor(world, caller, `room:${id}`), body })
  })
}

/** Acts that open the lock while the permission to do so changes. */
export const OPENING_ACTS: readonly ActKind[] = [
  act('leave ends under way', 2, leaveEnds),
  act('a scene learns to open', 2, sceneLearns),
]

/** Two callers with keys of different integrations, or null. */
function twoKeys(world: World, chance: SeededRandom): [SimCaller, SimCaller] | null {
  const keys = world.answering.callers.filter(
    ({ kind, integration }) => kind === 'key' && integration !== world.observer,
  )
  const first = pick(chance, keys)
  const second = pick(
    chance,
    keys.filter(({ integration }) => integration !== first?.integration),
  )
  return first === undefined || second === undefined ? null : [first, second]
}

async function allow(world: World, { integration }: SimCaller, unlock: 'on' | 'off'): Promise<void> {
  const settings = { allow_unlock: unlock, automations: 'on' }
  const body = { settings, enabled: true, expose: ['all'] }
  await world.answering.order('integrations.change', { id: integration, body })
}

function localOf({ body }: RecordedReply): string | undefined {
  return (body['scene'] as { readonly id: string } | undefined)?.id.split(':')[3]
}

/** A caller with permission runs a scene that opens later. The permission ends before that. */
async function leaveEnds(world: World, chance: SeededRandom): Promise<void> {
  const [caller] = twoKeys(world, chance) ?? []
  if (caller === undefined) return
  const lock = idFor(world, caller, 'u12')
  await allow(world, caller, 'on')
  void world.answering.ask(caller, 'devices.control', { id: lock, body: { op: 'close' } })
  const steps = [{ delay: chance.pick([20, 80]) }, { device: lock, op: 'open' }]
  const scene = localOf(await world.answering.ask(caller, 'scenes.create', { body: { name: world.newName(), steps } }))
  if (scene === undefined || !world.running) return
  await world.answering.ask(caller, 'scenes.run', { id: idFor(world, caller, `scene:${scene}`) })
  world.clock.stayAwake(100_000)
  world.clock.after(chance.whole(1_000, 15_000), () => {
    if (!world.running) return
    const { link: id, integration } = caller
    if (chance.chance(0.4)) void world.answering.order('keys.revoke', { id })
    else if (chance.chance(0.5)) void allow(world, caller, 'off')
    else void world.answering.order('integrations.change', { id: integration, body: { enabled: false } })
  })
}

/** A caller without permission automates a harmless scene. Another with permission adds an opening to the scene. */
async function sceneLearns(world: World, chance: SeededRandom): Promise<void> {
  const [weak, strong] = twoKeys(world, chance) ?? []
  const scene = pick(chance, world.known.scenes)
  if (weak === undefined || strong === undefined || scene === undefined) return
  await allow(world, weak, 'off')
  await allow(world, strong, 'on')
  const then = [{ scene: idFor(world, weak, `scene:${scene.id}`) }]
  const when = [{ device: idFor(world, weak, 'u11'), state: 'on', is: true }]
  const body = { name: world.newName(), when, then, mode: 'single' }
  await world.answering.ask(weak, 'automations.create', { body })
  if (!world.running) return
  const lock = idFor(world, strong, 'u12')
  const edit = { name: world.newName(), ifRevision: scene.revision, steps: [{ device: lock, op: 'open' }] }
  await world.answering.ask(strong, 'scenes.edit', { id: idFor(world, strong, `scene:${scene.id}`), body: edit })
  if (!world.running) return
  void world.answering.ask(strong, 'devices.control', { id: lock, body: { op: 'close' } })
  world.clock.after(5_000, () => {
    if (world.physical.at(11) !== undefined) world.house.touch(11, null, chance.pick(['up', 'down']))
  })
}
