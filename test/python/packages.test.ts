import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '#support/temp-folder.ts'
import { ProgramFailed } from '../generators/run.ts'
import { MissingPrerequisite } from '#support/project/missing-prerequisite.ts'
import { fetchPackages } from './packages.ts'

interface Codes {
  readonly install: number
  readonly index: number
  readonly says?: string
}

/** A pip that fetches and looks up with these exit codes, and says this when it fetches. */
function pip({ install, index, says = '' }: Codes): string {
  const file = join(tempFolder(), 'pip')
  writeFileSync(
    file,
    `#!/bin/sh\ncase $1 in install) echo "${says}" >&2; exit ${install} ;; index) exit ${index} ;; esac\nexit 9\n`,
    {
      mode: 0o755,
    },
  )
  return file
}
const fetched = (codes: Codes): Promise<unknown> =>
  fetchPackages(tempFolder(), pip(codes), 'requirements.txt').catch((error: unknown) => error)

describe.skipIf(process.platform === 'win32')('what the tests of the Python client need', () => {
  test('is fetched', async () => {
    expect(await fetched({ install: 0, index: 1 })).toBeUndefined()
  })

  test('is not here where no registry answers', async () => {
    expect(await fetched({ install: 1, index: 1 })).toBeInstanceOf(MissingPrerequisite)
  })

  test('is not here where one that answers was away in the middle of it', async () => {
    expect(await fetched({ install: 1, index: 0, says: 'ReadTimeoutError: Read timed out.' })).toBeInstanceOf(
      MissingPrerequisite,
    )
  })

  test('fails where one answers, as for a package that is not what its hash says', async () => {
    expect(await fetched({ install: 1, index: 0 })).toBeInstanceOf(ProgramFailed)
    const says = 'Read timed out. THESE PACKAGES DO NOT MATCH THE HASHES'
    expect(await fetched({ install: 1, index: 0, says })).toBeInstanceOf(ProgramFailed)
  })
})
