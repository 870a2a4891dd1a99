import { z } from 'zod'
import { PART_KINDS } from '../../home/home-file.ts'
import { ADDRESS_MAX, Currency, TimeZone } from '../../home/house/house-file.ts'
import { GANG_CLASSES, UNIT_CLASSES } from '../../home/model/device.ts'
import { stepSchema } from '../../home/rules/schema.ts'
import { epochMs, Name, text, textOrNull, whether, count, shape, named, listOf } from '../../api/contract/fields.ts'
import { IntentItem, UnitScheduleEntry } from '../../api/contract/intents.ts'
import { OriginShape, PlainName, Revision } from '../../api/contract/shapes.ts'
import { endpoint } from '../../api/contract/endpoint.ts'
import { Leaving, relabelCosts } from './records.ts'
import { Shown } from './integrations.ts'
import { LocalId, LocalParams } from './shapes.ts'

const LocalRoom = z.string().max(40).describe('The local id of its room.')
const SettingInWords = named('SettingInWords', 'One setting of a device with its value, in words too.', {
  ...IntentItem.shape,
  words: textOrNull('Its value as people say it, with the unit of measure: `90 s`; null before it was confirmed.'),
})
const position = z.int().describe('Its place in the list.')
const gangNumber = count('Its position on the module, from 0.')
const room = textOrNull('The local id of its room, or null.')

const HomeShape = named('Home', 'The home as a whole.', {
  name: Name,
  timeZone: text('IANA time zone.'),
  latitude: z.number().nullable().describe('Degrees north, or null.'),
  longitude: z.number().nullable().describe('Degrees east, or null.'),
  currency: text('ISO 4217.'),
})

const light = whether('Of a switch: whether it feeds a lamp; missing where nobody said.')

const address = z.int().describe('Its address on the unit protocol.')
const UnitClass = z.enum(UNIT_CLASSES).describe('What it is and can do.')
const GangClass = z.enum(GANG_CLASSES).describe('What it is and can do.')

const unit = {
  id: LocalId,
  name: Name,
  address,
  model: textOrNull('The hardware model where it is known.'),
  class: UnitClass,
  room,
  position,
  light: light.optional(),
  gangs: listOf('One gang of a module.', {
    gang: gangNumber,
    name: Name,
    class: GangClass,
    room,
    light: light.optional(),
  }),
}

const SceneShape = named('LocalScene', 'A scene by local ids.', {
  id: LocalId,
  name: Name,
  icon: textOrNull('The name of its icon in the app.'),
  floor: textOrNull('The local id of the floor where it is shown, or null.'),
  room: textOrNull('The local id of the room where it is shown, or null.'),
  steps: z.array(stepSchema).describe('The steps, with local ids.'),
  revision: Revision,
  edits: listOf('Edits of the same devices.', {
    devices: z.array(z.string()).nullable().describe('Local ids; null: everybody.'),
    count: z.int().min(1).describe('How many edits.'),
  }).describe('How many edits concern which devices; null is everybody who sees the scene.'),
  origin: OriginShape,
  author: OriginShape.describe('By whose leave it opens what it opens, or null.'),
  position,
})

const BusUnitShape = named('BusUnit', 'A unit as the adapter knows it.', {
  address,
  model: text('The hardware model.'),
  class: UnitClass,
  firmware: text('The version of its firmware.'),
  gangs: listOf('One gang of it.', { gang: gangNumber, class: GangClass }),
  reachable: whether('Whether it answers.'),
})

const PlacedLight = z
  .boolean()
  .nullable()
  .optional()
  .describe('Of a switch: whether it feeds a lamp; null where that is not to be said any more.')

const PlaceBody = z.strictObject({
  unit: z.string().max(40).optional().describe('The local id of a unit to move or rename, or of a new one.'),
  address: z.int().min(1).max(ADDRESS_MAX).optional().describe('The address of a unit found on the bus.'),
  name: PlainName.optional(),
  room: LocalRoom.nullable().optional(),
  light: PlacedLight,
  gangs: z
    .array(
      z
        .strictObject({
          gang: z.int().min(0).max(3).describe('Its position on the module, from 0.'),
          name: PlainName.optional(),
          class: GangClass.optional(),
          room: LocalRoom.nullable().optional(),
          light: PlacedLight,
        })
        .describe('One gang of it.'),
    )
    .max(4)
    .optional(),
})

