import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Restoring } from '../../lib/admin-contract.ts'
import { Check, Field } from '../../parts/field.tsx'
import { house } from '../../stores/home.ts'
import { momentWords } from '../../stores/home-time.ts'
import { words } from '../../words/backup.ts'
import { words as frame } from '../../words/frame.ts'
import { holdsOf } from './backup-words.ts'

interface ForetoldProps {
  readonly told: Restoring
  readonly isBusy: boolean
  readonly said: string | null
  readonly onRestore: (revive: boolean) => void
  readonly onClose: () => void
}

/** What a restore would do, and the name of the home that lets it. */
export function Foretold({ told, isBusy, said, onRestore, onClose }: ForetoldProps): JSX.Element {
  const revive = useSignal(false)
  const typed = useSignal('')
  const home = house.value?.house ?? ''
  const isNamed = typed.value.trim() === home
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isNamed && !isBusy) onRestore(revive.value)
      }}
    >
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
        <button type="button" disabled={isBusy} onClick={onClose}>
          {frame.cancel}
        </button>
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
