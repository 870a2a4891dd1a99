import type { Refuse } from '../api/errors.ts'
import type { House } from '../home/house/house.ts'
import type { PresentMode } from '../home/live/present-mode.ts'
import { LOCAL_ID } from '../home/model/house.ts'
import { BUILT_IN_MODES, type HomeMode, MODES_MAX } from '../home/model/modes.ts'
import type { modes as contract } from './contract/modes.ts'
import type { AdminContent, AdminHandlersOf } from './dispatch.ts'
import { refuseUnknown } from './credentials.ts'
import { type ReferringRules, releasedBy } from './removal.ts'

interface ModeAdminParts {
  readonly house: House
  readonly mode: Pick<PresentMode, 'now'>
  readonly rules: ReferringRules
}

export function modeAdminHandlers({ house, mode, rules }: ModeAdminParts): AdminHandlersOf<typeof contract> {
  const answer = (): AdminContent<(typeof contract)['modes.list']> => {
    const { mode: held, until, previous } = mode.now
    return { mode: held, until, previous, modes: [...house.modes.values()].map(shownMode) }
  }
  return {
    'modes.list': answer,
    'modes.add': ({ body: { name, id = idOf(name) }, cause, refuse }) => {
      const all = [...house.modes.values()]
      if (all.length >= MODES_MAX) refuse('validation', { message: `A home has at most ${MODES_MAX} modes.` })
      if (!LOCAL_ID.test(id))
        refuse('validation', { message: 'id: cannot be made of this name. Send one of 1 to 40 of a-z, 0-9 and -.' })
      refuseTaken(all, name, refuse)
      if (house.modes.has(id)) refuse('validation', { message: `id: the home has a mode ${id} already.` })
      house.setModes([...all, { id, name }], `mode ${name} added`, cause)
      return answer()
    },
    'modes.rename': ({ params: { id }, body: { name }, cause, refuse }) => {
      const { name: before } = modeOf(house, id, refuse)
      if (before === name) return answer()
      refuseTaken([...house.modes.values()], name, refuse)
      const renamed = [...house.modes.values()].map((its) => (its.id === id ? { id, name } : its))
      house.setModes(renamed, `mode ${before} renamed to ${name}`, cause)
      return answer()
    },
    'modes.remove': ({ params: { id }, query, cause, refuse }) => {
      const { name } = modeOf(house, id, refuse)
      if (isBuiltIn(id)) refuse('validation', { message: `${name} is a mode of every home and cannot be removed.` })
      const released = releasedBy({ query, cause, refuse }, ['modes', id, 'mode'], rules)
      const rest = [...house.modes.values()].filter((its) => its.id !== id)
      house.setModes(rest, `mode ${name} removed`, cause, released())
      return answer()
    },
  }
}

const isBuiltIn = (id: string): boolean => BUILT_IN_MODES.some((mode) => mode.id === id)

function shownMode({ id, name }: HomeMode): AdminContent<(typeof contract)['modes.list']>['modes'][number] {
  return { id, name, builtIn: isBuiltIn(id) }
}

function modeOf(house: House, id: string, refuse: Refuse<'not_found'>): HomeMode {
  return house.modes.get(id) ?? refuseUnknown('mode', id, 'modes list', refuse)
}

/** People choose modes by their names. */
function refuseTaken(modes: readonly HomeMode[], name: string, refuse: Refuse): void {
  if (modes.some((its) => its.name === name)) refuse('validation', { message: `name: a mode ${name} exists already.` })
}

/** `Film night` becomes `film-night`. */
export function idOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40)
    .replace(/-$/, '')
}
