import { eventsOf } from '../api/handlers/calendars.ts'
import type { Refuse } from '../api/errors.ts'
import type { House } from '../home/house/house.ts'
import type { HomeCalendars, PreparedCalendar } from '../home/live/home-calendars.ts'
import { ONE_SOURCE, sourceIn } from '../home/model/calendar-schema.ts'
import { type Calendar, type CalendarSource, calendarsProblem, sourceOf } from '../home/model/calendars.ts'
import { LOCAL_ID } from '../home/model/house.ts'
import type { Clock } from '../lib/clock.ts'
import type { calendars as contract } from './contract/calendars.ts'
import { refuseUnknown } from './credentials.ts'
import type { AdminCaller, AdminContent, AdminHandlersOf } from './dispatch.ts'
import { idOf } from './modes.ts'
import { type ReferringRules, releasedBy, userWords } from './removal.ts'

interface CalendarAdminParts {
  readonly house: House
  readonly calendars: HomeCalendars
  readonly rules: ReferringRules
  readonly clock: Pick<Clock, 'now'>
}

type Answer = AdminContent<(typeof contract)['calendars.list']>

export function calendarAdminHandlers(parts: CalendarAdminParts): AdminHandlersOf<typeof contract> {
  const { house, calendars } = parts
  const answer = (): Answer => ({ calendars: [...house.calendars.values()].map((its) => viewOf(its, parts)) })
  const all = (): readonly Calendar[] => [...house.calendars.values()]
  return {
    'calendars.list': answer,
    'calendars.add': async ({ body, cause, by, refuse }) => {
      const { name, id = idOf(name) } = body
      const source = sourceIn(body) ?? refuse('validation', { message: `The body ${ONE_SOURCE}.` })
      const added = (): readonly Calendar[] => [...all(), newCalendar({ id, name, ...source }, house, refuse)]
      refuseUnfit(added(), refuse)
      const prepared = await preparedOf(source, calendars, by, refuse)
      house.setCalendars(refuseUnfit(added(), refuse), `calendar ${name} added`, cause)
      calendars.take(id, prepared)
      return answer()
    },
    'calendars.change': async ({ params: { id }, body, cause, by, refuse }) => {
      const { name: before } = calendarOf(house, id, refuse)
      const { name = before, ...fields } = body
      const source = sourceIn(fields)
      if (source === null && Object.values(fields).some((value) => value !== undefined))
        refuse('validation', { message: `The body ${ONE_SOURCE}, or none.` })
      const changed = (): readonly Calendar[] => {
        const calendar = calendarOf(house, id, refuse)
        refuseTaken(
          all().filter((its) => its !== calendar),
          name,
          refuse,
        )
        return all().map((its) => (its === calendar ? { id, name, ...(source ?? sourceOf(calendar)) } : its))
      }
      refuseUnfit(changed(), refuse)
      const prepared = source === null ? null : await preparedOf(source, calendars, by, refuse)
      house.setCalendars(refuseUnfit(changed(), refuse), `calendar ${before} changed`, cause)
      if (prepared !== null) calendars.take(id, prepared)
      return answer()
    },
    'calendars.remove': ({ params: { id }, query, cause, refuse }) => {
      const { name } = calendarOf(house, id, refuse)
      const released = releasedBy({ query, cause, refuse }, ['calendars', id, 'calendar'], parts.rules)
      const rest = all().filter((its) => its.id !== id)
      house.setCalendars(rest, `calendar ${name} removed`, cause, released())
      return answer()
    },
  }
}

function viewOf(calendar: Calendar, parts: CalendarAdminParts): Answer['calendars'][number] {
  const { id, name } = calendar
  const status = parts.calendars.statusOf(id)
  return {
    ...{ id, name },
    source: 'dates' in calendar ? 'dates' : 'file' in calendar ? 'file' : 'url',
    host: 'url' in calendar ? new URL(calendar.url).origin : null,
    ...status,
    leftOut: [...status.leftOut],
    usedBy: userWords('calendars', id, parts.rules),
    events: eventsOf(id, {}, parts),
  }
}

/** Reads a source before the home gets it. The caller may have lost its access meanwhile. */
async function preparedOf(
  source: CalendarSource,
  calendars: HomeCalendars,
  by: AdminCaller,
  refuse: Refuse<'unauthorized'>,
): Promise<PreparedCalendar> {
  const prepared = await calendars.prepare(source)
  if (!by.holds()) refuse('unauthorized')
  return prepared.ok ? prepared.value : refuse('validation', { message: prepared.error })
}

function newCalendar(calendar: Calendar, house: House, refuse: Refuse): Calendar {
  const { id, name } = calendar
  if (!LOCAL_ID.test(id))
    refuse('validation', { message: 'id: cannot be made of this name. Send one of 1 to 40 of a-z, 0-9 and -.' })
  if (house.calendars.has(id)) refuse('validation', { message: `id: the home has a calendar ${id} already.` })
  refuseTaken([...house.calendars.values()], name, refuse)
  return calendar
}

function calendarOf(house: House, id: string, refuse: Refuse<'not_found'>): Calendar {
  return house.calendars.get(id) ?? refuseUnknown('calendar', id, 'calendar list', refuse)
}

function refuseUnfit(calendars: readonly Calendar[], refuse: Refuse): readonly Calendar[] {
  const problem = calendarsProblem(calendars)
  return problem === null ? calendars : refuse('validation', { message: problem })
}

/** People choose calendars by their names. */
function refuseTaken(calendars: readonly Calendar[], name: string, refuse: Refuse): void {
  if (calendars.some((its) => its.name === name))
    refuse('validation', { message: `name: a calendar ${name} exists already.` })
}
