import type { HomeEvent, Cause } from '../../src/home/model/events.ts'
import type { AuthorFact, Facts } from '../world/expected-state.ts'
import { Violation } from '../world/journal.ts'
import type { World } from '../world/world.ts'
import type { RunCheck } from './run-check.ts'

/** Longest time from the permission check to the unit's report that it opens. */
const ON_ITS_WAY_MS = 30_000
/** Longest run. A run has the permission of the rule's author at its start. */
const RUN_MS = 10 * 60_000

interface Principal {
  readonly link: string
  readonly integration: string
  readonly confirmed: boolean
}

/** A lock or gate opens only with the permission of a caller or author at that moment. */
export function opened(world: World): RunCheck {
  /** Last time at which each credential had the permission to open. */
  const permitted = new Map<string, number>()
  /** Authors of each rule and scene with their times. */
  const authors = new Map<string, { readonly author: AuthorFact; readonly since: number; until: number }[]>()
  const look = (): void => {
    if (!world.running) return
    const facts = world.facts()
    for (const link of facts.credentials.keys()) if (mayOpen(facts, link)) permitted.set(link, world.now)
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
    return world.now - (permitted.get(link) ?? -Infinity) <= ON_ITS_WAY_MS
  }
  const anyAuthorMay = (key: string): boolean =>
    (authors.get(key) ?? [])
      .filter(({ until }) => world.now - until <= RUN_MS)
      .some(({ author }) => author === null || may({ ...author, confirmed: false }))
  world.watch({
    event: (event) => {
      if (!opens(event)) return
      look()
      // The cause of a scene that triggers itself by an automation names only the first trigger.
      const again = repeating(world.facts(), event.cause).some(anyAuthorMay)
      const wrong = again ? null : unfounded(event.cause, may, anyAuthorMay)
      if (wrong !== null)
        throw new Violation(
          'opened',
          `${event.device} opened without permission: ${wrong}, ${JSON.stringify(event.cause)}`,
        )
    },
  })
  world.answering.watch({ requested: look, answered: look })
  return { afterAct: look }
}

function opens(event: HomeEvent): event is Extract<HomeEvent, { kind: 'state' }> {
  if (event.kind !== 'state' || event.trigger !== 'command') return false
  const { state, previous } = event
  if ('locked' in state) return !state.locked && previous !== null && 'locked' in previous && previous.locked
  return event.device === 'u13' && 'move' in state && state.move === 'opening' && event.changed
}

/** True if the stored settings let a credential open. An agent also needs a confirmation. */
function mayOpen({ credentials, integrations }: Facts, link: string): boolean {
  const credential = credentials.get(link)
  const integration = credential && integrations.get(credential.integration)
  if (!credential?.alive || !integration?.enabled || integration.knobs['allow_unlock'] !== 'on') return false
  return credential.kind === 'key' || integration.knobs['agent_access'] === 'on'
}

/** The part of a cause that had no permission, or null. A rule has the permission of its author, not of its trigger. */
function unfounded(
  cause: Cause,
  may: (principal: Principal) => boolean,
  anyAuthorMay: (key: string) => boolean,
): string | null {
  for (let part: Cause | undefined = cause; part !== undefined; part = part.by) {
    const { source, ref, integration, link, confirmedBy } = part
    if (integration !== undefined && !may({ integration, link: link ?? '', confirmed: confirmedBy !== undefined }))
      return `${link ?? integration} may not`
    if (source !== 'scene' && source !== 'automation' && source !== 'schedule') continue
    if (!anyAuthorMay(`${source}:${ref ?? ''}`)) return `the author of ${source} ${ref ?? ''} may not`
    if (source !== 'scene') return null
  }
  return null
}

/** Keys of automations that a scene of the chain triggers. */
function repeating({ rules }: Facts, cause: Cause): string[] {
  const scenes: string[] = []
  for (let part: Cause | undefined = cause; part !== undefined; part = part.by)
    if (part.source === 'scene') scenes.push(part.ref ?? '')
  const starts = (definition: string): boolean => {
    const { when = [] } = JSON.parse(definition) as { readonly when?: readonly { readonly scene?: string }[] }
    return when.some(({ scene }) => scene !== undefined && scenes.includes(scene))
  }
  return [...rules].flatMap(([key, { kind, definition }]) => (kind === 'automation' && starts(definition) ? [key] : []))
}
