import { signal } from '@preact/signals'
import { type JSX, render } from 'preact'
import { ended, follow, signedIn } from './live.ts'
import { HomePage } from './pages/home.tsx'
import { SignInPage } from './pages/sign-in.tsx'
import { enter, isKnown } from './session.ts'
import { words } from './words.ts'

const refusal = signal<string | null>(null)

function App(): JSX.Element {
  if (signedIn.value === null) return <p class="wait">{words.loading}</p>
  return signedIn.value ? <HomePage /> : <SignInPage refusal={refusal.value} />
}

/** The code of a one-time link, taken out of the address so that nobody reads it there. */
function takeCode(): string {
  const code = location.hash.slice(1)
  if (code !== '') history.replaceState(null, '', location.pathname)
  return code
}

async function begin(): Promise<void> {
  const code = takeCode()
  if (code !== '') {
    try {
      await enter({ link: code, ownDevice: true })
    } catch (error) {
      refusal.value = error instanceof Error ? error.message : words.linkRefused
    }
  }
  if (isKnown()) await follow()
  else ended()
}

render(<App />, document.body)
void begin()
