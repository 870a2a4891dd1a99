// @module-tag repeated
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { parse } from 'yaml'
import { HomeCommands } from '#support/gateway/home-commands.ts'
import { type TestHome, verifiesAlone } from '#support/gateway/harness.ts'
import { casesOf } from '#support/long.ts'
import { tempFolder } from '#support/temp-folder.ts'

const verifies = verifiesAlone(() => ({}), { over: 'http' })

/** Names that YAML 1.1 reads as a boolean, number, time, date, null or special key. */
const NAMES = ['on', 'off', 'No', 'y', '~', 'null', '22:30', '0o17', '1_000', '2027-01-31', '=', '<<', '.inf', '1e3']

async function exported(home: TestHome): Promise<string> {
  const file = join(tempFolder(), 'house.yaml')
  await new HomeCommands(home).output('house', 'export', file)
  return file
}

verifies('administration.yaml-1.1', 'every name in an export is also a string in YAML 1.1', async (home) => {
  for (const name of casesOf(NAMES, 4)) {
    await home.call({ method: 'PATCH', path: home.at('study-light'), body: { name } })
    const text = readFileSync(await exported(home), 'utf8')
    const { units } = parse(text, { version: '1.1' }) as { units: readonly { id: string; name: unknown }[] }
    expect(units.find(({ id }) => id === 'study-light')?.name).toBe(name)
    expect(parse(text, { version: '1.1' })).toEqual(parse(text))
  }
})

verifies(
  'administration.encoding',
  'a house file of another encoding is refused, and the encoding named',
  async (home) => {
    const commands = new HomeCommands(home)
    const text = readFileSync(await exported(home), 'utf8').replace('name: Kitchen', 'name: Küche')
    expect(text).toContain('Küche')
    const before = await commands.output('house', 'export')
    const file = join(tempFolder(), 'house.yaml')
    const written = async (bytes: Uint8Array): Promise<string> => {
      writeFileSync(file, bytes)
      return commands.sentence('house', 'import', '--check', file)
    }
    const refused = (encoding: string): string =>
      `${file} is not UTF-8: it seems to be ${encoding}. Save it as UTF-8 and try again.`
    expect(await written(Buffer.from(text, 'latin1'))).toBe(
      refused('Latin-1 (ISO 8859-1 or Windows-1252) or another 8-bit encoding'),
    )
    expect(await written(Buffer.from(`\ufeff${text}`, 'utf16le'))).toBe(refused('UTF-16'))
    expect(await written(Buffer.from(text, 'utf16le'))).toBe(refused('UTF-16'))
    expect(await commands.output('house', 'export')).toBe(before)

    writeFileSync(file, `\ufeff${text}`)
    await commands.output('house', 'import', file)
    expect(await commands.output('house', 'export')).toContain('name: Küche\n')
  },
)

verifies(
  'administration.encoding',
  'a tariff file of another encoding, or a text with lost letters, is refused',
  { tags: ['long'] },
  async (home) => {
    const commands = new HomeCommands(home)
    const file = join(tempFolder(), 'tariff.yaml')
    const tariff = 'tariffs:\n  - name: Grünstrom\n    from: 2026-01-01\n    price: 0.31\n'
    writeFileSync(file, Buffer.from(tariff, 'latin1'))
    expect(await commands.sentence('tariff', 'set', file)).toContain('is not UTF-8')
    const lost = Buffer.from(tariff, 'latin1').toString('utf8')
    const sent = home.running.admin.call('PUT', '/tariff', { file: lost })
    await expect(sent).rejects.toThrow(/line 2 has lost characters.*save it as UTF-8/)
    const house = Buffer.from((await commands.output('house', 'export')).replace('Kitchen', 'Küche'), 'latin1')
    const imported = home.running.admin.call('PUT', '/house/file', { file: house.toString('utf8') })
    await expect(imported).rejects.toThrow(/lost characters/)
  },
)
