/** What is said beside the answer, on the error channel: so what a command prints can be piped. */
export function said(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}
