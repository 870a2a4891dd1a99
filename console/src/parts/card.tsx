import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'

interface CardProps {
  /** What a link names it by: `…#settings`. */
  readonly id?: string
  readonly title: string
  /** Buttons and chips beside the title. */
  readonly beside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A part of a page, under a heading of its own. */
export function Card({ id: place, title, beside, children }: CardProps): JSX.Element {
  const id = useId()
  return (
    <section id={place} class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {beside}
      </header>
      {children}
    </section>
  )
}

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
