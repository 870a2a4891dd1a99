// `npm run figures`: the sources in numbers, each beside its bound; ends with 1 where a bound is broken. `--bounds`, as
// `npm test` runs it, leaves out the costly figures that have none.

import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { parseSync, Visitor } from 'oxc-parser'
import { z } from 'zod'
import { adminContract } from '../../src/admin/contract/index.ts'
import { codeLines } from '#support/project/code-lines.ts'
import { importsOf } from '#support/project/imports.ts'
import { floorOf, STRUCTURE_RULES } from '#support/project/layers.ts'
import { proseOf } from '#support/project/prose.ts'
import { isTest, isTypeScript, PROJECT_ROOT, projectFiles, type ProjectFile } from '#support/project/source-tree.ts'

interface Figure {
  readonly name: string
  readonly value: number
  /** The most it may be; none: it is only told. */
  readonly max?: number
  /** Items over the bound. */
  readonly which?: readonly string[]
}

/** Counted parts of one file. */
interface Parsed {
  readonly path: string
  readonly lines: number
  readonly longLines: number
  /** Lines of each function, with those inside it. */
  readonly functions: readonly { readonly place: string; readonly lines: number }[]
  readonly casts: readonly string[]
  readonly strings: readonly { readonly place: string; readonly text: string }[]
}

const COLUMNS_MAX = 120

function parse({ path, text }: ProjectFile): Parsed {
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  const lineOf = (offset: number): number => lineStarts.findLastIndex((start) => start <= offset) + 1
  const functions: { place: string; lines: number }[] = []
  const casts: string[] = []
  const strings: { place: string; text: string }[] = []
  const place = (node: { start: number }): string => `${path}:${lineOf(node.start)}`
  const measure = (node: { start: number; end: number }): void => {
    functions.push({ place: place(node), lines: lineOf(node.end) - lineOf(node.start) + 1 })
  }
  new Visitor({
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
    TSAsExpression: (node) => {
      const written = text.slice(node.typeAnnotation.start, node.typeAnnotation.end)
      if (written !== 'const') casts.push(place(node))
    },
    Literal: (node) => {
      if (typeof node.value === 'string') strings.push({ place: place(node), text: node.value })
    },
    TemplateLiteral: (node) => {
      strings.push({ place: place(node), text: node.quasis.map(({ value }) => value.cooked ?? '').join('*') })
    },
  }).visit(parseSync(path, text).program)
  const lines = text.trimEnd().split('\n')
  return {
    path,
    lines: lines.length,
    longLines: lines.filter((line) => line.length > COLUMNS_MAX).length,
    functions,
    casts,
    strings,
  }
}

/** The value that `share` of the values do not exceed. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>

function graphOf(files: readonly ProjectFile[], nodeOf: (path: string) => string | null): Graph {
  const graph = new Map<string, Set<string>>()
  for (const file of files) {
    const from = nodeOf(file.path)
    if (from === null) continue
    const to = graph.get(from) ?? new Set()
    graph.set(from, to)
    for (const one of importsOf(file)) {
      const target = one.kind === 'file' ? nodeOf(one.file) : null
      if (target !== null && target !== from) to.add(target)
    }
  }
  return graph
}

function reachableFrom(graph: Graph, start: string): Set<string> {
  const reached = new Set<string>()
  const open = [...(graph.get(start) ?? [])]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (reached.has(node)) continue
    reached.add(node)
    open.push(...(graph.get(node) ?? []))
  }
  return reached
}

/** Groups of nodes that reach each other. */
function cyclesOf(graph: Graph): string[] {
  const reached = new Map([...graph.keys()].map((node) => [node, reachableFrom(graph, node)]))
  const groups = [...graph.keys()]
    .filter((node) => reached.get(node)?.has(node))
    .map((node) =>
      [...graph.keys()]
        .filter((other) => reached.get(node)?.has(other) && reached.get(other)?.has(node))
        .toSorted()
        .join(', '),
    )
  return [...new Set(groups)]
}

/** The longest chain of imports that begins at a node; nodes of a cycle do not count twice. */
function longestChain(graph: Graph, start: string): string[] {
  const longest = new Map<string, string[]>()
  const from = (node: string, above: ReadonlySet<string>): string[] => {
    const known = longest.get(node)
    if (known) return known
    const below = [...(graph.get(node) ?? [])].filter((next) => !above.has(next))
    const chains = below.map((next) => from(next, new Set([...above, node])))
    const chain = [node, ...chains.reduce((best, one) => (one.length > best.length ? one : best), [])]
    longest.set(node, chain)
    return chain
  }
  return from(start, new Set())
}

/** Paths of the service that callers inside spell instead of naming the endpoint. */
function pathsSpelt(parsed: readonly Parsed[]): string[] {
  const segments = new Set(
    parsed
      .filter(({ path }) => path.startsWith('src/api/'))
      .flatMap(({ strings }) => strings)
      .flatMap(({ text }) => /^\/(?:admin\/)?v1\/([a-z-]+)/.exec(text)?.[1] ?? []),
  )
  return parsed
    .filter(({ path }) => /^src\/(?:cli\/(?!client\/)|mcp\/)/.test(path))
    .flatMap(({ strings }) => strings)
    .filter(({ text }) => {
      const first = /^\/(?:admin\/)?(?:v1\/)?([a-z-]+|\*)(?:$|[/?*])/.exec(text)?.[1]
      return first !== undefined && (text.startsWith('/v1/') || segments.has(first))
    })
    .map(({ place, text }) => `${place} ${text}`)
}

