import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { tempFolder } from '#support/temp-folder.ts'

export type Revision = '2026-07-28' | '2025-11-25'

/** One check of a scenario, as the suite reports it. */
export interface ScenarioCheck {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

const SUITE = join(PROJECT_ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

/** Runs the official suite for servers of a revision by its command. Returns the checks of every scenario. */
export async function runSuite(
  revision: Revision,
  url: string,
): Promise<ReadonlyMap<string, readonly ScenarioCheck[]>> {
  const found = tempFolder()
  const child = spawn(
    process.execPath,
    [SUITE, 'server', '--url', url, '--requirements', revision, '--output-dir', found],
    { stdio: 'ignore', env: { PATH: process.env.PATH } },
  )
  // The exit code is ignored: it is 1 after any failure, also of a left-out scenario. The written checks count.
  await once(child, 'exit')
  return new Map(
    readdirSync(found).map((folder) => {
      const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(folder)?.[1] ?? folder
      return [
        scenario,
        JSON.parse(readFileSync(join(found, folder, 'checks.json'), 'utf8')) as readonly ScenarioCheck[],
      ]
    }),
  )
}
