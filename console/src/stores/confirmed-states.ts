import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'

/** Start of a device's current state. */
export interface StateStart {
  /** Epoch ms. */
  readonly at: number
  /** False for the first state that this page received: it may have begun earlier. */
  readonly isExact: boolean
}

/** Last state of each device as JSON, without its confirmation time. */
const states = new Map<string, StateStart & { readonly json: string }>()

/** Records a state and returns its start. Repeated confirmations of one state keep the first start. */
export function trackState({ id, state }: Pick<HomeDevice, 'id' | 'state'>): StateStart | null {
  if (state === null) return null
  const { asOf, ...fields } = state
  const json = JSON.stringify(fields)
  const previous = states.get(id)
  if (previous?.json === json) return previous
  const started = { json, at: asOf, isExact: previous !== undefined }
  states.set(id, started)
  return started
}

/** Forgets everything at sign-out. */
export function forgetStates(): void {
  states.clear()
}
