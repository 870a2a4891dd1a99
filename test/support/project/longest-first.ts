import { matchesGlob, relative } from 'node:path'
import { BaseSequencer, type TestSpecification, type TestSequencerConstructor } from 'vitest/node'

/**
 * Starts the slowest files of a group first, so that no worker is left alone with one of them at the end. vitest only
 * knows durations of earlier runs, and a clean clone has none.
 */
export function longestFirst(longest: readonly string[]): TestSequencerConstructor {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const isLong = ({ moduleId }: TestSpecification): boolean =>
        longest.some((glob) => matchesGlob(relative(this.ctx.config.root, moduleId), glob))
      const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder
      const sorted = await super.sort(files)
      return sorted.toSorted((a, b) => groupOf(a) - groupOf(b) || Number(isLong(b)) - Number(isLong(a)))
    }
  }
}
