/** Rows as a table of plain text: columns as wide as they need, nothing cut. */
export function table(headers: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  const cells = [headers, ...rows.map((row) => row.map((cell) => (cell === null ? '-' : String(cell))))]
  const widths = headers.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)))
  return cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n')
}

/** An epoch as local time to the second, or a dash. */
export function when(at: unknown): string {
  return typeof at === 'number' ? new Date(at).toLocaleString('sv-SE') : '-'
}

/** A value of an answer in a line of text. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return typeof value === 'object' ? JSON.stringify(value) : `${value as string | number | boolean}`
}

export function write(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}
