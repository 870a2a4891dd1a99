// @module-tag long
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempFolder } from '#support/temp-folder.ts'

const run = promisify(execFile)
/** Command prefix for a separate network and process tree, which ends with its first process. */
const APART = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']

/** Reason why this machine cannot run the laboratory, or null. */
async function missing(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'network namespaces need root'
  for (const program of [
    'unshare',
    'nsenter',
    'ip',
    'dbus-daemon',
    'avahi-daemon',
    'avahi-browse',
    'avahi-resolve',
    'curl',
  ]) {
    const found = await run('which', [program]).then(
      () => true,
      () => false,
    )
    if (!found) return `${program} is not installed`
  }
  const built = await run('unshare', [...APART, 'ip', 'link', 'add', 'a0', 'type', 'veth', 'peer', 'name', 'b0']).then(
    () => true,
    () => false,
  )
  return built ? null : 'this machine allows no network namespaces'
}

test('another machine finds the gateway by avahi and reaches it by curl, also after an address change or a pulled cable, and notices its end', async (context) => {
  const reason = await missing()
  if (reason !== null) return context.skip(reason)
  const here = import.meta.dirname
  const program = [process.execPath, join(here, '../support/gateway/discovery-lab.ts'), join(tempFolder(), 'tls')]
  const laboratory = [...APART, 'bash', join(here, '../support/gateway/discovery-lab.sh'), ...program]
  const { stdout } = await run('unshare', laboratory, { timeout: 60_000 })
  const steps = stdout
    .trim()
    .split('\n')
    .map((line): { step: string; [more: string]: unknown } => JSON.parse(line))
  const [appeared, found, moved, replugged, unnoticed, departure] = steps
  expect(steps.map(({ step }) => step)).toEqual(['appeared', 'found', 'moved', 'replugged', 'unnoticed', 'gone'])
  expect(appeared?.['line']).toBe('+;client0;IPv4;hm-ab12cd34ef56;_hm-api._tcp;local')
  const resolved = (address: string): unknown =>
    expect.stringMatching(
      new RegExp(
        `^=;client0;IPv4;hm-ab12cd34ef56;_hm-api._tcp;local;hm-ab12cd34ef56\\.local;${address};8490;.*"fp=${String(appeared?.['fingerprint'])}".*"path=/v1".*"gw=ab12cd34ef56".*"v=1\\.1\\.0"`,
      ),
    )
  const answers = ['served', 'served', 'served', 'served']
  expect(found).toEqual({
    step: 'found',
    resolved: [resolved('(10\\.77\\.0\\.1|fd77::1)')],
    found: ['10.77.0.1', 'fd77::1'],
    answers,
  })
  expect(moved).toEqual({
    step: 'moved',
    resolved: [resolved('(10\\.77\\.0\\.9|fd77::1)')],
    found: ['10.77.0.9', 'fd77::1'],
    answers,
  })
  expect([replugged, unnoticed].map((step) => step?.['found'])).toEqual(['10.77.0.1', '10.77.0.1'])
  expect(departure).toEqual({ step: 'gone', line: '-;client0;IPv4;hm-ab12cd34ef56;_hm-api._tcp;local', errors: [] })
})
