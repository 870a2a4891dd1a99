import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { ErrorLine, useAction } from '../../parts/action.tsx'
import { Field, Form } from '../../parts/form.tsx'
import { Card } from '../../parts/page.tsx'
import { findRequest } from '../../stores/approvals.ts'
import { words } from '../../words/approvals.ts'

/** Finds the request of a member's agent by the code that the agent shows. */
export function FindRequest(): JSX.Element {
  const code = useSignal('')
  const { run, busy, message } = useAction(async () => {
    await findRequest(code.value)
    code.value = ''
  })
  return (
    <Card title={words.connect}>
      <Form verb={words.find} busy={busy} onSubmit={() => void run()}>
        <Field
          label={words.shownCode}
          hint={words.connectHint}
          value={code.value}
          maxLength={20}
          required
          autocomplete="off"
          spellcheck={false}
          placeholder="XXXX-XXXX"
          onInput={({ currentTarget }) => (code.value = currentTarget.value)}
        />
        <ErrorLine message={message} />
      </Form>
    </Card>
  )
}
