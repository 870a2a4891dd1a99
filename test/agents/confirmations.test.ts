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
  CONFIRMATION_LIFE_MS,
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

/** Expected state of a call's confirmation. */
interface ModelConfirmation {
  readonly state: 'none' | 'pending' | 'confirmed' | 'declined'
  readonly since: number
  readonly wrong: number
  readonly id: string
}
const NONE: ModelConfirmation = { state: 'none', since: 0, wrong: 0, id: '' }
const LASTS = { none: Infinity, pending: CONFIRMATION_LIFE_MS, confirmed: CONFIRMED_MS, declined: DECLINED_MS }

/** Expected effect of one attempt; rate limits may refuse any attempt without a change. */
function expectTaken(
  modelled: ModelConfirmation,
  code: 'none' | 'right' | 'wrong',
  taken: ConfirmationCheck,
  at: number,
): ModelConfirmation {
  const mayBeLimited = modelled.state === 'none' || (modelled.state === 'pending' && code !== 'none')
  if (taken.kind === 'too_many') {
    expect(mayBeLimited).toBe(true)
    expect(taken.retryAfter).toBeGreaterThan(0)
    return modelled
  }
  switch (modelled.state) {
    case 'none':
      expect(taken.kind).toBe('requested')
      return { state: 'pending', since: at, wrong: 0, id: taken.kind === 'requested' ? taken.id : '' }
    case 'confirmed':
      expect(taken).toEqual({ kind: 'confirmed', by: 'Anna' })
      return NONE
    case 'declined':
      expect(taken).toMatchObject({ kind: 'declined', id: modelled.id })
      return modelled
    case 'pending':
      if (code === 'none') expect(taken).toEqual({ kind: 'requested', id: modelled.id })
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
      ms: fc.constantFrom(1_000, CONFIRMED_MS - 1, CONFIRMED_MS, DECLINED_MS, CONFIRMATION_LIFE_MS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('jump' as const), ms: fc.integer({ min: -400_000_000, max: 400_000_000 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
)

proves('agents.confirmation-restart', 'a confirmation is valid for its own call, for a limited time, and once', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const desk = new ConfirmationDesk(':memory:')
      const calls = callsOf(desk)
      const model = calls.map(() => NONE)
      // Steady time, which ignores changes of the wall clock.
      let at = 0
      const modelledAt = (index: number): ModelConfirmation => {
        const modelled = model[index] ?? NONE
        return at - modelled.since >= LASTS[modelled.state] ? NONE : modelled
      }
      for (const action of steps) {
        if (action.do === 'pass') {
          desk.clock.advance(action.ms)
          at += action.ms
        } else if (action.do === 'jump') desk.clock.jumpWall(action.ms)
        else if (action.do === 'restart') desk.restart()
        else {
          const call = calls[action.which]
          const modelled = modelledAt(action.which)
          if (call === undefined) throw new Error('no such call')
          if (action.do === 'take') {
            const right = modelled.state === 'pending' ? desk.code(modelled.id) : '000000'
            const wrong = right === '111111' ? '222222' : '111111'
            const peeked = desk.confirmations.peek(call)
            const taken = desk.confirmations.useOrRequest(call, { none: null, right, wrong }[action.code])
            // `peek` changes nothing, and returns the result of a call without a code.
            if (peeked.kind === 'not_requested') expect(['requested', 'too_many']).toContain(taken.kind)
            else if (action.code === 'none') expect(peeked).toEqual(taken)
            model[action.which] = expectTaken(modelled, action.code, taken, at)
          } else if (modelled.state !== 'none') {
            const answered = desk.confirmations.answer(modelled.id.toLowerCase(), action.confirmed, ANNA)
            const stands = modelled.state === 'pending' || (modelled.state === 'confirmed' && !action.confirmed)
            expect(answered.ok).toBe(stands)
            if (stands)
              model[action.which] = { ...modelled, state: action.confirmed ? 'confirmed' : 'declined', since: at }
          }
        }
        expect(
          desk.confirmations
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
      desk.close()
    }),
    { numRuns: times(15, 150) },
  )
})

proves(
  'agents.confirmation-restart',
  'a confirmation survives a restart with another wall clock, and a used one stays used',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'hm-confirm-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const desk = confirmationDesk(join(folder, 'core.db'))
    const [call] = callsOf(desk)
    if (call === undefined) throw new Error('no call')
    const request = desk.confirmations.useOrRequest(call, null)
    if (request.kind !== 'requested') throw new Error('The call needs no confirmation.')
    desk.restart()
    expect(desk.confirmations.useOrRequest(call, null)).toEqual(request)
    expect(desk.confirmations.answer(request.id, true, ANNA)).toMatchObject({ ok: true })
    desk.clock.jumpWall(-86_400_000)
    desk.restart()
    expect(desk.confirmations.useOrRequest(call, null)).toEqual({ kind: 'confirmed', by: 'Anna' })
    desk.restart()
    expect(desk.confirmations.useOrRequest(call, null)).toMatchObject({ kind: 'requested' })
  },
)

proves('agents.guesses', 'a restart neither ends the wait for the next code nor resets its growth', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hm-guesses-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const desk = confirmationDesk(join(folder, 'core.db'))
  const [first, second] = callsOf(desk).filter(({ link }) => link === desk.links[0])
  if (first === undefined || second === undefined) throw new Error('no calls')
  const guess = (call: ConfirmedCall) => {
    const { id } = desk.confirmations.useOrRequest(call, null) as { id: string }
    return desk.confirmations.useOrRequest(call, desk.code(id) === '111111' ? '222222' : '111111')
  }
  const guessThrice = (): void => {
    for (const kind of ['wrong_code', 'wrong_code', 'declined']) expect(guess(first)).toMatchObject({ kind })
    desk.restart()
  }
  guessThrice()
  expect(guess(second)).toEqual({ kind: 'too_many', retryAfter: 300 })
  desk.clock.advance(6 * 60_000)
  guessThrice()
  expect(guess(second)).toEqual({ kind: 'too_many', retryAfter: 600 })
  desk.clock.advance(11 * 60_000)
  const { id } = desk.confirmations.useOrRequest(first, null) as { id: string }
  desk.confirmations.answer(id, true, ANNA)
  desk.confirmations.useOrRequest(first, null)
  guessThrice()
  expect(guess(second)).toEqual({ kind: 'too_many', retryAfter: 300 })
})

