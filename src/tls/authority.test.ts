// @module-tag repeated
import { existsSync, chmodSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLog } from '@hm-gateway/lib/log.ts'
import { systemRandom } from '@hm-gateway/lib/random.ts'
import { times } from '#support/long.ts'
import { recordingLog } from '#support/recording-log.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { parseAuthority } from './authority.ts'
import { openTls } from './tls.ts'
import { TlsFolderError } from './tls-folder.ts'

const SERIAL = 'ab12cd34ef56'

async function open(
  dir: string,
  { serial = SERIAL, log = silentLog } = {},
): Promise<{ fingerprint: string; leaf: string }> {
  const tls = await openTls({
    dir,
    serial,
    addresses: () => ['192.168.1.20'],
    clock: new ManualClock(),
    random: systemRandom,
    log,
  })
  await tls.stop()
  return { fingerprint: tls.ca.fingerprint, leaf: tls.leaf().fingerprint }
}

async function refusal(dir: string, serial = SERIAL): Promise<string> {
  const before = existsSync(join(dir, 'ca-private.pem')) ? readFileSync(join(dir, 'ca-private.pem')) : null
  const error = await open(dir, { serial }).then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(TlsFolderError)
  const after = existsSync(join(dir, 'ca-private.pem')) ? readFileSync(join(dir, 'ca-private.pem')) : null
  expect(after).toEqual(before)
  const sentence = error instanceof Error ? error.message : ''
  expect(sentence).toMatch(/^The [^\n]+\.$|^The [^\n]+start again\.$/)
  expect(sentence).not.toContain('PRIVATE KEY')
  return sentence
}

