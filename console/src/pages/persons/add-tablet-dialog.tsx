import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { LinksCreateAnswer } from '../../lib/admin-contract.ts'
import { Loading, useAction } from '../../parts/action.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, NameField, textOf } from '../../parts/form.tsx'
import { admin } from '../../stores/session.ts'
import { words as access } from '../../words/access.ts'
import { words } from '../../words/tablets.ts'
import { localHouse, pickable } from '../access/pickable-home.ts'
import { ExposureEditor } from '../access/scope-editors.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { exposeOf, type MemberDraft, TEMPLATES } from './member-draft.ts'
import { PinField } from './pin-field.tsx'

interface Made extends LinksCreateAnswer {
  readonly name: string
}

/** Adds a wall tablet, then shows the link that signs it in. */
export function AddTabletDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const made = useSignal<Made | null>(null)
  const draft = useSignal<Pick<MemberDraft, 'isAll' | 'picks'>>(TEMPLATES.member)
  const { run, busy, message } = useAction(async (form: HTMLFormElement) => {
    const [name, pin] = [textOf(form, 'name').trim(), textOf(form, 'pin')]
    const opens = pin === '' ? {} : { pin, settings: { allow_unlock: 'on' as const } }
    const body = { name, expose: exposeOf(draft.value), ...opens }
    made.value = { ...(await admin.call('post', '/admin/v1/tablets', { body })), name }
  })
  if (made.value !== null) {
    const { name, ...links } = made.value
    const create = () => Promise.resolve(links)
    return <LinkDialog title={words.linkTitle(name)} about={words.aboutLink} create={create} onClose={onClose} />
  }
  return (
    <Dialog title={words.add} onClose={onClose}>
      <Form verb={words.add} busy={busy} onSubmit={run} onCancel={onClose}>
        <NameField hint={words.nameHint} />
        <section class="field">
          <h3>{access.sees}</h3>
          {pickable.value === null ? (
            <Loading error={localHouse.error.value} reload={() => void localHouse.reload()} />
          ) : (
            <ExposureEditor
              {...draft.value}
              home={pickable.value}
              onChange={(change) => (draft.value = { ...draft.value, ...change })}
            />
          )}
        </section>
        <PinField label={words.pinOptional} hint={words.pinHint} error={message} />
      </Form>
    </Dialog>
  )
}
