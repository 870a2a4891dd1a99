import { MissingPrerequisite, unreachableLine } from '#support/project/missing-prerequisite.ts'
import { ProgramFailed, run } from '../generators/run.ts'

const OPTIONS = ['install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:', '--require-hashes']
/** A package that every registry has, requested as packages are. */
const ASKED = ['index', 'versions', '--disable-pip-version-check', '--retries', '0', '--timeout', '15', 'pip']

/**
 * Fetches what a list names, with an environment's own pip.
 * @throws NotHere where the registry cannot be reached, ProgramFailed for anything else, as a package that is not what
 * its hash says
 */
export async function fetchPackages(folder: string, pip: string, requirements: string): Promise<void> {
  try {
    await run(folder, pip, [...OPTIONS, '--requirement', requirements])
  } catch (error) {
    if (!(error instanceof ProgramFailed)) throw error
    // A registry that responds now may have been away during the download.
    if (unreachableLine(error.message) === null && (await answers(folder, pip))) throw error
    throw new MissingPrerequisite(`the registry of its packages cannot be reached: ${error.message}`)
  }
}

/** Pip prints the same message for an absent registry and for a missing version, so the registry is probed. */
async function answers(folder: string, pip: string): Promise<boolean> {
  try {
    await run(folder, pip, ASKED)
    return true
  } catch (error) {
    if (error instanceof ProgramFailed) return false
    throw error
  }
}
