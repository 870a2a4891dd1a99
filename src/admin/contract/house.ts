import { z } from 'zod'
import { PART_KINDS } from '../../home/home-file.ts'
import { ADDRESS_MAX, Currency, TimeZone } from '../../home/house/house-file.ts'
import { GANG_CLASSES, UNIT_CLASSES } from '../../home/model/device.ts'
import { stepSchema } from '../../home/rules/schema.ts'
import { epochMs, Name } from '../../api/contract/fields.ts'
import { IntentItem, UnitScheduleEntry } from '../../api/contract/intents.ts'
import { OriginShape, PlainName, Revision } from '../../api/contract/shapes.ts'
import { endpoint } from '../../api/contract/endpoint.ts'
import { Leaving, relabelCosts } from './records.ts'
import { Shown } from './integrations.ts'
import { count, LocalId, LocalParams, text, textOrNull, whether } from './shapes.ts'

const LocalRoom = z.string().max(40).meta({ description: 'The local id of its room.' })
const SettingInWords = z
  .looseObject({
    ...IntentItem.shape,
    words: textOrNull('Its value as people say it, with the unit of measure: `90 s`; null before it was confirmed.'),
  })
  .meta({ id: 'SettingInWords', description: 'One setting of a device with its value, in words too.' })
const position = z.int().meta({ description: 'Its place in the list.' })
const gangNumber = z.int().min(0).meta({ description: 'Its position on the module, from 0.' })
const room = textOrNull('The local id of its room, or null.')

const HomeShape = z
  .looseObject({
    name: Name,
    timeZone: text('IANA time zone.'),
    latitude: z.number().nullable().meta({ description: 'Degrees north, or null.' }),
    longitude: z.number().nullable().meta({ description: 'Degrees east, or null.' }),
    currency: text('ISO 4217.'),
  })
  .meta({ id: 'Home', description: 'The home as a whole.' })

const light = z.boolean().meta({ description: 'Of a switch: whether it feeds a lamp; missing where nobody said.' })

const address = z.int().meta({ description: 'Its address on the unit protocol.' })
const UnitClass = z.enum(UNIT_CLASSES).meta({ description: 'What it is and can do.' })
const GangClass = z.enum(GANG_CLASSES).meta({ description: 'What it is and can do.' })

const unit = {
  id: LocalId,
  name: Name,
  address,
  model: textOrNull('The hardware model where it is known.'),
  class: UnitClass,
  room,
  position,
  light: light.optional(),
  gangs: z.array(
    z
      .looseObject({
        gang: gangNumber,
        name: Name,
        class: GangClass,
        room,
        light: light.optional(),
      })
      .meta({ description: 'One gang of a module.' }),
  ),
}

const SceneShape = z
  .looseObject({
    id: LocalId,
    name: Name,
    icon: textOrNull('The name of its icon in the app.'),
    floor: textOrNull('The local id of the floor where it is shown, or null.'),
    room: textOrNull('The local id of the room where it is shown, or null.'),
    steps: z.array(stepSchema).meta({ description: 'The steps, with local ids.' }),
    revision: Revision,
    edits: z
      .array(
        z
          .looseObject({
            devices: z.array(z.string()).nullable().meta({ description: 'Local ids; null: everybody.' }),
            count: z.int().min(1).meta({ description: 'How many edits.' }),
          })
          .meta({ description: 'Edits of the same devices.' }),
      )
      .meta({ description: 'How many edits concern which devices; null is everybody who sees the scene.' }),
    origin: OriginShape,
    author: OriginShape.meta({ description: 'By whose leave it opens what it opens, or null.' }),
    position,
  })
  .meta({ id: 'LocalScene', description: 'A scene by local ids.' })

const BusUnitShape = z
  .looseObject({
    address,
    model: text('The hardware model.'),
    class: UnitClass,
    firmware: text('The version of its firmware.'),
    gangs: z.array(z.looseObject({ gang: gangNumber, class: GangClass }).meta({ description: 'One gang of it.' })),
    reachable: whether('Whether it answers.'),
  })
  .meta({ id: 'BusUnit', description: 'A unit as the adapter knows it.' })

const PlacedLight = z
  .boolean()
  .nullable()
  .optional()
  .meta({ description: 'Of a switch: whether it feeds a lamp; null where that is not to be said any more.' })

