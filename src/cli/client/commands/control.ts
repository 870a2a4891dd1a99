import type { Control, ControlBatchBody } from '@hm-gateway/client/src/contract.ts'
import type { ClientContext, OpenHome } from '../home/client-context.ts'
import { EXIT_CODES, Failure } from '../home/failure.ts'
import { type Thing, fullName, theOne } from '../home/name-match.ts'
import { broken, DEVICE_GROUPS, faint } from '../words/state-words.ts'
import { settingIn, controlFor, groupSettingIn } from '../words/control-arguments.ts'
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

/** `hm blink NAME`. */
export async function blink(context: ClientContext, name: readonly string[]): Promise<void> {
  const home = await context.open()
  const thing = home.thing(name.join(' '))
  const { house, seconds } = await home.ask((client) =>
    client.call('post', '/v1/devices/{id}/identify', { path: { id: thing.id } }),
  )
  context.show(
    { house, device: thing.id, name: thing.name, seconds },
    () => `${fullName(thing)} blinks for ${seconds} s.`,
  )
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

export interface GroupOptions {
  readonly room?: string
  readonly floor?: string
}

/** `hm group`: one operation for all devices of a group, with the confirmed state of each. */
export async function group(context: ClientContext, words: readonly string[], options: GroupOptions): Promise<void> {
  const { group: name, control } = groupSettingIn(words)
  const home = await context.open()
  const place = placeIn(home, options)
  const {
    house,
    results,
    unsaid = [],
  } = await home.ask((client) =>
    client.control({ group: groupNamed(name, home), ...place, ...control } as ControlBatchBody),
  )
  const things = new Map(home.things.map((thing) => [thing.id, thing]))
  const rows = results.map(({ device, state = null, error }) => ({ device, thing: things.get(device), state, error }))
  const devices = rows.map(({ device, thing, state, error }) => {
    const { name: named = device, room = null, class: of = '' } = thing ?? {}
    return { device, name: named, room, class: of, state, ...(error && { error }) }
  })
  context.show({ house, devices, unsaid }, () =>
    [
      ...(rows.length === 0 ? [faint('No device of the group takes it there.')] : rows.map(lineOf)),
      ...leftOut(unsaid, things),
    ].join('\n'),
  )
  const failed = results.find(({ error }) => error !== undefined)?.error
  if (failed) throw new Failure(failed.message, EXIT_CODES.unit, { code: failed.code })
}

type GroupResult = Awaited<ReturnType<OpenHome['client']['control']>>['results'][number]

function lineOf({
  device,
  thing,
  state,
  error,
}: Pick<GroupResult, 'device' | 'error'> & {
  readonly thing: Thing | undefined
  readonly state: Thing['state']
}): string {
  if (thing === undefined) return device
  return `${fullName(thing)}: ${error ? broken(error.message) : painted({ ...thing, reachable: true, state })}`
}

/** A word, of which `lights` and `light` are the same, or the id of a named group. */
function groupNamed(typed: string, home: OpenHome): string {
  const name = typed.toLowerCase()
  const word = DEVICE_GROUPS.find((known) => known === name || `${known}s` === name)
  return word ?? (home.groups.length === 0 ? typed : theOne(typed, home.groups, 'group').id)
}

function placeIn(home: OpenHome, { room, floor }: GroupOptions): { readonly room?: string; readonly floor?: string } {
  return {
    ...(room === undefined ? {} : { room: theOne(room, home.rooms, 'room').id }),
    ...(floor === undefined ? {} : { floor: theOne(floor, home.floors, 'floor').id }),
  }
}

function leftOut(unsaid: readonly string[], things: ReadonlyMap<string, Thing>): readonly string[] {
  const names = unsaid.map((id) => things.get(id)).flatMap((thing) => (thing ? [fullName(thing)] : []))
  return names.length === 0 ? [] : [faint(`Left out, load unknown: ${names.join(', ')}.`)]
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
