import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { BackupContents, BackupsRestoreBody, Restoring } from '../../lib/admin-contract.ts'
import { Problem, useAction } from '../../parts/action.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Check, Field, Form, sending, textOf } from '../../parts/form.tsx'
import { Button } from '../../parts/page.tsx'
import { momentWords } from '../../stores/home-time.ts'
import { connected, house } from '../../stores/home.ts'
import { tell } from '../../stores/notices.ts'
import { forgetRestored, noteRestored } from '../../stores/restored.ts'
import { words } from '../../words/backup.ts'
import { words as frame } from '../../words/frame.ts'

interface RestoreDialogProps {
  readonly title: string
  readonly ask: (asked: BackupsRestoreBody) => Promise<Restoring>
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
  const look = useAction(async () => (told.value = await asking(true, false)))
  const restore = useAction(async (revive: boolean) => (told.value = await asking(false, revive)))
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

interface ForetoldProps {
  readonly told: Restoring
  readonly isBusy: boolean
  readonly said: string | null
  readonly onRestore: (revive: boolean) => void
  readonly onClose: () => void
}

/** What a restore would do, and the name of the home that lets it. */
function Foretold({ told, isBusy, said, onRestore, onClose }: ForetoldProps): JSX.Element {
  const revive = useSignal(false)
  const typed = useSignal('')
  const home = house.value?.house ?? ''
  const isNamed = typed.value.trim() === home
  return (
    <form onSubmit={sending(() => isNamed && !isBusy && onRestore(revive.value))}>
      <p>{words.restoreHolds(told.contents.home, momentWords(told.at), holdsOf(told.contents))}</p>
      <Effects told={told} />
      {told.ended.length > 0 && (
        <Check checked={revive.value} onChange={({ currentTarget }) => (revive.value = currentTarget.checked)}>
          {words.revive}
        </Check>
      )}
      <Field
        label={words.typeName(home)}
        name="home"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
        said={said}
      />
      <div class="actions">
        <Button says={frame.cancel} disabled={isBusy} onClick={onClose} />
        <button type="submit" class="danger" disabled={!isNamed} aria-disabled={isBusy}>
          {isBusy ? words.isRestoring : words.doRestore}
        </button>
      </div>
    </form>
  )
}

function Effects({ told }: { readonly told: Restoring }): JSX.Element {
  const { contents, present, ended, lost, aside, persons, lostPersons, phrase } = told
  const of = (password: Restoring['persons'][number]['password']): readonly string[] =>
    persons.filter((person) => person.password === password).map(({ name }) => name)
  const [then, same, none] = [of('then'), of('same'), of('none')]
  return (
    <ul class="ends">
      {present === 'another' && <li class="warn">{words.another}</li>}
      {aside !== null && <li>{words.aside(aside)}</li>}
      <li>{contents.history || present === 'another' ? words.newHistory(contents.history) : words.oldHistory}</li>
      {persons.length === 0 && <li class="warn">{words.nobody}</li>}
      {same.length > 0 && <li>{words.passwordsSame(same)}</li>}
      {then.length > 0 && <li class="warn">{words.passwordsThen(then)}</li>}
      {none.length > 0 && <li>{words.passwordsNone(none)}</li>}
      {lostPersons.length > 0 && <li class="warn">{words.lostPersons(lostPersons)}</li>}
      {lost.length > 0 && <li class="warn">{words.lost(lost.map(nameOf))}</li>}
      {ended.length > 0 && <li class="warn">{words.ended(ended.map(nameOf))}</li>}
      <li>{words.phraseFrom[phrase.from](phrase.since === null ? '' : momentWords(phrase.since))}</li>
      <li>{words.startsAnew}</li>
    </ul>
  )
}

const nameOf = ({ name, integration }: Restoring['lost'][number]): string =>
  integration === '' ? name : `${name} (${integration})`

/**
 * From the decision until the gateway is back. Where this session does not hold any more, the page to sign in tells the
 * rest; a gateway that has another CA then is reached by a new loading of the page alone.
 */
function Restart({ told: { at, contents, present }, onBack }: { told: Restoring; onBack: () => void }): JSX.Element {
  const sentence = words.restored(contents.home, momentWords(at))
  const wasAway = useRef(false)
  const isConnected = connected.value
  useEffect(() => noteRestored(words.signInAsThen(sentence)), [])
  useEffect(() => {
    if (!isConnected) wasAway.current = true
    if (!isConnected || !wasAway.current) return
    forgetRestored()
    tell(sentence)
    onBack()
  }, [isConnected])
  return (
    <Dialog title={words.restartTitle}>
      <p role="status">{words.restarts}</p>
      {present === 'another' && <p>{words.otherAuthority}</p>}
      <div class="actions">
        <Button says={frame.reload} onClick={() => location.reload()} />
      </div>
    </Dialog>
  )
}

/** How much is in a backup, in words. */
export const holdsOf = ({ counts: { persons, integrations, keys }, history, lacks }: BackupContents): string =>
  [
    words.holds(persons, integrations, keys),
    ...(history ? [words.withHistory] : []),
    ...(lacks === null ? [] : [words.withoutDamaged]),
  ].join(', ')
