interface Parts {
  kind: string
  gateway: string
  integration: string
  link: string
  secret: string
}

/** The parts of a token: Spec 5.2. */
export function partsOf(token: string): Parts {
  const [head = '', integration = '', link = '', secret = ''] = token.split('.')
  const [, kind = '', gateway = ''] = head.split('_')
  return { kind, gateway, integration, link, secret }
}

export function tokenText({ kind, gateway, integration, link, secret }: Parts): string {
  return `hm_${kind}_${gateway}.${integration}.${link}.${secret}`
}