/** True if a schema describes the response. */
function declares(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodAny || schema instanceof z.ZodUnknown) return false
  return (
    !(schema instanceof z.ZodObject) ||
    Object.keys(schema.shape).length > 0 ||
    schema.def.catchall instanceof z.ZodNever
  )
}

function structure(files: readonly ProjectFile[]): Figure[] {
  const sources = files.filter(isSource)
  const paths = new Set(sources.map(({ path }) => path))
  const rooms = graphOf(sources, floorOf)
  const chain = longestChain(rooms, 'main.ts')
  const up = STRUCTURE_RULES.filter(({ sentence }) => ARROW_RULES.test(sentence)).flatMap(({ broken }) => broken(files))
  const cycles = [...cyclesOf(rooms), ...cyclesOf(graphOf(sources, (path) => (paths.has(path) ? path : null)))]
  return [
    { name: 'rooms: folders of src', value: rooms.size },
    { name: 'floors: longest chain of rooms', value: chain.length, max: 9, which: [chain.join(' > ')] },
    { name: 'arrows up', value: up.length, max: 0, which: up },
    { name: 'cycles of files or rooms, types included', value: cycles.length, max: 0, which: cycles },
  ]
}

const ARROW_RULES = /stands on a floor|Adapters know/
const isSource = (file: ProjectFile): boolean =>
  /^(?:src|simulate|relay|client\/src|console\/src)\//.test(file.path) &&
  // Written from the documents.
  !/^(?:client\/src|console\/src\/lib)\/(?:admin-)?contract\.ts$/.test(file.path) &&
  isTypeScript(file) &&
  !isTest(file)

/** Lines of code of all folders outside tests. */
function codeFigures(files: readonly ProjectFile[]): Figure[] {
  const { total, generated, folders } = codeLines(files)
  return [
    { name: 'code lines outside tests', value: total },
    ...[...folders].map(([folder, value]) => ({ name: `code lines of ${folder}`, value })),
    { name: 'code lines of generated files, apart', value: generated },
  ]
}

function figuresOf(files: readonly ProjectFile[]): Figure[] {
  const parsed = files.filter(isSource).map(parse)
  const lines = parsed.map((file) => file.lines)
  const functions = parsed.flatMap((file) => file.functions)
  const lengths = functions.map((one) => one.lines)
  const longer = (than: number): string[] =>
    functions.filter((one) => one.lines > than).map((one) => `${one.place}: ${one.lines}`)
  const paths = pathsSpelt(parsed)
  const undeclared = Object.entries(adminContract).flatMap(([name, { answer }]) => (declares(answer) ? [] : [name]))
  return [
    { name: 'files', value: parsed.length },
    { name: 'lines', value: lines.reduce((sum, one) => sum + one, 0) },
    { name: 'lines of a file: median', value: quantile(lines, 0.5) },
    { name: 'lines of a file: p90', value: quantile(lines, 0.9) },
    {
      name: 'lines of a file: most',
      value: Math.max(...lines),
      max: 400,
      which: parsed.filter((file) => file.lines > 400).map((file) => `${file.path}: ${file.lines}`),
    },
    { name: 'lines over 120 columns', value: parsed.reduce((sum, file) => sum + file.longLines, 0) },
    { name: 'functions', value: functions.length },
    { name: 'lines of a function: median', value: quantile(lengths, 0.5) },
    { name: 'lines of a function: p90', value: quantile(lengths, 0.9), max: 20 },
    { name: 'functions over 40 lines', value: longer(40).length },
    { name: 'functions over 60 lines', value: longer(60).length, max: 0, which: longer(60) },
    ...structure(files),
    { name: 'casts other than const', value: parsed.flatMap((file) => file.casts).length },
    { name: 'service paths spelt in cli and mcp', value: paths.length, max: 0, which: paths },
    { name: 'administrators’ endpoints of undeclared answer', value: undeclared.length, max: 0, which: undeclared },
  ]
}

/** Shares of sentences in the dialect, and participles as names, of each kind and folder. */
function proseFigures(files: readonly ProjectFile[]): Figure[] {
  return proseOf(files).flatMap(({ name, sentences, pronouns, leaning, names }) => {
    const share = (found: readonly string[]): number => Math.round((1000 * found.length) / sentences) / 10
    return [
      { name: `${name}: % that begin with a pronoun`, value: share(pronouns) },
      { name: `${name}: % that lean on a missing noun`, value: share(leaning) },
      ...(name.startsWith('comments') ? [{ name: `${name}: participles as names`, value: names.length }] : []),
    ].filter(({ value }) => Number.isFinite(value))
  })
}

/** The client as a page loads it. */
async function clientFigures(): Promise<Figure[]> {
  const entryPoints = ['client/src/browser.ts']
  const options = { bundle: true, minify: true, format: 'esm', target: 'es2022', write: false } as const
  const { outputFiles } = await build({ entryPoints, absWorkingDir: PROJECT_ROOT, ...options })
  const value = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0)
  return [{ name: 'client for browsers: bytes as gzip', value, max: 5_000 }]
}

const files = projectFiles()
const unbounded = process.argv.includes('--bounds') ? [] : [...codeFigures(files), ...proseFigures(files)]
const figures = [...unbounded, ...figuresOf(files), ...(await clientFigures())]
for (const { name, value, max } of figures)
  console.log(`${name.padEnd(48)}${String(value).padStart(7)}${max === undefined ? '' : `   at most ${max}`}`)
const broken = figures.filter(({ value, max }) => max !== undefined && value > max)
for (const { name, which = [] } of broken) console.error(`\n${name}:\n${which.map((one) => `  ${one}`).join('\n')}`)
process.exitCode = broken.length > 0 ? 1 : 0
