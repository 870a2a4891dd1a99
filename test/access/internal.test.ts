import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { callerOver } from '#support/gateway/caller-over.ts'
import { recordingLog } from '#support/recording-log.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'

proves(
  'refusals.internal',
  'a defect is 500 internal over both transports, with a reference to the log and without details',
  async () => {
    const log = recordingLog()
    await using running = await TestGateway.open({ log, settled: false })
    const { integration } = (await running.admin.call('POST', '/integrations', { name: 'Defects' })) as {
      integration: { id: string }
    }
    const { token } = (await running.admin.call('POST', '/keys', { integration: integration.id })) as { token: string }
    const door = { url: running.url, ca: readFileSync(running.gateway.caFile, 'utf8'), token }
    // The defect is a missing table. The clock stands still, so that no timer meets it.
    const { core, history } = running.gateway.stores
    history.writer.flush()
    await running.still(async () => {
      core.db.exec('ALTER TABLE integrations RENAME TO elsewhere')
      core.change(() => {})
      for (const transport of ['http', 'stream'] as const) {
        await using caller = callerOver(transport, door)
        const { status, body, text, headers } = await caller.call({ method: 'GET', path: '/v1/house' })
        expect(status).toBe(500)
        const { error } = body as { error: { code: string; message: string } }
        const reference = /^Something went wrong on the gateway\. The log has it as ([a-z0-9]{10})\.$/.exec(
          error.message,
        )?.[1]
        expect(error).toEqual({ code: 'internal', message: expect.any(String) as string })
        expect(reference).toBeDefined()
        if (transport === 'http') expect(headers?.['x-request-id']).toBe(reference)
        const logged = log.lines.filter(
          (line) => line.level === 'error' && 'reference' in line.fields && line.fields.reference === reference,
        )
        expect(logged).toHaveLength(1)
        expect(String((logged[0]!.fields as { err: unknown }).err)).toContain('no such table')
        expect(text).not.toMatch(/sql|table|integrations|\.ts|at /i)
      }
      core.db.exec('ALTER TABLE elsewhere RENAME TO integrations')
    })
  },
)