test('the CA is made once and is the same at every later start', async () => {
  const dir = join(tempFolder(), 'deep', 'tls')
  const first = await open(dir)
  expect(await open(dir)).toEqual(first)
  expect(first.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
})

test("everything in the folder is the owner's alone, whatever the umask", async () => {
  for (const umask of [0o000, 0o177]) {
    const dir = join(tempFolder(), 'tls')
    const old = process.umask(umask)
    try {
      await open(dir)
    } finally {
      process.umask(old)
    }
    expect(statSync(dir).mode & 0o777).toBe(0o700)
    const modes = Object.fromEntries(
      readdirSync(dir).map((name) => [name, (statSync(join(dir, name)).mode & 0o777).toString(8)]),
    )
    expect(modes).toEqual({ 'ca-private.pem': '600', 'ca.pem': '600', 'leaf.pem': '600' })
  }
})

test('two fresh folders share no key material and no serial number', async () => {
  const [a, b] = [join(tempFolder(), 'tls'), join(tempFolder(), 'tls')]
  await open(a)
  await open(b)
  const keys = (dir: string): string[] =>
    ['ca-private.pem', 'leaf.pem'].map((name) => secretOf(readFileSync(join(dir, name), 'utf8')))
  const all = [...keys(a), ...keys(b)]
  expect(new Set(all).size).toBe(4)
  const certificates = [a, b].map(
    (dir) => parseAuthority(readFileSync(join(dir, 'ca-private.pem'), 'utf8'))?.certificate,
  )
  expect(certificates[0]?.serialNumber).not.toBe(certificates[1]?.serialNumber)
  expect(certificates[0]?.subject).not.toBe(certificates[1]?.subject)
})

/** The 32 secret bytes inside a PKCS #8 file for P-256. */
function secretOf(pem: string): string {
  const der = Buffer.from(/BEGIN PRIVATE KEY-----\n([\s\S]+?)\n-----END/.exec(pem)?.[1] ?? '', 'base64')
  return der.subarray(36, 68).toString('hex')
}

test('a CA file with any one byte changed is refused', async () => {
  const dir = join(tempFolder(), 'tls')
  await open(dir)
  const sound = readFileSync(join(dir, 'ca-private.pem'))
  expect(parseAuthority(sound.toString())).not.toBeNull()
  for (let at = 0; at < sound.length; at += times(5, 1)) {
    const damaged = Buffer.from(sound)
    // A change of the lowest bit mostly gives another base64 letter, which hides the damage best.
    damaged[at] = (damaged[at] ?? 0) ^ 1
    expect(parseAuthority(damaged.toString('latin1')), `byte ${at}`).toBeNull()
  }
})

test('a damaged, cut or empty CA file is refused in one sentence and not replaced', async () => {
  const dir = join(tempFolder(), 'tls')
  await open(dir)
  const file = join(dir, 'ca-private.pem')
  const sound = readFileSync(file)
  const withoutKey = sound.subarray(0, sound.indexOf('-----BEGIN PRIVATE KEY'))
  const flipped = Buffer.from(sound)
  flipped[200] = (flipped[200] ?? 0) ^ 1
  for (const content of [flipped, sound.subarray(0, 300), withoutKey, Buffer.alloc(0), Buffer.from('nonsense')]) {
    writeFileSync(file, content)
    expect(await refusal(dir)).toMatch(/is damaged: restore it from a backup, or remove the folder/)
  }
  writeFileSync(file, sound)
  await open(dir)
})

test("a certificate with another CA's key is refused", async () => {
  const [a, b] = [join(tempFolder(), 'tls'), join(tempFolder(), 'tls')]
  await open(a)
  await open(b)
  const [own, other] = [a, b].map((dir) => readFileSync(join(dir, 'ca-private.pem'), 'utf8'))
  const cut = (text = ''): [string, string] => [
    text.slice(0, text.indexOf('-----BEGIN PRIVATE')),
    text.slice(text.indexOf('-----BEGIN PRIVATE')),
  ]
  writeFileSync(join(a, 'ca-private.pem'), cut(own)[0] + cut(other)[1])
  expect(await refusal(a)).toContain('is damaged')
})

test('a missing CA is refused if a leaf of it is there', async () => {
  for (const remaining of ['leaf.pem', 'ca.pem']) {
    const dir = join(tempFolder(), 'tls')
    await open(dir)
    for (const name of readdirSync(dir)) if (name !== remaining) rmSync(join(dir, name))
    expect(await refusal(dir)).toContain(`is missing although ${join(dir, remaining)} is still there`)
    expect(readdirSync(dir)).toEqual([remaining])
  }
})

test('a CA open to other users is refused, file and folder', async () => {
  const dir = join(tempFolder(), 'tls')
  await open(dir)
  for (const mode of [0o644, 0o640, 0o606]) {
    chmodSync(join(dir, 'ca-private.pem'), mode)
    expect(await refusal(dir)).toContain(`(mode 0${mode.toString(8)}): run "chmod 600 ${join(dir, 'ca-private.pem')}"`)
  }
  chmodSync(join(dir, 'ca-private.pem'), 0o600)
  chmodSync(dir, 0o755)
  expect(await refusal(dir)).toContain(`run "chmod 700 ${dir}"`)
  chmodSync(dir, 0o700)
  await open(dir)
})

test("another gateway's CA is refused", async () => {
  const dir = join(tempFolder(), 'tls')
  await open(dir)
  expect(await refusal(dir, 'zz99')).toContain('belongs to another gateway')
})

test('a wrong or missing public copy is written again, with a warning', async () => {
  const dir = join(tempFolder(), 'tls')
  const { fingerprint } = await open(dir)
  const sound = readFileSync(join(dir, 'ca.pem'), 'utf8')
  expect(sound).not.toContain('PRIVATE')
  writeFileSync(join(dir, 'ca.pem'), sound.replace('M', 'N'))
  const log = recordingLog()
  expect((await open(dir, { log })).fingerprint).toBe(fingerprint)
  expect(log.sentences('warn')).toEqual(['The public copy of the CA was wrong; it is written again.'])
  rmSync(join(dir, 'ca.pem'))
  await open(dir)
  expect(readFileSync(join(dir, 'ca.pem'), 'utf8')).toBe(sound)
})

test('a leaf that is damaged, foreign or open to others is replaced; the CA stays', async () => {
  const [dir, other] = [join(tempFolder(), 'tls'), join(tempFolder(), 'tls')]
  const first = await open(dir)
  await open(other)
  const file = join(dir, 'leaf.pem')
  const sound = readFileSync(file, 'utf8')
  const spoil: (() => void)[] = [
    () => writeFileSync(file, ''),
    () => writeFileSync(file, sound.slice(0, 500)),
    () => writeFileSync(file, readFileSync(join(other, 'leaf.pem'))),
    () => chmodSync(file, 0o644),
  ]
  for (const damage of spoil) {
    const before = await open(dir)
    damage()
    const log = recordingLog()
    const after = await open(dir, { log })
    expect(after.fingerprint).toBe(first.fingerprint)
    expect(after.leaf).not.toBe(before.leaf)
    expect(log.sentences('warn')).toHaveLength(1)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  }
})

test('files of an interrupted write do no harm', async () => {
  const dir = join(tempFolder(), 'tls')
  const first = await open(dir)
  for (const name of readdirSync(dir)) writeFileSync(join(dir, `${name}.new`), 'half')
  rmSync(join(dir, 'leaf.pem'))
  expect((await open(dir)).fingerprint).toBe(first.fingerprint)
})
