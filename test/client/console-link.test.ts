import { expect, test } from 'vitest'
import { consoleLink, HmError } from '../../client/src/node.ts'

const gateway = 'https://hm-7k2mq4xw9tbc.local:8490'
const refused = (appAction: string | null): HmError =>
  new HmError(403, { code: 'unlock_not_allowed', message: 'No.', appAction, retryAfter: null })

test('a refusal that an administrator can mend leads into the gateway’s console', () => {
  expect(consoleLink(refused('rooms'), { gateway })).toBe(`${gateway}/console/go/rooms`)
  expect(consoleLink(refused('integrations.record'), { gateway, device: '7k2m:1f:front-door' })).toBe(
    `${gateway}/console/go/integrations.record?device=7k2m%3A1f%3Afront-door`,
  )
  expect(consoleLink(refused('a/b'), { gateway, integration: '1f' })).toBe(`${gateway}/console/go/a%2Fb?integration=1f`)
})

test('one that nobody can mend leads nowhere', () => {
  expect(consoleLink(refused(null), { gateway })).toBeNull()
})
