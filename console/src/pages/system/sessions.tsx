import type { JSX } from 'preact'
import { Loading } from '../../parts/action.tsx'
import { accessChanges } from '../../stores/admin-topics.ts'
import { admin } from '../../stores/session.ts'
import { useResource } from '../../stores/use-resource.ts'
import { words } from '../../words/persons.ts'
import { Session } from '../me/session.tsx'

/** Signed-in browsers, with buttons to sign them out. */
export function Sessions(): JSX.Element {
  const { value, error, reload } = useResource(() => admin.call('get', '/admin/v1/sessions'), accessChanges.value)
  if (value === null) return <Loading error={error} reload={reload} />
  return (
    <>
      <p class="muted">{words.aboutSessions}</p>
      <ul class="sheets">
        {value.sessions.map((session) => (
          <Session key={session.id} session={session} />
        ))}
      </ul>
    </>
  )
}
