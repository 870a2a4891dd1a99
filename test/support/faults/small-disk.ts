import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** True if this machine allows mounting a small disk. */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0 && mounts()

function mounts(): boolean {
  const folder = mkdtempSync('/tmp/hm-disk-')
  const done = mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder)
  if (done) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true })
  return done
}

function mount(...args: readonly string[]): boolean {
  return spawnSync('mount', args).status === 0
}

/** A small disk for the home, and other files on it. */
export class SmallDisk {
  readonly folder = mkdtempSync('/tmp/hm-disk-')
  readonly #filler = join(this.folder, 'filler')

  constructor(bytes: number) {
    mount('-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', this.folder)
    onTestFinished(() => {
      spawnSync('umount', ['--lazy', this.folder])
      rmSync(this.folder, { recursive: true, force: true })
    })
  }

  get dataDir(): string {
    return join(this.folder, 'data')
  }

  /** Fills the disk completely, or up to the given number of free bytes. */
  fill(left = 0): void {
    const { bsize, bavail } = statfsSync(this.folder)
    writeFileSync(this.#filler, Buffer.alloc(Math.max(0, bsize * bavail - left)), { flag: 'a' })
  }

  empty(): void {
    rmSync(this.#filler, { force: true })
  }

  readOnly(yes: boolean): void {
    if (!mount('-o', `remount,${yes ? 'ro' : 'rw'}`, this.folder)) throw new Error('The disk could not be remounted.')
  }
}
