import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import { LONG } from '#support/long.ts'
import { callerOver } from './caller-over.ts'
import { TestSocket } from './callers.ts'
import type { GatewayProcess } from './gateway-process.ts'
import { dial } from './raw-client.ts'

/** Stops a gateway with clients of every kind. Resolves to its exit code, signal and complaints. */
export async function stopAmongClients(
  gateway: GatewayProcess,
  token: string,
  signal: 'SIGTERM' | 'SIGINT',
): Promise<unknown[]> {
  const door = { url: gateway.url, ca: gateway.ca, token }
  const socket = await TestSocket.open(door)
  await socket.subscribe(['*'])
  const deaf = await TestSocket.open(door)
  deaf.socket.pause()
  const silent = connect(gateway.port, '127.0.0.1').on('error', () => {})
  const halfSaid = await dial(door)
  halfSaid.write('GET /v1/about HTTP/1.1\r\nHost: localhost\r\n')
  await using caller = callerOver('http', door)
  await caller.call({ method: 'GET', path: '/v1/house' })
  const from = performance.now()
  const ending = gateway.kill(signal)
  expect(await socket.ended).toBe(1001)
  const ended = await ending
  const ms = Math.round(performance.now() - from)
  console.info(`${signal}: ended after ${ms} ms`)
  // A busy machine says nothing about time.
  if (LONG) expect(ms).toBeLessThan(2_000)
  silent.destroy()
  halfSaid.destroy()
  deaf.socket.terminate()
  expect(deaf.socket.readyState).not.toBe(WebSocket.OPEN)
  await expect(gateway.admin.call('GET', '/status')).rejects.toThrow('No gateway runs on the data folder')
  return [ended.code, ended.signal, LONG ? ended.stderr : withoutLateParts(ended.stderr)]
}

/** The complaints, without those about a part that closed late. */
function withoutLateParts(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => !line.includes('did not close in time'))
  return lines.join('\n')
}
