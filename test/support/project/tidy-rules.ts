import { withoutComments } from './imports.ts'
import { isTest, isTypeScript, type ProjectFile } from './source-tree.ts'

/**
 * A rule over one file: a sentence, which files it is for, and the lines that break it. Rules for the linter are in
 * .oxlintrc.json.
 */
export interface TidyRule {
  readonly sentence: string
  readonly applies: (file: ProjectFile) => boolean
  readonly broken: (file: ProjectFile) => string[]
}

/** Text in quotes may be longer; code may not. */
const LINE_COLUMNS_MAX = 120

/** Types generated from the documents, one per line. */
const GENERATED = /^(?:client\/src|console\/src\/lib)\/(?:admin-)?contract\.ts$/

const isSource = (file: ProjectFile): boolean =>
  /^(?:src|relay|client\/src|console\/src)\//.test(file.path) &&
  !GENERATED.test(file.path) &&
  isTypeScript(file) &&
  !isTest(file)
const isCode = (file: ProjectFile): boolean => /\.(?:ts|mjs)$/.test(file.path)
const isDocument = (file: ProjectFile): boolean => file.path.endsWith('.md')
const isLockFile = (file: ProjectFile): boolean => file.path === 'package-lock.json'

/** Code about time needs the real clock; the programs at the top pass it down. */
const KNOWS_REAL_TIME = /^(?:src\/(?:lib\/|main\.ts$|gateway\/|cli\/)|relay\/main\.ts$)/

/** The matching lines of `text`, as `path:line: match`. */
function linesWith(file: ProjectFile, pattern: RegExp, text: string = file.text): string[] {
  return text.split('\n').flatMap((line, index) => {
    const found = pattern.exec(line)
    return found === null ? [] : [`${file.path}:${index + 1}: ${found[0].trim()}`]
  })
}

/** The comments of a source with everything else blanked, line by line. */
function commentsOf(file: ProjectFile): string {
  const code = withoutComments(file.text)
  return Array.from(file.text, (letter, index) => (letter === '\n' || code[index] !== letter ? letter : ' ')).join('')
}

const HISTORY =
  /\b(?:previously|formerly|used to be|was (?:renamed|moved)|refactored|(?:old|earlier) (?:code|version|implementation) )/i
