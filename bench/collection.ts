import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Memory of a process in MiB. */
export interface Memory {
  readonly usedMiB: number
  readonly residentMiB: number
}

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
    residentMiB: mebibytes(process.memoryUsage.rss()),
  }
}
