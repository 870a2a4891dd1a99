import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Memory of a process in MiB. */
export interface Memory {
  readonly usedMiB: number
  /** The part of compiled code: bytecode and machine code. */
  readonly codeMiB: number
  readonly residentMiB: number
}

const CODE_SPACES = /^(?:code|trusted|shared_trusted)_/

/** Memory after garbage collection, including objects that waited for a turn of the loop. */
export async function memoryAfterCollection(): Promise<Memory> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let times = 0; times < 3; times += 1) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const mebibytes = (bytes: number): number => bytes / 1024 ** 2
  return {
    usedMiB: mebibytes(getHeapStatistics().used_heap_size),
    codeMiB: mebibytes(
      getHeapSpaceStatistics()
        .filter(({ space_name }) => CODE_SPACES.test(space_name))
        .reduce((sum, { space_used_size }) => sum + space_used_size, 0),
    ),
    residentMiB: mebibytes(process.memoryUsage.rss()),
  }
}
