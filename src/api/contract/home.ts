import { z } from 'zod'
import { GANG_CLASSES, UNIT_CLASSES } from '../../home/model/device.ts'
import { DEVICE_CLASSES_WITH_STATE, State } from './states.ts'
import { endpoint } from './endpoint.ts'
import { Settings } from './knobs.ts'
import { growing, idOf, Name } from './fields.ts'
import { Floor, inRoomOrOf, Room, Scene, Unit } from './shapes.ts'

/** What lists of the house can be cut to. */
export const LISTED_CLASSES = [...UNIT_CLASSES, ...GANG_CLASSES, 'scene'] as const

const GatewayId = z.string().meta({ description: 'The id of the gateway: its serial.' })

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
      gateway: GatewayId,
      integration: z
        .looseObject({
          id: z.uuid().meta({ description: 'The id of the integration, as in device ids.' }),
          name: Name,
          credential: z
            .looseObject({
              kind: growing(['key', 'agent', 'session'], 'What kind of credential this request carried.'),
              name: z.string().meta({ description: 'What the credential is called.' }),
              platform: z.string().meta({ description: 'Where the agent runs; empty for a key.' }),
              label: z.string().meta({ description: 'The credential in one phrase, as activity names it.' }),
            })
            .meta({ description: 'The credential of this request.' }),
          settings: Settings,
        })
        .meta({ description: 'The integration of this request.' }),
    }),
  }),
  'house.get': endpoint('GET', '/v1/house', {
    summary: 'The home: floors, rooms, units, scenes. Call it first and keep the ids',
    spec: '2.3',
    tagged: true,
    errors: ['not_found'],
    query: inRoomOrOf(LISTED_CLASSES),
    answer: z
      .looseObject({
        ...ofTheHome,
        gateway: GatewayId,
        floors: z.array(Floor).meta({ description: 'Floors with their rooms.' }),
        rooms: z.array(Room).meta({ description: 'Rooms on no floor.' }),
        units: z.array(Unit).meta({ description: 'Units and modules in no room.' }),
        scenes: z.array(Scene).meta({ description: 'The scenes of the home.' }),
      })
      .meta({ id: 'House', description: 'The home as this integration sees it.' }),
  }),
  'state.get': endpoint('GET', '/v1/state', {
    summary: 'The state of every device, for cheap polling; answers 304 to If-None-Match while nothing changed',
    spec: '2.6',
    tagged: true,
    errors: ['not_found'],
    query: inRoomOrOf(DEVICE_CLASSES_WITH_STATE),
    answer: z.looseObject({
      devices: z.array(
        z
          .looseObject({
            id: idOf('the unit or gang'),
            name: Name,
            class: growing(DEVICE_CLASSES_WITH_STATE, 'What it is and can do; decides the shape of `state`.'),
            state: State,
          })
          .meta({ id: 'DeviceState', description: 'A unit or gang with its state.' }),
      ),
    }),
  }),
  'tls.get': endpoint('GET', '/v1/gateway/tls', {
    summary: "The gateway's own CA and its SHA-256 fingerprint",
    spec: '2.6, 4.rule10',
    reach: 'home',
    answer: z.looseObject({
      ca: z.string().meta({ description: 'The CA certificate, PEM.' }),
      fingerprint: z
        .string()
        .regex(/^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/)
        .meta({ description: 'SHA-256 of the certificate: 32 bytes in hexadecimal, joined by colons.' }),
    }),
  }),
} as const
