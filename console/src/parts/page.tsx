import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useRoute } from 'preact-iso/router'
import { useEffect, useId, useRef } from 'preact/hooks'
import { now } from '../stores/gateway-clock.ts'
import { homeTime, momentWords } from '../stores/home-time.ts'
import { house } from '../stores/home.ts'
import { words } from '../words/frame.ts'
import { type IconName, icons } from './icons.ts'

interface PageProps {
  readonly title: string
  /** What stands beside the title: an age, chips, buttons. */
  readonly beside?: ComponentChildren
  /** The way up, above the title. */
  readonly above?: ComponentChildren
  readonly children: ComponentChildren
}

/** Whoever opens the console begins at its top; whoever goes on to another page begins at that page's title. */
let isFirst = true

/** A page: its title in the window and as heading, which has the focus after each step from page to page. */
export function Page({ title, beside, above, children }: PageProps): JSX.Element {
  // Of its own route: the page that is left stays until the next one is loaded, and must not take the step as its own.
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
        {beside}
      </div>
      {children}
    </main>
  )
}

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

/** A term and what it is, inside `dl.facts`. */
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
  /** One sentence. */
  readonly sentence: string
  /** One button, where there is something to do about it. */
  readonly children?: ComponentChildren
}

/** Where there is nothing yet. */
export function Empty({ icon, sentence, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <Icon of={icon} />
      <p>{sentence}</p>
      {children}
    </div>
  )
}

interface ChipProps {
  /** What it means; its words say the same. */
  readonly tone?: 'ok' | 'warn' | 'danger' | 'plain'
  readonly icon?: IconName
  readonly says?: string
  readonly children?: ComponentChildren
}

/** A word or two on how something is. */
export function Chip({ tone = 'plain', icon, says, children }: ChipProps): JSX.Element {
  return (
    <span class={`chip ${tone}`}>
      {icon && <Icon of={icon} />}
      {says}
      {children}
    </span>
  )
}

/** How long ago something was; it goes on by itself. `at` in epoch milliseconds. */
export function Age({ at }: { readonly at: number }): JSX.Element {
  return (
    <time dateTime={new Date(at).toISOString()} title={momentWords(at)}>
      {ageWords(at)}
    </time>
  )
}

/** When something was last: `last used 12 min ago`; where it never was, that. */
export function Last({ at, said, never }: { at: number | null; said: string; never: string }): JSX.Element {
  if (at === null) return <>{never}</>
  return (
    <>
      {said} <Age at={at} />
    </>
  )
}

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]

/** How long ago `at` was: `just now`, `12 min ago`, after a day its date and time at home. */
function ageWords(at: number): string {
  const ms = now.value - at
  if (ms < 10_000) return words.justNow
  if (ms < MINUTE) return words.ago(`${Math.floor(ms / 5_000) * 5} s`)
  if (ms < HOUR) return words.ago(`${Math.floor(ms / MINUTE)} min`)
  if (ms < DAY) return words.ago(`${Math.floor(ms / HOUR)} h`)
  return homeTime(at)
}

/** A picture beside words that say the same; it is nothing to those who listen. */
export function Icon({ of }: { readonly of: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={icons[of]} />
    </svg>
  )
}

/**
 * The first so many of a list, and the way to as many more, null where all are shown; `wanted` is the place of one that
 * is shown in any case.
 */
export function useFirst<T>(all: readonly T[], first: number, wanted = -1): [readonly T[], JSX.Element | null] {
  const asked = useSignal(first)
  const count = Math.min(all.length, Math.max(asked.value, wanted + 1))
  const more = (): number => (asked.value = count + first)
  const left = words.showMore(all.length - count)
  return [all.slice(0, count), count < all.length ? <Button class="quiet more" says={left} onClick={more} /> : null]
}

export interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'children' | 'icon' | 'type'> {
  readonly icon?: IconName
  /** Its text; one that is a picture alone has an `aria-label`. */
  readonly says?: string
  /** The action of a click. While it runs the button is `aria-disabled`: one that is `disabled` loses the focus. */
  readonly does?: { readonly busy: boolean; readonly run: () => Promise<unknown> }
}

/** A link that looks like a button. */
export const LinkButton = ({ to, says, look = '' }: { to: string; says: string; look?: string }): JSX.Element => (
  <a class={`button ${look}`} href={to}>
    {says}
  </a>
)

/** A button with its text, and a picture before it. */
export function Button({ icon, says, does, ...button }: ButtonProps): JSX.Element {
  const action = does && { 'aria-disabled': does.busy, onClick: () => void does.run() }
  return (
    <button {...button} {...action} type="button">
      {icon && <Icon of={icon} />}
      {says}
    </button>
  )
}
