import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { ErrorLine, useAction } from '../../parts/action.tsx'
import { Checkbox } from '../../parts/form.tsx'
import { Button } from '../../parts/page.tsx'
import { twoFactors } from '../../stores/own-session.ts'
import { noteOwnChange } from '../../stores/person.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/me.ts'

/** Whether the account needs two factors, and the code for another browser. */
export function TwoFactors({ person }: { readonly person: string }): JSX.Element {
  const code = useSignal<string | null>(null)
  const change = useAction(async () => {
    const body = { two: !twoFactors.value }
    const answer = await admin.call('put', '/admin/v1/persons/{id}/factors', { path: { id: person }, body })
    twoFactors.value = answer.person.twoFactors
    noteOwnChange()
  })
  const show = useAction(async () => {
    code.value = (await admin.call('post', '/admin/v1/session/code')).code
  })
  return (
    <>
      <Checkbox checked={twoFactors.value} onChange={() => void change.run()}>
        {words.twoFactors}
      </Checkbox>
      <ErrorLine message={change.message ?? show.message} />
      {twoFactors.value && code.value === null && <Button label={words.showCode} action={show} />}
      {code.value !== null && (
        <p role="status">
          <strong class="code">{code.value}</strong>
          <br />
          {words.codeIs}
        </p>
      )}
    </>
  )
}
