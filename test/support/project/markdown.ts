import { posix } from 'node:path'
import type { ProjectFile } from './source-tree.ts'

/** A document's text with code blocks and code spans blanked: they contain no titles or links. */
function prose(text: string): string {
  const blank = (code: string): string => code.replace(/[^\n]/g, ' ')
  return text.replace(/^(```|~~~)[\s\S]*?^\1[^\n]*$/gm, blank).replace(/(`+)[^`\n]+?\1/g, blank)
}

/** Titles of the first order. A document has one, on its first line. */
export function titlesOf(document: ProjectFile): string[] {
  return [...prose(document.text).matchAll(/^# +(.+)$/gm)].map((match) => match[1]!)
}

/** The anchors of a document's headings, in GitHub's form. */
export function anchorsOf(document: ProjectFile): Set<string> {
  const seen = new Map<string, number>()
  const anchors = new Set<string>()
  // Code spans in headings count; only blocks are removed.
  const text = document.text.replace(/^(```|~~~)[\s\S]*?^\1[^\n]*$/gm, '')
  for (const [, heading = ''] of text.matchAll(/^#{1,6} +(.+)$/gm)) {
    const plain = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[`*]/g, '')
      .trim()
      .toLowerCase()
    const anchor = plain.replace(/[^\p{L}\p{N}\p{Pc} -]/gu, '').replaceAll(' ', '-')
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    anchors.add(before === 0 ? anchor : `${anchor}-${before}`)
  }
  return anchors
}

/**
 * Targets of a document's links and pictures inside the project: `target` as written, `path` from the root, `anchor` if
 * any.
 */
export function linksOf(document: ProjectFile): { target: string; path: string; anchor: string | null }[] {
  const text = prose(document.text)
  const targets = [
    ...[...text.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)].map((match) => match[1]!),
    ...[...text.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm)].map((match) => match[1]!),
  ]
  return targets
    .filter((target) => !/^[a-z][a-z0-9+.-]*:/i.test(target))
    .map((target) => {
      const [file = '', anchor] = target.split('#')
      const path = file === '' ? document.path : posix.join(posix.dirname(document.path), decodeURIComponent(file))
      return { target, path: path.replace(/\/$/, ''), anchor: anchor ?? null }
    })
}

/** Broken links of all documents. */
export function brokenLinks(files: readonly ProjectFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  return files
    .filter((file) => file.path.endsWith('.md'))
    .flatMap((document) =>
      linksOf(document).flatMap(({ target, path, anchor }) => {
        const file = byPath.get(path)
        const isFolder = files.some((other) => other.path.startsWith(`${path}/`))
        if (file === undefined) return isFolder && anchor === null ? [] : [`${document.path}: ${target}`]
        return anchor === null || !file.path.endsWith('.md') || anchorsOf(file).has(anchor)
          ? []
          : [`${document.path}: ${target}`]
      }),
    )
}

const ROOT_FOLDER = /^(?:src|test|scripts|bin|docs|deploy|bench|simulate|openapi|asyncapi|\.ci)\//
const NAMED_FILE =
  /`((?:src|test|scripts|bin|docs|deploy|bench|simulate|openapi|asyncapi|\.ci)\/[\w./-]+|[\w./-]+\.(?:ts|mjs))`/g

/** Missing files that a document names in a code span: by their path from the root, or sources by their name alone. */
export function missingFiles(files: readonly ProjectFile[]): string[] {
  const paths = files.map((file) => file.path)
  const names = new Set(paths.map((path) => posix.basename(path)))
  const isThere = (named: string): boolean =>
    ROOT_FOLDER.test(named)
      ? paths.some((one) => one === named || one.startsWith(`${named}/`))
      : names.has(posix.basename(named))
  return files
    .filter((file) => file.path.endsWith('.md'))
    .flatMap((document) =>
      [...document.text.matchAll(NAMED_FILE)]
        .map((match) => match[1]!.replace(/\/$/, ''))
        .filter((named) => !isThere(named))
        .map((named) => `${document.path}: ${named}`),
    )
}

/** The numbers of a document's headings: `1.2` in `### 1.2 Kinds`, `3` in `## 3. Times and bounds`. */
function numbersOf(document: ProjectFile): Set<string> {
  return new Set([...document.text.matchAll(/^#{2,6} (\d+(?:\.\d+)*)\.? /gm)].map((match) => match[1]!))
}

const CITATION = /docs\/[\w./-]+\.md(?:#(?<anchor>[\w-]+)|,? (?:section )?(?<number>\d+(?:\.\d+)*))?/g

/**
 * Cited pages that do not exist or lack the heading: `docs/energy.md#why` names a heading, `docs/hmhc.md 1.2` a
 * numbered one.
 */
export function brokenCitations(files: readonly ProjectFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  return files
    .filter((file) => !file.path.endsWith('.md'))
    .flatMap((file) =>
      [...file.text.matchAll(CITATION)].flatMap((match) => {
        const { anchor, number } = match.groups!
        const page = byPath.get(/^[^#, ]+/.exec(match[0])![0])
        const stands =
          page !== undefined &&
          (anchor === undefined || anchorsOf(page).has(anchor)) &&
          (number === undefined || numbersOf(page).has(number))
        return stands ? [] : [`${file.path}: ${match[0]}`]
      }),
    )
}
