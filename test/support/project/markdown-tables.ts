export interface MarkdownTable {
  readonly headers: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** The tables of a page, cell by cell. No page of ours has a bar inside a cell. */
export function tablesOf(text: string): MarkdownTable[] {
  const blocks = text.match(/(?:^\|.*\|\n)+/gm) ?? []
  return blocks.map((block) => {
    const [headers = [], , ...rows] = block
      .trim()
      .split('\n')
      .map((line) =>
        line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      )
    return { headers, rows }
  })
}

/** The code blocks of a page in one language. */
export function codeBlocksOf(text: string, language: string): string[] {
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter((match) => match[1] === language)
    .map((match) => match[2]!)
}
