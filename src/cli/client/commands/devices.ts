import { listed, visible } from '../../shell/terminal.ts'
import type { ClientContext } from '../home/client-context.ts'
import { DEVICE_CLASSES, broken, faint, lit, stateWords } from '../words/state-words.ts'
import { EXIT_CODES, Failure } from '../home/failure.ts'
import { type Thing, distinctName } from '../home/name-match.ts'

export interface DevicesOptions {
  readonly room?: string
  readonly class?: string
}

/** `hm devices`: what there is, where, and how it is. A module without a state of its own is shown by its gangs. */
export async function devices(context: ClientContext, { room, class: of }: DevicesOptions): Promise<void> {
  const home = await context.open()
  if (of !== undefined) mustBeClass(of, home.things)
  const things = home.inRoom(room).filter((thing) => of === undefined || thing.class === of)
  const roomOf = distinctName(home.rooms)
  const rooms = new Map(home.rooms.map((room) => [room.id, visible(roomOf(room))]))
  const shown = things.filter(({ kind, state }) => kind !== 'module' || state !== null)
  context.show({ house: home.house.house, devices: things }, () =>
    listed(shown, 'There are no devices there for this login.', {
      NAME: ({ name }) => visible(name),
      ROOM: ({ roomId }) => rooms.get(roomId ?? '') ?? null,
      CLASS: (thing) => thing.class,
      STATE: painted,
    }),
  )
}

/** A class that nobody knows is a mistake and no empty answer; one that only the home knows is as good as any. */
function mustBeClass(typed: string, things: readonly Thing[]): void {
  const known = new Set([...DEVICE_CLASSES, ...things.map((thing) => thing.class)])
  if (known.has(typed)) return
  const sentence = `"${typed}" is no class of devices: there are ${[...known].join(', ')}.`
  throw new Failure(sentence, EXIT_CODES.typed, { code: 'no_value' })
}

/** `hm scenes`. */
export async function scenes(context: ClientContext): Promise<void> {
  const home = await context.open()
  const { scenes: entries, house } = await home.ask((client) => client.scenes())
  const rooms = new Map(home.scenes.map(({ id, room }) => [id, room]))
  const shown = entries.map(({ id, name, running, members, hiddenMembers }) => ({
    id,
    name,
    room: rooms.get(id) ?? null,
    running,
    devices: members.length + hiddenMembers,
  }))
  context.show({ house, scenes: shown }, () =>
    listed(shown, 'There are no scenes for this login.', {
      NAME: ({ name }) => visible(name),
      ROOM: ({ room }) => (room === null ? null : visible(room)),
      DEVICES: (item) => item.devices,
      '': ({ running }) => (running ? lit('runs') : ''),
    }),
  )
}

/** The state as a phrase, in its colour. It stands last in a line, so that colours widen no column. */
export function painted(thing: Thing): string {
  const words = stateWords(thing)
  if (!thing.reachable) return broken(words)
  return thing.state !== null && 'on' in thing.state && thing.state.on
    ? lit(words)
    : words === '-'
      ? faint(words)
      : words
}
