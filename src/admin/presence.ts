import { z } from 'zod'
import type { Plain } from '../api/contract/endpoint.ts'
import type { Persons } from '../auth/persons/persons.ts'
import type { Presences } from '../home/live/presences.ts'
import { type ActivityEntry, type Cause, subjectKey } from '../home/model/events.ts'
import { CONSOLE_USED, PRESENCE_KEPT_MS, PRESENCES } from '../home/model/presence.ts'
import type { ActivityStore } from '../home/ports/history-store.ts'
import type { Clock } from '../lib/clock.ts'
import type { presence as contract, PresenceShape } from './contract/presence.ts'
import type { AdminContent, AdminHandlersOf } from './dispatch.ts'
import { refuseUnknown } from './credentials.ts'

interface PresenceAdminParts {
  readonly persons: Pick<Persons, 'get'>
  readonly presences: Pick<Presences, 'of' | 'report'>
  readonly activity: Pick<ActivityStore, 'page'>
  readonly clock: Clock
}

/** Changes in one answer; a person has few. */
const CHANGES_MAX = 500

export function presenceAdminHandlers(parts: PresenceAdminParts): AdminHandlersOf<typeof contract> {
  const { persons, presences } = parts
  return {
    'presence.show': ({ params: { id }, refuse }) => {
      if (persons.get(id) === undefined) refuseUnknown('person', id, 'presence list', refuse)
      return { presence: presenceView(id, presences), history: historyOf(id, parts) }
    },
    'presence.set': ({ params: { id }, body: { is }, cause, refuse }) => {
      if (persons.get(id) === undefined) refuseUnknown('person', id, 'presence list', refuse)
      presences.report(id, is, cause)
      return { presence: presenceView(id, presences) }
    },
  }
}

/** The presence of a person as administrators see it. */
export function presenceView(person: string, presences: Pick<Presences, 'of'>): Plain<z.output<typeof PresenceShape>> {
  const { is, since, cause } = presences.of(person)
  return { is, since, source: cause && sourceWords(cause) }
}

function sourceWords({ source, name }: Cause): string {
  return source === 'presence' && name === CONSOLE_USED ? 'console in the home network' : name
}

const Changed = z.object({ to: z.object({ presence: z.enum(PRESENCES) }) })

function historyOf(
  id: string,
  { activity, clock }: Pick<PresenceAdminParts, 'activity' | 'clock'>,
): AdminContent<(typeof contract)['presence.show']>['history'] {
  const now = clock.now()
  const subjects = { only: [subjectKey({ kind: 'person', id })] }
  const { entries } = activity.page({ subjects, from: now - PRESENCE_KEPT_MS, to: now + 1, limit: CHANGES_MAX })
  return entries.flatMap(changeOf)
}

function changeOf({ at, cause, data }: ActivityEntry): AdminContent<(typeof contract)['presence.show']>['history'] {
  const read = Changed.safeParse(data)
  return read.success ? [{ at, is: read.data.to.presence, source: sourceWords(cause) }] : []
}
