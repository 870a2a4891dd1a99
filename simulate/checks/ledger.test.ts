import { expect, test } from 'vitest'
import { type Exchange, type Got, adminRequest, serviceRequest } from '../world/answering.ts'
import { Ledger } from './stored.ts'

const ID = 'gateway:home:scene:evening'
const CALLER = { integration: 'home', link: 'k1', token: '', kind: 'key' } as const
const MADE: Got = { status: 201, text: '', body: { scene: { id: ID } }, code: null }
const DONE: Got = { status: 200, text: '', body: {}, code: null }

const create = (): Exchange => ({
  caller: CALLER,
  request: serviceRequest('scenes.create', { body: { name: 'Evening', steps: [] } }),
  askedAt: 0,
  over: 'http',
})
const remove = (): Exchange => ({
  caller: null,
  request: adminRequest('scenes.delete', { id: 'evening' }),
  askedAt: 0,
  over: 'http',
})

test('a thing that was made, and then deleted, must be there and then gone', () => {
  const ledger = new Ledger()
  const [made, gone] = [create(), remove()]
  ledger.asked(made)
  ledger.answered(made, MADE)
  expect([...ledger.promises()]).toEqual([['scene:evening', 'Evening']])
  ledger.asked(gone)
  expect([...ledger.promises()]).toEqual([])
  ledger.answered(gone, DONE)
  expect([...ledger.promises()]).toEqual([['scene:evening', null]])
})

test('one that was deleted before the answer to its making came is promised to nobody', () => {
  const ledger = new Ledger()
  const [made, gone] = [create(), remove()]
  ledger.asked(made)
  ledger.asked(gone)
  ledger.answered(gone, DONE)
  ledger.answered(made, MADE)
  expect([...ledger.promises()]).toEqual([])
})

test('what is refused because of the disk was not made: what was there is as it was, and nothing has the new name', () => {
  const [ledger, made] = [new Ledger(), create()]
  ledger.asked(made)
  ledger.answered(made, MADE)
  const edited: Exchange = {
    ...made,
    request: serviceRequest('scenes.edit', { id: ID, body: { name: 'Night', ifRevision: 1 } }),
  }
  ledger.asked(edited)
  ledger.answered(edited, { status: 503, text: '', body: {}, code: 'storage_unavailable' })
  expect([...ledger.promises()]).toEqual([
    ['scene:evening', 'Evening'],
    ['named:Night', null],
  ])
  ledger.asked(edited)
  ledger.answered(edited, { status: 409, text: '', body: {}, code: 'outcome_unknown' })
  expect([...ledger.promises()]).toEqual([])
})
