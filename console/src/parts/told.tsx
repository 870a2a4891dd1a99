import type { ComponentChild, JSX } from 'preact'

/** A sentence of the gateway, or of the console, in which commands stand in backticks. */
export function Told({ children }: { readonly children: string }): JSX.Element {
  return <>{withCode(children)}</>
}

/** Every second part stood in backticks; one that is never closed is no command. */
function withCode(sentence: string): readonly ComponentChild[] {
  const parts = sentence.split('`')
  if (parts.length % 2 === 0) return [sentence]
  return parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))
}
