import type { HomeEvent, Cause } from '../../src/home/model/events.ts'
import type { AuthorFact, Facts } from '../world/truth.ts'
import { Violation } from '../world/journal.ts'
import type { World } from '../world/world.ts'
import type { Check } from './check.ts'

/** From the moment at which leave is asked for to the unit's word that it opens. */
const ON_ITS_WAY_MS = 30_000
/** A run goes by whoever had saved the rule when it began. */
const RUN_MS = 10 * 60_000

interface Principal {
  readonly link: string
  readonly integration: string
  readonly confirmed: boolean
}

/** What opens a lock or gate does so on the authority of somebody who may, at that moment. */
export function opened(world: World): Check {
  /** When each credential had leave last. */
  const leave = new Map<string, number>()
  /** Who saved each rule and scene, from when on. */
  const authors = new Map<string, { readonly author: AuthorFact; readonly since: number; until: number }[]>()
  const look = (): void => {
    if (!world.running) return
    const facts = world.facts()
    for (const link of facts.credentials.keys()) if (mayOpen(facts, link)) leave.set(link, world.now)
    for (const [key, { author }] of facts.rules) {
      const row = authors.get(key) ?? []
      const last = row.at(-1)
      if (last !== undefined && JSON.stringify(last.author) === JSON.stringify(author)) last.until = world.now
      else row.push({ author, since: world.now, until: world.now })
      authors.set(key, row)
    }
  }
  const may = ({ link, confirmed }: Principal): boolean => {
    const credential = world.facts().credentials.get(link)
    if (credential !== undefined && credential.kind !== 'key' && !confirmed) return false
    return world.now - (leave.get(link) ?? -Infinity) <= ON_ITS_WAY_MS
  }
  const anyAuthorMay = (key: string): boolean =>
    (authors.get(key) ?? [])
      .filter(({ until }) => world.now - until <= RUN_MS)
      .some(({ author }) => author === null || may({ ...author, confirmed: false }))
  world.watch({
    event: (event) => {
      if (!opens(event)) return
      look()
      // Of a scene that sets itself off again by an automation, the cause names only what began that.
      const again = repeating(world.facts(), event.cause).some(anyAuthorMay)
      const wrong = again ? null : unfounded(event.cause, may, anyAuthorMay)
      if (wrong !== null)
        throw new Violation('opened', `${event.device} opened without leave: ${wrong}, ${JSON.stringify(event.cause)}`)
    },
  })
  world.answering.watch({ asked: look, answered: look })
  return { afterAct: look }
}

function opens(event: HomeEvent): event is Extract<HomeEvent, { kind: 'state' }> {
  if (event.kind !== 'state' || event.trigger !== 'command') return false
  const { state, previous } = event
  if ('locked' in state) return !state.locked && previous !== null && 'locked' in previous && previous.locked
  return event.device === 'u13' && 'move' in state && state.move === 'opening' && event.changed
}

/** Whether a credential may open by what is stored, its agent with a confirmation. */
function mayOpen({ credentials, integrations }: Facts, link: string): boolean {
  const credential = credentials.get(link)
  const integration = credential && integrations.get(credential.integration)
  if (!credential?.alive || !integration?.enabled || integration.knobs['allow_unlock'] !== 'on') return false
  return credential.kind === 'key' || integration.knobs['agent_access'] === 'on'
}

/** Who of those behind a cause had no leave; what a rule sets off goes by who saved it, not by what set it off. */
function unfounded(
  cause: Cause,
  may: (principal: Principal) => boolean,
  anyAuthorMay: (key: string) => boolean,
): string | null {
  for (let each: Cause | undefined = cause; each !== undefined; each = each.by) {
    const { source, ref, integration, link, confirmedBy } = each
    if (integration !== undefined && !may({ integration, link: link ?? '', confirmed: confirmedBy !== undefined }))
      return `${link ?? integration} may not`
    if (source !== 'scene' && source !== 'automation' && source !== 'schedule') continue
    if (!anyAuthorMay(`${source}:${ref ?? ''}`)) return `who saved ${source} ${ref ?? ''} may not`
    if (source !== 'scene') return null
  }
  return null
}

/** Automations that a scene of the chain sets off. */
function repeating({ rules }: Facts, cause: Cause): string[] {
  const scenes: string[] = []
  for (let each: Cause | undefined = cause; each !== undefined; each = each.by)
    if (each.source === 'scene') scenes.push(each.ref ?? '')
  const setOff = (definition: string): boolean => {
    const { when = [] } = JSON.parse(definition) as { readonly when?: readonly { readonly scene?: string }[] }
    return when.some(({ scene }) => scene !== undefined && scenes.includes(scene))
  }
  return [...rules].flatMap(([key, { kind, definition }]) => (kind === 'automation' && setOff(definition) ? [key] : []))
}
