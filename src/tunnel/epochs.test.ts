import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { silentLog } from '../lib/log.ts'
import { Epochs, EPOCHS_AHEAD, EpochsFile } from './epochs.ts'

function epochsIn(file: string, clock: ManualClock, log = silentLog): Epochs {
  return new Epochs({ clock, stored: new EpochsFile(file, log), log })
}

describe('the epochs of a gateway’s tunnels', () => {
  test('increase, and are recognised as own; foreign and very old ones are not', async () => {
    const clock = new ManualClock()
    const epochs = epochsIn(join(tempFolder(), 'epochs'), clock)
    const [first, second] = await Promise.all([epochs.next(), epochs.next()])
    expect([first, second]).toEqual([clock.now(), clock.now() + 1])
    clock.advance(60_000)
    expect(await epochs.next()).toBe(clock.now())
    expect([first, second, clock.now(), clock.now() - 1].map((epoch) => epochs.isOwn(epoch))).toEqual([
      ...[true, true, true],
      false,
    ])
    for (let count = 0; count < 64; count += 1) await epochs.next()
    expect(epochs.isOwn(first)).toBe(false)
  })

  test('increase over a restart with the clock behind, and one write reserves many', async () => {
    const [file, clock] = [join(tempFolder(), 'relay', 'epochs'), new ManualClock()]
    const before = epochsIn(file, clock)
    const first = await before.next()
    const fileBefore = readFileSync(file, 'utf8')
    clock.advance(EPOCHS_AHEAD)
    const last = await before.next()
    expect(readFileSync(file, 'utf8')).toBe(fileBefore)
    const again = epochsIn(file, new ManualClock())
    expect(await again.next()).toBeGreaterThan(last)
    expect([again.isOwn(first), again.isOwn(last)]).toEqual([false, false])
  })

  test('start at the clock’s time if the file is damaged, and go on if the disk is full, with a warning in the log', async () => {
    const [file, clock, log] = [join(tempFolder(), 'epochs'), new ManualClock(), recordingLog()]
    writeFileSync(file, '17')
    expect(await epochsIn(file, clock, log).next()).toBe(clock.now())
    const full = { reservedTo: 0, store: () => Promise.reject(new Error('ENOSPC')) }
    expect(await new Epochs({ clock, stored: full, log }).next()).toBe(clock.now())
    expect(log.sentences('warn')).toEqual([
      'The file with the epochs of earlier connections to the relay is damaged.',
      'The epoch of a connection to the relay could not be stored.',
    ])
  })
})
