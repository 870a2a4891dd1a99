import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Integration } from '../../lib/admin-contract.ts'
import { useAction } from '../../parts/action.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { textOf } from '../../parts/form-text.ts'
import { readIntegrations } from '../../stores/integrations.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/access.ts'
import { words as common } from '../../words/frame.ts'
import { HandedOver } from './handed-over.tsx'
import { type HandedOut, isAgent, type Program, PROGRAMS } from './programs.ts'
import { storeChange } from './record-changes.ts'

interface ConnectProps {
  readonly stored: Integration
  readonly onClose: () => void
}

/** Lets a program in: asks which, makes its credential, and hands it over once. */
export function Connect({ stored, onClose }: ConnectProps): JSX.Element {
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
        <Field
          key={program.value}
          label={common.name}
          name="name"
          hint={words.nameHint}
          defaultValue={words.programs[program.value].name}
          autocomplete="off"
          maxLength={64}
          required
          said={said}
        />
        {isSuspended && <p>{words.agentNeedsAccess}</p>}
      </Form>
    </Dialog>
  )
}

interface ChoiceProps {
  readonly chosen: Program
  readonly onChoose: (program: Program) => void
}

function Choice({ chosen, onChoose }: ChoiceProps): JSX.Element {
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
