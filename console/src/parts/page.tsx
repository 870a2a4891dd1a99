import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useRoute } from 'preact-iso/router'
import { useEffect, useId, useRef } from 'preact/hooks'
import { now } from '../stores/gateway-clock.ts'
import { homeTime, momentWords } from '../stores/home-time.ts'
import { house } from '../stores/home.ts'
import { words } from '../words/page-frame.ts'
import { type IconName, icons } from './icons.ts'

interface PageProps {
  readonly title: string
  /** Age, chips and buttons next to the title. */
  readonly aside?: ComponentChildren
  /** Link to the parent page, above the title. */
  readonly above?: ComponentChildren
  readonly children: ComponentChildren
}

/** The first page leaves the focus at the top; later pages move it to their title. */
let isFirst = true

/** A page with its title, which is also the window's title and takes the focus after navigation. */
export function Page({ title, aside, above, children }: PageProps): JSX.Element {
  // The page's own route: the old page stays until the next one is loaded, and must not react to the new path.
  const { path } = useRoute()
  const heading = useRef<HTMLHeadingElement>(null)
  const home = house.value?.house
  useEffect(() => {
    document.title = home === undefined ? title : `${title} · ${home}`
  }, [title, home])
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true })
    isFirst = false
    document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }, [path])
  return (
    <main>
      {above}
      <div class="title">
        <h1 ref={heading} tabIndex={-1} dir="auto">
          {title}
        </h1>
        {aside}
      </div>
      {children}
    </main>
  )
}

interface CardProps {
  /** Fragment of links to this card: `…#settings`. */
  readonly id?: string
  readonly title: string
  /** Buttons and chips next to the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A section of a page with a heading. */
export function Card({ id: anchor, title, aside, children }: CardProps): JSX.Element {
  const id = useId()
  return (
    <section id={anchor} class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  )
}

/** A term and its description, inside `dl.facts`. */
export function Fact({ term, children }: { readonly term: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </>
  )
}

interface EmptyProps {
  readonly icon: IconName
  readonly sentence: string
  /** A button for the next step. */
  readonly children?: ComponentChildren
}

/** Placeholder of an empty list. */
export function Empty({ icon, sentence, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <Icon name={icon} />
      <p>{sentence}</p>
      {children}
    </div>
  )
}

interface ChipProps {
  /** Colour; the text must say the same. */
  readonly tone?: 'ok' | 'warn' | 'danger' | 'plain'
  readonly icon?: IconName
  readonly label?: string
  readonly children?: ComponentChildren
}

/** A short status label. */
export function Chip({ tone = 'plain', icon, label, children }: ChipProps): JSX.Element {
  return (
    <span class={`chip ${tone}`}>
      {icon && <Icon name={icon} />}
      {label}
      {children}
    </span>
  )
}

/** Age of a moment, updated while it is on the page. `at` in epoch milliseconds. */
export function Age({ at }: { readonly at: number }): JSX.Element {
  return (
    <time dateTime={new Date(at).toISOString()} title={momentWords(at)}>
      {ageWords(at)}
    </time>
  )
}

/** Time of the last event: `last used 12 min ago`, or the text `never`. */
export function LastTime({ at, label, never }: { at: number | null; label: string; never: string }): JSX.Element {
  if (at === null) return <>{never}</>
  return (
    <>
      {label} <Age at={at} />
    </>
  )
}

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]

/** `just now`, `12 min ago`; after a day the date and time at home. */
function ageWords(at: number): string {
  const ms = now.value - at
  if (ms < 10_000) return words.justNow
  if (ms < MINUTE) return words.ago(`${Math.floor(ms / 5_000) * 5} s`)
  if (ms < HOUR) return words.ago(`${Math.floor(ms / MINUTE)} min`)
  if (ms < DAY) return words.ago(`${Math.floor(ms / HOUR)} h`)
  return homeTime(at)
}

/** An icon next to its text; screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={icons[name]} />
    </svg>
  )
}

/**
 * The first `step` items of a list, and a button for as many more, or null at the end. The item at index `included` is
 * always visible.
 */
export function useShowMore<T>(all: readonly T[], step: number, included = -1): [readonly T[], JSX.Element | null] {
  const limit = useSignal(step)
  const count = Math.min(all.length, Math.max(limit.value, included + 1))
  const more = (): number => (limit.value = count + step)
  const label = words.showMore(all.length - count)
  return [all.slice(0, count), count < all.length ? <Button class="quiet more" label={label} onClick={more} /> : null]
}

export interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'children' | 'icon' | 'type'> {
  readonly icon?: IconName
  /** Text; a button with only an icon needs an `aria-label`. */
  readonly label?: string
  /** Action of a click. The button is `aria-disabled` while it runs, because `disabled` would take away the focus. */
  readonly action?: { readonly busy: boolean; readonly run: () => Promise<unknown> }
}

/** A link that looks like a button. */
export const LinkButton = ({ to, label, look = '' }: { to: string; label: string; look?: string }): JSX.Element => (
  <a class={`button ${look}`} href={to}>
    {label}
  </a>
)

/** A button with an optional icon before its text. */
export function Button({ icon, label, action, ...button }: ButtonProps): JSX.Element {
  const actionProps = action && { 'aria-disabled': action.busy, onClick: () => void action.run() }
  return (
    <button {...button} {...actionProps} type="button">
      {icon && <Icon name={icon} />}
      {label}
    </button>
  )
}
