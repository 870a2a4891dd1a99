import { describe, expect, test } from 'vitest'
import { brokenProse, proseOf } from '#support/project/prose.ts'
import { projectFiles, type ProjectFile } from '#support/project/source-tree.ts'
import { TIDY_RULES } from '#support/project/tidy-rules.ts'

// This file is full of planted defects.
const files = projectFiles().filter((file) => file.path !== 'test/structure/tidy.test.ts')

describe('the project is tidy', () => {
  test.each(TIDY_RULES)('$sentence', ({ applies, broken }) => {
    const inspected = files.filter(applies)
    expect(inspected.length).toBeGreaterThan(0)
    expect(inspected.flatMap(broken)).toEqual([])
  })
})

describe('sentences have a noun', () => {
  test.each(proseOf(files))('$name', (group) => {
    expect(brokenProse(group)).toEqual([])
  })

  const brokenBy = (path: string, text: string): readonly string[] => proseOf([{ path, text }]).flatMap(brokenProse)

  test.each([
    ['src/hall.ts', '/** What is kept of it. */\n', 'begins with a pronoun'],
    ['src/hall.ts', '// The name, and\n// that of the room.\n', 'leans on a missing noun'],
    ['src/hall.ts', "throw new Error('Nobody is there to open the door.')\n", 'begins with a pronoun'],
    ['src/hall.ts', 'for (const each of lamps) light(each)\n', 'a participle as a name'],
    ['console/src/hall.tsx', 'export const Hall = () => <p>What you see here is the hall.</p>\n', 'begins with'],
    ['python/hall.py', 'def hall():\n    """Whoever lives there."""\n', 'begins with a pronoun'],
    ['docs/hall.md', '# Hall\n\nNobody lives there.\n', 'begins with a pronoun'],
  ])('planted in %s: %j', (path, text, fault) => {
    expect(brokenBy(path, text)).toContainEqual(expect.stringContaining(fault))
  })

  test('none in a sound file', () => {
    expect(brokenBy('src/hall.ts', "/** Name of the hall. */\nexport const hall = 'The hall of the house'\n")).toEqual(
      [],
    )
  })
})

describe('the rules find what is planted', () => {
  const brokenBy = (path: string, text: string): string[] => {
    const file: ProjectFile = { path, text }
    return TIDY_RULES.filter((rule) => rule.applies(file) && rule.broken(file).length > 0).map((rule) => rule.sentence)
  }

  test('nothing in a sound file', () => {
    expect(
      brokenBy('src/home/hall.ts', '// Spec 4 rule 7: the hall keeps its name.\nexport const hall = new Date(0)\n'),
    ).toEqual([])
    expect(brokenBy('docs/hall.md', '# The hall\n\nA key used to open it is shown once.\n')).toEqual([])
  })

  test.each([
    ['src/home/hall.ts', `export const hall = [${'1, '.repeat(60)}]\n`, 'Lines of code fit the screen'],
    [
      'src/home/greatHall.ts',
      '\n',
      'File names are words in lower case, joined by hyphens, and no drawer for everything',
    ],
    ['src/home/utils.ts', '\n', 'File names are words in lower case, joined by hyphens, and no drawer for everything'],
    ['src/home/hall.ts', '// TODO: light\n', 'No work is left unfinished'],
    ['.ci/run', '# FIXME\n', 'No work is left unfinished'],
    ['src/home/hall.ts', '// The light was previously here.\n', 'Comments describe the present, never the past'],
    ['src/home/hall.ts', '/**\n * Formerly the kitchen.\n */\n', 'Comments describe the present, never the past'],
    ['docs/hall.md', '# Hall\n\nThis was renamed.\n', 'Documents describe the present, never the past'],
    [
      'src/home/hall.ts',
      'export const now = (): Date => new Date()\n',
      'Time is an argument: no source asks the machine for today',
    ],
    [
      'test/hall.test.ts',
      'await vi.waitFor(() => expect(light.on).toBe(true))\n',
      'Tests wait by expect.poll, for as long as vitest.config.ts says',
    ],
    [
      'src/api/handlers/hall.ts',
      "throw new Refusal('not_found')\n",
      'Handlers refuse with what their endpoint declares, by the refuse that they are given',
    ],
    [
      'src/api/unlocking.ts',
      "import { type ErrorCode, refuse } from './errors.ts'\n",
      'Handlers refuse with what their endpoint declares, by the refuse that they are given',
    ],
    ['README.md', '# Hall\n\nSee /root/somewhere/hall.\n', 'No path of one machine'],
    [
      'package-lock.json',
      `"resolved": "https://${['registry', 'npmjs', 'org'].join('.')}/hall"\n`,
      'No host of a package registry',
    ],
    ['docs/hall.md', '# Hall\n\n[spec](../shared/spec)\n', 'No text refers to files outside the repository'],
    ['src/home/hall.ts', '// oxlint-disable-next-line no-console\n', 'A rule that is switched off says why'],
    [
      'src/home/hall.ts',
      '// Spec 4 rule 14: there is none.\n',
      'References to the specification name a place that it has',
    ],
    [
      'src/home/hall.long.test.ts',
      "import { hall } from './hall.ts'\n",
      'Files of long tests are tagged long, files that do more in the long run are tagged repeated',
    ],
    [
      'src/home/hall.test.ts',
      "import { times } from '#support/long.ts'\n",
      'Files of long tests are tagged long, files that do more in the long run are tagged repeated',
    ],
    ['src/home/hall.ts', '// Spec 2.9: there is none.\n', 'References to the specification name a place that it has'],
  ])('%s with %j', (path, text, sentence) => {
    expect(brokenBy(path, text)).toContain(sentence)
  })
})
