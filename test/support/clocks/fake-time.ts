import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '#support/temp-folder.ts'

/** Paths where distributions install the library of `faketime`, which gives one process another wall clock. */
export const FAKETIME = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/faketime/libfaketimeMT.so.1',
].find((path) => existsSync(path))

/** A process whose wall clock a test sets. */
export class FakeTime {
  readonly #file = join(tempFolder(), 'faketime')
  readonly env = {
    LD_PRELOAD: FAKETIME ?? '',
    FAKETIME_TIMESTAMP_FILE: this.#file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DONT_RESET: '1',
  }

  constructor(days: number) {
    this.set(days)
  }

  set(days: number): void {
    writeFileSync(this.#file, `${days < 0 ? '' : '+'}${days}d\n`)
  }
}
