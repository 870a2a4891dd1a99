import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ListedCa, type TrustFolders, trustEverywhere } from '../../src/cli/commands/trust.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { world } from '#support/tls-world.ts'

const hasCertutil = spawnSync('certutil', ['-H']).error === undefined
if (!hasCertutil) console.log('certutil: skipped, 1 test (apt install libnss3-tools)')

/** A CA and its successor of the same gateway. */
async function authorities(): Promise<{ ca: ListedCa; next: ListedCa }> {
  const tls = await world().open()
  const ca = { name: 'hm-ab12', pem: tls.ca.pem }
  const next = { ...ca, pem: (await tls.regenerateCa()).pem }
  await tls.stop()
  return { ca, next }
}

function folders(update: TrustFolders['update'] = ['true']): TrustFolders {
  const root = tempFolder()
  mkdirSync(join(root, 'share'))
  return { home: root, system: join(root, 'share', 'ca-certificates'), update }
}

test("the CA is added to the system's list, and removed again", { tags: ['long'] }, async () => {
  const { ca } = await authorities()
  const there = folders()
  const file = join(there.system, `${ca.name}.crt`)
  expect(trustEverywhere(ca, there, false)[0]).toMatchObject({ done: true })
  expect(readFileSync(file, 'utf8')).toBe(ca.pem)
  expect(trustEverywhere(ca, there, true)[0]).toMatchObject({ done: true, said: 'It is no longer trusted.' })
  expect(existsSync(file)).toBe(false)
})

test('a failed step is reported with the manual step', { tags: ['long'] }, async () => {
  const { ca } = await authorities()
  const failing = trustEverywhere(ca, folders(['false']), false)[0]
  expect(failing).toMatchObject({ done: false, said: expect.stringContaining('failed: it ended with 1') as string })
  const elsewhere = { ...folders(), system: '/nonexistent/share/ca-certificates' }
  expect(trustEverywhere(ca, elsewhere, false)[0]?.said).toContain('by hand')
})

test.runIf(hasCertutil)(
  'browsers trust the CA once, also after a new CA, and not after removal',
  { tags: ['long'] },
  async () => {
    const { ca, next } = await authorities()
    const there = folders()
    const listed = (): string => {
      const database = `sql:${join(there.home, '.pki', 'nssdb')}`
      return spawnSync('certutil', ['-L', '-d', database], { encoding: 'utf8' }).stdout
    }
    const profile = join(there.home, '.mozilla', 'firefox', 'x.default')
    mkdirSync(profile, { recursive: true })
    spawnSync('certutil', ['-N', '-d', `sql:${profile}`, '--empty-password'])
    const done = trustEverywhere(ca, there, false)
    expect(done.map(({ list, done: isDone }) => [list.split(' (')[0], isDone])).toEqual([
      ["the system's list", true],
      ['Chromium and Chrome', true],
      ['Firefox', true],
    ])
    expect(listed()).toMatch(new RegExp(`${ca.name}\\s+C,,`))
    trustEverywhere(next, there, false)
    expect(listed().split(ca.name)).toHaveLength(2)
    trustEverywhere(ca, there, true)
    expect(listed()).not.toContain(ca.name)
  },
)
