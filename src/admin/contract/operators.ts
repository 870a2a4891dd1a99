import { z } from 'zod'
import { OPERATOR_SCOPES } from '../../auth/operators/operators.ts'
import { epochMs } from '../../api/contract/fields.ts'
import { PlainName } from '../../api/contract/shapes.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { text, unstored } from './shapes.ts'

const Scopes = z
  .array(z.enum(OPERATOR_SCOPES))
  .min(1)
  .max(OPERATOR_SCOPES.length)
  .meta({ description: 'What it lets do: read the metrics, fetch backups.' })

const Operator = z
  .looseObject({
    id: text('The id of the token.'),
    name: text('What it is called.'),
    scopes: Scopes,
    createdAt: epochMs('When it was made.'),
    usedAt: z.int().nullable().meta({ description: 'When it was last used, epoch ms, to the hour, or null.' }),
  })
  .meta({ id: 'Operator', description: 'A program that looks after the gateway, and sees nothing of the home.' })
export type OperatorView = Plain<z.output<typeof Operator>>

/** Tokens of programs that look after the gateway. */
export const operators = {
  'operators.list': endpoint('GET', '/admin/v1/operators', {
    summary: 'The tokens of programs that look after the gateway, without their secrets',
    answer: z.looseObject({ operators: z.array(Operator) }),
  }),
  'operators.create': endpoint('POST', '/admin/v1/operators', {
    summary: 'Make an operator token; it is shown this once',
    status: 201,
    stepUp: true,
    body: z.strictObject({ name: PlainName, scopes: Scopes }),
    answer: z.looseObject({ token: text('The token. A secret.'), operator: Operator }),
  }),
  'operators.delete': endpoint('DELETE', '/admin/v1/operators/{id}', {
    summary: 'End an operator token at once',
    params: z.strictObject({ id: z.string().min(1).max(20) }),
    answer: z.looseObject({ deleted: text('The id of the token.'), ...unstored }),
    errors: ['not_found'],
  }),
} as const
