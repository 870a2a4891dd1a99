// @module-tag long
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { HttpCaller } from '#support/gateway/callers.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { ownName, reached } from '#support/relay/end-to-end.ts'
import { RelayProcess } from '#support/relay/relay-process.ts'
import { freePort } from '#support/free-port.ts'
import { tempFolder } from '#support/temp-folder.ts'

const PIECE_BYTES = 16 * 1024 * 1024

/** Whether a text is anywhere in the memory of a process of ours. */
function holds(pid: number, text: string): boolean {
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  try {
    return writableRanges(pid).some(([from, to]) => isBetween(memory, text, from, to))
  } finally {
    closeSync(memory)
  }
}

function writableRanges(pid: number): readonly (readonly [number, number])[] {
  return readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? []
      return from === undefined || to === undefined
        ? []
        : [[Number.parseInt(from, 16), Number.parseInt(to, 16)] as const]
    })
}

function isBetween(memory: number, text: string, from: number, to: number): boolean {
  const piece = Buffer.alloc(PIECE_BYTES)
  // Each piece begins where a text that the last one cut could.
  for (let at = from; at < to; at += PIECE_BYTES - text.length) {
    const bytes = Math.min(PIECE_BYTES, to - at)
    try {
      if (piece.subarray(0, readSync(memory, piece, 0, bytes, at)).includes(text)) return true
    } catch {
      // What the system itself keeps there cannot be read.
      return false
    }
  }
  return false
}

test.skipIf(process.platform !== 'linux')(
  'nothing of what passes end to end is in the memory of the relay; what it ends itself is',
  async () => {
    const [dataDir, port] = [tempFolder(), await freePort()]
    const relay = await RelayProcess.start({ dataDir, port })
    onTestFinished(() => relay[Symbol.asyncDispose]())
    const home = await TestHome.open('http')
    onTestFinished(() => home[Symbol.asyncDispose]())
    await relay.link(home.running.admin)
    await home.running.admin.call('PUT', '/relay/passthrough', { mode: 'on' })
    const access = { ...home.access(home.main.token), url: relay.origin, serverName: ownName(home) }
    const inside = new HttpCaller(access)
    onTestFinished(() => inside[Symbol.asyncDispose]())
    await reached(inside)
    const accept = 'canary-that-passes-end-to-end'
    for (let count = 0; count < 20; count += 1)
      expect(await inside.send('GET', '/v1/house', { body: undefined, accept })).toMatchObject({ status: 200 })
    const pid = relay.child.pid ?? 0
    const secrets = [accept, home.main.token, '"Living room"']
    expect(secrets.filter((text) => holds(pid, text))).toEqual([])
    expect(holds(pid, ownName(home))).toBe(true)
    const through = new HttpCaller({ url: relay.origin, ca: relay.ca, token: home.main.token })
    onTestFinished(() => through[Symbol.asyncDispose]())
    // The gateway lives in this process, which answered nothing while it read: its tunnel may be a new one.
    const asked = async (): Promise<number> =>
      (await through.send('GET', '/v1/house', { body: undefined, accept })).status
    // Whether it is still there depends on when the relay collects what it no longer needs.
    const seen = new Set<string>()
    while (seen.size < secrets.length) {
      while ((await home.running.hasten(asked())) !== 200);
      for (const text of secrets) if (!seen.has(text) && holds(pid, text)) seen.add(text)
    }
  },
)
