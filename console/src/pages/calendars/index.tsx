import type { JSX } from 'preact'
import type { Calendar } from '../../lib/admin-contract.ts'
import { Loading } from '../../parts/action.tsx'
import { ConfirmButton, DialogButton } from '../../parts/dialog.tsx'
import { Card, Empty, LastTime, Page } from '../../parts/page.tsx'
import { dayOf, momentWords, shortDay } from '../../stores/home-time.ts'
import { forcedIf } from '../../lib/forced.ts'
import { showNotice } from '../../stores/page-notices.ts'
import { useResource } from '../../stores/use-resource.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/calendars.ts'
import { words as frame } from '../../words/page-frame.ts'
import { CalendarDialog } from './calendar-dialog.tsx'

/** The calendars that rules name, with their next events (docs/automations.md#calendars). */
export function CalendarsPage(): JSX.Element {
  const { value, error, reload } = useResource(() => admin.call('get', '/admin/v1/calendars'))
  const add = (
    <DialogButton class="main" icon="add" label={words.add}>
      {(close) => <CalendarDialog onAdded={reload} onClose={close} />}
    </DialogButton>
  )
  return (
    <Page title={frame.calendars} aside={add}>
      <p class="muted">{words.about}</p>
      {value === null ? (
        <Loading error={error} reload={reload} />
      ) : value.calendars.length === 0 ? (
        <Empty icon="calendar" sentence={words.empty} />
      ) : (
        value.calendars.map((calendar) => <CalendarCard key={calendar.id} calendar={calendar} onChanged={reload} />)
      )}
    </Page>
  )
}

function CalendarCard({ calendar, onChanged }: { calendar: Calendar; onChanged: () => void }): JSX.Element {
  const { id, name, source, host, readAt, problem, leftOut, events, usedBy } = calendar
  const remove = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/calendars/{id}', { path: { id }, ...forcedIf(usedBy) })
    showNotice(words.removed(name))
    onChanged()
  }
  return (
    <Card title={name}>
      <p class="muted">
        {host === null ? (
          words.kinds[source]
        ) : (
          <>
            {host} · <LastTime at={readAt} label={words.read} never={words.never} />
          </>
        )}
      </p>
      {problem !== null && <p role="alert">{words.copy(problem)}</p>}
      {leftOut.map(({ title, reason }) => (
        <p key={`${title} ${reason}`} class="warns" dir="auto">
          {words.leftOut(title, reason)}
        </p>
      ))}
      {events.length === 0 ? <p>{words.noEvents}</p> : <Events events={events} label={words.events(name)} />}
      <div class="actions">
        <ConfirmButton
          label={words.remove}
          title={words.removeTitle(name)}
          verb={words.removeNamed(name)}
          onConfirm={remove}
        >
          {words.removeEffect(usedBy)}
        </ConfirmButton>
      </div>
    </Card>
  )
}

interface EventsProps {
  readonly events: Calendar['events']
  readonly label: string
}

function Events({ events, label }: EventsProps): JSX.Element {
  return (
    <ul class="rows" aria-label={label}>
      {events.map((event) => (
        <li key={`${event.begins} ${event.title}`}>
          <span class="grow" dir="auto">
            {event.title}
          </span>
          <span class="muted">{timesOf(event)}</span>
        </li>
      ))}
    </ul>
  )
}

/** The moment at which an event begins, or its days. */
function timesOf({ begins, ends, wholeDays }: Calendar['events'][number]): string {
  if (!wholeDays) return momentWords(begins)
  const last = ends - 1
  return dayOf(begins) === dayOf(last) ? shortDay(begins) : words.days(shortDay(begins), shortDay(last))
}
