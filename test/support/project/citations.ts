import { type CallExpression, type Expression, parseSync, type SpreadElement, Visitor } from 'oxc-parser'
import type { ProjectFile } from './source-tree.ts'

/**
 * A citation of requirements by a test: by `verifies` (over their transports) or `proves` (without one), in a browser
 * too.
 */
export interface Citation {
  readonly id: string
  readonly by: 'verifies' | 'proves'
  readonly file: string
  /** True if only `npm run test:long` runs the test. */
  readonly isLong: boolean
}

const CITES = /^(?:verifies|proves|provesInBrowser)$/

/** All citations of the tests, and calls whose ids are not literals and cannot be searched. */
export function citationsOf(files: readonly ProjectFile[]): { citations: Citation[]; unclear: string[] } {
  const citations: Citation[] = []
  const unclear: string[] = []
  for (const { path, text } of files.filter((file) => file.path.endsWith('.test.ts'))) {
    let longCalls = path.endsWith('.long.test.ts') ? 1 : 0
    const { program } = parseSync(path, text)
    new Visitor({
      CallExpression: (call) => {
        if (isTaggedLong(call)) longCalls += 1
        const name = call.callee.type === 'Identifier' ? call.callee.name : ''
        if (!CITES.test(name)) return
        const ids = idsOf(call.arguments[0])
        if (ids.length === 0) unclear.push(`${path}: ${text.slice(call.start, call.arguments[0]?.end)}`)
        const by = name === 'verifies' ? 'verifies' : 'proves'
        citations.push(...ids.map((id) => ({ id, by, file: path, isLong: longCalls > 0 }) as const))
      },
      'CallExpression:exit': (call) => {
        if (isTaggedLong(call)) longCalls -= 1
      },
    }).visit(program)
  }
  return { citations, unclear }
}

function idsOf(argument: Expression | SpreadElement | undefined): string[] {
  const elements = argument?.type === 'ArrayExpression' ? argument.elements : [argument]
  const ids = elements.map((one) => (one?.type === 'Literal' && typeof one.value === 'string' ? one.value : null))
  return ids.every((id) => id !== null) ? ids : []
}

/** True if a call has an argument `{ tags: ['long'] }`. */
function isTaggedLong(call: CallExpression): boolean {
  return call.arguments.some(
    (argument) =>
      argument.type === 'ObjectExpression' &&
      argument.properties.some(
        (property) =>
          property.type === 'Property' &&
          property.key.type === 'Identifier' &&
          property.key.name === 'tags' &&
          property.value.type === 'ArrayExpression' &&
          property.value.elements.some((tag) => tag?.type === 'Literal' && tag.value === 'long'),
      ),
  )
}