const PlaceBody = z.strictObject({
  unit: z
    .string()
    .max(40)
    .optional()
    .meta({ description: 'The local id of a unit to move or rename, or of a new one.' }),
  address: z.int().min(1).max(ADDRESS_MAX).optional().meta({ description: 'The address of a unit found on the bus.' }),
  name: PlainName.optional(),
  room: LocalRoom.nullable().optional(),
  light: PlacedLight,
  gangs: z
    .array(
      z
        .strictObject({
          gang: z.int().min(0).max(3).meta({ description: 'Its position on the module, from 0.' }),
          name: PlainName.optional(),
          class: GangClass.optional(),
          room: LocalRoom.nullable().optional(),
          light: PlacedLight,
        })
        .meta({ description: 'One gang of it.' }),
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
      timeZone: TimeZone.optional().meta({ description: 'IANA time zone.' }),
      latitude: z.number().min(-90).max(90).nullable().optional().meta({ description: 'Degrees north, or null.' }),
      longitude: z.number().min(-180).max(180).nullable().optional().meta({ description: 'Degrees east, or null.' }),
      currency: Currency.optional().meta({ description: 'ISO 4217.' }),
      relabelCosts,
    }),
    answer: z.looseObject({ home: HomeShape }),
  }),
  'house.show': endpoint('GET', '/admin/v1/house', {
    summary: 'The whole house with local ids, and units on the bus that it does not know yet',
    answer: z.looseObject({
      info: HomeShape,
      floors: z.array(z.looseObject({ id: LocalId, name: Name, position }).meta({ description: 'A floor.' })),
      rooms: z.array(
        z
          .looseObject({ id: LocalId, name: Name, floor: textOrNull('The local id of its floor, or null.'), position })
          .meta({ description: 'A room.' }),
      ),
      units: z.array(
        z
          .looseObject({ ...unit, reachable: whether('Whether it answers.') })
          .meta({ description: 'A unit or module.' }),
      ),
      scenes: z.array(SceneShape),
      unplaced: z.array(BusUnitShape),
    }),
  }),
  'house.export': endpoint('GET', '/admin/v1/house/file', {
    summary: 'The house as a file',
    answer: z.looseObject({ file: z.string().meta({ description: 'YAML.' }) }),
  }),
  'house.import': endpoint('PUT', '/admin/v1/house/file', {
    summary: 'Replace the house by a file, or only check it',
    stepUp: (body) => !(body as { readonly check: boolean }).check,
    body: z.strictObject({
      file: z
        .string()
        .max(4 * 1024 * 1024)
        .meta({ description: 'The content of the file, YAML.' }),
      check: whether('Whether it is only to be checked.').default(false),
      relabelCosts,
      yes: whether('Whether it may remove more than half of the units, rooms, scenes or rules.').default(false),
    }),
    answer: z.looseObject({
      checked: z.boolean().meta({ description: 'True: it was only checked.' }),
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
      differences: z
        .array(
          z
            .looseObject({
              change: z.enum(['added', 'changed', 'removed']).meta({ description: 'What would happen to it.' }),
              kind: z.enum(PART_KINDS).meta({ description: 'What it is.' }),
              id: LocalId,
              name: Name,
              fields: z.array(z.string()).meta({ description: 'What differs of a part that is changed.' }),
            })
            .meta({ description: 'A part of the home that would differ.' }),
        )
        .optional()
        .meta({ description: 'With `check`: what the import would change.' }),
      integrations: z
        .array(
          z
            .looseObject({
              id: text('The id of the integration.'),
              name: Name,
              appears: z.array(Shown).meta({ description: 'What it does not show now and would.' }),
              disappears: z.array(Shown).meta({ description: 'What it shows now and would not.' }),
            })
            .meta({ description: 'An integration that would show other things.' }),
        )
        .optional()
        .meta({ description: 'With `check`: the integrations that would show other things.' }),
      leaving: Leaving,
      warnings: z.array(z.string()).meta({
        description:
          'Devices of another class than on the bus; scenes and rules that open a lock or gate, and whose author may not; costs that get the name of another currency.',
      }),
    }),
    errors: ['unauthorized'],
  }),
  'house.place': endpoint('POST', '/admin/v1/house/place', {
    summary: 'Take in a unit found on the bus, or move or rename one',
    body: PlaceBody,
    answer: z.looseObject({ unit: z.looseObject(unit).meta({ description: 'The unit as it is now.' }) }),
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
      schedules: z.array(
        z
          .looseObject({
            ...UnitScheduleEntry.shape,
            words: text('What it does and when: `turn on at 07:00 on Mon-Fri`.'),
          })
          .meta({ description: "One of the unit's own schedules." }),
      ),
      schedulesAsOf: epochMs('When the schedules were read last, or null.').nullable(),
      note: text('How to read the list, in a sentence.'),
    }),
    errors: ['not_found'],
  }),
} as const
