import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { RulesHome } from '#support/homes/rules-home.ts'
import type { Claim, RuleStore } from '../../ports/rule-store.ts'
import { CLAIMS_WAITING_MAX, UnstoredClaims } from './stored-run.ts'

const HOUR = 3_600_000
const MINUTE = 60_000

/** A home a minute before seven, with a schedule for seven, whose disk accepts no claim while it is full. */
function beforeSeven() {
  const disk = { full: true }
  const store = (real: RuleStore): RuleStore =>
    new Proxy(real, {
      get: (_, name: keyof RuleStore) => {
        if (name === 'claim' && disk.full)
          return () => {
            throw new Error('database or disk is full')
          }
        const part: unknown = Reflect.get(real, name)
        return typeof part === 'function' ? part.bind(real) : part
      },
    })
  const home = new RulesHome({ at: '2027-05-03T06:59:00+02:00', store })
  home.schedule({ name: 'At seven' })
  home.rules.start()
  return { home, disk }
}

proves('automations.claims', 'a due time on a full disk runs once, and not again after a restart', async () => {
  const { home, disk } = beforeSeven()
  await home.pass(MINUTE)
  expect(home.devices).toEqual(['lamp'])
  disk.full = false
  await home.pass(MINUTE)
  const again = home.restarted()
  again.rules.start()
  await again.pass(MINUTE)
  expect([again.devices, again.entries('skipped')]).toEqual([[], []])
})

proves('automations.claims', 'nor if the clock is set back while the disk is full, or soon after', async () => {
  const { home, disk } = beforeSeven()
  await home.pass(MINUTE)
  for (const full of [true, false]) {
    disk.full = full
    home.clock.jumpWall(-HOUR)
    await home.pass(HOUR + MINUTE)
  }
  expect(home.devices).toEqual(['lamp'])
})

proves('automations.claims', 'a stop stores the rest', async () => {
  const { home, disk } = beforeSeven()
  await home.pass(MINUTE)
  disk.full = false
  const again = home.restarted()
  again.rules.start()
  await again.pass(MINUTE)
  expect(again.devices).toEqual([])
})

test('beyond the bound the oldest waiting claim is dropped, and the others are stored', () => {
  const clock = new ManualClock()
  const stored: Claim[] = []
  let takesWrites = false
  const claim = (claimed: Claim): boolean => {
    if (!takesWrites) throw new Error('The disk is full.')
    return stored.push(claimed) > 0
  }
  const claims = new UnstoredClaims({ store: { claim }, clock })
  for (let day = 0; day < CLAIMS_WAITING_MAX + 2; day++)
    claims.add({
      owner: 'schedule:a',
      slot: '0',
      date: `day ${day}`,
      at: day,
      missed: false,
      steadyAt: day,
      dueAt: day,
    })
  clock.advance(60_000)
  expect(stored).toEqual([])
  takesWrites = true
  clock.advance(60_000)
  expect(stored).toHaveLength(CLAIMS_WAITING_MAX)
  expect([stored[0]?.date, stored.at(-1)?.date]).toEqual(['day 2', `day ${CLAIMS_WAITING_MAX + 1}`])
  claims.stop()
  expect(clock.waiting).toBe(0)
})