test('one of many simultaneous attempts passes, and the order of arguments does not matter', () => {
  const desk = confirmationDesk()
  const call = callsOf(desk)[4] as ConfirmedCall
  const request = desk.confirmations.useOrRequest(call, null) as { id: string }
  desk.confirmations.answer(request.id, true, ANNA)
  const tries = Array.from({ length: 20 }, () =>
    desk.confirmations.useOrRequest({ ...call, args: { until: 7, wide: true } }, null),
  )
  expect(tries.map(({ kind }) => kind).filter((kind) => kind === 'confirmed')).toHaveLength(1)
  expect(tries[0]).toMatchObject({ kind: 'confirmed' })
})

test('administrators receive every confirmation and its outcome, but notifications for only three at a time', () => {
  const desk = confirmationDesk()
  const [call] = callsOf(desk)
  if (call === undefined) throw new Error('no call')
  const ids = Array.from(
    { length: PENDING_PER_CREDENTIAL_MAX },
    (_, index) => desk.confirmations.useOrRequest({ ...call, subject: `lock-${index}` }, null) as { id: string },
  ).map(({ id }) => id)
  expect(desk.confirmations.useOrRequest({ ...call, subject: 'lock-more' }, null)).toEqual({
    kind: 'too_many',
    retryAfter: CONFIRMATION_LIFE_MS / 1000,
  })
  expect(desk.events.map((event) => 'notice' in event && event.notice)).toEqual([true, true, true, false, false])
  desk.events.length = 0

  const [yes = '', no = '', spoken = '', guessed = ''] = ids
  desk.confirmations.answer(yes, true, ANNA)
  desk.confirmations.useOrRequest({ ...call, subject: 'lock-0' }, null)
  desk.confirmations.answer(no, false, ANNA)
  desk.confirmations.useOrRequest({ ...call, subject: 'lock-2' }, desk.code(spoken))
  const wrong = desk.code(guessed) === '123456' ? '654321' : '123456'
  for (let guess = 0; guess < WRONG_CODES_MAX; guess += 1)
    desk.confirmations.useOrRequest({ ...call, subject: 'lock-3' }, wrong)
  desk.clock.advance(CONFIRMATION_LIFE_MS)
  expect(desk.events.map((event) => event.kind === 'confirmation_ended' && [event.confirmation.id, event.how])).toEqual(
    [
      [yes, 'confirmed'],
      [yes, 'used'],
      [no, 'declined'],
      [spoken, 'used'],
      [guessed, 'declined'],
      [ids[4], 'expired'],
    ],
  )
  expect(desk.clock.waiting).toBe(0)
})

test('an unused confirmation may still be declined, and an expired one is not found', () => {
  const desk = confirmationDesk()
  const [call, , other] = callsOf(desk)
  if (call === undefined || other === undefined) throw new Error('no call')
  const first = desk.confirmations.useOrRequest(call, null) as { id: string }
  desk.confirmations.answer(first.id, true, ANNA)
  expect(desk.confirmations.answer(first.id, true, GATEWAY_CAUSE)).toEqual({ ok: false, error: 'decided' })
  expect(desk.confirmations.answer(first.id, false, ANNA)).toMatchObject({ ok: true })
  expect(desk.confirmations.useOrRequest(call, null)).toEqual({
    kind: 'declined',
    id: first.id,
    byCodes: false,
    retryAfter: DECLINED_MS / 1000,
  })
  const second = desk.confirmations.useOrRequest(other, null) as { id: string }
  desk.confirmations.answer(second.id, true, ANNA)
  desk.clock.advance(CONFIRMED_MS)
  expect(desk.confirmations.useOrRequest(other, null)).toMatchObject({ kind: 'requested' })
  expect(desk.confirmations.answer(second.id, false, ANNA)).toEqual({ ok: false, error: 'not_found' })
})

test('an agent with many calls gets few confirmations and few guesses', () => {
  const desk = confirmationDesk()
  const [call] = callsOf(desk)
  if (call === undefined) throw new Error('no call')
  const kinds: string[] = []
  for (let round = 0; round < 600; round += 1) {
    kinds.push(desk.confirmations.useOrRequest({ ...call, subject: `lock-${round % 4}` }, '000001').kind)
    desk.clock.advance(1_000)
  }
  expect(kinds.filter((kind) => kind === 'wrong_code' || kind === 'declined').length).toBeGreaterThan(0)
  // The limit is six codes at once and one more every five minutes: eight codes in ten minutes.
  const guesses =
    desk.events.filter((event) => event.kind === 'confirmation_ended' && event.how === 'declined').length *
    WRONG_CODES_MAX
  expect(guesses).toBeLessThanOrEqual(9)
})
