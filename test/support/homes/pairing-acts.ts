import fc from 'fast-check'
import type { Grant } from '../../../src/auth/agents/agent-request.ts'

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export type Act =
  | { readonly do: 'ask'; readonly source: number; readonly name: string; readonly record: number | null }
  | { readonly do: 'poll' | 'rush'; readonly which: number }
  | {
      readonly do: 'accept'
      readonly which: number
      readonly home: number | null
      readonly kind: Grant['kind']
      readonly same: 'none' | 'replace' | 'add'
    }
  | { readonly do: 'deny'; readonly which: number; readonly block: boolean }
  | { readonly do: 'wait' | 'jump' | 'restart' | 'crash'; readonly ms: number }
  | { readonly do: 'agents'; readonly home: number; readonly on: boolean }

/** One agent asks, is accepted and collects its token, so that the next steps meet a known agent. */
export const getsIn: readonly Act[] = [
  { do: 'ask', source: 0, name: 'Robot', record: null },
  { do: 'accept', which: 0, home: 0, kind: 'agent', same: 'none' },
  { do: 'wait', ms: 5 * SECOND },
  { do: 'poll', which: 0 },
]

/** Mostly the latest. */
const which = fc.constantFrom(0, 0, 0, 1, 2, 3)
export const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      source: fc.nat(2),
      name: fc.constantFrom('Robot', 'Other'),
      record: fc.constantFrom(null, null, null, 0, 1),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constantFrom('poll' as const, 'poll' as const, 'rush' as const), which }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('accept' as const),
      which,
      home: fc.constantFrom(0, 0, 0, 1, null),
      kind: fc.constantFrom<Grant['kind']>('agent', 'session'),
      same: fc.constantFrom('none' as const, 'none' as const, 'replace' as const, 'add' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deny' as const), which, block: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(
        1,
        4_499,
        4_500,
        5 * SECOND,
        9_500,
        20 * SECOND,
        MINUTE,
        MINUTE,
        2 * MINUTE,
        10 * MINUTE - 1,
        HOUR,
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('restart' as const, 'crash' as const),
      ms: fc.constantFrom(0, 5 * SECOND, 10 * MINUTE, DAY),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('jump' as const), ms: fc.constantFrom(HOUR, -HOUR, 400 * DAY, -400 * DAY) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('agents' as const),
      home: fc.nat(1),
      on: fc.constantFrom(true, true, false),
    }),
  },
)
