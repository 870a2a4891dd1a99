import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { linkRefusal } from '../../stores/arrival.ts'
import { follow } from '../../stores/home.ts'
import { enter } from '../../stores/session.ts'
import { words } from '../../words/frame.ts'

/** Sign-in by name and password, and how to come by a link. */
export function SignInPage(): JSX.Element {
  const told = useSignal(linkRefusal.value)
  const busy = useSignal(false)
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const given = new FormData(form)
    const textOf = (field: string): string => {
      const value = given.get(field)
      return typeof value === 'string' ? value : ''
    }
    busy.value = true
    told.value = null
    try {
      await enter({ name: textOf('name'), password: textOf('password'), ownDevice: given.has('ownDevice') })
      await follow()
    } catch (error) {
      told.value = error instanceof Error ? error.message : String(error)
    } finally {
      busy.value = false
    }
  }
  return (
    <main class="sign-in">
      <h1>{words.signInTitle}</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit(event.currentTarget)
        }}
      >
        <label>
          {words.name}
          <input name="name" autocomplete="username" required />
        </label>
        <label>
          {words.password}
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <label class="check">
          <input name="ownDevice" type="checkbox" />
          {words.ownDevice}
        </label>
        <button type="submit" disabled={busy.value}>
          {words.signIn}
        </button>
      </form>
      {told.value !== null && <p role="alert">{told.value}</p>}
      <p>{words.comeInByLink}</p>
    </main>
  )
}
