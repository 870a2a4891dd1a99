import { z } from 'zod'
import { endpoint } from '../../api/contract/endpoint.ts'

/** What a monitoring system reads. */
export const metrics = {
  'metrics.get': endpoint('GET', '/admin/v1/metrics', {
    summary: 'How the gateway is doing in numbers, in the text format of Prometheus',
    operator: 'metrics',
    query: z.strictObject({
      units: z.enum(['0', '1']).default('0').meta({
        description: 'With 1 each unit by itself, with its local id and name: whether it answers, its battery.',
      }),
    }),
    answer: z.string(),
  }),
} as const
