import type { Control } from '@hm-gateway/client/src/contract.ts'
import type { ClientContext, OpenHome } from '../home/client-context.ts'
import { EXIT_CODES, Failure } from '../home/failure.ts'
import { type Thing, fullName, theOne } from '../home/name-match.ts'
import { settingIn, controlFor } from '../words/control-arguments.ts'
import { painted } from './devices.ts'

export interface ControlOptions {
  /** Code that only administrators see, for an agent that opens a lock or gate. */
  readonly code?: string
}

/** `hm on` and `hm off`. */
export async function power(context: ClientContext, name: readonly string[], on: boolean): Promise<void> {
  const home = await context.open()
  await performControl(context, home, home.thing(name.join(' '), 'set_power'), { op: 'set_power', args: { on } })
}

/** `hm toggle`: the opposite of the last confirmed state. */
export async function toggle(context: ClientContext, name: readonly string[]): Promise<void> {
  const home = await context.open()
  const thing = home.thing(name.join(' '), 'set_power')
  const { state } = thing
  if (state === null || !('on' in state))
    throw new Failure(`The state of ${fullName(thing)} is unknown: use hm on or hm off.`, EXIT_CODES.typed, {
      code: 'unknown_state',
    })
  await performControl(context, home, thing, { op: 'set_power', args: { on: !state.on } })
}

/** `hm open`, `hm close` and `hm stop`. */
export async function move(
  context: ClientContext,
  name: readonly string[],
  op: 'open' | 'close' | 'stop',
  { code }: ControlOptions = {},
): Promise<void> {
  const home = await context.open()
  await performControl(context, home, home.thing(name.join(' '), op), { op, ...(code === undefined ? {} : { code }) })
}

/** `hm set NAME [WHAT] VALUE`. */
export async function set(context: ClientContext, words: readonly string[], { code }: ControlOptions): Promise<void> {
  const home = await context.open()
  const { thing, desired } = settingIn(words, home.things)
  const control = controlFor(thing, desired)
  await performControl(context, home, thing, { ...control, ...(code === undefined ? {} : { code }) })
}

/** `hm run`: starts a scene. */
export async function run(context: ClientContext, name: readonly string[]): Promise<void> {
  const home = await context.open()
  const scene = theOne(name.join(' '), home.scenes, 'scene')
  const { house, run: started } = await home.ask((client) => client.runScene(scene.id), scene.id)
  context.show({ house, scene: scene.id, name: scene.name, runId: started.runId }, () => `${scene.name} runs.`)
}

/** Performs an operation and prints the confirmed state. */
async function performControl(context: ClientContext, home: OpenHome, thing: Thing, body: Control): Promise<void> {
  const { id, name, room } = thing
  const { house, state = null } = await home.ask(
    (client) => client.call('post', '/v1/devices/{id}/control', { path: { id }, body }),
    id,
  )
  const after = { ...thing, reachable: true, state }
  context.show(
    { house, device: id, name, room, class: thing.class, state },
    () => `${fullName(thing)}: ${painted(after)}`,
  )
}
