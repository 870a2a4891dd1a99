import { administrationEntry } from '../auth/credentials/pending-revocations.ts'
import { LINK_MS } from '../auth/persons/console-session.ts'
import type { Passwords } from '../auth/persons/password.ts'
import type { TabletPins } from '../auth/persons/tablet-pins.ts'
import type { Integration } from '../exposure/integration.ts'
import type { UnitOfWork } from '../home/ports/activity-log.ts'
import type { Refuse } from '../api/errors.ts'
import { type AccessHandlerParts, exposureOf, integrationOf } from './access.ts'
import { NOTHING } from './members.ts'
import type { ConsoleAdminParts } from './console.ts'
import type { tablets } from './contract/tablets.ts'
import { refuseUnknown } from './credentials.ts'
import type { AdminCaller, AdminHandlersOf } from './dispatch.ts'

export interface TabletParts extends AccessHandlerParts, Pick<ConsoleAdminParts, 'addresses' | 'clock'> {
  readonly pins: TabletPins
  readonly passwords: Pick<Passwords, 'busy' | 'hash'>
  readonly work: UnitOfWork
}

/** Handlers for wall tablets. A tablet is changed and deleted like every other integration. */
export function tabletHandlers(parts: TabletParts): AdminHandlersOf<typeof tablets> {
  const { integrations, passwords, pins, sessions, clock, work } = parts
  const link = (tablet: Integration, places: readonly string[], by: AdminCaller) => {
    const code = sessions.makeTabletLink(tablet, by.cause)
    return { links: places.map((place) => `${place}#${code}`), expiresAt: clock.now() + LINK_MS }
  }
  return {
    'tablets.list': () => {
      const used = new Map(sessions.list().map(({ stored, usedAt }) => [stored.integration, usedAt]))
      const all = integrations.list().filter(({ kind }) => kind === 'tablet')
      return { tablets: all.map(({ id }) => ({ id, pin: pins.has(id), usedAt: used.get(id) ?? null })) }
    },
    'tablets.create': async ({ body: { pin, expose = ['all'], settings: knobs, ...body }, by, cause, refuse }) => {
      const places = placesOf(parts, refuse)
      refuseBusy(parts, refuse)
      const exposure = exposureOf(expose, { house: parts.house, now: NOTHING }, refuse)
      const hash = pin === undefined ? null : await passwords.hash(pin)
      if (!by.holds()) refuse('unauthorized')
      const created = integrations.creation({ ...body, exposure, knobs, kind: 'tablet' }, cause)
      if (!created.ok) return refuse('validation', { message: created.error })
      const { made, part } = created.value
      work.change((record) => {
        part.store(record)
        pins.store(made.id, hash)
      })
      part.apply()
      return { integration: integrationOf(made, parts), ...link(made, places, by) }
    },
    'tablets.link': ({ params, by, refuse }) => link(tabletOf(params.id, parts, refuse), placesOf(parts, refuse), by),
    'tablets.pin': async ({ params, body: { pin }, by, cause, refuse }) => {
      refuseBusy(parts, refuse)
      const { id, name } = tabletOf(params.id, parts, refuse)
      const hash = pin === null ? null : await passwords.hash(pin)
      if (!by.holds()) refuse('unauthorized')
      tabletOf(id, parts, refuse)
      const what = `PIN of the tablet ${name} ${pin === null ? 'removed' : 'set'}`
      work.change((record) => {
        pins.store(id, hash)
        record(administrationEntry(clock, what, cause))
      })
      return { pin: pin !== null }
    },
  }
}

function refuseBusy({ passwords }: TabletParts, refuse: Refuse<'overloaded'>): void {
  if (passwords.busy) refuse('overloaded')
}

function placesOf({ addresses }: TabletParts, refuse: Refuse): readonly string[] {
  const places = addresses()
  return places.length > 0
    ? places
    : refuse('validation', { message: 'The console is off: start the gateway with HM_CONSOLE=on.' })
}

function tabletOf(id: string, { integrations }: TabletParts, refuse: Refuse<'not_found'>): Integration {
  const found = integrations.get(id)
  return found?.kind === 'tablet' ? found : refuseUnknown('wall tablet', id, 'tablet list', refuse)
}
