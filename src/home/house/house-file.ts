import { plainText } from '../../lib/plain-text.ts'
import {
  FIRST_EDIT,
  type Gang,
  type Group,
  type HomeInfo,
  lightField,
  LOCAL_ID,
  RESERVED_UNIT_IDS,
  type Scene,
  type Unit,
  type QuietHours,
} from '../model/house.ts'
import { calendarOf, ONE_SOURCE, sourceFields, sourceIn } from '../model/calendar-schema.ts'
import { type Calendar, calendarsProblem, sourceOf } from '../model/calendars.ts'
import { BUILT_IN_MODES, completeModes, type HomeMode, MODES_MAX, ownModes } from '../model/modes.ts'
import type { HomePerson } from '../model/presence.ts'
import { z } from 'zod'
import { type Result, fail, ok } from '../../lib/result.ts'
import { checked, sentenceOf } from '../../lib/checked.ts'
import { parseYaml } from '../../lib/yaml.ts'
import {
  originSchema,
  type DeviceClass,
  GANG_CLASSES,
  OTHER_MODELS,
  SWITCH_MODELS,
  UNIT_CLASSES,
  switchesAnyLoad,
} from '../model/device.ts'
import { GROUP_MEMBERS_MAX, GROUPS_MAX, groupWordProblem, isMember, membersOf } from '../model/groups.ts'
import { type SubjectKey, subjectKey } from '../model/events.ts'
import { readSteps, StepSection } from './file-steps.ts'
import { classesOf } from './house.ts'
import type { HouseContent } from '../ports/house-store.ts'
import { strictObject } from '../../lib/late-object.ts'

export const ADDRESS_MAX = 65_279
export const STEPS_MAX = 100

/** Removed things that the rules of a file may name. */
const MISSING_MAX = 10_000

const LocalId = z
  .string()
  .regex(LOCAL_ID, 'must be 1-40 lower-case letters, digits and dashes')
  .refine((id) => !RESERVED_UNIT_IDS.has(id), 'is a reserved word')
const Name = plainText(64)
export const TimeZone = z.string().refine(isTimeZone, 'is not a time zone such as Europe/Berlin')
export const Currency = z.string().regex(/^[A-Z]{3}$/, 'must be three letters such as EUR')

export const TimeOfDay = z.string().regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, 'must be a local time HH:MM')
export const Quiet = strictObject(() => ({
  from: TimeOfDay.describe('Begin, local time of the home, HH:MM.'),
  until: TimeOfDay.describe('End; an earlier time is on the next day.'),
}))
  .refine(({ from, until }) => from !== until, 'must have two different times')
  .meta({ id: 'QuietHours', description: 'A daily time without normal messages.' })

export const HomeSection = strictObject(() => ({
  name: Name,
  timeZone: TimeZone.optional(),
  latitude: z.number().min(-90).max(90).nullable().default(null),
  longitude: z.number().min(-180).max(180).nullable().default(null),
  currency: Currency.default('EUR'),
  quiet: Quiet.nullable().optional(),
}))

/** The field `quiet` as the home has it: missing without quiet hours. */
export function quietField(quiet: QuietHours | null | undefined): Pick<HomeInfo, 'quiet'> {
  return quiet === null || quiet === undefined ? {} : { quiet }
}

/** True if it feeds a lamp; null or missing if unknown. */
const LightSection = z.boolean().nullable().optional()

const SceneSection = strictObject(() => ({
  id: LocalId,
  name: Name,
  icon: Name.nullable().default(null),
  floor: LocalId.nullable().default(null),
  room: LocalId.nullable().default(null),
  steps: z.array(StepSection).max(STEPS_MAX),
  origin: originSchema.optional(),
  author: originSchema.optional(),
}))

const GroupSection = strictObject(() => ({
  id: LocalId,
  name: Name,
  members: z.array(z.string().min(1)).max(GROUP_MEMBERS_MAX),
  origin: originSchema.optional(),
}))

