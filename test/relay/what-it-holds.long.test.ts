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

/** True if a text is in the memory of one of our processes. */
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
  // Each piece overlaps the last one, so that no text is cut.
  for (let at = from; at < to; at += PIECE_BYTES - text.length) {
    const bytes = Math.min(PIECE_BYTES, to - at)
    try {
      if (piece.subarray(0, readSync(memory, piece, 0, bytes, at)).includes(text)) return true
    } catch {
      // Memory of the kernel cannot be read.
      return false
    }
  }
  return false
}

test.skipIf(process.platform !== 'linux')(
  'end-to-end data are never in the memory of the relay; data of TLS that it terminates are',
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
    // The gateway runs in this process, which was blocked while it read: its tunnel may be a new one.
    const statusOfRequest = async (): Promise<number> =>
      (await through.send('GET', '/v1/house', { body: undefined, accept })).status
    // The text may be gone, depending on garbage collection in the relay.
    const seen = new Set<string>()
    while (seen.size < secrets.length) {
      while ((await home.running.hasten(statusOfRequest())) !== 200);
      for (const text of secrets) if (!seen.has(text) && holds(pid, text)) seen.add(text)
    }
  },
)
