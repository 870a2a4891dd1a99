import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { Emitter } from '../../lib/emitter.ts'
import { type AccessEvent, ExpiringRequests, type RequestChange } from './expiring-requests.ts'
import type { Confirmation } from './confirmation.ts'

const LIFE_MS = 1_000

/** Requests in a list instead of a database; a change that throws changes nothing. */
class Requests {
  readonly clock = new ManualClock()
  readonly events: string[] = []
  stored: readonly Confirmation[]
  readonly expiring: ExpiringRequests<Confirmation>

  constructor(stored: readonly Confirmation[] = [], { keeps = false } = {}) {
    this.stored = stored
    const events = new Emitter<AccessEvent>((error) => {
      throw error
    })
    events.on((event) => this.events.push('how' in event ? event.how : event.kind))
    const steady = { now: () => this.clock.monotonic(), save: () => {} }
    this.expiring = new ExpiringRequests<Confirmation>(
      { clock: this.clock, events, steady, work: { change: (run) => this.#transaction(() => run(() => {})) } },
      {
        list: () => this.stored,
        idOf: ({ id }) => id,
        endOf: ({ steadyAskedAt }) => steadyAskedAt + LIFE_MS,
        expire: (confirmation, change) => {
          if (!keeps) this.stored = this.stored.filter((stored) => stored !== confirmation)
          change.emit({ kind: 'confirmation_ended', confirmation, how: 'expired' })
        },
      },
    )
  }

  ask(id: string, then: (change: RequestChange) => void = () => {}): void {
    this.expiring.change((change) => {
      const confirmation = request(id, change.steadyNow())
      this.stored = [...this.stored, confirmation]
      change.emit({ kind: 'confirmation', confirmation, notice: true })
      then(change)
    })
  }

  #transaction<T>(run: () => T): T {
    const before = this.stored
    try {
      return run()
    } catch (error) {
      this.stored = before
      throw error
    }
  }
}

function request(id: string, steadyAskedAt: number): Confirmation {
  const call = { link: 'link', subject: 'door', callSha256: Buffer.alloc(32), op: 'open', what: 'open door' }
  return { id, ...call, code: '1', wrongCodes: 0, askedAt: 0, steadyAskedAt, state: 'pending', decision: null }
}

test('each request ends once, at its own time, whether it stays stored or not', () => {
  for (const keeps of [false, true]) {
    const requests = new Requests([], { keeps })
    requests.ask('A')
    requests.clock.advance(LIFE_MS - 1)
    requests.ask('B')
    expect(requests.expiring.current().map(({ id }) => id)).toEqual(['A', 'B'])
    requests.clock.advance(1)
    expect(requests.events).toEqual(['confirmation', 'confirmation', 'expired'])
    expect(requests.expiring.current().map(({ id }) => id)).toEqual(['B'])
    requests.clock.advance(LIFE_MS)
    requests.expiring.recheck()
    expect(requests.events.slice(3)).toEqual(['expired'])
    expect(requests.clock.waiting).toBe(0)
  }
})

test('a failed change emits no event, and earlier requests still end', () => {
  const requests = new Requests()
  requests.ask('A')
  const full = (): void =>
    requests.ask('B', () => {
      throw new Error('disk full')
    })
  expect(full).toThrow('disk full')
  requests.clock.advance(LIFE_MS)
  expect(requests.events).toEqual(['confirmation', 'expired'])
})

test('requests that expired while the gateway was off end without an event', () => {
  const requests = new Requests([request('A', -LIFE_MS), request('B', 0)])
  expect(requests.stored.map(({ id }) => id)).toEqual(['B'])
  requests.clock.advance(LIFE_MS)
  expect(requests.events).toEqual(['expired'])
})
