import { spawnSync } from 'node:child_process'
import { chmodSync, constants, createReadStream, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { ServiceManager } from './service-manager.ts'

/**
 * A `systemd-notify` that writes its message to a pipe instead of the manager's socket; for a migration after `arrives`
 * was called.
 */
function manager(env: Readonly<Record<string, string>>): {
  readonly tells: ServiceManager
  readonly clock: ManualClock
  readonly next: () => Promise<string>
  readonly arrives: () => void
} {
  const folder = tempFolder()
  const [pipe, gate] = [join(folder, 'pipe'), join(folder, 'gate')]
  expect(spawnSync('mkfifo', [pipe, gate]).status).toBe(0)
  const program = join(folder, 'systemd-notify')
  writeFileSync(program, `#!/bin/sh\ncase "$1" in EXTEND*) read go < ${gate} ;; esac\necho "$*" > "$NOTIFY_SOCKET"\n`)
  chmodSync(program, 0o700)
  // Open for writing too, so that it does not end with the first writer.
  const received = createReadStream('', { fd: openSync(pipe, constants.O_RDWR) })
  const lines = createInterface({ input: received })[Symbol.asyncIterator]()
  const clock = new ManualClock()
  const path = `${folder}:${process.env['PATH'] ?? ''}`
  const parts = { env: { NOTIFY_SOCKET: pipe, PATH: path, ...env }, pid: 77, clock, log: recordingLog() }
  const opened = openSync(gate, constants.O_RDWR)
  return {
    tells: new ServiceManager(parts),
    clock,
    next: async () => String((await lines.next()).value),
    arrives: () => void writeSync(opened, 'go\n'),
  }
}

proves('administration.hang', 'systemd is notified of start, life and stop', async () => {
  const { tells, clock, next, arrives } = manager({ WATCHDOG_USEC: '90000000', WATCHDOG_PID: '77' })
  expect(tells.watches).toBe(true)
  tells.updating()
  tells.ready('Serving on port 8490')
  clock.advance(30_000)
  expect(await next()).toBe('WATCHDOG=1')
  // However late it comes, what holds afterwards comes later.
  arrives()
  expect(await next()).toBe(
    'EXTEND_TIMEOUT_USEC=3600000000 STATUS=Changing the databases for this version WATCHDOG_USEC=3600000000',
  )
  expect(await next()).toBe('READY=1 STATUS=Serving on port 8490 WATCHDOG_USEC=90000000')
  for (let sign = 0; sign < 3; sign++) {
    clock.advance(30_000)
    expect(await next()).toBe('WATCHDOG=1')
  }
  tells.stopping()
  expect(await next()).toBe('STOPPING=1 STATUS=Stopping')
  clock.advance(90_000)
  expect(clock.waiting).toBe(0)
})

test('a manager that does not watch, or watches another process, gets no signs of life', async () => {
  const others: readonly Readonly<Record<string, string>>[] = [{}, { WATCHDOG_USEC: '90000000', WATCHDOG_PID: '78' }]
  for (const env of others) {
    const { tells, clock, next } = manager(env)
    expect(tells.watches).toBe(false)
    tells.ready('Serving')
    expect(await next()).toBe('READY=1 STATUS=Serving')
    expect(clock.waiting).toBe(0)
  }
})

test('without a manager no notification is sent, and without systemd-notify the log has one line', async () => {
  const log = recordingLog()
  const parts = { pid: 77, clock: new ManualClock(), log }
  new ServiceManager({ ...parts, env: { PATH: '/nowhere' } }).ready('Serving')
  const unheard = new ServiceManager({ ...parts, env: { NOTIFY_SOCKET: '/nowhere', PATH: '/nowhere' } })
  const sentence = 'The service manager cannot be notified: systemd-notify does not run.'
  const warned = log.logged(sentence)
  unheard.ready('Serving')
  await warned
  unheard.stopping()
  await new Promise((resolve) => setImmediate(resolve))
  expect(log.sentences('warn')).toEqual([sentence])
})
