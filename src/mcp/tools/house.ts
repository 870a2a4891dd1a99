import { z } from 'zod'
import type { AnswerOf } from '../../api/contract-client.ts'
import { LISTED_CLASSES } from '../../api/contract/home.ts'
import type { Contract, contract } from '../../api/contract/index.ts'
import { refuse } from '../../api/errors.ts'
import type { DeviceClass, Operation } from '../../home/model/device.ts'
import { groupOf, isGroupWord } from '../../home/model/groups.ts'
import { type Fields, type McpCaller, ToolRefusal } from './mcp-caller.ts'
import { pageOf, tool, Cursor, Id, Limit, LIMIT_DEFAULT, NextCursor } from './tool.ts'

type House = AnswerOf<Contract['house.get']> & { readonly house: string }
type Room = House['rooms'][number]
type Unit = House['units'][number]

/** Class names are not in the tool's schema, which every model reads in every conversation. */
const Class = z
  .string()
  .refine((text) => LISTED_CLASSES.some((known) => known === text), `must be one of ${LISTED_CLASSES.join(', ')}`)

/** Rooms on one page of an overview. */
const OVERVIEW_ROOMS_MAX = 50

/** Row of a listing: a unit, a module, a gang, a scene or a group. */
interface Row {
  readonly id: string
  readonly name: string
  readonly class: string
  readonly room: string | null
  readonly floor: string | null
  readonly operations: readonly string[]
  readonly state?: unknown
  /** Set only if the unit (a gang's module) does not answer. */
  readonly reachable?: false
  readonly lastSeen?: number | null
  /** Only of a group. */
  readonly members?: readonly string[]
  /** Load of a switch, if known: true for a lamp. */
  readonly light?: boolean
}

interface Filter {
  readonly room?: string | undefined
  readonly floor?: string | undefined
  readonly class?: string | undefined
  readonly search?: string | undefined
}

/** The home (Spec 2.3), summarised so that a model can read thousands of units. */
export const house = tool('house', {
  title: 'The home and its ids',
  description:
    'Call this first. Without arguments: floors and rooms with their ids and how many devices of each class they hold, the number of scenes, the mode, people, the currency, and what you may do (settings). ' +
    'With room, floor, class or search (words in the name of the device or its room): the devices and scenes that fit, with id, class, operations and state (light true: feeds a lamp; reachable false: the unit is silent since lastSeen). Classes include light_dimmer, light_switch, switch_gang, shutter, lock, gate, ac, sensor, scene, group; groups are light, cover, socket, climate. ' +
    `Use the ids exactly as given. At most ${LIMIT_DEFAULT} rows unless limit says otherwise; nextCursor goes on.`,
  reads: true,
  input: z.strictObject({
    room: Id.optional().meta({ description: 'Id of a room.' }),
    floor: Id.optional().meta({ description: 'Id of a floor.' }),
    class: Class.optional().meta({ description: 'A class or group.' }),
    search: z.string().min(1).max(80).optional().meta({ description: 'Words of a name.' }),
    limit: Limit,
    cursor: Cursor,
  }),
  output: z.looseObject({
    house: z.string(),
    now: z.string(),
    devices: z
      .array(z.looseObject({ id: z.string(), name: z.string(), class: z.string(), operations: z.array(z.string()) }))
      .optional(),
    floors: z.array(z.looseObject({ id: z.string(), name: z.string() })).optional(),
    rooms: z.array(z.looseObject({ id: z.string(), name: z.string() })).optional(),
    total: z.int(),
    nextCursor: NextCursor,
  }),
  run: async ({ room, floor, class: className, search, limit, cursor }, { caller }) => {
    const filter = { room, floor, class: className, search }
    if (Object.values(filter).every((value) => value === undefined)) return homeInShort(caller, limit, cursor)
    const { now } = caller.times
    return { ...listing(await caller.ask('house.get'), filter, limit ?? LIMIT_DEFAULT, cursor), now }
  },
})

/** Floors, a page of rooms with counts, and the integration's permissions. */
export async function homeInShort(caller: McpCaller, limit = OVERVIEW_ROOMS_MAX, cursor?: string): Promise<Fields> {
  const { integration } = await caller.ask('integration.get')
  const { now } = caller.times
  const home = { ...(await unlessHidden(() => modeOf(caller))), ...(await unlessHidden(() => peopleOf(caller))) }
  const all = { ...overview(await caller.ask('house.get'), limit, cursor), ...home, ...(await calendarsOf(caller)) }
  return { ...all, settings: integration.settings, now }
}

