import { z } from 'zod'
import { PART_KINDS } from '../../../home/home-differences.ts'
import { ADDRESS_MAX, Currency, TimeZone } from '../../../home/house/house-file.ts'
import { GANG_CLASSES, UNIT_CLASSES } from '../../../home/model/device.ts'
import { IntentItem, UnitScheduleEntry } from '../../contract/intents.ts'
import { OriginShape, PlainName, Revision } from '../../contract/shapes.ts'
import { endpoint } from '../../endpoint.ts'
import { Shown } from './integrations.ts'
import { LocalParams } from './shapes.ts'

const LocalRoom = z.string().max(40)

const HomeShape = z
  .looseObject({
    name: z.string(),
    timeZone: z.string(),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    currency: z.string(),
  })
  .meta({ id: 'Home' })

const light = z.boolean().meta({ description: 'Of a switch: whether it feeds a lamp; missing where nobody said.' })

const unit = {
  id: z.string(),
  name: z.string(),
  address: z.int().meta({ description: 'On the unit protocol.' }),
  model: z.string().nullable(),
  class: z.enum(UNIT_CLASSES),
  room: z.string().nullable(),
  position: z.int(),
  light: light.optional(),
  gangs: z.array(
    z.looseObject({
      gang: z.int().min(0),
      name: z.string(),
      class: z.enum(GANG_CLASSES),
      room: z.string().nullable(),
      light: light.optional(),
    }),
  ),
}

const SceneShape = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    icon: z.string().nullable(),
    floor: z.string().nullable(),
    room: z.string().nullable(),
    steps: z.array(z.looseObject({})),
    revision: Revision,
    edits: z
      .array(z.looseObject({ devices: z.array(z.string()).nullable(), count: z.int().min(1) }))
      .meta({ description: 'How many edits concern which devices; null is everybody who sees the scene.' }),
    origin: OriginShape,
    author: OriginShape,
    position: z.int(),
  })
  .meta({ id: 'LocalScene' })

const BusUnitShape = z
  .looseObject({
    address: z.int(),
    model: z.string(),
    class: z.enum(UNIT_CLASSES),
    firmware: z.string(),
    gangs: z.array(z.looseObject({ gang: z.int(), class: z.enum(GANG_CLASSES) })),
    reachable: z.boolean(),
  })
  .meta({ id: 'BusUnit' })

const PlacedLight = z
  .boolean()
  .nullable()
  .optional()
  .meta({ description: 'Of a switch: whether it feeds a lamp; null where that is not to be said any more.' })

const PlaceBody = z.strictObject({
  unit: z.string().max(40).optional(),
  address: z.int().min(1).max(ADDRESS_MAX).optional(),
  name: PlainName.optional(),
  room: LocalRoom.nullable().optional(),
  light: PlacedLight,
  gangs: z
    .array(
      z.strictObject({
        gang: z.int().min(0).max(3),
        name: PlainName.optional(),
        class: z.enum(GANG_CLASSES).optional(),
        room: LocalRoom.nullable().optional(),
        light: PlacedLight,
      }),
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
      timeZone: TimeZone.optional(),
      latitude: z.number().min(-90).max(90).nullable().optional(),
      longitude: z.number().min(-180).max(180).nullable().optional(),
      currency: Currency.optional(),
    }),
    answer: z.looseObject({ home: HomeShape }),
  }),
  'house.show': endpoint('GET', '/admin/v1/house', {
    summary: 'The whole house with local ids, and units on the bus that it does not know yet',
    answer: z.looseObject({
      info: HomeShape,
      floors: z.array(z.looseObject({ id: z.string(), name: z.string(), position: z.int() })),
      rooms: z.array(
        z.looseObject({ id: z.string(), name: z.string(), floor: z.string().nullable(), position: z.int() }),
      ),
      units: z.array(z.looseObject({ ...unit, reachable: z.boolean() })),
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
    body: z.strictObject({ file: z.string().max(4 * 1024 * 1024), check: z.boolean().default(false) }),
    answer: z.looseObject({
      checked: z.boolean().meta({ description: 'True: it was only checked.' }),
      floors: z.int(),
      rooms: z.int(),
      units: z.int(),
      scenes: z.int(),
      automations: z.int(),
      schedules: z.int(),
      differences: z
        .array(
          z.looseObject({
            change: z.enum(['added', 'changed', 'removed']),
            kind: z.enum(PART_KINDS),
            id: z.string(),
            name: z.string(),
            fields: z.array(z.string()).meta({ description: 'What differs of a part that is changed.' }),
          }),
        )
        .optional()
        .meta({ description: 'With `check`: what the import would change.' }),
      integrations: z
        .array(z.looseObject({ id: z.string(), name: z.string(), appears: z.array(Shown), disappears: z.array(Shown) }))
        .optional()
        .meta({ description: 'With `check`: the integrations that would show other things.' }),
      warnings: z.array(z.string()).meta({
        description:
          'Devices of another class than on the bus; scenes and rules that open a lock or gate, and whose author may not.',
      }),
    }),
  }),
  'house.place': endpoint('POST', '/admin/v1/house/place', {
    summary: 'Take in a unit found on the bus, or move or rename one',
    body: PlaceBody,
    answer: z.looseObject({ unit: z.looseObject(unit) }),
    errors: ['not_found'],
  }),
  'intents.show': endpoint('GET', '/admin/v1/devices/{id}/intents', {
    summary: "A device's settings and own schedules, as last confirmed",
    params: LocalParams,
    answer: z.looseObject({
      device: z.string(),
      name: z.string(),
      model: z.string().nullable(),
      intents: z.array(IntentItem),
      schedules: z.array(z.looseObject({ ...UnitScheduleEntry.shape, args: z.looseObject({}).optional() })),
      schedulesAsOf: z.int().nullable(),
      note: z.string(),
    }),
    errors: ['not_found'],
  }),
} as const
