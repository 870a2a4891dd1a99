import { expect, test } from 'vitest'
import { type RecordedCall, type RecordedReply, adminRequest, serviceRequest } from '../world/sim-calls.ts'
import { Ledger } from './stored.ts'

const ID = 'gateway:home:scene:evening'
const CALLER = { integration: 'home', link: 'k1', token: '', kind: 'key' } as const
const MADE: RecordedReply = { status: 201, text: '', body: { scene: { id: ID } }, code: null }
const DONE: RecordedReply = { status: 200, text: '', body: {}, code: null }

const create = (): RecordedCall => ({
  caller: CALLER,
  request: serviceRequest('scenes.create', { body: { name: 'Evening', steps: [] } }),
  requestedAt: 0,
  over: 'http',
})
const remove = (): RecordedCall => ({
  caller: null,
  request: adminRequest('scenes.delete', { id: 'evening' }),
  requestedAt: 0,
  over: 'http',
})

test('a thing exists after its creation is acknowledged, and not after its deletion is', () => {
  const ledger = new Ledger()
  const [creation, deletion] = [create(), remove()]
  ledger.requested(creation)
  ledger.answered(creation, MADE)
  expect([...ledger.promises()]).toEqual([['scene:evening', 'Evening']])
  ledger.requested(deletion)
  expect([...ledger.promises()]).toEqual([])
  ledger.answered(deletion, DONE)
  expect([...ledger.promises()]).toEqual([['scene:evening', null]])
})

test('nothing is promised for a thing that was deleted before the response to its creation', () => {
  const ledger = new Ledger()
  const [creation, deletion] = [create(), remove()]
  ledger.requested(creation)
  ledger.requested(deletion)
  ledger.answered(deletion, DONE)
  ledger.answered(creation, MADE)
  expect([...ledger.promises()]).toEqual([])
})

test('a write that the disk refuses changes nothing, and no thing has the new name', () => {
  const [ledger, creation] = [new Ledger(), create()]
  ledger.requested(creation)
  ledger.answered(creation, MADE)
  const edited: RecordedCall = {
    ...creation,
    request: serviceRequest('scenes.edit', { id: ID, body: { name: 'Night', ifRevision: 1 } }),
  }
  ledger.requested(edited)
  ledger.answered(edited, { status: 503, text: '', body: {}, code: 'storage_unavailable' })
  expect([...ledger.promises()]).toEqual([
    ['scene:evening', 'Evening'],
    ['named:Night', null],
  ])
  ledger.requested(edited)
  ledger.answered(edited, { status: 409, text: '', body: {}, code: 'outcome_unknown' })
  expect([...ledger.promises()]).toEqual([])
})