/** The calendars that rules can name, if there are any. */
async function calendarsOf(caller: McpCaller): Promise<Fields> {
  const { calendars } = await caller.ask('calendars.list')
  return calendars.length === 0 ? {} : { calendars: calendars.map(({ id, name }) => ({ id, name })) }
}

async function modeOf(caller: McpCaller): Promise<Fields> {
  const { mode, until, modes } = await caller.ask('mode.get')
  return { mode: { id: mode, until, modes: modes.map(({ id, name }) => ({ id, name })) } }
}

async function peopleOf(caller: McpCaller): Promise<Fields> {
  const { anyone, persons } = await caller.ask('persons.list')
  return { people: { anyone, persons } }
}

/** A part of the home; no fields while it is hidden. */
async function unlessHidden(part: () => Promise<Fields>): Promise<Fields> {
  try {
    return await part()
  } catch (error) {
    if (error instanceof ToolRefusal && error.body.error.code === 'not_found') return {}
    throw error
  }
}

function overview(home: House, limit: number, cursor: string | undefined): Fields {
  const rooms = [...home.floors.flatMap((floor) => floor.rooms), ...home.rooms]
  const { page, nextCursor } = pageOf(rooms, limit, cursor)
  return {
    house: home.house,
    currency: home.currency,
    floors: home.floors.map(({ id, name, rooms: inside }) => ({
      id,
      name,
      rooms: inside.length,
      units: inside.reduce((sum, room) => sum + room.units.length, 0),
    })),
    rooms: page.map((room) => ({
      id: room.id,
      name: room.name,
      floor: floorNameOf(home, room),
      has: countsOf(room.units),
    })),
    ...(home.units.length === 0 ? {} : { inNoRoom: countsOf(home.units) }),
    scenes: home.scenes.length,
    ...(home.groups.length === 0 ? {} : { groups: home.groups.length }),
    total: rooms.reduce((sum, room) => sum + room.units.length, home.units.length),
    nextCursor,
  }
}

function floorNameOf(home: House, room: Room): string | null {
  return home.floors.find(({ id }) => id === room.floor)?.name ?? null
}

/** Counts like `{light_dimmer: 2, lock: 1}`; a module counts by its gangs. */
function countsOf(units: readonly Unit[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { class: deviceClass } of units.flatMap((unit): readonly { class: string }[] => unit.gangs ?? [unit]))
    counts[deviceClass] = (counts[deviceClass] ?? 0) + 1
  return counts
}

function listing(home: House, filter: Filter, limit: number, cursor: string | undefined): Fields {
  const rooms = [...home.floors.flatMap((floor) => floor.rooms), ...home.rooms]
  const known = [...rooms, ...home.floors].map(({ id }) => id)
  for (const field of ['room', 'floor'] as const) {
    const id = filter[field]
    if (id !== undefined && !known.includes(id)) refuse('not_found', { field })
  }
  const names = new Map(rooms.map((room) => [room.id, room.name]))
  const rows = [...rooms.flatMap((room) => room.units), ...home.units].flatMap(rowsOf)
  const { page, total, nextCursor } = pageOf(
    [...rows, ...home.scenes.map(sceneRow), ...home.groups.map((group) => groupRow(group, rows))].filter((row) =>
      fits(row, filter, names),
    ),
    limit,
    cursor,
  )
  // A listing of one room does not repeat the room in every row.
  const devices = page.map(({ room, floor: _floor, ...row }) => (filter.room === undefined ? { ...row, room } : row))
  return { house: home.house, devices, total, nextCursor }
}

/** Rows of a module and its gangs. */
function rowsOf(unit: Unit): Row[] {
  const silent = unit.reachable ? {} : ({ reachable: false, lastSeen: unit.lastSeen } as const)
  return [unit, ...(unit.gangs ?? [])].map((device) => ({ ...rowOf(device), ...silent }))
}

function rowOf({
  id,
  name,
  class: deviceClass,
  room,
  floor,
  operations,
  light,
  state,
}: Pick<Unit, 'id' | 'name' | 'room' | 'floor' | 'operations' | 'light' | 'state'> & { class: string }): Row {
  return {
    id,
    name,
    class: deviceClass,
    room,
    floor,
    operations,
    ...(typeof light === 'boolean' ? { light } : {}),
    ...(state === undefined ? {} : { state: stateOf(state) }),
  }
}

