import { type Exchange, type Got, nameOf, declaredCodes, type Caller } from '../world/answering.ts'
import type { Facts, IntegrationFact } from '../world/truth.ts'
import { Violation } from '../world/journal.ts'
import type { World } from '../world/world.ts'
import type { Check } from './check.ts'
import type { HouseContent } from '../../src/home/ports/house-store.ts'
import { markOf, MARK } from '../world/house.ts'

const ANSWERED_WITHIN_MS = 60_000

/** Every request is answered in time, as its endpoint declares, and only to those who may ask. */
export function answers(world: World): Check {
  const mayNot = new Map<Exchange, string>()
  world.answering.watch({
    asked: (exchange) => {
      const reason = refusedAtTheDoor(world.facts(), exchange)
      if (reason !== null) mayNot.set(exchange, reason)
    },
    answered: (exchange, got) => {
      const reason = mayNot.get(exchange)
      mayNot.delete(exchange)
      if (got.status === 0) return
      if (reason !== undefined && got.status < 400)
        throw new Violation(
          'admitted',
          `${nameOf(exchange.caller)} was served, although ${reason}: ${textOf(exchange, got)}`,
        )
      judge(exchange, got)
    },
  })
  return { afterAct: () => inTime(world) }
}

/** Why a caller must be refused, where it must. */
function refusedAtTheDoor({ credentials, integrations }: Facts, { caller }: Exchange): string | null {
  if (caller === null) return null
  const credential = credentials.get(caller.link)
  const integration = integrations.get(caller.integration)
  if (credential === undefined || !credential.alive) return 'its credential has ended'
  if (integration === undefined) return 'its integration is deleted'
  if (!integration.enabled) return 'its integration is disabled'
  return caller.kind === 'agent' && integration.knobs['agent_access'] === 'off' ? 'agent access is off' : null
}

function judge(exchange: Exchange, got: Got): void {
  if (got.code === null) return
  const { name } = exchange.request
  if (got.code === 'internal' || !declaredCodes(name, exchange.caller === null).has(got.code))
    throw new Violation('declared', `${name} does not declare ${got.code || 'this'}: ${textOf(exchange, got)}`)
}

function inTime(world: World): void {
  const { oldest } = world.answering
  if (oldest !== undefined && world.now - oldest.askedAt > ANSWERED_WITHIN_MS)
    throw new Violation('answered', `No answer for ${oldest.request.method} ${oldest.request.path}.`)
}

function textOf({ request }: Exchange, { status, text }: Got): string {
  return `${request.method} ${request.path} ${status} ${text.slice(0, 400)}`
}

/**
 * The marks of all that an integration may be told of, worked out from what is stored by docs/decisions/exposure.md and
 * not by the gateway's own code. Rules are not marked here: they are told by their knobs as well.
 */
function visibleMarks(
  { floors, rooms, units, scenes }: HouseContent,
  integration: IntegrationFact,
): ReadonlySet<string> {
  const { all, picks } = integration
  const marks = new Set<string>()
  const shows = (shown: boolean, kind: string, id: string): boolean => {
    if (shown) marks.add(markOf(kind, id))
    return shown
  }
  for (const { id } of floors) shows(all || picks.has(`floor:${id}`), 'f', id)
  const shownRooms = visibleRooms(rooms, integration)
  for (const { id } of rooms) shows(shownRooms.has(id), 'r', id)
  for (const unit of units) {
    const { whole, gangs } = visibleParts(unit, shownRooms, integration)
    for (const gang of gangs) shows(true, 'g', `${unit.id}g${gang}`)
    shows(whole || gangs.length > 0, 'u', unit.id)
  }
  for (const { id } of scenes) shows(all || picks.has(`scene:${id}`), 's', id)
  return marks
}

/** Devices of which an integration sees the state. */
function visibleDevices({ rooms, units }: HouseContent, integration: IntegrationFact): ReadonlySet<string> {
  const shownRooms = visibleRooms(rooms, integration)
  return new Set(
    units.flatMap((unit) => {
      const { whole, gangs } = visibleParts(unit, shownRooms, integration)
      return [...(whole ? [unit.id] : []), ...gangs.map((gang) => `${unit.id}:${gang}`)]
    }),
  )
}

function visibleRooms(rooms: HouseContent['rooms'], { all, picks }: IntegrationFact): ReadonlySet<string | null> {
  const shown = rooms.filter(
    ({ id, floor }) => all || picks.has(`room:${id}`) || (floor !== null && picks.has(`floor:${floor}`)),
  )
  return new Set(shown.map(({ id }) => id))
}

/** Whether a unit is shown as itself, and which of its gangs are. */
function visibleParts(
  { id, room, gangs }: HouseContent['units'][number],
  shownRooms: ReadonlySet<string | null>,
  { all, picks }: IntegrationFact,
): { readonly whole: boolean; readonly gangs: readonly number[] } {
  const picked = all || picks.has(`unit:${id}`)
  const shown = gangs.filter((each) => picked || shownRooms.has(each.room) || picks.has(`gang:${id}:${each.gang}`))
  return { whole: picked || shownRooms.has(room), gangs: shown.map(({ gang }) => gang) }
}

/** Whether everything that a rule names is shown, and rules of its kind are. */
function showsRule(facts: Facts, key: string, integration: IntegrationFact, content: HouseContent): boolean {
  const rule = facts.rules.get(key)
  if (rule === undefined) return false
  if (rule.kind === 'scene') return integration.all || integration.picks.has(`scene:${rule.id}`)
  if (integration.knobs[`${rule.kind}s`] !== 'on') return false
  const devices = visibleDevices(content, integration)
  const names = [...rule.definition.matchAll(/"(device|scene)":"([^"]+)"/g)]
  return names.every(([, kind, id = '']) =>
    kind === 'device' ? devices.has(id) : integration.all || integration.picks.has(`scene:${id}`),
  )
}

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
