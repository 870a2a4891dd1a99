import type { Agenda } from '../model/agenda.ts'
import type { Outcome } from '../model/bus-types.ts'
import {
  capabilitiesReply,
  done,
  groupReply,
  helloReply,
  listReply,
  registersReply,
  schedulesReply,
  statesReply,
  stateReply,
  unitReply,
  type Hello,
  type MemberResult,
  type NotDone,
  type Reply,
} from '../wire/replies.ts'
import type { Member, Request } from '../wire/messages.ts'
import { unitCounters, type Counters } from './counters.ts'
import type { Members, Radio, RadioOutcome, RadioNetwork, RadioUnit } from './radio.ts'

/** A unit that answered or reported this recently is not queried for its state again. */
const FRESH_MS = 2_000
/** More units than any frame can carry. */
const LIST_MAX = 32
const CONFIRMATION_GAP_MS = 8
/** A group's reply has to be sent within 3.5 s, at any delay between its gangs. */
const STAGGER_MAX_MS = 2_000

/** Collaborators of the adapter's requests. */
export interface RequestContext {
  readonly agenda: Agenda
  readonly network: RadioNetwork
  readonly radio: Radio
  readonly members: Members
  readonly counters: Counters
  hello(): Hello
}

type Answer = (reply: Reply, addresses: readonly number[]) => void

/** Replies without the radio; null for requests that need it. */
export function answerFromTable(adapter: RequestContext, request: Request): Reply | null {
  const { network, members } = adapter
  switch (request.name) {
    case 'hello':
      return helloReply(adapter.hello())
    case 'set_clock':
      network.setClock(request.epoch, request.offset)
      return done()
    case 'list_units': {
      const start = firstAfter(network.units, request.after)
      const page = network.units.slice(start, start + LIST_MAX)
      return listReply(
        page.map((unit) => members.info(unit)),
        start + LIST_MAX < network.units.length,
      )
    }
    case 'capabilities': {
      const units = network.units.slice(firstAfter(network.units, request.after))
      return capabilitiesReply(units.filter(({ capabilities }) => capabilities.length > 0))
    }
    case 'group_control':
      return null
    case 'unit_info':
      return withUnit(adapter, request.address, (unit) => unitReply(members.info(unit)))
    case 'read_state':
      return withUnit(adapter, request.address, (unit) =>
        unit.sleeps || members.silentMs(unit.address) < FRESH_MS ? statesReply(unit.states()) : null,
      )
    case 'ping':
    case 'read_schedules':
      return withUnit(adapter, request.address, () => null)
    case 'identify':
      return withUnit(adapter, request.address, (unit) => {
        if (!unit.hasGang(request.gang)) return { result: 'refused', detail: 'no_gang', info: 0 }
        return unit.capabilities.includes('identify') ? null : { result: 'refused', detail: 'not_offered', info: 0 }
      })
    case 'control':
    case 'read_registers':
    case 'write_registers':
      return withUnit(adapter, request.address, (unit) =>
        unit.hasGang(request.gang) ? null : { result: 'refused', detail: 'no_gang', info: 0 },
      )
  }
}

function withUnit(adapter: RequestContext, address: number, answer: (unit: RadioUnit) => Reply | null): Reply | null {
  const unit = adapter.network.unit(address)
  return unit === undefined ? { result: 'unknown_unit' } : answer(unit)
}

function firstAfter(units: readonly RadioUnit[], address: number): number {
  let low = 0
  let high = units.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((units[middle]?.address ?? 0) <= address) low = middle + 1
    else high = middle
  }
  return low
}

/** Executes a request over the radio; `answer` is called once. */
export function workOn(adapter: RequestContext, request: Request, answer: Answer): void {
  if (request.name === 'group_control') return group(adapter, request.members, answer)
  if (!('address' in request)) return answer({ result: 'bad_request' }, [])
  const unit = adapter.network.unit(request.address)
  if (unit === undefined) return answer({ result: 'unknown_unit' }, [])
  if (request.name === 'control')
    return control(adapter, unit, request, (outcome) => answer(outcomeReply(outcome), [unit.address]))
  let reply: Reply = done()
  adapter.radio.exchange(
    unit,
    (answered) => {
      reply = ask(unit, request)
      answered()
    },
    (radio) => answer(recordOutcome(adapter, unit, radio) ?? reply, [unit.address]),
  )
}

