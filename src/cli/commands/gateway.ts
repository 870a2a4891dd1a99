import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { plain, when } from '../print.ts'

interface TlsView { ca: { fingerprint: string; pem: string }; certificate: { notBefore: number; notAfter: number; names: string[]; fingerprint: string } }

/** `hm tls`, `hm status`, `hm backup`: the gateway itself. */
export function gatewayCommands(program: Command, context: () => CliContext): void {
  const tls = program.command('tls').description('the CA and the certificate')
  tls.command('show').action(async () => context().show(await context().client.call('GET', '/tls') as unknown as TlsView, describeTls))
  tls.command('renew').description('renew the certificate now').action(async () => {
    context().show(await context().client.call('POST', '/tls/renew') as unknown as TlsView, (view) => `Renewed.\n${describeTls(view)}`)
  })
  tls.command('regenerate-ca').description('make a new CA; every client has to trust it anew').action(async () => {
    context().show(await context().client.call('POST', '/tls/regenerate-ca') as unknown as TlsView, (view) => `A new CA: every client has to fetch and trust it anew.\n${describeTls(view)}`)
  })

  program.command('status').description('how the gateway is doing').action(async () => {
    context().show(await context().client.call('GET', '/status'), (status) => lines(status, ''))
  })
  program.command('backup <file>').description('write a consistent copy of the configuration to a new file').action(async (file: string) => {
    const answer = await context().client.call('POST', '/backup', { file: resolve(file) }) as unknown as { file: string; bytes: number }
    context().show(answer, (each) => `Wrote ${each.file} (${Math.ceil(each.bytes / 1024)} KiB). It holds no secrets: keys and the CA are not in it or only as hashes.`)
  })
}

function describeTls({ ca, certificate }: TlsView): string {
  return [
    `CA fingerprint  ${ca.fingerprint}`,
    `certificate     ${when(certificate.notBefore)} to ${when(certificate.notAfter)}`,
    `names           ${certificate.names.join(', ')}`,
  ].join('\n')
}

function lines(value: Record<string, unknown>, indent: string): string {
  return Object.entries(value).map(([name, each]) => (each !== null && typeof each === 'object' && !Array.isArray(each)
    ? `${indent}${name}\n${lines(each as Record<string, unknown>, `${indent}  `)}`
    : `${indent}${name.padEnd(Math.max(1, 18 - indent.length))} ${Array.isArray(each) ? each.join(', ') : plain(each)}`)).join('\n')
}