const HouseFile = strictObject(() => ({
  home: HomeSection,
  floors: z.array(strictObject(() => ({ id: LocalId, name: Name }))).default([]),
  rooms: z
    .array(strictObject(() => ({ id: LocalId, name: Name, floor: LocalId.nullable().default(null) })))
    .default([]),
  units: z
    .array(
      strictObject(() => ({
        id: LocalId,
        name: Name,
        address: z.int().min(1).max(ADDRESS_MAX),
        model: z
          .enum([...SWITCH_MODELS, ...OTHER_MODELS])
          .nullable()
          .default(null),
        class: z.enum(UNIT_CLASSES),
        room: LocalId.nullable().default(null),
        light: LightSection,
        gangs: z
          .array(
            strictObject(() => ({
              gang: z.int().min(0).max(3),
              name: Name,
              class: z.enum(GANG_CLASSES).default('switch_gang'),
              room: LocalId.nullable().default(null),
              light: LightSection,
            })),
          )
          .default([]),
      })),
    )
    .default([]),
  scenes: z.array(SceneSection).default([]),
  groups: z.array(GroupSection).max(GROUPS_MAX).default([]),
  // Modes of its own, and renamed ones.
  modes: z.array(strictObject(() => ({ id: LocalId, name: Name }))).default([]),
  calendars: z
    .array(
      strictObject(() => ({ id: LocalId, name: Name, ...sourceFields() })).refine(
        (section) => sourceIn(section) !== null,
        ONE_SOURCE,
      ),
    )
    .default([]),
  // Names of the persons whom its rules name by id.
  people: z
    .array(strictObject(() => ({ id: z.string().min(1).max(20), name: Name })))
    .max(100)
    .default([]),
  // References to removed things that its rules still name: `scene:movie-night`.
  missing: z.array(z.string().min(1).max(80)).max(MISSING_MAX).default([]),
  // Automations, schedules and tariffs have sections of their own, read by their owners.
  automations: z.array(z.unknown()).optional(),
  schedules: z.array(z.unknown()).optional(),
}))

export interface HouseFileContent extends HouseContent {
  /** The sections that other owners read, unchecked. */
  readonly automations: readonly unknown[]
  readonly schedules: readonly unknown[]
  /** Names of the persons whom the rules name. */
  readonly people: readonly HomePerson[]
  /** References to removed things that the rules name. */
  readonly missing: readonly string[]
  /** Scenes and groups without an origin in the file: they keep the origin that they have in the home. */
  readonly unattributed: ReadonlySet<SubjectKey>
}

/**
 * Reads a house file: YAML or JSON (which is YAML). The error is one sentence that names the place. `defaultZone` is
 * used if the file names no time zone.
 */
export function readHouseFile(text: string, defaultZone: string): Result<HouseFileContent, string> {
  let raw: unknown
  try {
    raw = parseYaml(text)
  } catch (error) {
    return fail(
      `The file is neither YAML nor JSON: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'it cannot be parsed'}`,
    )
  }
  if (raw === null || raw === undefined)
    return fail('The file is empty: a house file has at least a `home` with a `name`.')
  const parsed = checked(HouseFile, raw)
  if (!parsed.ok) return fail(sentenceOf(parsed.error, 'The file'))
  const file = parsed.value
  const problem = firstProblem(file)
  if (problem) return fail(problem)
  const units = file.units.map(readUnit)
  const classes = classesOf(units)
  const { quiet, ...home } = file.home
  const scenes: Scene[] = []
  for (const [position, scene] of file.scenes.entries()) {
    const steps = readSteps(scene.steps, classes)
    if (!steps.ok) return fail(`Scene ${scene.id}: ${steps.error}`)
    const { origin = null, author = origin } = scene
    scenes.push({ ...scene, steps: steps.value, revision: 1, edits: [FIRST_EDIT], origin, author, position })
  }
  const groups = file.groups.map((group, position) => readGroup(group, position))
  const strayed = groups.flatMap(({ id, members }) =>
    members.filter((key) => !isMember(classes.get(key))).map((key) => ({ id, key })),
  )[0]
  if (strayed) return fail(`Group ${strayed.id} names ${strayed.key}, which is no device with a state in the file.`)
  return ok({
    info: { ...home, timeZone: home.timeZone ?? defaultZone, ...quietField(quiet) },
    floors: file.floors.map((floor, position) => ({ ...floor, position })),
    rooms: file.rooms.map((room, position) => ({ ...room, position })),
    units,
    scenes,
    groups,
    modes: completeModes(file.modes),
    calendars: file.calendars.map(calendarOf),
    automations: file.automations ?? [],
    schedules: file.schedules ?? [],
    people: file.people,
    missing: file.missing,
    unattributed: new Set(
      (['scene', 'group'] as const).flatMap((kind) =>
        file[`${kind}s`].flatMap(({ id, origin }) => (origin === undefined ? [subjectKey({ kind, id })] : [])),
      ),
    ),
  })
}

