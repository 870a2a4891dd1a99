import { z } from 'zod'
import { KNOB_VALUES } from '../../exposure/knobs.ts'
import { DEVICE_CLASSES_WITH_STATE } from './classes.ts'
import { endpoint } from '../endpoint.ts'
import { Floor, NoQuery, Room, Scene, State, Unit } from './shapes.ts'

const none = z.strictObject({})

const Settings = z
  .looseObject({
    advanced_config: z.enum(KNOB_VALUES.advanced_config),
    structural: z.enum(KNOB_VALUES.structural),
    automations: z.enum(KNOB_VALUES.automations),
    schedules: z.enum(KNOB_VALUES.schedules),
    agent_access: z.enum(KNOB_VALUES.agent_access),
    cloud_access: z.enum(KNOB_VALUES.cloud_access),
    mdns: z.enum(KNOB_VALUES.mdns),
    allow_unlock: z.enum(KNOB_VALUES.allow_unlock),
  })
  .meta({ id: 'Settings', description: 'The eight knobs with their current values.' })

/** The integration and the home as a whole. */
export const home = {
  'about.get': endpoint('GET', '/v1/about', {
    summary: 'How to connect, in plain text; needs no credential',
    spec: '4, 4.rule12',
    subject: 'none',
    reach: 'open',
    params: none,
    query: NoQuery,
    body: null,
    answer: z.string(),
    errors: [],
  }),
  'integration.get': endpoint('GET', '/v1/integration', {
    summary: 'Which integration and credential this is, and what it may do',
    spec: '2.1',
    subject: 'none',
    params: none,
    query: NoQuery,
    body: null,
    answer: z.looseObject({
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
    errors: [],
  }),
  'house.get': endpoint('GET', '/v1/house', {
    summary: 'The home: floors, rooms, units, scenes. Call it first and keep the ids',
    spec: '2.3',
    subject: 'none',
    tagged: true,
    params: none,
    query: NoQuery,
    body: null,
    answer: z
      .looseObject({
        gateway: z.string(),
        floors: z.array(Floor),
        rooms: z.array(Room).meta({ description: 'Rooms on no floor.' }),
        units: z.array(Unit).meta({ description: 'Units and modules in no room.' }),
        scenes: z.array(Scene),
      })
      .meta({ id: 'House' }),
    errors: [],
  }),
  'state.get': endpoint('GET', '/v1/state', {
    summary: 'The state of every device, for cheap polling; answers 304 to If-None-Match while nothing changed',
    spec: '2.6',
    subject: 'none',
    tagged: true,
    params: none,
    query: NoQuery,
    body: null,
    answer: z.looseObject({
      devices: z.array(
        z.looseObject({ id: z.string(), name: z.string(), class: z.enum(DEVICE_CLASSES_WITH_STATE), state: State }),
      ),
    }),
    errors: [],
  }),
  'tls.get': endpoint('GET', '/v1/gateway/tls', {
    summary: "The gateway's own CA and its SHA-256 fingerprint",
    spec: '2.6, 4.rule10',
    subject: 'none',
    reach: 'home',
    params: none,
    query: NoQuery,
    body: null,
    answer: z.looseObject({ ca: z.string(), fingerprint: z.string().regex(/^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/) }),
    errors: [],
  }),
} as const
