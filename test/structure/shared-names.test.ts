import { expect, test } from 'vitest'
import { isTypeScript, projectFiles } from '#support/project/source-tree.ts'

/** Names of types that several files may declare, by the reason: each means the same thing in all of them. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  'the simulator speaks the unit protocol with code of its own': [
    ...['BootReason', 'Command', 'Device', 'Frame', 'GangClass', 'Hello', 'Move', 'NotDone', 'Readings'],
    ...['RefusalDetail', 'Reply', 'Report', 'Request', 'RequestName', 'Room', 'TouchKey', 'Unit', 'UnitClass'],
  ],
  'relay and gateway are two programs with the same task': [
    ...['ControlRequest', 'LinkCode', 'Notice', 'Passkey', 'Passkeys', 'Passwords', 'SettingsError', 'SignInFailure'],
  ],
  'the client package imports nothing of the gateway': ['AnswerOf', 'Method'],
  'tests read answers by types of their own': ['Gang', 'House'],
  'documents and intents import nothing of each other': ['Json'],
}

const DECLARATION = /^export (?:abstract )?(?:class|interface|type) (\w+)/gm
const GENERATED = /(?:admin-)?contract\.ts$|generators\/clients\//

test('an exported type has one meaning: other files declare its name only for the same thing', () => {
  const files = projectFiles().filter(
    (file) => isTypeScript(file) && !GENERATED.test(file.path) && !file.path.endsWith('.test.ts'),
  )
  const places = new Map<string, Set<string>>()
  for (const { path, text } of files)
    for (const [, name = ''] of text.matchAll(DECLARATION)) places.set(name, (places.get(name) ?? new Set()).add(path))
  const shared = [...places].filter(([, paths]) => paths.size > 1).map(([name]) => name)
  expect(shared.toSorted()).toEqual(Object.values(SHARED).flat().toSorted())
})
