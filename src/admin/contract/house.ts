import { z } from 'zod'
import { PART_KINDS } from '../../home/home-file.ts'
import { ADDRESS_MAX, Currency, Quiet, TimeZone } from '../../home/house/house-file.ts'
import { GANG_CLASSES, UNIT_CAPABILITIES, UNIT_CLASSES } from '../../home/model/device.ts'
import { stepSchema } from '../../home/rules/step-schema.ts'
import {
  epochMs,
  growing,
  Name,
  text,
  textOrNull,
  whether,
  count,
  shape,
  named,
  listOf,
} from '../../api/contract/fields.ts'
import { IntentItem, UnitScheduleEntry } from '../../api/contract/intents.ts'
import { OriginShape, PlainName, Revision } from '../../api/contract/shapes.ts'
import { endpoint } from '../../api/contract/endpoint.ts'
import { Leaving, relabelCosts } from './records.ts'
import { Shown } from './integrations.ts'
import { LocalId, LocalParams } from './shapes.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

const LocalRoom = z.string().max(40).describe('The local id of its room.')
const SettingInWords = named('SettingInWords', 'One setting of a device with its value, in words too.', () => ({
  ...IntentItem.shape,
  words: textOrNull('Its value for people, with the unit of measure: `90 s`; null before its first confirmation.'),
}))
const position = z.int().describe('Its place in the list.')
const gangNumber = count('Its position on the module, from 0.')
const room = textOrNull('The local id of its room, or null.')

const HomeShape = named('Home', 'The home as a whole.', () => ({
  name: Name,
  timeZone: text('IANA time zone.'),
  latitude: z.number().nullable().describe('Degrees north, or null.'),
  longitude: z.number().nullable().describe('Degrees east, or null.'),
  currency: text('ISO 4217.'),
  quiet: Quiet.optional().describe('Daily time without normal messages; missing: none.'),
}))

const light = whether('Only for a switch: true if it feeds a lamp; missing if unknown.')

const address = z.int().describe('Its address on the unit protocol.')
const UnitClass = z.enum(UNIT_CLASSES).describe('Class; decides the operations.')
const GangClass = z.enum(GANG_CLASSES).describe('Class; decides the operations.')

const unit = {
  id: LocalId,
  name: Name,
  address,
  model: textOrNull('The hardware model where it is known.'),
  class: UnitClass,
  room,
  position,
  light: light.optional(),
  gangs: listOf('One gang of a module.', () => ({
    gang: gangNumber,
    name: Name,
    class: GangClass,
    room,
    light: light.optional(),
  })),
}

const SceneShape = named('LocalScene', 'A scene by local ids.', () => ({
  id: LocalId,
  name: Name,
  icon: textOrNull('The name of its icon in the app.'),
  floor: textOrNull('The local id of the floor where it is shown, or null.'),
  room: textOrNull('The local id of the room where it is shown, or null.'),
  steps: z.array(stepSchema).describe('The steps, with local ids.'),
  revision: Revision,
  edits: listOf('Edits of the same devices.', () => ({
    devices: z.array(z.string()).nullable().describe('Local ids; null: everybody.'),
    count: z.int().min(1).describe('Number of edits.'),
  })).describe('Numbers of edits by devices; null counts for everybody who sees the scene.'),
  origin: OriginShape,
  author: OriginShape.describe('Author whose permission counts for opening, or null.'),
  position,
}))

const GroupShape = named('LocalGroup', 'A named group by local ids.', () => ({
  id: LocalId,
  name: Name,
  members: z.array(z.string()).describe('Local ids of its members.'),
  revision: Revision,
  edits: SceneShape.shape.edits,
  origin: OriginShape,
  position,
}))

const BusUnitShape = named('BusUnit', 'A unit on the bus.', () => ({
  address,
  model: text('The hardware model.'),
  class: UnitClass,
  firmware: text('The version of its firmware.'),
  gangs: listOf('One gang of it.', () => ({ gang: gangNumber, class: GangClass })),
  reachable: whether('True if it responds.'),
  capabilities: z
    .array(growing(UNIT_CAPABILITIES, 'A capability, or a lacking one (no_…).'))
    .optional()
    .describe('Capabilities that an adapter of HMHC 1.1 lists.'),
}))

const PlacedLight = z
  .boolean()
  .nullable()
  .optional()
  .describe('Only for a switch: true if it feeds a lamp; null removes the setting.')

const PlaceBody = strictObject(() => ({
  unit: z.string().max(40).optional().describe('The local id of a unit to move or rename, or of a new one.'),
  address: z.int().min(1).max(ADDRESS_MAX).optional().describe('The address of a unit found on the bus.'),
  name: PlainName.optional(),
  room: LocalRoom.nullable().optional(),
  light: PlacedLight,
  gangs: z
    .array(
      strictObject(() => ({
        gang: z.int().min(0).max(3).describe('Its position on the module, from 0.'),
        name: PlainName.optional(),
        class: GangClass.optional(),
        room: LocalRoom.nullable().optional(),
        light: PlacedLight,
      })).describe('One gang of it.'),
    )
    .max(4)
    .optional(),
}))

