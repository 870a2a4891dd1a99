import type { ComponentChildren, JSX } from 'preact'
import { useRoute } from 'preact-iso/router'
import { useEffect, useRef } from 'preact/hooks'
import { house } from '../stores/home.ts'

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
