import { expect, test } from 'vitest'
import { ERRORS } from '../../src/wire/errors.ts'
import { projectFiles } from '#support/project/source-tree.ts'
import { tablesOf } from '#support/project/markdown-tables.ts'

test('docs/api.md has every error code with its status and its place in the app, and no other', () => {
  const page = projectFiles().find((file) => file.path === 'docs/api.md')!
  const table = tablesOf(page.text).find(({ headers }) => headers.join() === 'status,code,when')!
  const onPage = table.rows.map(
    ([status, code, when]) => `${status} ${code} ${/\((`[a-z.]+`)\)$/.exec(when!)?.[1] ?? ''}`,
  )
  const inCode = Object.entries(ERRORS).map(
    ([code, error]) => `${error.status} \`${code}\` ${'appAction' in error ? `\`${error.appAction}\`` : ''}`,
  )
  expect(onPage.toSorted()).toEqual(inCode.toSorted())
})
