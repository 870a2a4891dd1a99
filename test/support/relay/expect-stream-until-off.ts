import { expect } from 'vitest'
import { type Access, TestSocket } from '#support/gateway/callers.ts'
import type { TestHome } from '#support/gateway/harness.ts'

/** Expects that a stream from outside carries requests and events until cloud_access is switched off. */
export async function expectStreamUntilOff(home: TestHome, access: Access): Promise<void> {
  const socket = await TestSocket.open(access)
  socket.hasten = (work) => home.running.hasten(work)
  expect(await socket.subscribe(['*'])).toMatchObject({ status: 200 })
  const on = { op: 'set_power', args: { on: true } }
  const control = { id: 'c', method: 'POST', path: home.at('hall-light', '/control'), body: on }
  expect(JSON.parse(await home.running.hasten(socket.ask('c', control)))).toMatchObject({ status: 200 })
  expect(await socket.event(({ device }) => device === home.id('hall-light'))).toMatchObject({ event: 'state' })
  await home.change(home.main, { settings: { cloud_access: 'off' } })
  expect(await socket.ended).toBe(4403)
}
