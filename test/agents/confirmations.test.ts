// @module-tag repeated
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import {
  CONFIRMED_MS,
  type ConfirmedCall,
  DECLINED_MS,
  PENDING_MS,
  PENDING_PER_CREDENTIAL_MAX,
  type ConfirmationCheck,
  WRONG_CODES_MAX,
} from '../../src/auth/agents/confirmations.ts'
import { GATEWAY_CAUSE } from '../../src/home/model/events.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import { ANNA, ConfirmationDesk, confirmationDesk } from '#support/homes/confirmation-desk.ts'

/** Calls that differ in one thing each: credential, subject, operation, arguments. */
function callsOf({ links: [one = '', other = ''] }: ConfirmationDesk): readonly ConfirmedCall[] {
  const door = { link: one, subject: 'front-door', op: 'open', args: null, what: 'open Front door' }
  return [
    door,
    { ...door, link: other },
    { ...door, subject: 'gate' },
    { ...door, op: 'run' },
    { ...door, args: { wide: true, until: 7 } },
  ]
}

/** Modelled state of a call's confirmation. */
interface Modelled {
  readonly state: 'none' | 'pending' | 'confirmed' | 'declined'
  readonly since: number
  readonly wrong: number
  readonly id: string
}
const NONE: Modelled = { state: 'none', since: 0, wrong: 0, id: '' }
const LASTS = { none: Infinity, pending: PENDING_MS, confirmed: CONFIRMED_MS, declined: DECLINED_MS }

/** Expected effect of one attempt; rate limits may refuse any attempt without a change. */
function expectTaken(
  modelled: Modelled,
  code: 'none' | 'right' | 'wrong',
  taken: ConfirmationCheck,
  at: number,
): Modelled {
  const mayBeLimited = modelled.state === 'none' || (modelled.state === 'pending' && code !== 'none')
  if (taken.kind === 'too_many') {
    expect(mayBeLimited).toBe(true)
    expect(taken.retryAfter).toBeGreaterThan(0)
    return modelled
  }
  switch (modelled.state) {
    case 'none':
      expect(taken.kind).toBe('asked')
      return { state: 'pending', since: at, wrong: 0, id: taken.kind === 'asked' ? taken.id : '' }
    case 'confirmed':
      expect(taken).toEqual({ kind: 'confirmed', by: 'Anna' })
      return NONE
    case 'declined':
      expect(taken).toMatchObject({ kind: 'declined', id: modelled.id })
      return modelled
    case 'pending':
      if (code === 'none') expect(taken).toEqual({ kind: 'asked', id: modelled.id })
      if (code === 'none') return modelled
      if (code === 'right') expect(taken).toEqual({ kind: 'confirmed', by: "a person with the administrator's code" })
      if (code === 'right') return NONE
      expect(taken).toMatchObject({
        kind: modelled.wrong + 1 === WRONG_CODES_MAX ? 'declined' : 'wrong_code',
        id: modelled.id,
      })
      return modelled.wrong + 1 === WRONG_CODES_MAX
        ? { ...modelled, state: 'declined', since: at }
        : { ...modelled, wrong: modelled.wrong + 1 }
  }
}

