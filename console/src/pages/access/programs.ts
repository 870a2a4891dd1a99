import { words } from '../../words/access.ts'

/** What a program may be connected as, in the order in which they are offered. */
export const PROGRAMS = ['homeAssistant', 'claude', 'code', 'curl'] as const
export type Program = (typeof PROGRAMS)[number]

/** What a new credential was handed over with. */
export interface HandedOut {
  readonly token: string
  readonly fingerprint: string
  readonly connectionCode: string
}

/** Agents come in by a credential of their own kind, which needs a person's word to open something. */
export const isAgent = (program: Program): boolean => program === 'claude'

/**
 * Lines to paste that let a program in, where there are some. They fetch the CA and use it only when its fingerprint is
 * the one that is shown here (docs/tls.md#the-way-in-three-steps).
 *
 * @param origin where the gateway is reached, like `https://hm-7k2mq4xw9tbc.local:8490`
 */
export function readyLines(
  program: Program,
  origin: string,
  { token, fingerprint, connectionCode }: HandedOut,
): string {
  const withCa = [
    `curl -sSko ca.fetched '${origin}/ca.pem'`,
    `[ "$(openssl x509 -in ca.fetched -noout -fingerprint -sha256 | cut -d= -f2)" = '${fingerprint}' ] &&`,
    '  openssl x509 -in ca.fetched -out ca.pem &&',
  ]
  switch (program) {
    case 'homeAssistant':
      return ''
    case 'claude':
      return [
        ...withCa,
        '  export NODE_EXTRA_CA_CERTS="$PWD/ca.pem" &&',
        `  claude mcp add --transport http --scope user home '${origin}/mcp' --header 'Authorization: Bearer ${token}'`,
      ].join('\n')
    case 'code':
      return [
        `// ${words.codeAbout}`,
        `// HM_CONNECTION='${connectionCode}'`,
        "import { connect } from '@hm-gateway/client'",
        '',
        'const home = await connect(process.env.HM_CONNECTION)',
        'for (const { name, state } of (await home.state()).devices) console.log(name, state)',
      ].join('\n')
    case 'curl':
      return [...withCa, `  curl --cacert ca.pem -H 'Authorization: Bearer ${token}' '${origin}/v1/house'`].join('\n')
  }
}
