import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Operator } from '../../lib/admin-contract.ts'
import { Age } from '../../parts/age.tsx'
import { Card } from '../../parts/card.tsx'
import { EndingDialog } from '../../parts/ending-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Problem } from '../../parts/problem.tsx'
import { accessChanges } from '../../stores/access-changes.ts'
import { tell } from '../../stores/notices.ts'
import { useReading } from '../../stores/reading.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/operators.ts'
import { words as system } from '../../words/system.ts'
import { OperatorDialog } from './operator-dialog.tsx'

/** The tokens of programs that look after the gateway (docs/operations.md#tokens). */
export function Operators(): JSX.Element {
  const { value, error, again } = useReading(() => admin.call('get', '/admin/v1/operators'), accessChanges.value)
  const isMaking = useSignal(false)
  const ending = useSignal<Operator | null>(null)
  if (value === null)
    return error === null ? <p class="wait">{system.reading}</p> : <Problem error={error} onAgain={again} />
  const closed = (): void => {
    isMaking.value = false
    ending.value = null
    again()
  }
  return (
    <Card title={words.title}>
      <p class="muted">{words.about}</p>
      {value.operators.length === 0 && <p>{words.none}</p>}
      <ul class="rows">
        {value.operators.map((each) => (
          <OperatorRow key={each.id} operator={each} onEnd={() => (ending.value = each)} />
        ))}
      </ul>
      <div class="actions">
        <button type="button" class="main" onClick={() => (isMaking.value = true)}>
          <Icon of="add" />
          {words.make}
        </button>
      </div>
      {isMaking.value && <OperatorDialog onClose={closed} />}
      {ending.value !== null && <EndOperator operator={ending.value} onClose={closed} />}
    </Card>
  )
}

interface OperatorRowProps {
  readonly operator: Operator
  readonly onEnd: () => void
}

function OperatorRow({ operator: { name, scopes, usedAt }, onEnd }: OperatorRowProps): JSX.Element {
  return (
    <li>
      <span class="grow">
        {name}
        <br />
        <span class="muted">
          {scopes.map((scope) => words.scopes[scope]).join(' · ')} ·{' '}
          {usedAt === null ? (
            words.never
          ) : (
            <>
              {words.usedAt} <Age at={usedAt} />
            </>
          )}
        </span>
      </span>
      <button type="button" class="quiet danger" aria-label={words.endNamed(name)} onClick={onEnd}>
        {words.end}
      </button>
    </li>
  )
}

interface EndOperatorProps {
  readonly operator: Operator
  readonly onClose: () => void
}

function EndOperator({ operator: { id, name }, onClose }: EndOperatorProps): JSX.Element {
  const end = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/operators/{id}', { path: { id } })
    tell(words.ended(name))
  }
  return (
    <EndingDialog title={words.endTitle(name)} verb={words.endNamed(name)} onEnd={end} onClose={onClose}>
      <p>{words.ends}</p>
    </EndingDialog>
  )
}
