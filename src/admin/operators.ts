import { type Operator, OPERATOR_SCOPES, type Operators } from '../auth/operators/operators.ts'
import type { UntilStored } from '../auth/credentials/until-stored.ts'
import type { operators as declared, OperatorView } from './contract/operators.ts'
import { unlessStored } from './credentials.ts'
import type { AdminHandlersOf } from './dispatch.ts'

/** Tokens of programs that look after the gateway, as administrators make and end them. */
export function operatorAdminHandlers({
  operators,
  unstored,
}: {
  readonly operators: Operators
  readonly unstored: Pick<UntilStored, 'ends'>
}): AdminHandlersOf<typeof declared> {
  return {
    'operators.list': () => ({ operators: operators.list().map(operatorView) }),
    'operators.create': ({ body, cause, refuse }) => {
      const made = operators.create(body, cause)
      if (!made.ok) return refuse('validation', { message: made.error })
      return { token: made.value.token, operator: operatorView(made.value.operator) }
    },
    'operators.delete': ({ params, cause, refuse }) => {
      const ending = operators.ending(params.id, cause)
      if (ending) return { deleted: params.id, ...unlessStored(unstored.ends(ending)) }
      return refuse('not_found', {
        message: `There is no operator token ${params.id}; \`bin/hm operator list\` shows them.`,
      })
    },
  }
}

function operatorView({ id, name, scopes, createdAt, usedAt }: Operator): OperatorView {
  return { id, name, scopes: OPERATOR_SCOPES.filter((each) => scopes.includes(each)), createdAt, usedAt }
}