/** State without `asOf`, which the tool `state` returns. */
function stateOf(state: Readonly<Record<string, unknown>> | null): unknown {
  if (state === null) return null
  const { asOf: _asOf, ...rest } = state
  return rest
}

function sceneRow({ id, name, room, floor }: House['scenes'][number]): Row {
  return { id, name, class: 'scene', room, floor, operations: ['run'] }
}

/** A named group takes the operations of its members. */
function groupRow({ id, name, members }: House['groups'][number], rows: readonly Row[]): Row {
  const its = rows.filter((row) => members.includes(row.id))
  const operations = [...new Set(its.flatMap((row) => row.operations))]
  return { id, name, class: 'group', room: null, floor: null, operations, members }
}

/** Searches words in the names of the device and its room. */
function fits(
  row: Row,
  { room, floor, class: className, search }: Filter,
  roomNames: ReadonlyMap<string, string>,
): boolean {
  const text = `${row.name} ${roomNames.get(row.room ?? '') ?? ''}`.toLowerCase()
  return (
    (room === undefined || row.room === room) &&
    (floor === undefined || row.floor === floor) &&
    (className === undefined || isOfClass(row, className)) &&
    (search === undefined ||
      search
        .toLowerCase()
        .split(/\s+/)
        .every((word) => text.includes(word)))
  )
}

function isOfClass({ class: deviceClass, light, operations }: Row, wanted: string): boolean {
  if (!isGroupWord(wanted)) return deviceClass === wanted
  // A growing word of the contract: a class that this gateway does not know belongs to no group.
  return groupOf({ class: deviceClass as DeviceClass, light: light ?? null }, operations as Operation[]) === wanted
}

export const STATE_IDS_MAX = 50
/** Most devices read by separate requests. */
export const ONE_BY_ONE_MAX = 8

type Device =
  | AnswerOf<(typeof contract)['devices.get']>['device']
  | AnswerOf<(typeof contract)['state.get']>['devices'][number]

/** The state of a few devices (Spec 2.6, 4). */
export const state = tool('state', {
  title: 'State of devices',
  description:
    'Last confirmed states of named devices, with their times (asOf): units, gangs, modules or scenes by id. state is null before the unit was heard. To find devices, or the states of a whole room, use house.',
  reads: true,
  input: z.strictObject({ ids: z.array(Id).min(1).max(STATE_IDS_MAX).meta({ description: 'Ids of devices.' }) }),
  output: z.looseObject({
    house: z.string(),
    devices: z.array(z.looseObject({ id: z.string(), name: z.string(), class: z.string() })),
  }),
  run: ({ ids }, { caller }) => (ids.length > ONE_BY_ONE_MAX ? ofAll(caller, ids) : oneByOne(caller, ids)),
})

/** Reads a few devices separately instead of thousands. */
async function oneByOne(caller: McpCaller, ids: readonly string[]): Promise<Fields> {
  let house = ''
  const devices: Fields[] = []
  for (const [index, id] of ids.entries()) {
    const answer = await caller.naming({ id: `ids[${index}]` }).ask('devices.get', { id })
    house = answer.house
    devices.push(entryOf(answer.device))
  }
  return { house, devices }
}

/** Many devices count as one request. */
async function ofAll(caller: McpCaller, ids: readonly string[]): Promise<Fields> {
  const { house, devices: all } = await caller.ask('state.get')
  const known = new Map(all.map((device) => [device.id, device]))
  const devices: Fields[] = []
  for (const [index, id] of ids.entries()) {
    const named = caller.naming({ id: `ids[${index}]` })
    devices.push(entryOf(known.get(id) ?? (await named.ask('devices.get', { id })).device))
  }
  return { house, devices }
}

/** A device as in `GET /v1/state`; modules and scenes, which are not listed there, unchanged. */
function entryOf(device: Device): Fields {
  const { id, name, class: its } = device
  const confirmed = 'state' in device ? device.state : undefined
  if (confirmed === null) return { id, name, class: its, state: null }
  if (confirmed === undefined || !('asOf' in confirmed)) return device
  const { asOf, ...state } = confirmed
  // The age comes first.
  return { id, name, class: its, state: { asOf, ...state } }
}

/** Resource of a unit, module, gang or scene with the home's name. */
export async function deviceInShort(caller: McpCaller, id: string): Promise<Fields> {
  const { house, device } = await caller.ask('devices.get', { id })
  return { house, ...device }
}
