import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { draft, FOREVER, tempHistory } from '#support/homes/history.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { silentLog } from '../../lib/log.ts'
import { systemRandom } from '../../lib/random.ts'
import { type HistoryDb, openHistory } from './history-db.ts'
import { RowJournal } from './row-journal.ts'

const PARTS = ['', '-wal', '-rows']

/** A history whose turns end when the test says so. */
class KilledHistory {
  readonly file = join(tempFolder(), 'history.db')
  readonly clock = new ManualClock()
  readonly history = tempHistory({ file: this.file, clock: this.clock, defer: (run) => void (this.#endTurn = run) })
  #endTurn = (): void => {}

  /** Records an entry in a turn of its own. */
  async record(what: string, at = 1_000): Promise<void> {
    this.history.activity.record(draft(at, what))
    this.#endTurn()
    await this.history.activity.committed()
  }

  /** Copies a part of what a kill would leave now. */
  copy(folder: string, parts = PARTS): string {
    mkdirSync(folder, { recursive: true })
    for (const part of parts)
      if (existsSync(`${this.file}${part}`)) copyFileSync(`${this.file}${part}`, join(folder, `history.db${part}`))
    return join(folder, 'history.db')
  }
}

/** Entries of a history at its next start, oldest first. */
function afterStart(file: string): string[] {
  const history = openHistory({ file, clock: new ManualClock(), random: systemRandom, log: silentLog })
  onTestFinished(() => history.close())
  return whatsOf(history)
}

const whatsOf = ({ activity }: HistoryDb): string[] => [...activity.iterate(0, FOREVER)].map(({ what }) => what)

describe('acknowledged entries', () => {
  test('of many turns are one commit a second later, and every reader sees them before', async () => {
    const { history, clock, record } = bound(new KilledHistory())
    for (const what of ['one', 'two', 'three']) await record(what)
    expect(history.writer.counts.written).toBe(0)
    clock.advance(1_000)
    expect(history.writer.counts.written).toBe(3)
    await record('four')
    expect(whatsOf(history)).toEqual(['one', 'two', 'three', 'four'])
  })

  test('are stored by the start after a kill, each once', async () => {
    const killed = new KilledHistory()
    for (const what of ['one', 'two', 'three']) await killed.record(what)
    const before = killed.copy(tempFolder())
    // A kill between the commit and the end of the journal leaves both.
    const between = killed.copy(tempFolder(), ['-rows'])
    killed.history.writer.flush()
    killed.copy(join(between, '..'), ['', '-wal'])
    for (const file of [before, between]) expect(afterStart(file)).toEqual(['one', 'two', 'three'])
  })

  test('that a kill tore are left out, and so is everything after a damaged byte', async () => {
    const killed = new KilledHistory()
    await killed.record('one')
    const whole = statSync(`${killed.file}-rows`).size
    await killed.record('two')
    const all = readFileSync(`${killed.file}-rows`)
    const file = join(tempFolder(), 'torn')
    const left = (bytes: Buffer): number => {
      writeFileSync(file, bytes)
      return new RowJournal(file).left().length
    }
    for (let bytes = 0; bytes < all.length - 1; bytes += 1)
      expect([bytes, left(all.subarray(0, bytes))]).toEqual([bytes, bytes < whole - 1 ? 0 : 1])
    for (let at = 0; at < whole; at += 1) {
      const damaged = Buffer.from(all)
      damaged[at] = (damaged[at] ?? 0) ^ 1
      expect([at, left(damaged)]).toEqual([at, 0])
    }
  })

  test('leave no file after an orderly stop', async () => {
    const killed = new KilledHistory()
    await killed.record('one')
    expect(statSync(`${killed.file}-rows`).mode & 0o777).toBe(0o600)
    killed.history.close()
    expect(existsSync(`${killed.file}-rows`)).toBe(false)
    expect(afterStart(killed.file)).toEqual(['one'])
  })

  test('are committed at once if the journal cannot be written, and wait in it again later', async () => {
    const killed = new KilledHistory()
    mkdirSync(`${killed.file}-rows`)
    await killed.record('one')
    expect(killed.history.writer.counts.written).toBe(1)
    rmSync(`${killed.file}-rows`, { recursive: true })
    await killed.record('two')
    expect(killed.history.writer.counts.written).toBe(1)
    expect(whatsOf(killed.history)).toEqual(['one', 'two'])
  })

  test('are committed at once beside a reading, and while somebody listens', async () => {
    const { history, record } = bound(new KilledHistory())
    await record('one')
    history.readings.record('hall-sensor', 'temperature', 1_000, 20)
    await record('two')
    expect(history.writer.counts.written).toBe(3)
    await record('three')
    const places: number[] = []
    const stop = history.activity.onStored((place) => places.push(place))
    expect([history.writer.counts.written, places]).toEqual([4, []])
    await record('four')
    stop()
    expect(history.activity.entriesAt(places).map(({ what }) => what)).toEqual(['four'])
  })

  test('wait for the next start if the disk refuses them at this one', async () => {
    const killed = new KilledHistory()
    await killed.record('one')
    const file = killed.copy(tempFolder())
    // A file without a header is damaged; its folder takes no new one.
    const unreadable = join(tempFolder(), 'history.db')
    mkdirSync(unreadable)
    copyFileSync(`${file}-rows`, `${unreadable}-rows`)
    const history = openHistory({ file: unreadable, clock: new ManualClock(), random: systemRandom, log: silentLog })
    expect(history.file.inMemory).toBe(true)
    history.close()
    rmSync(unreadable, { recursive: true })
    expect(afterStart(unreadable)).toEqual(['one'])
  })
})

function bound(killed: KilledHistory): KilledHistory & { record: KilledHistory['record'] } {
  return Object.assign(killed, { record: killed.record.bind(killed) })
}
