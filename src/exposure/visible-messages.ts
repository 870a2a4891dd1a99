import type { HomeMessage } from '../home/model/messages.ts'
import type { ExposedHouse } from './exposed-house.ts'
import { isWhole } from './visible-rules.ts'

/** True if an integration sees a message: one for everyone that names nothing hidden. */
export function isMessageVisible(
  { to, subjects }: Pick<HomeMessage, 'to' | 'subjects'>,
  view: Pick<ExposedHouse, 'byKey' | 'showsScene'>,
): boolean {
  return (
    to === 'everyone' &&
    subjects.devices.every((key) => isWhole(key, view)) &&
    subjects.scenes.every((scene) => view.showsScene(scene))
  )
}
