import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { words } from '../words/frame.ts'
import { Button } from './page.tsx'

/** So long the button says how it went. */
const SAID_MS = 4_000

const WORDS = { ready: words.copy, copied: words.copied, selected: words.selected } as const

/**
 * Copies a text that is shown beside it; says so by its own name, so that nobody has to look elsewhere. Where the
 * browser does not let it, the text is selected.
 */
export function CopyButton({ what, text }: { readonly what: string; readonly text: string }): JSX.Element {
  const went = useSignal<keyof typeof WORDS>('ready')
  useEffect(() => {
    if (went.value === 'ready') return
    const timer = setTimeout(() => (went.value = 'ready'), SAID_MS)
    return () => clearTimeout(timer)
  }, [went.value])
  const copy = async (button: HTMLElement): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      went.value = 'copied'
    } catch {
      selectBeside(button)
      went.value = 'selected'
    }
  }
  const said = WORDS[went.value]
  return (
    <Button
      class="quiet"
      icon={went.value === 'copied' ? 'check' : 'copy'}
      says={said}
      aria-label={words.sayOf(said, what)}
      onClick={({ currentTarget }) => void copy(currentTarget)}
    />
  )
}

function selectBeside(button: HTMLElement): void {
  const shown = button.closest('section, li, dd')?.querySelector('pre, code')
  if (shown) getSelection()?.selectAllChildren(shown)
}

interface SecretProps {
  readonly name: string
  readonly about?: string
  readonly text: string
  readonly isLines?: boolean
}

/** Something to be stored elsewhere, which is shown this once; in `div.handed-over`. */
export function Secret({ name, about, text, isLines = false }: SecretProps): JSX.Element {
  return (
    <section>
      <header>
        <h3>{name}</h3>
        <CopyButton what={name} text={text} />
      </header>
      {about !== undefined && <p class="hint">{about}</p>}
      {/* What is wider than the dialog is scrolled, by keyboard too. */}
      <pre class={isLines ? 'lines' : 'secret'} tabIndex={0} aria-label={name}>
        {text}
      </pre>
    </section>
  )
}
