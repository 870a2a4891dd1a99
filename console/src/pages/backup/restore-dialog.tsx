import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Restoring } from '../../lib/admin-contract.ts'
import { useAction } from '../../parts/action.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { textOf } from '../../parts/form-text.ts'
import { Problem } from '../../parts/problem.tsx'
import { words } from '../../words/backup.ts'
import { Foretold } from './foretold.tsx'
import { Restart } from './restoring.tsx'

/** What a restore is asked with; `phrase` where it is another than that of now. */
export interface RestoreAsked {
  readonly check: boolean
  readonly revive: boolean
  readonly phrase?: string
}

interface RestoreDialogProps {
  readonly title: string
  readonly ask: (asked: RestoreAsked) => Promise<Restoring>
  readonly onClose: () => void
}

/** Refusals after which the phrase is to be typed. */
const PHRASE_CODES: ReadonlySet<string> = new Set(['phrase_needed', 'wrong_phrase'])

/** Puts a backup in the place of the home: tells first what that does, and takes the name of the home for it. */
export function RestoreDialog({ title, ask, onClose }: RestoreDialogProps): JSX.Element {
  const told = useSignal<Restoring | null>(null)
  const phrase = useSignal('')
  const asking = (check: boolean, revive: boolean): Promise<Restoring> =>
    ask({ check, revive, ...(phrase.value === '' ? {} : { phrase: phrase.value }) })
  const look = useAction(async () => {
    told.value = await asking(true, false)
  })
  const restore = useAction(async (revive: boolean) => {
    told.value = await asking(false, revive)
  })
  useEffect(() => void look.run(), [])
  // Not where it could not be looked into at all, or no phrase opens it.
  const takesPhrase = look.code !== null && PHRASE_CODES.has(look.code)
  if (told.value?.restarts) return <Restart told={told.value} onBack={onClose} />
  return (
    <Dialog title={title} onClose={restore.busy ? undefined : onClose}>
      {look.busy && (
        <p class="wait" role="status">
          {words.reading}
        </p>
      )}
      {look.said !== null && !takesPhrase && <Problem error={look.said} onAgain={() => void look.run()} />}
      {(takesPhrase || (look.busy && phrase.value !== '')) && (
        <Phrase
          said={look.said}
          isBusy={look.busy}
          onPhrase={(typed) => {
            phrase.value = typed
            void look.run()
          }}
        />
      )}
      {told.value !== null && (
        <Foretold
          told={told.value}
          isBusy={restore.busy}
          said={restore.said}
          onRestore={(revive) => void restore.run(revive)}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}

interface PhraseProps {
  readonly said: string | null
  readonly isBusy: boolean
  readonly onPhrase: (phrase: string) => void
}

/** Of a backup that does not open with the phrase of now; what was typed stays while it is tried. */
function Phrase({ said, isBusy, onPhrase }: PhraseProps): JSX.Element {
  return (
    <Form
      verb={words.lookAgain}
      busy={isBusy}
      onSubmit={(form) => {
        if (!isBusy) onPhrase(textOf(form, 'phrase').trim())
      }}
    >
      <Field label={words.otherPhrase} name="phrase" autocomplete="off" spellcheck={false} required said={said} />
    </Form>
  )
}
