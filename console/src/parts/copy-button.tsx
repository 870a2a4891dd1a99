import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { words } from '../words/page-frame.ts'
import { Button } from './page.tsx'

/** Time for which the button shows its result. */
const RESULT_MS = 4_000

const LABELS = { ready: words.copy, copied: words.copied, selected: words.selected } as const

/** Copies the text next to it, and shows the result as its label. Without clipboard access it selects the text. */
export function CopyButton({ what, text }: { readonly what: string; readonly text: string }): JSX.Element {
  const result = useSignal<keyof typeof LABELS>('ready')
  useEffect(() => {
    if (result.value === 'ready') return
    const timer = setTimeout(() => (result.value = 'ready'), RESULT_MS)
    return () => clearTimeout(timer)
  }, [result.value])
  const copy = async (button: HTMLElement): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      result.value = 'copied'
    } catch {
      selectNearby(button)
      result.value = 'selected'
    }
  }
  const label = LABELS[result.value]
  return (
    <Button
      class="quiet"
      icon={result.value === 'copied' ? 'check' : 'copy'}
      label={label}
      aria-label={words.labelOf(label, what)}
      onClick={({ currentTarget }) => void copy(currentTarget)}
    />
  )
}

function selectNearby(button: HTMLElement): void {
  const text = button.closest('section, li, dd')?.querySelector('pre, code')
  if (text) getSelection()?.selectAllChildren(text)
}

interface SecretProps {
  readonly name: string
  readonly about?: string
  readonly text: string
  readonly isLines?: boolean
}

/** A secret that the page shows only once; in `div.handed-over`. */
export function Secret({ name, about, text, isLines = false }: SecretProps): JSX.Element {
  return (
    <section>
      <header>
        <h3>{name}</h3>
        <CopyButton what={name} text={text} />
      </header>
      {about !== undefined && <p class="hint">{about}</p>}
      {/* The focus lets the keyboard scroll long lines. */}
      <pre class={isLines ? 'lines' : 'secret'} tabIndex={0} aria-label={name}>
        {text}
      </pre>
    </section>
  )
}