/** The home and its structure, by local ids. */
export const house = {
  'home.show': endpoint('GET', '/admin/v1/home', {
    summary: 'Name, time zone, place, currency and quiet hours of the home',
    answer: looseObject(() => ({ home: HomeShape })),
  }),
  'home.set': endpoint('PATCH', '/admin/v1/home', {
    summary: 'Change name, time zone, place, currency or quiet hours',
    body: strictObject(() => ({
      name: PlainName.optional(),
      timeZone: TimeZone.optional().describe('IANA time zone.'),
      latitude: z.number().min(-90).max(90).nullable().optional().describe('Degrees north, or null.'),
      longitude: z.number().min(-180).max(180).nullable().optional().describe('Degrees east, or null.'),
      currency: Currency.optional().describe('ISO 4217.'),
      quiet: Quiet.nullable().optional().describe('Daily time without normal messages, or null.'),
      relabelCosts,
    })),
    answer: looseObject(() => ({ home: HomeShape })),
  }),
  'house.show': endpoint('GET', '/admin/v1/house', {
    summary: 'The whole house with local ids, and units on the bus without a place in it',
    answer: looseObject(() => ({
      info: HomeShape,
      floors: listOf('A floor.', () => ({ id: LocalId, name: Name, position })),
      rooms: listOf('A room.', () => ({
        id: LocalId,
        name: Name,
        floor: textOrNull('The local id of its floor, or null.'),
        position,
      })),
      units: listOf('A unit or module.', () => ({ ...unit, reachable: whether('True if it responds.') })),
      scenes: z.array(SceneShape),
      groups: z.array(GroupShape),
      modes: listOf('A mode that the home can have.', () => ({ id: LocalId, name: Name })).optional(),
      calendars: listOf('A calendar.', () => ({ id: LocalId, name: Name })).optional(),
      unplaced: z.array(BusUnitShape),
    })),
  }),
  'house.export': endpoint('GET', '/admin/v1/house/file', {
    summary: 'The house as a file',
    answer: looseObject(() => ({ file: text('YAML.') })),
  }),
  'house.import': endpoint('PUT', '/admin/v1/house/file', {
    summary: 'Replace the house by a file, or only check it',
    stepUp: (body) => !(body as { readonly check: boolean }).check,
    body: strictObject(() => ({
      file: z
        .string()
        .max(4 * 1024 * 1024)
        .describe('The content of the file, YAML.'),
      check: whether('True to check the file without importing it.').default(false),
      relabelCosts,
      yes: whether('True to allow the removal of more than half of the units, rooms, scenes, groups or rules.').default(
        false,
      ),
    })),
    answer: looseObject(() => ({
      checked: whether('True: it was only checked.'),
      floors: count('Floors in the file.'),
      rooms: count('Rooms in the file.'),
      units: count('Units in the file.'),
      scenes: count('Scenes in the file.'),
      groups: count('Named groups in the file.'),
      automations: count('Automations in the file.'),
      schedules: count('Schedules in the file.'),
      removesMost: textOrNull(
        'A removal of more than half of a kind, like `34 of 34 units`, which needs `yes`; else null.',
      ),
      backup: textOrNull('The name of the backup made before an import that removes most of a kind, or null.'),
      differences: listOf('A changed part of the home.', () => ({
        change: z.enum(['added', 'changed', 'removed']).describe('Kind of change.'),
        kind: z.enum(PART_KINDS).describe('Kind of part.'),
        id: LocalId,
        name: Name,
        fields: z.array(z.string()).describe('Changed fields.'),
      }))
        .optional()
        .describe('With `check`: changes of the import.'),
      integrations: listOf('An integration whose exposure would change.', () => ({
        id: text('The id of the integration.'),
        name: Name,
        appears: z.array(Shown).describe('Things that it would show in addition.'),
        disappears: z.array(Shown).describe('Things that it would no longer show.'),
      }))
        .optional()
        .describe('With `check`: integrations whose exposure would change.'),
      leaving: Leaving,
      warnings: z
        .array(z.string())
        .describe(
          'Devices with another class than on the bus; scenes and rules that open a lock or gate without permission of their author; costs that would be relabelled with another currency.',
        ),
    })),
    errors: ['unauthorized'],
  }),
  'house.place': endpoint('POST', '/admin/v1/house/place', {
    summary: 'Add a unit found on the bus, or move or rename one',
    body: PlaceBody,
    answer: looseObject(() => ({ unit: shape('The unit after the change.', () => unit) })),
    errors: ['not_found', 'sign_in_again'],
  }),
  'intents.show': endpoint('GET', '/admin/v1/devices/{id}/intents', {
    summary: "A device's last confirmed settings and own schedules",
    params: LocalParams,
    answer: looseObject(() => ({
      device: LocalId,
      name: Name,
      model: textOrNull('The hardware model where it is known.'),
      intents: z.array(SettingInWords),
      schedules: listOf('A schedule that the unit runs itself.', () => ({
        ...UnitScheduleEntry.shape,
        words: text('Operation and time: `turn on at 07:00 on Mon-Fri`.'),
      })),
      schedulesAsOf: epochMs('When the schedules were read last, or null.').nullable(),
      note: text('Advice for reading the list, in a sentence.'),
    })),
    errors: ['not_found'],
  }),
} as const
