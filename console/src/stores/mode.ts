import { type ModeView, onAdminTopic } from './admin-topics.ts'
import { seesMode } from './own-session.ts'
import { owner } from './session.ts'
import { sharedResource } from './shared-resource.ts'

const resource = sharedResource(async (): Promise<ModeView | null> =>
  seesMode.peek() ? owner.call('get', '/v1/mode') : null,
)

/** The mode of the home, current while a page shows it; null before the first answer, and while it is hidden. */
export const mode = resource.value
/** Error of the last request; null if it succeeded. */
export const modeError = resource.error

onAdminTopic('mode', (held) => {
  mode.value = held
})

/** Sets the mode, for good (`until` null) or until a moment in epoch ms. */
export async function setMode(id: string, until: number | null): Promise<void> {
  mode.value = await owner.call('put', '/v1/mode', { body: { mode: id, until } })
}
