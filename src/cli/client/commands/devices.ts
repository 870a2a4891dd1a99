import { listed, visible } from '../../shell/terminal.ts'
import type { ClientContext, OpenHome } from '../home/client-context.ts'
import { DEVICE_CLASSES, DEVICE_GROUPS, broken, faint, lit, stateWords } from '../words/state-words.ts'
import { EXIT_CODES, Failure } from '../home/failure.ts'
import { type Thing, distinctName } from '../home/name-match.ts'

export interface DevicesOptions {
  readonly room?: string
  readonly class?: string
}

/** `hm devices`: the devices with their place and state. A module without a state of its own is shown by its gangs. */
export async function devices(context: ClientContext, { room, class: of }: DevicesOptions): Promise<void> {
  const home = await context.open()
  if (of !== undefined) refuseUnknownClass(of, home.things)
  const isOf = await classFilter(home, of)
  const things = home.inRoom(room).filter(isOf)
  const roomOf = distinctName(home.rooms)
  const rooms = new Map(home.rooms.map((room) => [room.id, visible(roomOf(room))]))
  const rows = things.filter(({ kind, state }) => kind !== 'module' || state !== null)
  context.show({ house: home.house.house, devices: things }, () =>
    listed(rows, 'This login sees no devices there.', {
      NAME: ({ name }) => visible(name),
      ROOM: ({ roomId }) => rooms.get(roomId ?? '') ?? null,
      CLASS: (thing) => thing.class,
      STATE: painted,
    }),
  )
}

/** The gateway knows the devices of a group. */
async function classFilter(home: OpenHome, of: string | undefined): Promise<(thing: Thing) => boolean> {
  if (of === undefined) return () => true
  if (!DEVICE_GROUPS.includes(of)) return (thing) => thing.class === of
  const { devices: members } = await home.ask((client) => client.state({ class: of as 'light' }))
  const ids = new Set(members.map(({ id }) => id))
  return ({ id }) => ids.has(id)
}

/** Refuses an unknown class instead of printing an empty list; classes that only the home knows are fine. */
function refuseUnknownClass(typed: string, things: readonly Thing[]): void {
  const known = new Set([...DEVICE_CLASSES, ...DEVICE_GROUPS, ...things.map((thing) => thing.class)])
  if (known.has(typed)) return
  const sentence = `"${typed}" is not a class of devices: use one of ${[...known].join(', ')}.`
  throw new Failure(sentence, EXIT_CODES.typed, { code: 'no_value' })
}

/** `hm scenes`. */
export async function scenes(context: ClientContext): Promise<void> {
  const home = await context.open()
  const { scenes: entries, house } = await home.ask((client) => client.scenes())
  const rooms = new Map(home.scenes.map(({ id, room }) => [id, room]))
  const rows = entries.map(({ id, name, running, members, hiddenMembers }) => ({
    id,
    name,
    room: rooms.get(id) ?? null,
    running,
    devices: members.length + hiddenMembers,
  }))
  context.show({ house, scenes: rows }, () =>
    listed(rows, 'This login sees no scenes.', {
      NAME: ({ name }) => visible(name),
      ROOM: ({ room }) => (room === null ? null : visible(room)),
      DEVICES: (item) => item.devices,
      '': ({ running }) => (running ? lit('runs') : ''),
    }),
  )
}

/** The state as a coloured phrase. It is the last column, so that colours do not change widths. */
export function painted(thing: Thing): string {
  const words = stateWords(thing)
  if (!thing.reachable) return broken(words)
  return thing.state !== null && 'on' in thing.state && thing.state.on
    ? lit(words)
    : words === '-'
      ? faint(words)
      : words
}
