// @module-tag long
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { OWN_PACKAGES } from '#support/project/own-packages.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'

/** One defect for each rule that guards something no other check sees. */
const PLANTED = `import { other } from './other.ts'
type Lamp = 'on' | 'off'
export const late = async (): Promise<number> => other
export function forgets(): void {
  late()
}
export function misses(lamp: Lamp): void {
  switch (lamp) {
    case 'on':
      forgets()
  }
}
export const anything = (value: any): unknown => value
export const surely = (value: string | null): string => value!
export const listens = (): void => [1].forEach(async () => { await late() })
export const stamped = (): number => Date.now() + Math.random()
export const waits = (): void => { setTimeout(forgets, 1) }
export const says = (): void => console.log('hello')
`
const RULES = [
  'no-floating-promises',
  'no-misused-promises',
  'switch-exhaustiveness-check',
  'no-cycle',
  'no-explicit-any',
  'no-non-null-assertion',
  'no-restricted-properties',
  'no-restricted-globals',
  'no-console',
  'max-lines',
]

/** One call of the machine's clock in the sources of each package. */
const STAMPED = OWN_PACKAGES.filter(({ folder }) => !folder.startsWith('test')).map(({ folder }) =>
  join(folder, existsSync(join(PROJECT_ROOT, folder, 'src')) ? 'src' : '.', 'stamped.ts'),
)

test('the linter finds planted faults, with types', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hm-lint-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const name of ['.oxlintrc.json', 'tsconfig.json', 'package.json'])
    copyFileSync(join(PROJECT_ROOT, name), join(folder, name))
  symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'src', 'home'), { recursive: true })
  writeFileSync(join(folder, 'src', 'home', 'planted.ts'), PLANTED)
  writeFileSync(
    join(folder, 'src', 'home', 'other.ts'),
    `import { late } from './planted.ts'\nexport const other = late.length\n${'export {}\n'.repeat(450)}`,
  )

  for (const path of STAMPED) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), 'export const stamped = (): number => Date.now()\n')
  }

  const report = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      [join(PROJECT_ROOT, 'node_modules/oxlint/bin/oxlint'), '-f', 'unix'],
      { cwd: folder },
      (_failed, output) => resolve(output),
    )
  })

  expect(RULES.filter((rule) => !report.includes(`(${rule})`))).toEqual([])
  const missed = STAMPED.filter((path) => !report.split('\n').some((line) => line.startsWith(`${path}:`)))
  expect(missed).toEqual([])
})
