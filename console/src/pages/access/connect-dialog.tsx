import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { QrCodeGenerateResult } from 'uqr'
import type { Integration, KeysCreateAnswer } from '../../lib/admin-contract.ts'
import { Told, useAction } from '../../parts/action.tsx'
import { Secret } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, NameField, textOf } from '../../parts/form.tsx'
import { Button } from '../../parts/page.tsx'
import { readIntegrations } from '../../stores/integrations.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/access.ts'
import { words as common } from '../../words/frame.ts'
import { storeChange } from './record-changes.ts'

/** Lets a program in: asks which, makes its credential, and hands it over once. */
export function Connect({ stored, onClose }: { stored: Integration; onClose: () => void }): JSX.Element {
  const program = useSignal<Program>('claude')
  const made = useSignal<HandedOut | null>(null)
  const { run, busy, said } = useAction(async (name: string) => {
    made.value = await make(stored, program.value, name)
    await readIntegrations()
  })
  if (made.value !== null) return <HandedOver program={program.value} handedOut={made.value} onClose={onClose} />
  const isSuspended = isAgent(program.value) && stored.settings.agent_access === 'off'
  return (
    <Dialog title={words.connect} onClose={onClose}>
      <Form
        verb={isAgent(program.value) ? words.makeAgent : words.make}
        busy={busy}
        onSubmit={(form) => run(textOf(form, 'name').trim())}
        onCancel={onClose}
      >
        <Choice chosen={program.value} onChoose={(each) => (program.value = each)} />
        <NameField
          key={program.value}
          hint={words.nameHint}
          defaultValue={words.programs[program.value].name}
          said={said}
        />
        {isSuspended && <p>{words.agentNeedsAccess}</p>}
      </Form>
    </Dialog>
  )
}

function Choice({ chosen, onChoose }: { chosen: Program; onChoose: (program: Program) => void }): JSX.Element {
  return (
    <fieldset class="programs">
      <legend>{words.connectAbout}</legend>
      {PROGRAMS.map((each) => (
        <label key={each}>
          <input type="radio" name="program" checked={each === chosen} onChange={() => onChoose(each)} />
          <span>
            <span class="name">{words.programs[each].name}</span>
            <span class="muted">{words.programs[each].about}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** Makes the credential of a program; for an agent it first gives the leave to come in, where it is not given yet. */
async function make(stored: Integration, program: Program, name: string): Promise<HandedOut> {
  const { id: integration, settings } = stored
  if (!isAgent(program)) return admin.call('post', '/admin/v1/keys', { body: { integration, name } })
  if (settings.agent_access === 'off') await storeChange(stored, { settings: { agent_access: 'on' } })
  const agent = { integration, name, platform: words.agentPlatform }
  return admin.call('post', '/admin/v1/agents', { body: agent })
}

interface HandedOverProps {
  readonly program: Program
  readonly handedOut: HandedOut
  readonly onClose: () => void
}

/** A new credential, shown this once: nothing but the word that it is stored closes it. */
function HandedOver({ program, handedOut, onClose }: HandedOverProps): JSX.Element {
  const { token, fingerprint, connectionCode } = handedOut
  const lines = readyLines(program, location.origin, handedOut)
  return (
    <Dialog title={words.handedOut}>
      <p>{words.handedOutAbout}</p>
      <div class="handed-over">
        {program === 'homeAssistant' && <Steps />}
        {lines !== '' && <Secret name={words.readyLines} about={words.programs[program].about} text={lines} isLines />}
        <Secret name={words.connectionCode} about={words.connectionCodeAbout} text={connectionCode} />
        <details>
          <summary>{words.qr}</summary>
          <QrCode text={connectionCode} />
        </details>
        <Secret name={words.token} text={token} />
        <Secret name={words.fingerprint} text={fingerprint} />
      </div>
      <div class="actions">
        <Button class="main" says={words.done} onClick={onClose} />
      </div>
    </Dialog>
  )
}

const Steps = (): JSX.Element => (
  <section>
    <h3>{words.steps}</h3>
    <ol class="steps">
      {words.homeAssistantSteps.map((step) => (
        <li key={step}>
          <Told>{step}</Told>
        </li>
      ))}
    </ol>
  </section>
)

/** What a program may be connected as, in the order in which they are offered. */
const PROGRAMS = ['homeAssistant', 'claude', 'code', 'curl'] as const
type Program = (typeof PROGRAMS)[number]

/** What a new credential was handed over with. */
type HandedOut = Pick<KeysCreateAnswer, 'token' | 'fingerprint' | 'connectionCode'>

/** Agents come in by a credential of their own kind, which needs a person's word to open something. */
const isAgent = (program: Program): boolean => program === 'claude'

/**
 * Lines to paste that let a program in, where there are some. They fetch the CA and use it only when its fingerprint is
 * the one that is shown here (docs/tls.md#the-way-in-three-steps).
 *
 * @param origin where the gateway is reached, like `https://hm-7k2mq4xw9tbc.local:8490`
 */
function readyLines(program: Program, origin: string, { token, fingerprint, connectionCode }: HandedOut): string {
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

/** A text as a QR code, dark on light in either theme, for cameras. What draws it is loaded when one is shown. */
function QrCode({ text }: { text: string }): JSX.Element | null {
  const drawn = useSignal<QrCodeGenerateResult | null>(null)
  const isMissing = useSignal(false)
  useEffect(() => {
    void import('uqr').then(
      ({ encode }) => (drawn.value = encode(text, { ecc: 'L', border: 2 })),
      () => (isMissing.value = true),
    )
  }, [text])
  if (isMissing.value) return <p role="alert">{common.noQrCode}</p>
  if (drawn.value === null) return null
  const { size, data } = drawn.value
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={words.qr} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#ffffff" />
      <path d={data.map(rowPath).join('')} fill="#000000" />
    </svg>
  )
}

/** The dark modules of one row, each run of them as one rectangle. */
function rowPath(row: readonly boolean[], y: number): string {
  const runs: string[] = []
  for (let x = 0; x < row.length; x += 1) {
    if (row[x] !== true) continue
    const end = row.indexOf(false, x)
    const width = (end < 0 ? row.length : end) - x
    runs.push(`M${x} ${y}h${width}v1h-${width}z`)
    x += width
  }
  return runs.join('')
}
