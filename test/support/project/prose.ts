import { parseSync, Visitor } from 'oxc-parser'
import { isTest, type ProjectFile } from './source-tree.ts'

/** Sentences of one kind and folder, counted together. */
export interface ProseGroup {
  readonly name: string
  readonly sentences: number
  /** Sentences that begin with a pronoun instead of a noun, as `path: sentence`. */
  readonly pronouns: readonly string[]
  /** Sentences that lean on a missing noun, as `path: sentence`. */
  readonly leaning: readonly string[]
  /** Participles as names, as `path: line`. Documents have none. */
  readonly names: readonly string[]
}

/** Per cent of the sentences, and participles (STYLE.md). */
const PROSE_MAX = { pronouns: 3, leaning: 0.5, names: 0 } as const

const PRONOUN =
  /^(?:What|Whether|Who|Whoever|Whom|Whose|Of (?:what|which|whom|these|those|them|one|two|it|all|a)\b|Those|That (?:of|which)|The same|One (?:that|of)|None|Nobody|Nothing|Others|As (?:much|many|it|they)|Also|Without what|By (?:whom|what|which)|For (?:what|whom|whoever)|From (?:whom|what)|In (?:what|which))\b/
const LEANING =
  /\b(?:that of|those of|is none of|of nobody|what (?:is|was|of|it|they|has|comes|came)|whoever|of which|of whom|is told|are told|was said|unless (?:said|told))\b/i