const UNFINISHED = /\b(?:T[O]DO|F[I]XME|X[X]X)\b/
const MACHINE_PATH = /(?:^|[\s"'`(=])(?:\/(?:work|root|Users)\/|\/home\/[a-z]+\/|[A-Z]:\\Users)/
const REGISTRY = /registry\.[a-z]+(?:js|pkg)\.(?:org|com)|npmmirror\.|npm\.pkg\.github/
const SPEC_REFERENCE = /\bSpec (\d(?:\.\d+)?)(?: rules? (\d+))?/g

/** The numbered points of each section of the specification, and the rules of its section 4. */
const SPEC_POINTS: Readonly<Record<string, number>> = { 1: 8, 2: 8, 3: 0, 4: 0, 5: 10, 6: 5, 7: 0, 8: 0, 9: 4 }
const SPEC_RULES = 13

function unknownSpecReferences(file: ProjectFile): string[] {
  return [...file.text.matchAll(SPEC_REFERENCE)].flatMap(([whole, place, rule]) => {
    const [section = '', point = '0'] = place!.split('.')
    const points = SPEC_POINTS[section]
    const known =
      points !== undefined &&
      Number(point) <= points &&
      (rule === undefined || (place === '4' && Number(rule) >= 1 && Number(rule) <= SPEC_RULES))
    return known ? [] : [`${file.path}: ${whole}`]
  })
}

/** The pipelines, which refuse by themselves. Handlers get a `refuse` with the codes that their endpoint declares. */
const REFUSES_BY_ITSELF = /^src\/api\/(?:errors|admission|answers|call|storing|dispatch|validate|admin\/dispatch)\.ts$/

export const TIDY_RULES: readonly TidyRule[] = [
  {
    sentence: 'Lines of code fit the screen',
    applies: isSource,
    broken: (file) =>
      linesWith(
        file,
        new RegExp(`^.{${LINE_COLUMNS_MAX + 1},}$`),
        file.text
          .replace(/'[^'\n]*'|"[^"\n]*"|`[^`\n]*`/g, "''")
          .replace(/`[^`]*`/g, (literal) => literal.replace(/[^\n]/g, '')),
      ).map((line) => line.slice(0, LINE_COLUMNS_MAX)),
  },
  {
    sentence: 'File names are words in lower case, joined by hyphens, and no drawer for everything',
    applies: isCode,
    broken: (file) => {
      const name = file.path.split('/').at(-1)!
      return /^[a-z0-9]+(?:-[a-z0-9]+)*(?:(?:\.long)?\.test|\.config)?\.(?:ts|mjs)$/.test(name) &&
        !/^(?:utils?|helpers?|misc|common)\./.test(name)
        ? []
        : [file.path]
    },
  },
  {
    sentence: 'No work is left unfinished',
    applies: (file) => !isLockFile(file),
    broken: (file) => linesWith(file, UNFINISHED),
  },
  {
    sentence: 'Comments describe the present, never the past',
    applies: (file) => isCode(file),
    broken: (file) => linesWith(file, HISTORY, commentsOf(file)),
  },
  {
    sentence: 'Documents describe the present, never the past',
    applies: (file) => isDocument(file) && file.path !== 'CHANGELOG.md',
    broken: (file) => linesWith(file, HISTORY),
  },
  {
    sentence: 'Time is an argument: no source asks the machine for today',
    applies: (file) => isSource(file) && !KNOWS_REAL_TIME.test(file.path),
    broken: (file) =>
      linesWith(
        file,
        /\bnew Date\(\)|\bDate\(\)|from 'node:timers|Temporal\.Now\.(?!timeZoneId)/,
        withoutComments(file.text),
      ),
  },
  {
    // vi.waitFor gives up after a second, too short for a busy machine.
    sentence: 'Tests wait by expect.poll, for as long as vitest.config.ts says',
    applies: isTest,
    broken: (file) => linesWith(file, /\bvi\.wait(?:For|Until)\b/, withoutComments(file.text)),
  },
  {
    sentence: 'Handlers refuse with what their endpoint declares, by the refuse that they are given',
    applies: (file) => isSource(file) && file.path.startsWith('src/api/') && !REFUSES_BY_ITSELF.test(file.path),
    broken: (file) =>
      linesWith(file, /\bnew Refusal\(|\b(?:Refusal|refuse)\b.* from '[./]+errors\.ts'/, withoutComments(file.text)),
  },
  {
    sentence: 'The stream and the tools refuse by `refuse` or answer by `refusedWith`',
    applies: (file) => isSource(file) && /^src\/(?:ws|mcp)\//.test(file.path),
    broken: (file) => linesWith(file, /\bnew Refusal\(/, withoutComments(file.text)),
  },
  { sentence: 'No path of one machine', applies: () => true, broken: (file) => linesWith(file, MACHINE_PATH) },
  { sentence: 'No host of a package registry', applies: () => true, broken: (file) => linesWith(file, REGISTRY) },
  {
    sentence: 'No text refers to files outside the repository',
    applies: (file) => isCode(file) || isDocument(file),
    broken: (file) => linesWith(file, /\.\.\/shared\b/),
  },
  {
    sentence: 'A rule that is switched off says why',
    applies: isCode,
    broken: (file) => linesWith(file, /(?:oxlint|eslint)-disable(?!.* -- \S)/),
  },
  {
    sentence: 'References to the specification name a place that it has',
    applies: (file) => isCode(file) || isDocument(file),
    broken: unknownSpecReferences,
  },
  {
    sentence: 'Files of long tests are tagged long, files that do more in the long run are tagged repeated',
    applies: (file) => file.path.endsWith('.test.ts'),
    broken: (file) => {
      const tags = [...file.text.matchAll(/^\/\/ @module-tag (\w+)$/gm)].map(([, tag]) => tag)
      const isLong = file.path.endsWith('.long.test.ts')
      const repeats = file.text.includes("'#support/long.ts'")
      const lacking = isLong ? 'long' : repeats ? 'repeated' : null
      if (lacking !== null && !tags.includes(lacking)) return [`${file.path}: // @module-tag ${lacking} is missing`]
      return !isLong && tags.includes('long') ? [`${file.path}: a file of the tag long is a *.long.test.ts`] : []
    },
  },
]
