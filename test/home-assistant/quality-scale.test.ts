// The quality scale of Home Assistant 2026.11: the file has every rule, and its evidence exists.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { anchorsOf } from '#support/project/markdown.ts'

const ROOT = join(import.meta.dirname, '../..')
const INTEGRATION = join(ROOT, 'python/home-assistant')
const COMPONENT = join(INTEGRATION, 'custom_components/hm_gateway')

/** As Home Assistant's own check of integrations lists them, tier by tier. */
const RULES = {
  bronze: `action-setup appropriate-polling brands common-modules config-flow config-flow-test-coverage
    dependency-transparency docs-actions docs-conditions docs-high-level-description docs-installation-instructions
    docs-removal-instructions docs-triggers entity-event-setup entity-unique-id has-entity-name runtime-data
    test-before-configure test-before-setup unique-config-entry`,
  silver: `action-exceptions config-entry-unloading docs-configuration-parameters docs-installation-parameters
    entity-unavailable integration-owner log-when-unavailable parallel-updates reauthentication-flow test-coverage`,
  gold: `devices diagnostics discovery discovery-update-info docs-data-update docs-examples docs-known-limitations
    docs-supported-devices docs-supported-functions docs-troubleshooting docs-use-cases dynamic-devices
    entity-category entity-device-class entity-disabled-by-default entity-translations exception-translations
    icon-translations reconfiguration-flow repair-issues stale-devices`,
  platinum: 'async-dependency inject-websession strict-typing',
}

interface Rule {
  readonly status: 'done' | 'exempt' | 'todo'
  readonly comment: string
}

const { rules } = parse(readFileSync(join(COMPONENT, 'quality_scale.yaml'), 'utf8')) as {
  readonly rules: Readonly<Record<string, Rule>>
}
const tests = readdirSync(join(INTEGRATION, 'tests'))
  .filter((name) => name.endsWith('.py'))
  .map((name) => readFileSync(join(INTEGRATION, 'tests', name), 'utf8'))
  .join('\n')

const isThere = (path: string): boolean =>
  [COMPONENT, INTEGRATION, ROOT].some((folder) => existsSync(join(folder, path)))

/** The files, headings and tests that a comment names and that are not there. */
function missingOf(comment: string): string[] {
  const missing: string[] = []
  for (const [named, path = '', , heading] of comment.matchAll(
    /((?:[\w-]+\/)*[\w-]+\.(?:py|json|yaml|md|test\.ts)|brand\/)(#([\w-]+))?/g,
  )) {
    if (!isThere(path)) missing.push(named)
    else if (heading !== undefined && !anchorsOf({ path, text: readFileSync(join(ROOT, path), 'utf8') }).has(heading))
      missing.push(named)
  }
  for (const [name] of comment.matchAll(/\btest_\w+\b(?!\.py)/g))
    if (!tests.includes(`def ${name}(`)) missing.push(name)
  return missing
}

test('every rule of every tier is answered, and no other', () => {
  const all = Object.values(RULES).flatMap((tier) => tier.split(/\s+/))
  expect(Object.keys(rules).sort()).toEqual(all.sort())
})

test('a rule that is done has evidence, any other has a reason', () => {
  for (const [name, { status, comment }] of Object.entries(rules)) {
    expect(['done', 'exempt', 'todo'], name).toContain(status)
    expect(comment, name).toMatch(/\S/)
    expect(missingOf(comment), name).toEqual([])
  }
})

test('only who answers for it is open', () => {
  const open = Object.entries(rules).filter(([, { status }]) => status === 'todo')
  expect(open.map(([name]) => name)).toEqual(['integration-owner'])
})

test('a file, a heading and a test that are not there are found', () => {
  // Joined here, since what code cites is looked for elsewhere too.
  const heading = ['docs/home-assistant.md', 'gone'].join('#')
  expect(missingOf(`gone.py, ${heading}, test_gone and tests/test_flow.py`)).toEqual(['gone.py', heading, 'test_gone'])
})
