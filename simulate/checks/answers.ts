import { type RecordedCall, type RecordedReply, nameOf, declaredCodes, type SimCaller } from '../world/sim-calls.ts'
import type { Facts, IntegrationFact } from '../world/expected-state.ts'
import { Violation } from '../world/journal.ts'
import type { World } from '../world/world.ts'
import type { RunCheck } from './run-check.ts'
import type { HouseContent } from '../../src/home/ports/house-store.ts'
import { markOf, MARK } from '../world/house.ts'

const ANSWERED_WITHIN_MS = 60_000

/** Every request is answered in time, as its endpoint declares, and only to those who may ask. */
export function answers(world: World): RunCheck {
  const mayNot = new Map<RecordedCall, string>()
  world.answering.watch({
    requested: (exchange) => {
      const reason = refusalReason(world.facts(), exchange)
      if (reason !== null) mayNot.set(exchange, reason)
    },
    answered: (exchange, reply) => {
      const reason = mayNot.get(exchange)
      mayNot.delete(exchange)
      if (reply.status === 0) return
      if (reason !== undefined && reply.status < 400)
        throw new Violation(
          'admitted',
          `${nameOf(exchange.caller)} was served, although ${reason}: ${textOf(exchange, reply)}`,
        )
      judge(exchange, reply)
    },
  })
  return { afterAct: () => inTime(world) }
}

/** The reason why a caller must be refused, or null. */
function refusalReason({ credentials, integrations }: Facts, { caller }: RecordedCall): string | null {
  if (caller === null) return null
  const credential = credentials.get(caller.link)
  const integration = integrations.get(caller.integration)
  if (credential === undefined || !credential.alive) return 'its credential has ended'
  if (integration === undefined) return 'its integration is deleted'
  if (!integration.enabled) return 'its integration is disabled'
  return caller.kind === 'agent' && integration.knobs['agent_access'] === 'off' ? 'agent access is off' : null
}

function judge(exchange: RecordedCall, reply: RecordedReply): void {
  if (reply.code === null) return
  const { name } = exchange.request
  if (reply.code === 'internal' || !declaredCodes(name, exchange.caller === null).has(reply.code))
    throw new Violation('declared', `${name} does not declare ${reply.code || 'this'}: ${textOf(exchange, reply)}`)
}

function inTime(world: World): void {
  const { oldest } = world.answering
  if (oldest !== undefined && world.now - oldest.requestedAt > ANSWERED_WITHIN_MS)
    throw new Violation('answered', `No answer for ${oldest.request.method} ${oldest.request.path}.`)
}

function textOf({ request }: RecordedCall, { status, text }: RecordedReply): string {
  return `${request.method} ${request.path} ${status} ${text.slice(0, 400)}`
}

/**
 * The marks of all things that an integration may see. They follow from the stored tables and the document
 * docs/decisions/exposure.md, not from the gateway's code. Marks of rules are missing, because rules depend on knobs too.
 */
function visibleMarks(
  { floors, rooms, units, scenes }: HouseContent,
  integration: IntegrationFact,
): ReadonlySet<string> {
  const { all, picks } = integration
  const marks = new Set<string>()
  const markIf = (isVisible: boolean, kind: string, id: string): void => {
    if (isVisible) marks.add(markOf(kind, id))
  }
  for (const { id } of floors) markIf(all || picks.has(`floor:${id}`), 'f', id)
  const roomsSeen = visibleRooms(rooms, integration)
  for (const { id } of rooms) markIf(roomsSeen.has(id), 'r', id)
  for (const unit of units) {
    const { whole, gangs } = visibleParts(unit, roomsSeen, integration)
    for (const gang of gangs) markIf(true, 'g', `${unit.id}g${gang}`)
    markIf(whole || gangs.length > 0, 'u', unit.id)
  }
  for (const { id } of scenes) markIf(all || picks.has(`scene:${id}`), 's', id)
  return marks
}

/** Devices whose state an integration may see. */
function visibleDevices({ rooms, units }: HouseContent, integration: IntegrationFact): ReadonlySet<string> {
  const roomsSeen = visibleRooms(rooms, integration)
  return new Set(
    units.flatMap((unit) => {
      const { whole, gangs } = visibleParts(unit, roomsSeen, integration)
      return [...(whole ? [unit.id] : []), ...gangs.map((gang) => `${unit.id}:${gang}`)]
    }),
  )
}

function visibleRooms(rooms: HouseContent['rooms'], { all, picks }: IntegrationFact): ReadonlySet<string | null> {
  const visible = rooms.filter(
    ({ id, floor }) => all || picks.has(`room:${id}`) || (floor !== null && picks.has(`floor:${floor}`)),
  )
  return new Set(visible.map(({ id }) => id))
}

