import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { Loading, useAction } from '../../parts/action.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, NameField, Segments, textOf } from '../../parts/form.tsx'
import { showNotice } from '../../stores/page-notices.ts'
import { admin } from '../../stores/session.ts'
import { timeWords, words as access } from '../../words/access.ts'
import { words } from '../../words/persons.ts'
import { DoorsEditor } from '../access/doors-editor.tsx'
import { localHouse, pickable } from '../access/pickable-home.ts'
import { ExposureEditor } from '../access/scope-editors.tsx'
import { TimesEditor } from '../access/times-editor.tsx'
import { NewPassword } from '../me/new-password.tsx'
import { PersonLinkDialog } from './link-dialog.tsx'
import { memberBody, type MemberDraft, type MemberKind, TEMPLATES } from './member-draft.ts'

type Kind = MemberKind | 'administrator'

/** Adds an administrator or a member, who gets a password or a one-time link. */
export function AddPersonDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const linkedName = useSignal<string | null>(null)
  const kind = useSignal<Kind>('member')
  const draft = useSignal<MemberDraft>(TEMPLATES.member)
  const { run, busy, message } = useAction(async (form: HTMLFormElement) => {
    const [name, password] = [textOf(form, 'name').trim(), textOf(form, 'password')]
    const member = kind.value === 'administrator' ? {} : { member: memberBody(draft.value) }
    await admin.call('post', '/admin/v1/persons', { body: { name, ...(password !== '' && { password }), ...member } })
    showNotice(kind.value === 'administrator' ? words.personMade(name) : words.memberMade(name))
    if (password !== '') onClose()
    else linkedName.value = name
  })
  const choose = (chosen: Kind): void => {
    kind.value = chosen
    if (chosen !== 'administrator') draft.value = TEMPLATES[chosen]
  }
  if (linkedName.value !== null) return <PersonLinkDialog name={linkedName.value} onClose={onClose} />
  return (
    <Dialog title={words.addPerson} onClose={onClose}>
      <Form verb={words.addPerson} busy={busy} onSubmit={run} onCancel={onClose}>
        <NameField error={message} />
        <Segments legend={words.kind} names={words.kinds} value={kind.value} onChange={choose} />
        <p class="hint">{words.kindsMean[kind.value]}</p>
        {kind.value !== 'administrator' && (
          <MemberFields
            isGuest={kind.value === 'guest'}
            draft={draft.value}
            onChange={(change) => (draft.value = { ...draft.value, ...change })}
          />
        )}
        <NewPassword label={words.passwordOptional} hint={words.passwordOrLink} />
      </Form>
    </Dialog>
  )
}

interface MemberFieldsProps {
  /** Only guests have an end or hours from the start; the page Access can add them later. */
  readonly isGuest: boolean
  readonly draft: MemberDraft
  readonly onChange: (change: Partial<MemberDraft>) => void
}

/** The view and the permissions of a new member, with the editors of the page Access. */
function MemberFields({ isGuest, draft, onChange }: MemberFieldsProps): JSX.Element {
  return (
    <>
      <section class="field">
        <h3>{access.sees}</h3>
        {pickable.value === null ? (
          <Loading error={localHouse.error.value} reload={() => void localHouse.reload()} />
        ) : (
          <ExposureEditor {...draft} home={pickable.value} onChange={onChange} />
        )}
      </section>
      {isGuest && (
        <section class="field">
          <h3>{timeWords.title}</h3>
          <TimesEditor {...draft} onChange={onChange} />
        </section>
      )}
      <section class="field">
        <h3>{words.doors}</h3>
        <DoorsEditor doors={draft.doors} onChange={(doors) => onChange({ doors })} />
      </section>
      <section class="field">
        <h3>{access.people}</h3>
        <Segments
          legend={access.people}
          names={access.peopleChoices}
          value={draft.people}
          onChange={(people) => onChange({ people })}
        />
        <p class="hint">{access.peopleMean[draft.people]}</p>
      </section>
    </>
  )
}
