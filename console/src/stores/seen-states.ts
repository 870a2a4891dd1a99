import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'

/** Since when a device is in its state. */
export interface Since {
  /** Epoch ms. */
  readonly at: number
  /** False: the state is the first one that was heard, and began earlier. */
  readonly isExact: boolean
}

/** States as this page knows them, each without the time of its confirmation. */
const seen = new Map<string, Since & { readonly what: string }>()

/** Takes a state; answers since when this page knows it. The same state confirmed again began no later. */
export function sawState({ id, state }: Pick<HomeDevice, 'id' | 'state'>): Since | null {
  if (state === null) return null
  const { asOf, ...rest } = state
  const what = JSON.stringify(rest)
  const before = seen.get(id)
  if (before?.what === what) return before
  const first = { what, at: asOf, isExact: before !== undefined }
  seen.set(id, first)
  return first
}

export function forgetStates(): void {
  seen.clear()
}
