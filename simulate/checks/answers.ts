import { type Exchange, type Got, nameOf, declaredCodes } from '../world/answering.ts'
import type { Facts } from '../world/truth.ts'
import { Violation } from '../world/journal.ts'
import type { World } from '../world/world.ts'
import type { Check } from './check.ts'

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
