// @module-tag long
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempFolder } from '#support/temp-folder.ts'
import { tlsGateway, HOST } from '#support/tls-gateway.ts'

const run = promisify(execFile)

async function available(program: string, ...args: string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  )
}

test('openssl accepts the leaf under its strictest rules, before and after renewals', async (context) => {
  if (!(await available('openssl', 'version'))) return context.skip('openssl is not installed')
  const { tls, dir } = await tlsGateway()
  for (const step of [async () => {}, () => tls.renew('asked'), () => tls.regenerateCa()]) {
    await step()
    for (const name of [
      ['-verify_hostname', HOST],
      ['-verify_hostname', 'hm-ab12'],
      ['-verify_ip', '192.168.1.20'],
      ['-verify_ip', 'fd00::2'],
    ]) {
      const { stdout } = await run('openssl', [
        'verify',
        '-x509_strict',
        '-purpose',
        'sslserver',
        ...name,
        '-CAfile',
        tls.ca.file,
        join(dir, 'leaf.pem'),
      ])
      expect(stdout).toMatch(/: OK\n$/)
    }
  }
})

test('curl accepts the gateway by its CA and is refused with TLS 1.2', async (context) => {
  if (!(await available('curl', '--version'))) return context.skip('curl is not installed')
  const { tls, port } = await tlsGateway()
  const url = `https://${HOST}:${port}/`
  const args = ['--silent', '--cacert', tls.ca.file, '--resolve', `${HOST}:${port}:127.0.0.1`, '--noproxy', '*']
  await tls.renew('asked')
  expect((await run('curl', [...args, url])).stdout).toBe('served')
  expect((await run('curl', [...args, `https://127.0.0.1:${port}/`])).stdout).toBe('served')
  await expect(run('curl', [...args, '--tls-max', '1.2', url])).rejects.toMatchObject({ code: 35 })
})

test('Python accepts the gateway by its CA, strict checks on', async (context) => {
  if (!(await available('python3', '-c', 'import ssl'))) return context.skip('python3 is not installed')
  const { tls, port } = await tlsGateway()
  const script = join(tempFolder(), 'client.py')
  writeFileSync(
    script,
    [
      'import ssl, sys, urllib.request',
      'context = ssl.create_default_context(cafile=sys.argv[1])',
      'context.verify_flags |= ssl.VERIFY_X509_STRICT',
      'opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))',
      'print(opener.open(sys.argv[2]).read().decode(), end="")',
    ].join('\n'),
  )
  for (const host of ['127.0.0.1', 'localhost']) {
    expect((await run('python3', [script, tls.ca.file, `https://${host}:${port}/`])).stdout).toBe('served')
  }
})
