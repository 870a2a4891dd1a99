import { expect } from 'vitest'
import { HOUSE, type Household, LAMP } from './two-homes.ts'

/** Replaces parts of a token: `hm_key_{gateway}.{integration}.{link}.{secret}`. */
export function crossed(
  token: string,
  { gateway, integration }: { readonly gateway?: string; readonly integration?: string },
): string {
  const [head = '', of = '', link = '', secret = ''] = token.split('.')
  return [gateway === undefined ? head : head.replace(/[^_]+$/, gateway), integration ?? of, link, secret].join('.')
}

/** Checks that a text contains nothing of this home or its account. */
export function expectNothingOf({ person, serial, home }: Household, ...texts: readonly string[]): void {
  for (const text of texts)
    for (const word of [HOUSE, LAMP, person.email, serial, home.main.id, home.main.token])
      expect(text).not.toContain(word)
}
