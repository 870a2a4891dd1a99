import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { atMost, median } from './report.ts'
import { scratch } from './scratch.ts'

const ROOT = join(import.meta.dirname, '..')
const CHILD = join(import.meta.dirname, 'rules-start-child.ts')
/** Pairs of starts, in turns. */
const STARTS = 9
const MORE_MAX = 1.1

/**
 * Time to load and start 2,000 automations of a stored home, from the open database to the last watched trigger. With
 * another checkout of this repository its code takes turns, and the bound is its time and a tenth.
 */
export function rulesStart(against: string | undefined): void {
  const roots = against === undefined ? [ROOT] : [against, ROOT]
  using folder = scratch()
  const times = roots.map((): number[] => [])
  for (const [index, root] of roots.entries()) run(root, 'make', mkdir(join(folder.path, `${index}`)))
  for (let round = 0; round < STARTS; round += 1)
    for (const [index, root] of roots.entries()) {
      const copy = join(folder.path, `${index}-${round}`)
      cpSync(join(folder.path, `${index}`), copy, { recursive: true })
      times[index]?.push(run(root, 'start', copy))
    }
  const medians = times.map((list) => median(list))
  const ranges = times.map((list) => `${Math.min(...list).toFixed(0)}-${Math.max(...list).toFixed(0)} ms`)
  const [before] = against === undefined ? [] : medians
  atMost('2,000 rules start', medians.at(-1) ?? 0, {
    most: before === undefined ? null : before * MORE_MAX,
    unit: 'ms',
    digits: 1,
    detail: `median of ${STARTS} starts, ${ranges.at(-1)}${before === undefined ? '' : `; ${against}: ${before.toFixed(1)} ms, ${ranges[0]}`}`,
  })
}

function mkdir(path: string): string {
  mkdirSync(path)
  return path
}

/** Milliseconds of a start in a process of its own. */
function run(root: string, work: 'make' | 'start', folder: string): number {
  const args = [CHILD, root, work, join(folder, 'core.db')]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${work}: ${stderr}`)
  return Number(stdout)
}
