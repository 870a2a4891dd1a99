import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Integration, KeysCreateAnswer } from '../../lib/admin-contract.ts'
import { ForCommandLine, useAction } from '../../parts/action.tsx'
import { Secret } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, NameField, textOf } from '../../parts/form.tsx'
import { Button } from '../../parts/page.tsx'
import { readIntegrations } from '../../stores/integrations.ts'
import { admin } from '../../stores/session.ts'
import { QrCode } from '../../parts/qr-code.tsx'
import { words as access } from '../../words/access.ts'
import { words } from '../../words/connect.ts'
import { storeChange } from './integration-changes.ts'

/** Connects a program: asks for its kind, creates its credential, and shows the secrets once. */
export function ConnectDialog({ stored, onClose }: { stored: Integration; onClose: () => void }): JSX.Element {
  const program = useSignal<Program>('claude')
  const created = useSignal<NewCredential | null>(null)
  const { run, busy, message } = useAction(async (name: string) => {
    created.value = await createCredential(stored, program.value, name)
    await readIntegrations()
  })
  if (created.value !== null) return <Secrets program={program.value} credential={created.value} onClose={onClose} />
  const isSuspended = isAgent(program.value) && stored.settings.agent_access === 'off'
  return (
    <Dialog title={access.connect} onClose={onClose}>
      <Form
        verb={isAgent(program.value) ? words.makeAgent : words.make}
        busy={busy}
        onSubmit={(form) => run(textOf(form, 'name').trim())}
        onCancel={onClose}
      >
        <ProgramChoice chosen={program.value} onChoose={(chosen) => (program.value = chosen)} />
        <NameField
          key={program.value}
          hint={access.nameHint}
          defaultValue={words.programs[program.value].name}
          error={message}
        />
        {isSuspended && <p>{words.agentNeedsAccess}</p>}
      </Form>
    </Dialog>
  )
}

function ProgramChoice({ chosen, onChoose }: { chosen: Program; onChoose: (program: Program) => void }): JSX.Element {
  return (
    <fieldset class="programs">
      <legend>{words.connectAbout}</legend>
      {PROGRAMS.map((program) => (
        <label key={program}>
          <input type="radio" name="program" checked={program === chosen} onChange={() => onChoose(program)} />
          <span>
            <span class="name">{words.programs[program].name}</span>
            <span class="muted">{words.programs[program].about}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** Creates a credential; for an agent it first turns agent access on. */
async function createCredential(stored: Integration, program: Program, name: string): Promise<NewCredential> {
  const { id: integration, settings } = stored
  if (!isAgent(program)) return admin.call('post', '/admin/v1/keys', { body: { integration, name } })
  if (settings.agent_access === 'off') await storeChange(stored, { settings: { agent_access: 'on' } })
  const agent = { integration, name, platform: words.agentPlatform }
  return admin.call('post', '/admin/v1/agents', { body: agent })
}

interface SecretsProps {
  readonly program: Program
  readonly credential: NewCredential
  readonly onClose: () => void
}

/** Secrets of a new credential, shown once. Only the button for stored secrets closes the dialog. */
function Secrets({ program, credential, onClose }: SecretsProps): JSX.Element {
  const { token, fingerprint, connectionCode } = credential
  const lines = readyLines(program, location.origin, credential)
  return (
    <Dialog title={words.storeSecrets}>
      <p>{words.storeSecretsAbout}</p>
      <div class="handed-over">
        {program === 'homeAssistant' && <Steps />}
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
        <Button class="main" label={words.stored} onClick={onClose} />
      </div>
    </Dialog>
  )
}

const Steps = (): JSX.Element => (
  <section>
    <h3>{words.steps}</h3>
    <ol class="steps">
      {words.homeAssistantSteps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
    <ForCommandLine text={words.homeAssistantInstall} />
  </section>
)

/** Kinds of programs, in the order of the dialog. */
const PROGRAMS = ['homeAssistant', 'claude', 'code', 'curl'] as const
type Program = (typeof PROGRAMS)[number]

/** Secrets of a new credential. */
type NewCredential = Pick<KeysCreateAnswer, 'token' | 'fingerprint' | 'connectionCode'>

/** Agents have their own kind of credential, which needs a person's confirmation to open locks. */
const isAgent = (program: Program): boolean => program === 'claude'

/**
 * Lines to paste into a shell or program, or an empty string. They fetch the CA and check its fingerprint against the
 * one on this page (docs/tls.md#the-way-in-three-steps).
 *
 * @param origin address of the gateway, like `https://hm-7k2mq4xw9tbc.local:8490`
 */
function readyLines(program: Program, origin: string, { token, fingerprint, connectionCode }: NewCredential): string {
  const withCa = [
    `curl -sSko ca.fetched '${origin}/ca.pem'`,
    `[ "$(openssl x509 -in ca.fetched -noout -fingerprint -sha256 | cut -d= -f2)" = '${fingerprint}' ] &&`,
    '  openssl x509 -in ca.fetched -out ca.pem &&',
  ]
  switch (program) {
    case 'homeAssistant':
      return ''
    case 'claude':
      return [
        ...withCa,
        '  export NODE_EXTRA_CA_CERTS="$PWD/ca.pem" &&',
        `  claude mcp add --transport http --scope user home '${origin}/mcp' --header 'Authorization: Bearer ${token}'`,
      ].join('\n')
    case 'code':
      return [
        `// ${words.codeAbout}`,
        `// HM_CONNECTION='${connectionCode}'`,
        "import { connect } from '@hm-gateway/client'",
        '',
        'const home = await connect(process.env.HM_CONNECTION)',
        'for (const { name, state } of (await home.state()).devices) console.log(name, state)',
      ].join('\n')
    case 'curl':
      return [...withCa, `  curl --cacert ca.pem -H 'Authorization: Bearer ${token}' '${origin}/v1/house'`].join('\n')
  }
}