function ask(unit: RadioUnit, request: Request): Reply {
  switch (request.name) {
    case 'read_state':
      return statesReply(unit.states())
    case 'read_registers':
      return registersReply(unit.readRegisters(request.gang, request.registers))
    case 'write_registers': {
      const refusal = unit.writeRegisters(request.gang, request.registers)
      if (refusal !== null) return { result: 'refused', detail: refusal.detail, info: refusal.number }
      return registersReply(
        unit.readRegisters(
          request.gang,
          request.registers.map(([number]) => number),
        ),
      )
    }
    case 'identify':
      unit.identify(request.gang, request.seconds)
      return done()
    case 'read_schedules':
      return schedulesReply(unit.schedules().filter(({ slot }) => slot >= request.from))
    default:
      return done()
  }
}

/** Maps an unanswered exchange to the reply, null if it was answered; updates the table of units. */
function recordOutcome(adapter: RequestContext, unit: RadioUnit, outcome: RadioOutcome): NotDone | null {
  if (outcome === 'answered') {
    adapter.members.seen(unit.address)
    return null
  }
  if (outcome === 'no_answer') adapter.members.missed(unit.address)
  return { result: outcome }
}

const outcomeReply = (outcome: Outcome | NotDone): Reply =>
  outcome.result === 'done' ? stateReply(outcome.state) : outcome

/** Sends one operation to one unit, after any earlier frame: a unit executes each frame once. */
function control(
  adapter: RequestContext,
  unit: RadioUnit,
  { gang, command }: Member,
  answer: (outcome: Outcome | NotDone) => void,
  carried = false,
): void {
  let outcome: Outcome | NotDone = { result: 'no_answer' }
  adapter.radio.exchange(
    unit,
    (answered) =>
      unit.execute(gang, command, (its) => {
        outcome = its
        if (its.result === 'done') {
          adapter.counters.commands++
          unitCounters(adapter.counters, unit.address).commands++
        }
        answered()
      }),
    (radio) => answer(recordOutcome(adapter, unit, radio) ?? outcome),
    carried,
  )
}

/** Sends one frame to all members; their confirmations arrive one after the other. */
function group(adapter: RequestContext, members: readonly Member[], answer: Answer): void {
  const outcomes: (MemberResult['outcome'] | null)[] = members.map(() => null)
  let open = members.length
  const settle = (index: number, outcome: MemberResult['outcome']): void => {
    outcomes[index] = outcome
    if (--open > 0) return
    const results = members.map(({ address, gang }, at): MemberResult => ({
      address,
      gang,
      outcome: outcomes[at] ?? { result: 'no_answer' },
    }))
    answer(
      groupReply(results),
      members.map(({ address }) => address),
    )
  }
  const turnedOn = new Map<number, number>()
  members.forEach((member, index) => {
    const unit = adapter.network.unit(member.address)
    if (unit === undefined) return settle(index, { result: 'unknown_unit' })
    if (!unit.hasGang(member.gang)) return settle(index, { result: 'refused', detail: 'no_gang', info: 0 })
    const wait = index * CONFIRMATION_GAP_MS + staggerMs(unit, member, turnedOn)
    adapter.agenda.after(wait, () => control(adapter, unit, member, (outcome) => settle(index, outcome), index > 0))
  })
}

/** Delay of a gang behind the others that the same frame turns on (`switch_on_speed`). */
function staggerMs(unit: RadioUnit, { command }: Member, turnedOn: Map<number, number>): number {
  if (command.op !== 'set_power' || !command.on) return 0
  const earlier = turnedOn.get(unit.address) ?? 0
  turnedOn.set(unit.address, earlier + 1)
  return Math.min(STAGGER_MAX_MS, earlier * unit.switchOnSpeed * 10)
}
