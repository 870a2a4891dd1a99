import { z } from 'zod'
import { GANG_CLASSES, UNIT_CLASSES } from '../../home/model/device.ts'
import { DEVICE_CLASSES_WITH_STATE } from './classes.ts'
import { endpoint } from '../endpoint.ts'
import { Settings } from './knobs.ts'
import { Floor, inRoomOrOf, Room, Scene, State, Unit } from './shapes.ts'

const ofTheHome = {
  timeZone: z.string().meta({
    description: 'IANA time zone of the home, like Europe/Berlin: days, schedules and tariffs follow it.',
  }),
  currency: z.string().meta({ description: 'ISO 4217, like EUR: what costs are in.' }),
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
    summary: 'Which integration and credential this is, and what it may do',
    spec: '2.1',
    answer: z.looseObject({
      ...ofTheHome,
      gateway: z.string(),
      integration: z.looseObject({
        id: z.uuid(),
        name: z.string(),
        credential: z.looseObject({
          kind: z.enum(['key', 'agent', 'session']),
          name: z.string(),
          platform: z.string(),
          label: z.string(),
        }),
        settings: Settings,
      }),
    }),
  }),
  'house.get': endpoint('GET', '/v1/house', {
    summary: 'The home: floors, rooms, units, scenes. Call it first and keep the ids',
    spec: '2.3',
    tagged: true,
    errors: ['not_found'],
    query: inRoomOrOf([...UNIT_CLASSES, ...GANG_CLASSES, 'scene']),
    answer: z
      .looseObject({
        ...ofTheHome,
        gateway: z.string(),
        floors: z.array(Floor),
        rooms: z.array(Room).meta({ description: 'Rooms on no floor.' }),
        units: z.array(Unit).meta({ description: 'Units and modules in no room.' }),
        scenes: z.array(Scene),
      })
      .meta({ id: 'House' }),
  }),
  'state.get': endpoint('GET', '/v1/state', {
    summary: 'The state of every device, for cheap polling; answers 304 to If-None-Match while nothing changed',
    spec: '2.6',
    tagged: true,
    errors: ['not_found'],
    query: inRoomOrOf(DEVICE_CLASSES_WITH_STATE),
    answer: z.looseObject({
      devices: z.array(
        z.looseObject({ id: z.string(), name: z.string(), class: z.enum(DEVICE_CLASSES_WITH_STATE), state: State }),
      ),
    }),
  }),
  'tls.get': endpoint('GET', '/v1/gateway/tls', {
    summary: "The gateway's own CA and its SHA-256 fingerprint",
    spec: '2.6, 4.rule10',
    reach: 'home',
    answer: z.looseObject({ ca: z.string(), fingerprint: z.string().regex(/^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/) }),
  }),
} as const
