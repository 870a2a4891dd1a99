import { type Caller, type Exchange, nameOf } from '../answering.ts'
import { MARK, markOf } from '../house.ts'
import { showsRule, visibleMarks } from '../visible.ts'
import { Violation } from '../violation.ts'
import type { World } from '../world.ts'
import type { Check } from './check.ts'

/** How the marks of scenes begin. */
const SCENE = 'Zs'

/** Nothing is told of what the one who is told does not see: every name in the home is marked. */
export function hidden(world: World): Check {
  /** What each request's caller could see when it asked. */
  const before = new Map<Exchange, ReadonlySet<string>>()
  /** Names that rules and scenes were given, with the key of each. */
  const names = new Map<string, string>()
  const learn = (): void => {
    for (const [key, { name }] of world.facts().rules) names.set(name, key)
  }
  const told = (caller: Caller, text: string, earlier: ReadonlySet<string>): void => {
    const facts = world.facts()
    const integration = facts.integrations.get(caller.integration)
    if (integration === undefined) return
    learn()
    const content = world.content
    const now = visibleMarks(content, integration)
    const scenes = new Set(content.scenes.map(({ id }) => markOf('s', id)))
    // What was recorded of a scene stays after it.
    const isGone = (mark: string): boolean => mark.startsWith(SCENE) && !scenes.has(mark)
    for (const mark of marksIn(text, caller.integration)) {
      if (now.has(mark) || earlier.has(mark) || isGone(mark)) continue
      const key = names.get(mark)
      if (key === undefined ? mark.startsWith('Zn') : showsRule(facts, key, integration, content)) continue
      if (key !== undefined && !facts.rules.has(key)) continue
      throw new Violation(
        'hidden',
        `${nameOf(caller)} is told of ${mark}${key === undefined ? '' : ` (${key})`}: ${text.slice(0, 600)}`,
      )
    }
  }
  world.answering.watch({
    asked: (exchange) => {
      const { caller, request } = exchange
      const integration = caller === null ? undefined : world.facts().integrations.get(caller.integration)
      // What a caller says itself may come back to it.
      const said = `${decodeURIComponent(request.path)} ${JSON.stringify(request.body ?? '')}`
      const own = caller === null ? [] : marksIn(said, caller.integration)
      const seen = integration === undefined ? [] : visibleMarks(world.content, integration)
      before.set(exchange, new Set([...seen, ...own]))
    },
    answered: (exchange, { text, body }) => {
      const made = (body['scene'] as { readonly id?: string } | undefined)?.id ?? ''
      // What somebody has just made is told to them, also where it was hidden while the disk took its time.
      const own =
        exchange.caller && exchange.request.name === 'scenes.create' ? marksIn(made, exchange.caller.integration) : []
      const earlier = new Set([...(before.get(exchange) ?? []), ...own])
      before.delete(exchange)
      if (exchange.caller !== null && world.running) told(exchange.caller, text, earlier)
    },
    told: (caller, text) => {
      // The last word about a thing is that it is gone for this integration.
      if (world.running && text.includes('"event"') && !text.includes('"change":"deleted"'))
        told(caller, text, new Set())
    },
  })
  return {
    afterAct: () => {
      if (world.running) learn()
    },
  }
}

/** What a text tells of, by name or by id. */
function marksIn(text: string, integration: string): string[] {
  const names = [...text.matchAll(MARK)].map(([mark]) => mark)
  const ids = text.split(`:${integration}:`).slice(1).map(markAtStart)
  return [...names, ...ids.filter((mark) => mark !== null)]
}

/** The mark of the thing whose local id a text begins with; rules have their own check. */
function markAtStart(text: string): string | null {
  const [, unit, gang] = /^(u\d+)(?::(\d))?/.exec(text) ?? []
  if (unit !== undefined) return gang === undefined ? markOf('u', unit) : markOf('g', `${unit}g${gang}`)
  const [, kind = '', id = ''] = /^(room|floor|scene):([a-z0-9-]+)/.exec(text) ?? []
  return kind === '' ? null : markOf(kind.slice(0, 1), id)
}
