import { computed, effect } from '@preact/signals'
import { revision } from '../../stores/home.ts'
import { admin } from '../../stores/session.ts'
import { sharedResource } from '../../stores/shared-resource.ts'
import { words } from '../../words/access.ts'
import { pickableOf } from './picking.ts'

/** The house with local ids, which exposures use; current while a page shows it. */
export const localHouse = sharedResource(() => admin.call('get', '/admin/v1/house'))

let loadedRevision = revision.peek()
effect(() => {
  if (revision.value === loadedRevision) return
  loadedRevision = revision.value
  localHouse.reloadIfShown()
})

const HEADINGS = {
  withoutRoom: words.inNoRoom,
  scenes: words.scenes,
  groups: words.groups,
  calendars: words.calendars,
  mode: words.modeOfHome,
}
/** Computed once per version of the house, because large homes have thousands of things. */
export const pickable = computed(() => localHouse.value.value && pickableOf(localHouse.value.value, HEADINGS))
