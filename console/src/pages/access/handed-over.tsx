import type { JSX } from 'preact'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Told } from '../../parts/told.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { words } from '../../words/access.ts'
import { type HandedOut, type Program, readyLines } from './programs.ts'

interface HandedOverProps {
  readonly program: Program
  readonly handedOut: HandedOut
  readonly onClose: () => void
}

/** A new credential, shown this once: nothing but the word that it is stored closes it. */
export function HandedOver({ program, handedOut, onClose }: HandedOverProps): JSX.Element {
  const { token, fingerprint, connectionCode } = handedOut
  const lines = readyLines(program, location.origin, handedOut)
  return (
    <Dialog title={words.handedOut}>
      <p>{words.handedOutAbout}</p>
      <div class="handed-over">
        {program === 'homeAssistant' && <Steps of={words.homeAssistantSteps} />}
        {lines !== '' && <Secret name={words.readyLines} about={words.programs[program].about} text={lines} isLines />}
        <Secret name={words.connectionCode} about={words.connectionCodeAbout} text={connectionCode} />
        <details>
          <summary>{words.qr}</summary>
          <QrCode text={connectionCode} label={words.qr} />
        </details>
        <Secret name={words.token} text={token} />
        <Secret name={words.fingerprint} text={fingerprint} />
      </div>
      <div class="actions">
        <button type="button" class="main" onClick={onClose}>
          {words.done}
        </button>
      </div>
    </Dialog>
  )
}

const Steps = ({ of }: { readonly of: readonly string[] }): JSX.Element => (
  <section>
    <h3>{words.steps}</h3>
    <ol class="steps">
      {of.map((step) => (
        <li key={step}>
          <Told>{step}</Told>
        </li>
      ))}
    </ol>
  </section>
)

interface SecretProps {
  readonly name: string
  readonly about?: string
  readonly text: string
  readonly isLines?: boolean
}

function Secret({ name, about, text, isLines = false }: SecretProps): JSX.Element {
  return (
    <section>
      <header>
        <h3>{name}</h3>
        <CopyButton what={name} text={text} />
      </header>
      {about !== undefined && <p class="hint">{about}</p>}
      {/* What is wider than the dialog is scrolled, by keyboard too. */}
      <pre class={isLines ? 'lines' : 'secret'} tabIndex={0} aria-label={name}>
        {text}
      </pre>
    </section>
  )
}
