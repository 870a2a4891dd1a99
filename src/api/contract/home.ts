import { PEOPLE_SHOWN } from '../../exposure/knobs.ts'
import { z } from 'zod'
import { GANG_CLASSES, UNIT_CLASSES } from '../../home/model/device.ts'
import { GROUP_WORDS } from '../../home/model/groups.ts'
import { DEVICE_CLASSES_WITH_STATE, State } from './states.ts'
import { endpoint } from './endpoint.ts'
import { Settings } from './knobs.ts'
import { growing, idOf, Name, text, shape, named } from './fields.ts'
import { Floor, Group, inRoomOrOf, Room, Scene, Unit } from './shapes.ts'
import { looseObject } from '../../lib/late-object.ts'

/** Classes and groups by which lists of the house can be filtered. */
export const LISTED_CLASSES = [...UNIT_CLASSES, ...GANG_CLASSES, 'scene', 'group', ...GROUP_WORDS] as const

const GatewayId = text('The id of the gateway: its serial.')

const ofTheHome = {
  timeZone: text('IANA time zone of the home, like Europe/Berlin: days, schedules and tariffs follow it.'),
  currency: text('Currency of costs: ISO 4217, like EUR.'),
}

/** The integration and the home as a whole. */
export const home = {
  'about.get': endpoint('GET', '/v1/about', {
    summary: 'How to connect, in plain text; needs no credential',
    spec: '4, 4.rule12',
    reach: 'open',
    answer: z.string(),
  }),
  'integration.get': endpoint('GET', '/v1/integration', {
    summary: "The request's integration and credential, with their permissions",
    spec: '2.1',
    answer: looseObject(() => ({
      ...ofTheHome,
      gateway: GatewayId,
      integration: shape('The integration of this request.', () => ({
        id: z.uuid().describe('The id of the integration, as in device ids.'),
        name: Name,
        credential: shape('The credential of this request.', () => ({
          kind: growing(['key', 'agent', 'session'], 'Kind of credential of this request.'),
          name: text('Name of the credential.'),
          platform: text('Platform on which the agent runs; empty for a key.'),
          label: text('Name of the credential in the activity.'),
        })),
        settings: Settings,
        people: growing(PEOPLE_SHOWN, 'Visibility of people: none, only whether anyone is home, or each by name.'),
        reports: z.array(z.string()).describe('The ids of persons whose presence it may report.'),
      })),
    })),
  }),
  'house.get': endpoint('GET', '/v1/house', {
    summary: 'The home: floors, rooms, units, scenes. Call it first and keep the ids',
    spec: '2.3',
    tagged: true,
    errors: ['not_found'],
    query: inRoomOrOf(LISTED_CLASSES),
    answer: named('House', 'The home as this integration sees it.', () => ({
      ...ofTheHome,
      gateway: GatewayId,
      floors: z.array(Floor).describe('Floors with their rooms.'),
      rooms: z.array(Room).describe('Rooms on no floor.'),
      units: z.array(Unit).describe('Units and modules in no room.'),
      scenes: z.array(Scene).describe('The scenes of the home.'),
      groups: z.array(Group).describe('The named groups of the home.'),
    })),
  }),
  'state.get': endpoint('GET', '/v1/state', {
    summary: 'The state of every device, for cheap polling; 304 for If-None-Match while nothing changed',
    spec: '2.6',
    tagged: true,
    errors: ['not_found'],
    query: inRoomOrOf([...DEVICE_CLASSES_WITH_STATE, ...GROUP_WORDS]),
    answer: looseObject(() => ({
      devices: z.array(
        named('DeviceState', 'A unit or gang with its state.', () => ({
          id: idOf('the unit or gang'),
          name: Name,
          class: growing(DEVICE_CLASSES_WITH_STATE, 'Class of the device; decides the shape of `state`.'),
          state: State,
        })),
      ),
    })),
  }),
  'tls.get': endpoint('GET', '/v1/gateway/tls', {
    summary: "The gateway's own CA and its SHA-256 fingerprint",
    spec: '2.6, 4.rule10',
    reach: 'home',
    answer: looseObject(() => ({
      ca: text('The CA certificate, PEM.'),
      fingerprint: z
        .string()
        .regex(/^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/)
        .describe('SHA-256 of the certificate: 32 bytes in hexadecimal, joined by colons.'),
    })),
  }),
} as const
