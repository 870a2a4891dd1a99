// @module-tag long
import { execFile } from 'node:child_process'
import { relative } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { isTypeScript, PROJECT_ROOT, projectFiles } from '#support/project/source-tree.ts'

/** The lines that a tool of the checkout prints. */
async function linesOf(tool: string, args: readonly string[]): Promise<string[]> {
  const options = { cwd: PROJECT_ROOT, maxBuffer: 2 ** 26 }
  const { stdout } = await promisify(execFile)(process.execPath, [`node_modules/${tool}`, ...args], options)
  return stdout.split('\n')
}

test('every test file of every package runs in npm test or npm run test:long', async () => {
  const list = await linesOf('vitest/vitest.mjs', ['list', '--filesOnly'])
  const listed = new Set(list.map((line) => line.replace(/^\[[^\]]*\] /, '')))
  const files = projectFiles().filter(({ path }) => path.endsWith('.test.ts'))
  expect(files.map(({ path }) => path).filter((path) => !listed.has(path))).toEqual([])
})

test('every source of every package is checked by its types', async () => {
  const read = (project: string): Promise<string[]> =>
    linesOf('typescript/bin/tsc', ['--noEmit', '--listFilesOnly', '-p', project])
  const listed = new Set([...(await read('.')), ...(await read('console'))].map((path) => relative(PROJECT_ROOT, path)))
  const files = projectFiles().filter((file) => isTypeScript(file) && !file.path.startsWith('test/generators/clients/'))
  expect(files.map(({ path }) => path).filter((path) => !listed.has(path))).toEqual([])
})
