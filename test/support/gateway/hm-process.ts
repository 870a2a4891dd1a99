import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { COMPILED } from './gateway-process.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'

export interface HmExit {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The command of an administrator, without the preparations of bin/hm. */
const MAIN = [process.execPath, '--disable-warning=ExperimentalWarning', join(PROJECT_ROOT, 'src/cli/main.ts')]

/** Runs `hm` in a process of its own, with the data folder in its environment. */
export function hmProcess(
  words: readonly string[],
  dataDir: string,
  program: readonly string[] = MAIN,
  more: Readonly<Record<string, string>> = {},
): Promise<HmExit> {
  const [file = '', ...before] = program
  return new Promise((resolve) => {
    execFile(
      file,
      [...before, ...words],
      { env: { ...process.env, ...COMPILED, HM_DATA_DIR: dataDir, ...more } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}