/** The visible parts of a unit: the unit itself (`whole`) and its gangs. */
function visibleParts(
  { id, room, gangs }: HouseContent['units'][number],
  roomsSeen: ReadonlySet<string | null>,
  { all, picks }: IntegrationFact,
): { readonly whole: boolean; readonly gangs: readonly number[] } {
  const picked = all || picks.has(`unit:${id}`)
  const visible = gangs.filter(({ gang, room: its }) => picked || roomsSeen.has(its) || picks.has(`gang:${id}:${gang}`))
  return { whole: picked || roomsSeen.has(room), gangs: visible.map(({ gang }) => gang) }
}

/** True if an integration may see a rule: its kind, and everything that it names. */
function mayShowRule(facts: Facts, key: string, integration: IntegrationFact, content: HouseContent): boolean {
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

/** Prefix of the marks of scenes. */
const SCENE = 'Zs'

/** No caller receives anything about hidden things. Every name in the home has a mark, by which a text shows them. */
export function hidden(world: World): RunCheck {
  /** Marks that the caller could see when it sent a request. */
  const before = new Map<RecordedCall, ReadonlySet<string>>()
  /** Keys of rules and scenes by their names, also earlier ones. */
  const names = new Map<string, string>()
  const learn = (): void => {
    for (const [key, { name }] of world.facts().rules) names.set(name, key)
  }
  const checkText = (caller: SimCaller, text: string, earlier: ReadonlySet<string>): void => {
    const facts = world.facts()
    const integration = facts.integrations.get(caller.integration)
    if (integration === undefined) return
    learn()
    const content = world.content
    const now = visibleMarks(content, integration)
    const scenes = new Set(content.scenes.map(({ id }) => markOf('s', id)))
    // Activity of a deleted scene stays.
    const isDeleted = (mark: string): boolean => mark.startsWith(SCENE) && !scenes.has(mark)
    for (const mark of marksIn(text, caller.integration)) {
      if (now.has(mark) || earlier.has(mark) || isDeleted(mark)) continue
      const key = names.get(mark)
      if (key === undefined ? mark.startsWith('Zn') : mayShowRule(facts, key, integration, content)) continue
      if (key !== undefined && !facts.rules.has(key)) continue
      throw new Violation(
        'hidden',
        `${nameOf(caller)} receives ${mark}${key === undefined ? '' : ` (${key})`}: ${text.slice(0, 600)}`,
      )
    }
  }
  world.answering.watch({
    requested: (exchange) => {
      const { caller, request } = exchange
      const integration = caller === null ? undefined : world.facts().integrations.get(caller.integration)
      // A response may repeat the request.
      const sent = `${decodeURIComponent(request.path)} ${JSON.stringify(request.body ?? '')}`
      const own = caller === null ? [] : marksIn(sent, caller.integration)
      const seen = integration === undefined ? [] : visibleMarks(world.content, integration)
      before.set(exchange, new Set([...seen, ...own]))
    },
    answered: (exchange, { text, body }) => {
      const made = (body['scene'] as { readonly id?: string } | undefined)?.id ?? ''
      // The response names the new scene, even if it was hidden while the disk was busy.
      const own =
        exchange.caller && exchange.request.name === 'scenes.create' ? marksIn(made, exchange.caller.integration) : []
      const earlier = new Set([...(before.get(exchange) ?? []), ...own])
      before.delete(exchange)
      if (exchange.caller !== null && world.running) checkText(exchange.caller, text, earlier)
    },
    received: (caller, text) => {
      // The last event about a thing says that it is deleted for this integration.
      if (world.running && text.includes('"event"') && !text.includes('"change":"deleted"'))
        checkText(caller, text, new Set())
    },
  })
  return {
    afterAct: () => {
      if (world.running) learn()
    },
  }
}

/** The marks in a text, also of things that it names by id. */
function marksIn(text: string, integration: string): string[] {
  const names = [...text.matchAll(MARK)].map(([mark]) => mark)
  const ids = text.split(`:${integration}:`).slice(1).map(markAtStart)
  return [...names, ...ids.filter((mark) => mark !== null)]
}

/** The mark of the thing whose local id starts the text, or null. Rules have their own check. */
function markAtStart(text: string): string | null {
  const [, unit, gang] = /^(u\d+)(?::(\d))?/.exec(text) ?? []
  if (unit !== undefined) return gang === undefined ? markOf('u', unit) : markOf('g', `${unit}g${gang}`)
  const [, kind = '', id = ''] = /^(room|floor|scene):([a-z0-9-]+)/.exec(text) ?? []
  return kind === '' ? null : markOf(kind.slice(0, 1), id)
}