const which = fc.nat(4)
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('take' as const),
      which,
      code: fc.constantFrom('none' as const, 'none' as const, 'right' as const, 'wrong' as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('answer' as const), which, confirmed: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(1_000, CONFIRMED_MS - 1, CONFIRMED_MS, DECLINED_MS, PENDING_MS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('jump' as const), ms: fc.integer({ min: -400_000_000, max: 400_000_000 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
)

proves(
  'agents.confirmation-restart',
  'a confirmation is good for its own call, in its time, once, whatever happens in between',
  () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const made = new ConfirmationDesk(':memory:')
        const calls = callsOf(made)
        const model = calls.map(() => NONE)
        // Time by the rules: only what passes, never what the wall clock is set to.
        let at = 0
        const modelledAt = (index: number): Modelled => {
          const modelled = model[index] ?? NONE
          return at - modelled.since >= LASTS[modelled.state] ? NONE : modelled
        }
        for (const each of steps) {
          if (each.do === 'pass') {
            made.clock.advance(each.ms)
            at += each.ms
          } else if (each.do === 'jump') made.clock.jumpWall(each.ms)
          else if (each.do === 'restart') made.restart()
          else {
            const call = calls[each.which]
            const modelled = modelledAt(each.which)
            if (call === undefined) throw new Error('no such call')
            if (each.do === 'take') {
              const right = modelled.state === 'pending' ? made.code(modelled.id) : '000000'
              const wrong = right === '111111' ? '222222' : '111111'
              const looked = made.confirmations.peek(call)
              const taken = made.confirmations.take(call, { none: null, right, wrong }[each.code])
              // `peek` changes nothing, and returns the result of a call without a code.
              if (looked.kind === 'not_asked') expect(['asked', 'too_many']).toContain(taken.kind)
              else if (each.code === 'none') expect(looked).toEqual(taken)
              model[each.which] = expectTaken(modelled, each.code, taken, at)
            } else if (modelled.state !== 'none') {
              const answered = made.confirmations.answer(modelled.id.toLowerCase(), each.confirmed, ANNA)
              const stands = modelled.state === 'pending' || (modelled.state === 'confirmed' && !each.confirmed)
              expect(answered.ok).toBe(stands)
              if (stands)
                model[each.which] = { ...modelled, state: each.confirmed ? 'confirmed' : 'declined', since: at }
            }
          }
          expect(
            made.confirmations
              .pending()
              .map(({ id }) => id)
              .toSorted(),
          ).toEqual(
            model
              .map((_, index) => modelledAt(index))
              .filter(({ state }) => state === 'pending')
              .map(({ id }) => id)
              .toSorted(),
          )
        }
        made.close()
      }),
      { numRuns: times(15, 150) },
    )
  },
)

proves(
  'agents.confirmation-restart',
  'a confirmation outlives a restart with another wall clock, and is used up before one',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'hm-confirm-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const made = confirmationDesk(join(folder, 'core.db'))
    const [call] = callsOf(made)
    if (call === undefined) throw new Error('no call')
    const asked = made.confirmations.take(call, null)
    if (asked.kind !== 'asked') throw new Error('was not asked')
    made.restart()
    expect(made.confirmations.take(call, null)).toEqual(asked)
    expect(made.confirmations.answer(asked.id, true, ANNA)).toMatchObject({ ok: true })
    made.clock.jumpWall(-86_400_000)
    made.restart()
    expect(made.confirmations.take(call, null)).toEqual({ kind: 'confirmed', by: 'Anna' })
    made.restart()
    expect(made.confirmations.take(call, null)).toMatchObject({ kind: 'asked' })
  },
)

proves('agents.guesses', 'a restart ends no wait for the next code, and lets none grow anew from the beginning', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hm-guesses-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const made = confirmationDesk(join(folder, 'core.db'))
  const [first, second] = callsOf(made).filter(({ link }) => link === made.links[0])
  if (first === undefined || second === undefined) throw new Error('no calls')
  const guess = (call: ConfirmedCall) => {
    const { id } = made.confirmations.take(call, null) as { id: string }
    return made.confirmations.take(call, made.code(id) === '111111' ? '222222' : '111111')
  }
  const guessThrice = (): void => {
    for (const kind of ['wrong_code', 'wrong_code', 'declined']) expect(guess(first)).toMatchObject({ kind })
    made.restart()
  }
  guessThrice()
  expect(guess(second)).toEqual({ kind: 'too_many', retryAfter: 300 })
  made.clock.advance(6 * 60_000)
  guessThrice()
  expect(guess(second)).toEqual({ kind: 'too_many', retryAfter: 600 })
  made.clock.advance(11 * 60_000)
  const { id } = made.confirmations.take(first, null) as { id: string }
  made.confirmations.answer(id, true, ANNA)
  made.confirmations.take(first, null)
  guessThrice()
  expect(guess(second)).toEqual({ kind: 'too_many', retryAfter: 300 })
})

