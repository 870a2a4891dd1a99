import type { JSX } from 'preact'
import { useAction } from '../../parts/action.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, NameField, textOf } from '../../parts/form.tsx'
import { words } from '../../words/access.ts'

interface NameDialogProps {
  readonly title: string
  readonly hint?: string
  readonly name?: string
  readonly verb: string
  readonly onName: (name: string) => Promise<unknown>
  readonly onClose: () => void
}

/** Asks what an integration is to be called. */
export function NameDialog({ title, hint, name = '', verb, onName, onClose }: NameDialogProps): JSX.Element {
  const { run, busy, said } = useAction(onName)
  const submit = async (form: HTMLFormElement): Promise<void> => {
    if (await run(textOf(form, 'name').trim())) onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form verb={verb} busy={busy} onSubmit={submit} onCancel={onClose}>
        <NameField hint={hint ?? words.nameHint} defaultValue={name} said={said} />
      </Form>
    </Dialog>
  )
}