/** Names of public types and JSON fields stay, in the files that declare or pass them. */
const PUBLIC: readonly (readonly [files: RegExp, name: RegExp])[] = [
  [/^(?:client|python\/client|console\/src\/stores)\//, /\bheard\b/g],
  [/^(?:src\/(?:admin|api|cli|exposure)|console|test)\//, /\bgone\b/g],
  [/^(?:src\/(?:admin|backup|cli)|console|test)\//, /\basked\b/g],
  [/^(?:src\/cli\/commands\/trust|test\/cli\/trust\.test)\.ts$/, /\bsaid\b/g],
  [/^(?:simulate\/world\/journal|test\/relay\/what-it-writes\.test)\.ts$/, /\bkept\b/g],
]
const PARTICIPLE = /(?<![.\w])(?:told|asked|said|each|given|shown|heard|kept|gone|beside)\b/

const SENTENCE_END = /(?<=[.!?:])\s+(?=[A-Z])/
const WORDS = { least: 2, most: 80 }
/** A text of fewer words without a capital is a key, not a sentence. */
const WORDS_OF_TEXT = 4
const SQL = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|PRAGMA|ALTER|DROP|BEGIN)\b/

const GENERATED = /^(?:client\/src|console\/src\/lib)\/(?:admin-)?contract\.ts$/
const SCRIPT = /\.(?:tsx?|mts|m?js)$/

/** Parts of one file: its comments, the texts in its code, and its code without both. */
interface Words {
  readonly comments: readonly string[]
  readonly texts: readonly string[]
  readonly code: string
}

/** The groups of all folders: comments, texts, tests and documents. */
export function proseOf(files: readonly ProjectFile[]): readonly ProseGroup[] {
  const groups = new Map<string, { sentences: number; pronouns: string[]; leaning: string[]; names: string[] }>()
  const add = (name: string, { path }: ProjectFile, parts: readonly string[], code = ''): void => {
    const group = groups.get(name) ?? { sentences: 0, pronouns: [], leaning: [], names: [] }
    groups.set(name, group)
    const sentences = parts.flatMap(sentencesOf)
    const found = (pattern: RegExp, among: readonly string[]): string[] =>
      among.filter((one) => pattern.test(one)).map((one) => `${path}: ${one.trim()}`)
    group.sentences += sentences.length
    group.pronouns.push(...found(PRONOUN, sentences))
    group.leaning.push(...found(LEANING, sentences))
    const own = PUBLIC.reduce((rest, [files, name]) => (files.test(path) ? rest.replaceAll(name, ' ') : rest), code)
    group.names.push(...found(PARTICIPLE, own.split('\n')))
  }
  for (const file of files) {
    if (GENERATED.test(file.path)) continue
    const words = wordsOf(file)
    if (words === null) {
      if (isDocument(file)) add('documents', file, paragraphsOf(file.text))
      continue
    }
    const isOfTest = isTest(file) || /(?:^|\/)tests?\//.test(file.path)
    const folder = isOfTest ? 'test' : topOf(file.path)
    add(`comments of ${folder}`, file, words.comments, words.code)
    add(`texts of ${folder}`, file, words.texts)
  }
  return [...groups].map(([name, group]) => ({ name, ...group })).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Bounds that a group breaks, each with its sentences. */
export function brokenProse({ name, sentences, pronouns, leaning, names }: ProseGroup): readonly string[] {
  const over = (found: readonly string[], share: number): boolean => found.length > (sentences * share) / 100
  return [
    ...(over(pronouns, PROSE_MAX.pronouns) ? pronouns.map((one) => `${name}, begins with a pronoun: ${one}`) : []),
    ...(over(leaning, PROSE_MAX.leaning) ? leaning.map((one) => `${name}, leans on a missing noun: ${one}`) : []),
    ...names.map((one) => `${name}, a participle as a name: ${one}`),
  ]
}

const topOf = (path: string): string => (path.includes('/') ? path.split('/')[0]! : 'root')
/** The changelog keeps the words of its time. */
const isDocument = ({ path }: ProjectFile): boolean => path.endsWith('.md') && path !== 'CHANGELOG.md'

function sentencesOf(part: string): string[] {
  return part
    .split(/\s+/)
    .join(' ')
    .trim()
    .split(SENTENCE_END)
    .filter((sentence) => {
      const words = sentence.split(' ').length
      return words >= WORDS.least && words < WORDS.most
    })
}

function wordsOf(file: ProjectFile): Words | null {
  if (SCRIPT.test(file.path)) return wordsOfScript(file)
  return file.path.endsWith('.py') ? wordsOfPython(file.text) : null
}

function wordsOfScript({ path, text }: ProjectFile): Words {
  const { comments, program } = parseSync(path, text)
  const texts: string[] = []
  const quoted: { readonly start: number; readonly end: number }[] = []
  const take = (node: { start: number; end: number }, value: string): void => {
    quoted.push(node)
    if (isSentence(value)) texts.push(value)
  }
  new Visitor({
    Literal: (node) => {
      if (typeof node.value === 'string' || 'regex' in node)
        take(node, typeof node.value === 'string' ? node.value : '')
    },
    TemplateLiteral: (node) => {
      if (isSentence(node.quasis.map(({ value }) => value.cooked ?? '').join('…')))
        texts.push(node.quasis.map(({ value }) => value.cooked ?? '').join('…'))
      quoted.push(...node.quasis)
    },
    JSXText: (node) => take(node, node.value),
  }).visit(program)
  const code = blanked(text, [...comments, ...quoted])
  return { comments: joinedLines(comments, text), texts, code }
}

/** Lines of `//` in a row are one comment. */
function joinedLines(
  comments: readonly { readonly type: string; readonly value: string; readonly start: number; readonly end: number }[],
  text: string,
): string[] {
  const joined: string[] = []
  let end = -1
  for (const comment of comments) {
    const value = comment.type === 'Line' ? comment.value : comment.value.replaceAll(/^\s*\*/gm, '')
    if (comment.type === 'Line' && end >= 0 && /^\s*$/.test(text.slice(end, comment.start)))
      joined.push(`${joined.pop()} ${value}`)
    else joined.push(value)
    end = comment.type === 'Line' ? comment.end : -1
  }
  return joined
}

/** Spaces instead of the parts, so that lines stay where they are. */
function blanked(text: string, parts: readonly { readonly start: number; readonly end: number }[]): string {
  const pieces: string[] = []
  let at = 0
  for (const { start, end } of parts.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue
    pieces.push(text.slice(at, start), text.slice(start, end).replaceAll(/[^\n]/g, ' '))
    at = end
  }
  return pieces.join('') + text.slice(at)
}

function isSentence(text: string): boolean {
  if (SQL.test(text) || !/[a-z]{2}/.test(text)) return false
  const words = text
    .trim()
    .split(/\s+/)
    .filter((word) => /^\W*[A-Za-z]/.test(word)).length
  return words >= WORDS_OF_TEXT || (words >= WORDS.least && /^\W*[A-Z]/.test(text))
}

function wordsOfPython(text: string): Words {
  const docstrings = [...text.matchAll(/"""([\s\S]*?)"""/g)].map(([, inside = '']) => inside)
  const rest = text.replaceAll(/"""[\s\S]*?"""/g, (all) => all.replaceAll(/[^\n]/g, ' '))
  const comments = [...rest.matchAll(/(?:^[ \t]*#[^\n]*\n?)+/gm)].map(([block]) => block.replaceAll(/^[ \t]*#/gm, ''))
  const withoutComments = rest.replaceAll(/^[ \t]*#[^\n]*/gm, '')
  const quoted = /f?"(?:[^"\\\n]|\\.)*"|f?'(?:[^'\\\n]|\\.)*'/g
  const texts = [...withoutComments.matchAll(quoted)].map(([literal]) => literal.replaceAll(/^f?["']|["']$/g, ''))
  return {
    comments: [...docstrings, ...comments],
    texts: texts.filter(isSentence),
    code: withoutComments.replaceAll(quoted, ' '),
  }
}

/** Paragraphs and list items of Markdown, without code, tables and titles. */
function paragraphsOf(text: string): string[] {
  return text
    .replaceAll(/```[\s\S]*?```/g, '')
    .split(/\n\s*\n|\n(?=[-*#]|\d+\.)/)
    .filter((part) => !/^\s*[|#]/.test(part))
    .map((part) => part.trim().replace(/^(?:[-*]|\d+\.)\s+/, ''))
}
