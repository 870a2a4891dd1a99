import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { BackupsPhraseAnswer } from '../../lib/admin-contract.ts'
import { useAction } from '../../parts/action.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { textOf } from '../../parts/form-text.ts'
import { Problem } from '../../parts/problem.tsx'
import { about } from '../../stores/about.ts'
import { house } from '../../stores/home.ts'
import { momentWords } from '../../stores/home-time.ts'
import { tell } from '../../stores/notices.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/backup.ts'
import { words as frame } from '../../words/frame.ts'

/** Makes a recovery phrase: shows it once, as a sheet to print, and asks two of its words back. */
export function PhraseDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const made = useSignal<BackupsPhraseAnswer | null>(null)
  const isWritten = useSignal(false)
  const { run, said } = useAction(async () => {
    made.value = await admin.call('post', '/admin/v1/backups/phrase')
  })
  // Each asking makes another one.
  useEffect(() => void run(), [])
  if (made.value === null)
    return (
      <Dialog title={words.phraseTitle} onClose={onClose}>
        {said === null ? <p class="wait">{frame.loading}</p> : <Problem error={said} onAgain={() => void run()} />}
      </Dialog>
    )
  if (isWritten.value)
    return <AskBack asked={made.value.asked} onBack={() => (isWritten.value = false)} onClose={onClose} />
  return <Sheet phrase={made.value} onWritten={() => (isWritten.value = true)} onClose={onClose} />
}

interface SheetProps {
  readonly phrase: BackupsPhraseAnswer
  readonly onWritten: () => void
  readonly onClose: () => void
}

function Sheet({ phrase, onWritten, onClose }: SheetProps): JSX.Element {
  return (
    <Dialog title={words.sheetTitle(house.value?.house ?? '')}>
      <div class="phrase">
        <p>{words.aboutSheet(about.value?.gateway ?? '')}</p>
        <ol>
          {phrase.words.map((word, place) => (
            <li key={place}>{word}</li>
          ))}
        </ol>
        <p class="hint">{words.until(momentWords(phrase.expiresAt))}</p>
      </div>
      <div class="actions">
        <button type="button" onClick={onClose}>
          {frame.cancel}
        </button>
        <button type="button" onClick={() => window.print()}>
          {words.print}
        </button>
        <button type="button" class="main" onClick={onWritten}>
          {words.written}
        </button>
      </div>
    </Dialog>
  )
}

interface AskBackProps {
  readonly asked: readonly number[]
  readonly onBack: () => void
  readonly onClose: () => void
}

function AskBack({ asked, onBack, onClose }: AskBackProps): JSX.Element {
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    const typed = asked.map((place) => textOf(form, `word-${place}`).trim().toLowerCase())
    await admin.call('post', '/admin/v1/backups/phrase/confirm', { body: { words: typed } })
    tell(words.confirmed)
    onClose()
  })
  return (
    <Dialog title={words.phraseTitle} onClose={onClose}>
      <p>{words.askBack}</p>
      <Form verb={words.confirm} busy={busy} onSubmit={run} onCancel={onBack} cancel={words.showAgain}>
        {asked.map((place, at) => (
          <Field
            key={place}
            label={words.wordAt(place)}
            name={`word-${place}`}
            required
            autocomplete="off"
            spellcheck={false}
            said={at === asked.length - 1 ? said : null}
          />
        ))}
      </Form>
    </Dialog>
  )
}
