// @module-tag long
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Parser } from '@asyncapi/parser'
import { describe, expect, test } from 'vitest'
import { documents } from '../../src/documents/documents.ts'
import { proves } from '#support/gateway/verifies.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const DOCUMENTS = documents().map(({ path }) => path)
const run = promisify(execFile)

describe('the committed documents', () => {
  test('are found sound by Redocly, without a warning', async () => {
    const args = [
      join(ROOT, 'node_modules/@redocly/cli/bin/cli.js'),
      'lint',
      '--config',
      'redocly.yaml',
      '--format',
      'json',
      ...DOCUMENTS,
    ]
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    // Findings make it fail with an error that has the same output.
    const { stdout, stderr } = await run(process.execPath, args, {
      cwd: ROOT,
      env,
      maxBuffer: 32 * 1024 * 1024,
    }).catch((error: unknown) => error as { stdout: string; stderr: string })
    // One object for each document, one behind the other.
    const found = JSON.parse(`[${stdout.replaceAll(/^\}\{$/gm, '},{')}]`) as { problems: unknown[] }[]
    expect(found).toHaveLength(DOCUMENTS.length)
    expect(
      found.flatMap(({ problems }) => problems),
      stderr,
    ).toEqual([])
  }, 60_000)

  proves('9.3.asyncapi', 'are understood by the AsyncAPI parser', async () => {
    const text = readFileSync(join(ROOT, 'asyncapi/asyncapi.json'), 'utf8')
    const { operations } = JSON.parse(text) as { operations: object }
    const { document, diagnostics } = await new Parser().parse(text)
    expect(document?.allOperations().length).toBe(Object.keys(operations).length)
    expect(document?.version()).toBe('3.0.0')
    // The document is of 3.0, as Spec 9 point 3 has it, also where the parser knows a later one.
    expect(diagnostics.filter(({ code }) => code !== 'asyncapi-latest-version')).toEqual([])
  })
})