/** The home and its structure, by local ids. */
export const house = {
  'home.show': endpoint('GET', '/admin/v1/home', {
    summary: 'Name, time zone, place and currency of the home',
    answer: z.looseObject({ home: HomeShape }),
  }),
  'home.set': endpoint('PATCH', '/admin/v1/home', {
    summary: 'Change name, time zone, place or currency',
    body: z.strictObject({
      name: PlainName.optional(),
      timeZone: TimeZone.optional().describe('IANA time zone.'),
      latitude: z.number().min(-90).max(90).nullable().optional().describe('Degrees north, or null.'),
      longitude: z.number().min(-180).max(180).nullable().optional().describe('Degrees east, or null.'),
      currency: Currency.optional().describe('ISO 4217.'),
      relabelCosts,
    }),
    answer: z.looseObject({ home: HomeShape }),
  }),
  'house.show': endpoint('GET', '/admin/v1/house', {
    summary: 'The whole house with local ids, and units on the bus that it does not know yet',
    answer: z.looseObject({
      info: HomeShape,
      floors: listOf('A floor.', { id: LocalId, name: Name, position }),
      rooms: listOf('A room.', {
        id: LocalId,
        name: Name,
        floor: textOrNull('The local id of its floor, or null.'),
        position,
      }),
      units: listOf('A unit or module.', { ...unit, reachable: whether('Whether it answers.') }),
      scenes: z.array(SceneShape),
      unplaced: z.array(BusUnitShape),
    }),
  }),
  'house.export': endpoint('GET', '/admin/v1/house/file', {
    summary: 'The house as a file',
    answer: z.looseObject({ file: text('YAML.') }),
  }),
  'house.import': endpoint('PUT', '/admin/v1/house/file', {
    summary: 'Replace the house by a file, or only check it',
    stepUp: (body) => !(body as { readonly check: boolean }).check,
    body: z.strictObject({
      file: z
        .string()
        .max(4 * 1024 * 1024)
        .describe('The content of the file, YAML.'),
      check: whether('Whether it is only to be checked.').default(false),
      relabelCosts,
      yes: whether('Whether it may remove more than half of the units, rooms, scenes or rules.').default(false),
    }),
    answer: z.looseObject({
      checked: whether('True: it was only checked.'),
      floors: count('Floors in the file.'),
      rooms: count('Rooms in the file.'),
      units: count('Units in the file.'),
      scenes: count('Scenes in the file.'),
      automations: count('Automations in the file.'),
      schedules: count('Schedules in the file.'),
      removesMost: textOrNull(
        'How much it removes where that is more than half of a kind, as in `34 of 34 units`: it then needs `yes`. Else null.',
      ),
      backup: textOrNull('The name of the backup that was made before an import that removes most of a kind, or null.'),
      differences: listOf('A part of the home that would differ.', {
        change: z.enum(['added', 'changed', 'removed']).describe('What would happen to it.'),
        kind: z.enum(PART_KINDS).describe('What it is.'),
        id: LocalId,
        name: Name,
        fields: z.array(z.string()).describe('What differs of a part that is changed.'),
      })
        .optional()
        .describe('With `check`: what the import would change.'),
      integrations: listOf('An integration that would show other things.', {
        id: text('The id of the integration.'),
        name: Name,
        appears: z.array(Shown).describe('What it does not show now and would.'),
        disappears: z.array(Shown).describe('What it shows now and would not.'),
      })
        .optional()
        .describe('With `check`: the integrations that would show other things.'),
      leaving: Leaving,
      warnings: z
        .array(z.string())
        .describe(
          'Devices of another class than on the bus; scenes and rules that open a lock or gate, and whose author may not; costs that get the name of another currency.',
        ),
    }),
    errors: ['unauthorized'],
  }),
  'house.place': endpoint('POST', '/admin/v1/house/place', {
    summary: 'Take in a unit found on the bus, or move or rename one',
    body: PlaceBody,
    answer: z.looseObject({ unit: shape('The unit as it is now.', unit) }),
    errors: ['not_found', 'sign_in_again'],
  }),
  'intents.show': endpoint('GET', '/admin/v1/devices/{id}/intents', {
    summary: "A device's settings and own schedules, as last confirmed",
    params: LocalParams,
    answer: z.looseObject({
      device: LocalId,
      name: Name,
      model: textOrNull('The hardware model where it is known.'),
      intents: z.array(SettingInWords),
      schedules: listOf("One of the unit's own schedules.", {
        ...UnitScheduleEntry.shape,
        words: text('What it does and when: `turn on at 07:00 on Mon-Fri`.'),
      }),
      schedulesAsOf: epochMs('When the schedules were read last, or null.').nullable(),
      note: text('How to read the list, in a sentence.'),
    }),
    errors: ['not_found'],
  }),
} as const
