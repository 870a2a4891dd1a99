import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { partsOf } from '#support/gateway/token-parts.ts'

describe('a token', () => {
  proves('5.2.form', 'has the form of the specification: kind, gateway, integration, link and secret', async () => {
    await using running = await TestGateway.open({ settled: false })
    const { integration } = (await running.admin.call('POST', '/integrations', { name: 'Form' })) as {
      integration: { id: string }
    }
    const { token, link } = (await running.admin.call('POST', '/keys', { integration: integration.id })) as {
      token: string
      link: string
    }
    const [, kind, gateway, record, credential, secret] =
      /^hm_([a-z]+)_([^.]+)\.([^.]+)\.([^.]+)\.([^.]+)$/.exec(token) ?? []
    expect({ kind, gateway, record, credential }).toEqual({
      kind: 'key',
      gateway: running.gateway.serial,
      record: integration.id,
      credential: link,
    })
    expect(gateway).toMatch(/^[a-z0-9]{12}$/)
    expect(record).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })

  proves('5.3.once', 'is returned once, and never again in an answer, a list or a file', async () => {
    await using running = await TestGateway.open()
    const { integration } = (await running.admin.call('POST', '/integrations', { name: 'Once' })) as {
      integration: { id: string }
    }
    const { token, link } = (await running.admin.call('POST', '/keys', {
      integration: integration.id,
      name: 'Robot',
    })) as { token: string; link: string }
    const { secret } = partsOf(token)
    const ca = readFileSync(running.gateway.caFile, 'utf8')
    const paths = [
      '/v1/integration',
      '/v1/house',
      '/v1/state',
      '/v1/activity',
      '/v1/scenes',
      '/v1/gateway/tls',
      '/v1/nothing',
    ]
    const answers = await Promise.all(
      paths.map((path) =>
        rawRequest({ url: running.url, ca }, { path, headers: { authorization: `Bearer ${token}` } }),
      ),
    )
    const adminAnswers = await Promise.all([
      ...['/keys', '/integrations', `/integrations/${integration.id}`, '/status', '/house', '/house/file'].map((path) =>
        running.admin.call('GET', path),
      ),
      running.admin.call('DELETE', `/keys/${link}`),
    ])
    running.gateway.stores.history.writer.flush()
    const searched = [
      ...answers.map(({ text }) => text),
      ...adminAnswers.map((answer) => JSON.stringify(answer)),
      ...filesOf(running.dataDir).map((file) => readFileSync(file, 'latin1')),
    ]
    expect(
      searched.filter(
        (text) => text.includes(secret) || text.includes(Buffer.from(secret, 'base64url').toString('latin1')),
      ),
    ).toEqual([])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 404])
  })
})

describe('the secret', () => {
  proves(
    ['credentials.secret-random', 'credentials.secret-stored'],
    'is 32 random bytes after the credential’s id, and only its SHA-256 is stored',
    async () => {
      await using running = await TestGateway.open({ settled: false })
      const { integration } = (await running.admin.call('POST', '/integrations', { name: 'Secrets' })) as {
        integration: { id: string }
      }
      const made: { token: string; link: string }[] = []
      for (let turn = 0; turn < 20; turn++)
        made.push(await running.admin.call('POST', '/keys', { integration: integration.id }))
      const secrets = made.map(({ token }) => partsOf(token).secret)
      expect(secrets.map((secret) => Buffer.from(secret, 'base64url').length)).toEqual(made.map(() => 32))
      expect(new Set(secrets).size).toBe(made.length)
      // Each position has many values. The probability of 20 equal draws from 64 letters is 64^-19.
      expect(Array.from({ length: 42 }, (_, at) => new Set(secrets.map((secret) => secret[at])).size > 1)).toEqual(
        Array.from({ length: 42 }, () => true),
      )
      expect(made.map(({ token, link }) => partsOf(token).link === link)).toEqual(made.map(() => true))

      const rows = running.gateway.stores.core.db.prepare('SELECT * FROM credentials').all() as Record<
        string,
        unknown
      >[]
      for (const { token, link } of made) {
        const row = rows.find((candidate) => candidate['link'] === link)!
        const blobs = Object.values(row).filter((value) => Buffer.isBuffer(value))
        expect(blobs).toEqual([createHash('sha256').update(partsOf(token).secret).digest()])
        expect(JSON.stringify(row)).not.toContain(partsOf(token).secret)
      }
    },
  )
})

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}
