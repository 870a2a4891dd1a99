import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PERIOD_US = 100_000
const MOUNT = '/sys/fs/cgroup'

/** Limits processes to a share of a core and of memory, by control groups of either version. */
export class NarrowCgroup implements Disposable {
  readonly #folders: readonly string[]
  readonly #peakFile: string

  private constructor(folders: readonly string[], peakFile: string) {
    this.#folders = folders
    this.#peakFile = peakFile
  }

  /** @throws the system's error if this user may not create groups */
  static make(coreShare: number, memoryBytes: number): NarrowCgroup {
    const name = `hm-bench-${process.pid}`
    const quotaUs = Math.round(PERIOD_US * coreShare)
    if (existsSync(join(MOUNT, 'cgroup.controllers'))) {
      const group = new NarrowCgroup([join(MOUNT, name)], join(MOUNT, name, 'memory.peak'))
      return group.#filled({ 'cpu.max': `${quotaUs} ${PERIOD_US}`, 'memory.max': String(memoryBytes) })
    }
    const [cpu, memory] = [join(MOUNT, 'cpu', name), join(MOUNT, 'memory', name)]
    const group = new NarrowCgroup([cpu, memory], join(memory, 'memory.max_usage_in_bytes'))
    return group.#filled({ 'cpu.cfs_quota_us': String(quotaUs), 'memory.limit_in_bytes': String(memoryBytes) })
  }

  /** Prefix of a program's arguments, by which it enters the group before its start. */
  get under(): readonly string[] {
    const enter = this.#folders.map((folder) => `echo $$ > ${join(folder, 'cgroup.procs')}`).join(' && ')
    return ['sh', '-c', `${enter} && exec "$@"`, 'sh']
  }

  /** Peak memory of the group, with file pages. */
  get peakMiB(): number {
    return Math.round(Number(readFileSync(this.#peakFile, 'utf8')) / 2 ** 20)
  }

  /** Number of processes that the system killed for lack of memory. */
  get oomKills(): number {
    const events = this.#folders
      .flatMap((folder) => ['memory.events', 'memory.oom_control'].map((file) => join(folder, file)))
      .find((file) => existsSync(file))
    return Number(/^oom_kill (\d+)$/m.exec(events === undefined ? '' : readFileSync(events, 'utf8'))?.[1] ?? Number.NaN)
  }

  [Symbol.dispose](): void {
    for (const folder of this.#folders) if (existsSync(folder)) rmdirSync(folder)
  }

  #filled(bounds: Readonly<Record<string, string>>): this {
    try {
      for (const folder of this.#folders) mkdirSync(folder)
      for (const [file, bound] of Object.entries(bounds)) {
        const folder = this.#folders.find((path) => existsSync(join(path, file)))
        if (folder === undefined) throw new Error(`control groups have no ${file} here`)
        writeFileSync(join(folder, file), bound)
      }
      return this
    } catch (error) {
      this[Symbol.dispose]()
      throw error
    }
  }
}