/** Sections of the file that `readHouseFile` reads back unchanged. Equal houses have equal JSON. */
export function houseSections(
  content: HouseContent,
  rules: { automations: readonly unknown[]; schedules: readonly unknown[] },
  people: readonly HomePerson[] = [],
  missing: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  return {
    home: content.info,
    floors: content.floors.map(({ id, name }) => ({ id, name })),
    rooms: content.rooms.map(({ id, name, floor }) => ({ id, name, floor })),
    units: content.units.map(unitSection),
    scenes: content.scenes.map(sceneSection),
    ...(content.groups.length > 0 ? { groups: content.groups.map(groupSection) } : {}),
    ...modeSection(content.modes ?? []),
    ...calendarSection(content.calendars ?? []),
    ...(people.length > 0 ? { people: people.map(({ id, name }) => ({ id, name })) } : {}),
    ...(missing.length > 0 ? { missing } : {}),
    ...(rules.automations.length > 0 ? { automations: rules.automations } : {}),
    ...(rules.schedules.length > 0 ? { schedules: rules.schedules } : {}),
  }
}

/** Keeps the fields in one order: files are compared as text. */
function unitSection({ position: _position, gangs, light, ...unit }: Unit): object {
  return {
    ...unit,
    ...lightField(light),
    ...(gangs.length > 0
      ? { gangs: gangs.map(({ light: gangLight, ...gang }) => ({ ...gang, ...lightField(gangLight) })) }
      : {}),
  }
}

function sceneSection({ id, name, icon, floor, room, steps, origin, author }: Scene): object {
  const same = author?.integration === origin?.integration && author?.link === origin?.link
  return { id, name, icon, floor, room, steps, origin, ...(same ? {} : { author }) }
}

function groupSection({ id, name, members, origin }: Group): object {
  return { id, name, members, origin }
}

/** Only if the modes differ from those of every home. */
function modeSection(modes: readonly HomeMode[]): { readonly modes?: readonly HomeMode[] } {
  const own = ownModes(withOwnNames(modes))
  return own.length === 0 ? {} : { modes: own.map(({ id, name }) => ({ id, name })) }
}

/** Names of an older home may be alike, which no file may have: later ones get a number. */
function withOwnNames<T extends { readonly name: string }>(things: readonly T[]): readonly T[] {
  const taken = new Set<string>()
  return things.map((thing) => {
    let { name } = thing
    for (let number = 2; taken.has(name); number += 1) name = `${thing.name.slice(0, NUMBERED_NAME_MAX)} (${number})`
    taken.add(name)
    return { ...thing, name }
  })
}

function calendarSection(calendars: readonly Calendar[]): { readonly calendars?: readonly Calendar[] } {
  if (calendars.length === 0) return {}
  return {
    calendars: withOwnNames(calendars).map((calendar) => ({
      id: calendar.id,
      name: calendar.name,
      ...sourceOf(calendar),
    })),
  }
}

export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** Characters of a name before its number. */
const NUMBERED_NAME_MAX = 70

type File = z.output<typeof HouseFile>

function readUnit({ light, gangs, ...unit }: File['units'][number], position: number): Unit {
  const read = gangs.map(({ light: gangLight, ...gang }): Gang => ({ ...gang, ...lightField(gangLight) }))
  return { ...unit, ...lightField(light), position, gangs: read }
}

function readGroup({ origin = null, members, ...group }: File['groups'][number], position: number): Group {
  return { ...group, members: membersOf(members), revision: 1, edits: [FIRST_EDIT], origin, author: null, position }
}

