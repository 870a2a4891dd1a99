import type { ComponentChildren, JSX } from 'preact'

interface FactProps {
  readonly term: string
  readonly children: ComponentChildren
}

/** A term and what it is, inside `dl.facts`. */
export function Fact({ term, children }: FactProps): JSX.Element {
  return (
    <>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </>
  )
}
