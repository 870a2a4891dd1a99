import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { stringify } from 'yaml'
import { HomeCommands } from '#support/gateway/home-commands.ts'
import { houseFile } from '#support/gateway/house-file.ts'
import { type TestHome, verifiesAlone } from '#support/gateway/harness.ts'
import { COMPILED } from '#support/gateway/gateway-process.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { tempFolder } from '#support/temp-folder.ts'

const verifies = verifiesAlone(() => ({}), { over: 'http' })
const ALL = '34 of 34 units, 15 of 15 rooms, and 5 of 5 scenes'
const ONE_LINE = 'home: { name: Sonnenwinkel }\n'

function written(text: string): string {
  const file = join(tempFolder(), 'house.yaml')
  writeFileSync(file, text)
  return file
}

async function backups(home: TestHome): Promise<readonly string[]> {
  const answer = await home.running.admin.call<{ backups: readonly { name: string }[] }>('GET', '/backups')
  return answer.backups.map(({ name }) => name)
}

verifies('administration.import-removals', 'a file that would empty the home needs --yes', async (home) => {
  const commands = new HomeCommands(home)
  const before = await commands.output('house', 'export')
  const file = written(ONE_LINE)
  const refused = `This file would remove ${ALL}, so nothing was imported. Check it with --dry-run, then import it with --yes (in the API \`"yes": true\`).`
  expect(await commands.sentence('house', 'import', file)).toBe(refused)
  await expect(home.running.admin.call('PUT', '/house/file', { file: ONE_LINE })).rejects.toThrow(refused)
  expect(await commands.output('house', 'import', file, '--check')).toContain(`It would remove ${ALL}`)
  expect(await commands.output('house', 'import', file, '--dry-run')).toContain(`It would remove ${ALL}`)
  expect(await commands.output('house', 'export')).toBe(before)
  expect(await backups(home)).toEqual([])
})

verifies('administration.import-removals', 'with --yes a backup is made before the import', async (home) => {
  const commands = new HomeCommands(home)
  const before = await commands.output('house', 'export')
  const printed = await commands.output('house', 'import', written(ONE_LINE), '--yes')
  const [name = ''] = await backups(home)
  expect(printed).toBe(
    `Imported 0 floors, 0 rooms, 0 units, 0 scenes, 0 automations and 0 schedules.\nThe previous home is in the backup ${name}.\n`,
  )
  const { contents } = await home.running.admin.call<{ contents: object }>('POST', `/backups/${name}/check`)
  expect(contents).toMatchObject({ home: 'Sonnenwinkel' })
  await commands.output('house', 'import', written(before))
  expect(await commands.output('house', 'export')).toBe(before)
  expect(await backups(home)).toEqual([name])
})

verifies(
  'administration.import-removals',
  'removing half of a kind, or a single thing, needs no --yes',
  { tags: ['long'] },
  async (home) => {
    const { admin } = home.running
    const put = async (change: Readonly<Record<string, unknown>>) =>
      admin.call<{ backup: string | null }>('PUT', '/house/file', {
        file: stringify({ ...(await houseFile(home)), ...change }),
      })
    const { scenes, units } = (await houseFile(home)) as unknown as Record<'scenes' | 'units', readonly object[]>
    await expect(put({ scenes: scenes.slice(0, 2) })).rejects.toThrow('would remove 3 of 5 scenes, so')
    expect(await put({ scenes: scenes.slice(0, 3) })).toMatchObject({ backup: null })
    expect(await put({ scenes: scenes.slice(0, 1), units }).catch(String)).toContain('2 of 3 scenes')
    expect(await put({ scenes: scenes.slice(0, 2) })).toMatchObject({ backup: null })
    expect(await put({ scenes: scenes.slice(0, 1) })).toMatchObject({ backup: null })
    expect(await put({ scenes: [] })).toMatchObject({ backup: null })
  },
)

verifies(
  'administration.import-removals',
  'an empty file, and a file with an empty home, are refused',
  { tags: ['long'] },
  async (home) => {
    const commands = new HomeCommands(home)
    for (const text of ['', '\n', '# nothing yet\n', '---\n', 'null\n'])
      expect(await commands.sentence('house', 'import', '--yes', written(text))).toBe(
        'The file is empty: a house file has at least a `home` with a `name`.',
      )
    expect(await commands.sentence('house', 'import', '--yes', written('home:\n'))).toBe('home: must be an object.')
    expect(await commands.sentence('house', 'import', '--yes', written('home: {}\n'))).toBe('home.name: is missing.')
  },
)

verifies('administration.import-removals', 'at a terminal the command asks first', { tags: ['long'] }, async (home) => {
  const commands = new HomeCommands(home)
  const before = await commands.output('house', 'export')
  const file = written(ONE_LINE)
  const refused = await atTerminal(home, file, 'no')
  expect(refused.text).toContain(`This file removes ${ALL}. A backup is made first. Import it? (yes/no)`)
  expect([refused.code, await commands.output('house', 'export')]).toEqual([1, before])
  const agreed = await atTerminal(home, file, 'yes')
  expect([agreed.code, await commands.output('house', 'export')]).toEqual([0, expect.not.stringContaining('units:\n')])
  expect(await backups(home)).toHaveLength(1)
})

/** Runs `hm house import` at its own terminal and answers the question. */
async function atTerminal(home: TestHome, file: string, answer: string): Promise<{ code: number; text: string }> {
  const main = `${process.execPath} --disable-warning=ExperimentalWarning ${join(PROJECT_ROOT, 'src/cli/main.ts')}`
  const terminal = spawn('script', ['-qec', `${main} house import ${file}`, '/dev/null'], {
    env: { ...process.env, ...COMPILED, HM_DATA_DIR: home.running.dataDir },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let text = ''
  let answered = false
  terminal.stdout.on('data', (piece) => {
    text += String(piece)
    if (answered || !text.includes('(yes/no)')) return
    answered = true
    terminal.stdin.write(`${answer}\n`)
  })
  const [code] = (await once(terminal, 'close')) as [number]
  return { code, text }
}