/** Checks references and duplicates, which a schema cannot see. */
function firstProblem(file: File): string | null {
  const floors = new Set(file.floors.map((floor) => floor.id))
  const rooms = new Set(file.rooms.map((room) => room.id))
  for (const [what, ids] of Object.entries({
    floor: file.floors,
    room: file.rooms,
    unit: file.units,
    scene: file.scenes,
    group: file.groups,
    mode: file.modes,
    calendar: file.calendars,
  })) {
    const duplicate = firstDuplicate(ids.map((part) => part.id))
    if (duplicate !== null) return `Two ${what}s have the id ${duplicate}.`
  }
  if (completeModes(file.modes).length > MODES_MAX)
    return `A home has at most ${MODES_MAX} modes, with the ${BUILT_IN_MODES.length} of every home.`
  const unfit = calendarsProblem(file.calendars.map(calendarOf)) ?? groupWordProblem(file.groups)
  if (unfit !== null) return unfit
  for (const [what, list] of Object.entries({ mode: completeModes(file.modes), calendar: file.calendars })) {
    const name = firstDuplicate(list.map((part) => part.name))
    if (name !== null) return `Two ${what}s have the name ${name}.`
  }
  const address = firstDuplicate(file.units.map((unit) => unit.address))
  if (address !== null) return `Two units have the address ${address}.`
  for (const room of file.rooms)
    if (room.floor !== null && !floors.has(room.floor))
      return `Room ${room.id} is on floor ${room.floor}, which is not in the file.`
  for (const unit of file.units) {
    if (unit.room !== null && !rooms.has(unit.room))
      return `Unit ${unit.id} is in room ${unit.room}, which is not in the file.`
    const problem = gangProblem(unit, rooms)
    if (problem) return problem
  }
  for (const scene of file.scenes) {
    if (scene.room !== null && !rooms.has(scene.room))
      return `Scene ${scene.id} names room ${scene.room}, which is not in the file.`
    if (scene.floor !== null && !floors.has(scene.floor))
      return `Scene ${scene.id} names floor ${scene.floor}, which is not in the file.`
    const room = file.rooms.find(({ id }) => id === scene.room)
    if (room && scene.floor !== null && room.floor !== scene.floor)
      return `Scene ${scene.id} names room ${room.id}, which is not on floor ${scene.floor}.`
  }
  return null
}

/** Number of gang positions on each module model. */
const POSITIONS: Readonly<Record<string, number>> = { HMHHX2: 2, HMHHX3: 3, HMHHX4: 4 }

function gangProblem(unit: File['units'][number], rooms: ReadonlySet<string>): string | null {
  const module = unit.class === 'gang_module'
  if (isNoLight(unit)) return `Unit ${unit.id} is no switch, so light cannot be set.`
  if (module !== unit.gangs.length > 0)
    return module ? `Module ${unit.id} has no gangs.` : `Unit ${unit.id} is no gang_module, so it has no gangs.`
  const duplicate = firstDuplicate(unit.gangs.map((gang) => gang.gang))
  if (duplicate !== null) return `Module ${unit.id} has gang ${duplicate} twice.`
  const positions = POSITIONS[unit.model ?? ''] ?? 4
  for (const gang of unit.gangs) {
    if (gang.room !== null && !rooms.has(gang.room))
      return `Gang ${unit.id}:${gang.gang} is in room ${gang.room}, which is not in the file.`
    if (isNoLight(gang)) return `Gang ${unit.id}:${gang.gang} is no switch, so light cannot be set.`
    // A shutter gang takes its own position and the next one.
    const last = gang.gang + (gang.class === 'shutter_gang' ? 1 : 0)
    if (last >= positions) return `Gang ${unit.id}:${gang.gang} does not fit on a module of ${positions}.`
    if (gang.class === 'shutter_gang' && unit.gangs.some((other) => other.gang === last))
      return `Gang ${unit.id}:${last} belongs to the shutter gang ${gang.gang}.`
  }
  return null
}

function isNoLight(thing: { readonly class: DeviceClass; readonly light?: boolean | null | undefined }): boolean {
  return typeof thing.light === 'boolean' && !switchesAnyLoad(thing.class)
}

function firstDuplicate<T>(values: readonly T[]): T | null {
  const seen = new Set<T>()
  for (const value of values) {
    if (seen.has(value)) return value
    seen.add(value)
  }
  return null
}
