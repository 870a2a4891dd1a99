import { computed } from '@preact/signals'
import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { localIdOf } from '../lib/page-paths.ts'
import { type StateStart, trackState } from './confirmed-states.ts'
import { isAdministrator } from './own-session.ts'
import { admin } from './session.ts'
import { sharedResource } from './shared-resource.ts'

const resource = sharedResource(async () => (isAdministrator.peek() ? admin.call('get', '/admin/v1/states') : null))

/** The gateway's record of each state, by local device id. */
const records = computed(() => new Map(resource.value.value?.states.map((record) => [record.device, record] as const)))

/**
 * Start of a device's current state; null without a state. Units confirm the same state repeatedly, so only the gateway
 * knows the start of states older than this page. It tells only administrators.
 */
export function stateStartOf(device: HomeDevice): StateStart | null {
  const tracked = trackState(device)
  const record = records.value.get(localIdOf(device.id))
  // The gateway's answer may predate the current state.
  const isCovered = tracked !== null && tracked.at <= (resource.value.value?.at ?? 0)
  return isCovered && record && record.since <= tracked.at ? { at: record.since, isExact: record.exact } : tracked
}
