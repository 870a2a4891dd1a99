import type { Method, RefusedCall, SubjectKind } from './endpoint.ts'
import { needs } from './knobs.ts'

function structural(method: Method, path: string, subject: SubjectKind, summary: string): RefusedCall {
  return { method, path, code: 'structural_not_allowed', subject, summary, spec: '4.rule7' }
}

function notOffered(
  method: Method,
  path: string,
  subject: SubjectKind,
  summary: string,
  by: Pick<RefusedCall, 'spec' | 'gate'>,
): RefusedCall {
  return { method, path, code: 'not_offered', subject, summary, ...by }
}

const OF_AUTOMATIONS = { spec: '4.rule8', gate: needs.automations }
const OF_SCHEDULES = { spec: '4.rule8', gate: needs.schedules }

/**
 * Calls with a refusal in the specification. Clients get the reason instead of `405` (Spec 4 rules 5, 7, 8;
 * docs/decisions/requests.md#decided).
 */
export const refusedCalls: readonly RefusedCall[] = [
  structural('POST', '/v1/rooms', 'none', 'Creating rooms is done in the app'),
  structural('PUT', '/v1/rooms/{id}', 'room', 'Moving rooms is done in the app'),
  structural('DELETE', '/v1/rooms/{id}', 'room', 'Deleting rooms is done in the app'),
  structural('POST', '/v1/floors', 'none', 'Creating floors is done in the app'),
  structural('PATCH', '/v1/floors/{id}', 'floor', 'Changing floors is done in the app'),
  structural('PUT', '/v1/floors/{id}', 'floor', 'Changing floors is done in the app'),
  structural('DELETE', '/v1/floors/{id}', 'floor', 'Deleting floors is done in the app'),
  structural('POST', '/v1/devices', 'none', 'Adding units is done in the app'),
  structural('PUT', '/v1/devices/{id}', 'thing', 'Moving units is done in the app'),
  structural('DELETE', '/v1/devices/{id}', 'thing', 'Deleting units is done in the app'),
  notOffered('DELETE', '/v1/scenes/{id}', 'scene', 'Deleting a scene is done in the app', { spec: '4.rule5' }),
  notOffered('DELETE', '/v1/automations/{id}', 'automation', 'Deleting automations is done in the app', OF_AUTOMATIONS),
  notOffered('DELETE', '/v1/schedules/{id}', 'schedule', 'Deleting schedules is done in the app', OF_SCHEDULES),
  ...(['POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) => {
    const summary = "A unit's own schedules are changed in the app"
    return notOffered(method, '/v1/devices/{id}/schedules', 'device', summary, OF_SCHEDULES)
  }),
]