test('of many tries at once one passes, and the order of arguments makes no other call', () => {
  const made = confirmationDesk()
  const call = callsOf(made)[4] as ConfirmedCall
  const asked = made.confirmations.take(call, null) as { id: string }
  made.confirmations.answer(asked.id, true, ANNA)
  const tries = Array.from({ length: 20 }, () =>
    made.confirmations.take({ ...call, args: { until: 7, wide: true } }, null),
  )
  expect(tries.map(({ kind }) => kind).filter((kind) => kind === 'confirmed')).toHaveLength(1)
  expect(tries[0]).toMatchObject({ kind: 'confirmed' })
})

test('administrators hear of each question and of how it ended, but not of all with a call for attention', () => {
  const made = confirmationDesk()
  const [call] = callsOf(made)
  if (call === undefined) throw new Error('no call')
  const ids = Array.from(
    { length: PENDING_PER_CREDENTIAL_MAX },
    (_, index) => made.confirmations.take({ ...call, subject: `lock-${index}` }, null) as { id: string },
  ).map(({ id }) => id)
  expect(made.confirmations.take({ ...call, subject: 'lock-more' }, null)).toEqual({
    kind: 'too_many',
    retryAfter: PENDING_MS / 1000,
  })
  expect(made.events.map((each) => 'notice' in each && each.notice)).toEqual([true, true, true, false, false])
  made.events.length = 0

  const [yes = '', no = '', spoken = '', guessed = ''] = ids
  made.confirmations.answer(yes, true, ANNA)
  made.confirmations.take({ ...call, subject: 'lock-0' }, null)
  made.confirmations.answer(no, false, ANNA)
  made.confirmations.take({ ...call, subject: 'lock-2' }, made.code(spoken))
  const wrong = made.code(guessed) === '123456' ? '654321' : '123456'
  for (let guess = 0; guess < WRONG_CODES_MAX; guess += 1)
    made.confirmations.take({ ...call, subject: 'lock-3' }, wrong)
  made.clock.advance(PENDING_MS)
  expect(made.events.map((each) => each.kind === 'confirmation_ended' && [each.confirmation.id, each.how])).toEqual([
    [yes, 'confirmed'],
    [yes, 'used'],
    [no, 'declined'],
    [spoken, 'used'],
    [guessed, 'declined'],
    [ids[4], 'expired'],
  ])
  expect(made.clock.waiting).toBe(0)
})

test('what was confirmed and not used may still be declined, and what was confirmed too long ago is nothing', () => {
  const made = confirmationDesk()
  const [call, , other] = callsOf(made)
  if (call === undefined || other === undefined) throw new Error('no call')
  const first = made.confirmations.take(call, null) as { id: string }
  made.confirmations.answer(first.id, true, ANNA)
  expect(made.confirmations.answer(first.id, true, GATEWAY_CAUSE)).toEqual({ ok: false, error: 'decided' })
  expect(made.confirmations.answer(first.id, false, ANNA)).toMatchObject({ ok: true })
  expect(made.confirmations.take(call, null)).toEqual({
    kind: 'declined',
    id: first.id,
    byCodes: false,
    retryAfter: DECLINED_MS / 1000,
  })
  const second = made.confirmations.take(other, null) as { id: string }
  made.confirmations.answer(second.id, true, ANNA)
  made.clock.advance(CONFIRMED_MS)
  expect(made.confirmations.take(other, null)).toMatchObject({ kind: 'asked' })
  expect(made.confirmations.answer(second.id, false, ANNA)).toEqual({ ok: false, error: 'not_found' })
})

test('however many calls an agent makes, it gets few questions and few guesses', () => {
  const made = confirmationDesk()
  const [call] = callsOf(made)
  if (call === undefined) throw new Error('no call')
  const kinds: string[] = []
  for (let round = 0; round < 600; round += 1) {
    kinds.push(made.confirmations.take({ ...call, subject: `lock-${round % 4}` }, '000001').kind)
    made.clock.advance(1_000)
  }
  expect(kinds.filter((kind) => kind === 'wrong_code' || kind === 'declined').length).toBeGreaterThan(0)
  // Six at once and one in five minutes: in ten minutes eight codes were looked at, and each can be right once in a
  // million.
  const guesses =
    made.events.filter((each) => each.kind === 'confirmation_ended' && each.how === 'declined').length * WRONG_CODES_MAX
  expect(guesses).toBeLessThanOrEqual(9)
})
