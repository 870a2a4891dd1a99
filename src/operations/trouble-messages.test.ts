import { describe, expect, test } from 'vitest'
import type { StatusView } from '../admin/contract/gateway.ts'
import type { AccessEvent } from '../auth/agents/expiring-requests.ts'
import type { HomeEvent } from '../home/model/events.ts'
import { LOST_MS, type HomeMessage, type MessageDraft, type MessageKind } from '../home/model/messages.ts'
import { MINUTE_MS } from '../lib/durations.ts'
import { Emitter } from '../lib/emitter.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { LINE_LOST_MS, TroubleMessages } from './trouble-messages.ts'

const HEALTHY = { units: { link: 'up', unreachable: [], lowBatteries: [] }, attention: [] }

/** The watcher over a status that a test changes. */
function watched() {
  const clock = new ManualClock()
  const fails = (error: unknown): never => {
    throw error
  }
  const events = new Emitter<HomeEvent>(fails)
  const access = new Emitter<AccessEvent>(fails)
  const open = new Map<string, MessageDraft>()
  const keyOf = ({ kind, ref }: Pick<MessageDraft, 'kind' | 'ref'>): string => `${kind} ${ref}`
  const home = { clock, events, access, open, status: HEALTHY as unknown as StatusView }
  new TroubleMessages({
    ...home,
    status: () => home.status,
    nameOf: (unit) => `The ${unit}`,
    messages: {
      post: (draft) => {
        open.set(keyOf(draft), draft)
        return draft as unknown as HomeMessage
      },
      end: (kind: MessageKind, ref) => void open.delete(keyOf({ kind, ref })),
      endUnless: (lasts) => {
        for (const [key, draft] of open) if (!lasts(draft as HomeMessage)) open.delete(key)
      },
    },
  })
  return home
}

const units = (change: object): StatusView =>
  ({ ...HEALTHY, units: { ...HEALTHY.units, ...change } }) as unknown as StatusView

describe('messages about trouble', () => {
  test('name a unit that was lost for ten minutes, until it answers', () => {
    const home = watched()
    home.status = units({ unreachable: ['lamp'] })
    home.clock.advance(LOST_MS)
    expect([...home.open]).toEqual([])
    home.clock.advance(MINUTE_MS)
    expect([...home.open.values()].map(({ title }) => title)).toEqual(['The lamp has not answered for 10 minutes'])
    home.status = units({ link: 'down (x)', unreachable: ['lamp'] })
    home.clock.advance(MINUTE_MS)
    home.status = units({ unreachable: ['lamp'] })
    home.clock.advance(MINUTE_MS)
    expect(home.open.size).toBe(1)
    home.status = HEALTHY as unknown as StatusView
    home.clock.advance(MINUTE_MS)
    expect(home.open.size).toBe(0)
  })

  test('name the line only after a while, so that a restart sends none', () => {
    const home = watched()
    const attention = [{ kind: 'line', level: 'broken', what: 'The line is down.' }]
    home.status = { ...units({ link: 'down (x)' }), attention } as unknown as StatusView
    home.events.emit({ kind: 'link', down: 'silent', at: 0 })
    home.clock.advance(1_000)
    expect(home.open.size).toBe(0)
    home.clock.advance(LINE_LOST_MS + MINUTE_MS)
    expect([...home.open.keys()]).toEqual(['line line'])
  })

  test('name low batteries, the disk and backups, until they are well', () => {
    const home = watched()
    const attention = [
      { kind: 'disk', level: 'attention', what: 'Free space.' },
      { kind: 'backup', level: 'attention', what: 'There is no backup.' },
      { kind: 'clock', level: 'attention', what: 'The clock is behind.' },
    ]
    home.status = { ...units({ lowBatteries: [{ unit: 'lock', percent: 9 }] }), attention } as unknown as StatusView
    home.clock.advance(MINUTE_MS)
    expect([...home.open.keys()].toSorted()).toEqual(['backup backup', 'battery lock', 'disk disk'])
    home.status = HEALTHY as unknown as StatusView
    home.clock.advance(MINUTE_MS)
    expect(home.open.size).toBe(0)
  })
})
