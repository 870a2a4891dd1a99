import { expect, test } from 'vitest'
import { codeLines } from '#support/project/code-lines.ts'

test('code lines leave out blank lines, comments, tests and generated files', () => {
  const files = [
    { path: 'src/hall.ts', text: "// The hall.\n\n/**\n * Its light.\n */\nconst light = 'a // b' // On.\n" },
    { path: 'src/hall.test.ts', text: 'const light = 1\n' },
    { path: 'python/client/tests/hall.py', text: 'light = 1\n' },
    { path: 'python/client/hall.py', text: '# The hall.\nlight = 1\n' },
    { path: 'console/src/hall.css', text: '/* The hall.\n   Its light. */\n.hall {\n}\n' },
    { path: 'console/src/lib/admin-contract.ts', text: 'export type Light = 1\n' },
    { path: 'src/db/core/migrations/001-core.sql', text: '-- The hall.\nCREATE TABLE hall (id TEXT);\n' },
    { path: 'vitest.config.ts', text: 'export default {}\n' },
    { path: 'README.md', text: 'The hall.\n' },
  ]
  const folders = new Map([
    ['src', 2],
    ['python', 1],
    ['console', 2],
    ['root', 1],
  ])
  expect(codeLines(files)).toEqual({ total: 6, generated: 1, folders })
})
