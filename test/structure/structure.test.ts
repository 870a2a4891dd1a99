import { describe, expect, test } from 'vitest'
import { importsOf } from '#support/project/imports.ts'
import { floorOf, STRUCTURE_RULES } from '#support/project/layers.ts'
import { isTest, projectFiles, type ProjectFile } from '#support/project/source-tree.ts'

const files = projectFiles()

describe('the structure of the project', () => {
  test.each(STRUCTURE_RULES)('$sentence', ({ broken }) => {
    expect(broken(files)).toEqual([])
  })

  test('the rules see the modules of every folder and their imports', () => {
    const folders = [
      'admin',
      'api',
      'auth',
      'backup',
      'cli',
      'db',
      'demo',
      'documents',
      'exposure',
      'gateway',
      'hmhc',
      'home',
      'http',
      'ical',
      'intents',
      'lib',
      'mcp',
      'mdns',
      'operations',
      'settings',
      'sim',
      'tls',
      'transport',
      'tunnel',
      'wire',
      'ws',
    ]
    const sources = files.filter((file) => file.path.startsWith('src/') && !isTest(file))
    const blind = folders.filter((folder) => {
      const inside = sources.filter((file) => floorOf(file.path) === folder)
      return inside.length === 0 || inside.flatMap(importsOf).length === 0
    })
    expect(blind).toEqual([])
  })
})

describe('the rules find planted faults', () => {
  const file = (path: string, ...lines: string[]): ProjectFile => ({ path, text: lines.join('\n') })
  const brokenBy = (...planted: ProjectFile[]): string[] =>
    STRUCTURE_RULES.filter((rule) => rule.broken(planted).length > 0).map((rule) => rule.sentence)

  // Kept apart, so that this file itself imports nothing that is not there.
  const LAZY = 'import'
  const lib = file('src/lib/clock.ts', 'export const clock = 1')
  const main = file('src/main.ts', "import './lib/clock.ts'")

  const PACKAGE = 'A package imports its own files by path and other packages by the names in its manifest'
  const CLIENT = 'client/ knows ws and Node in its Node files alone, and of the sources cli/client/ alone knows client/'
  const COMMANDS = 'cli/client/ knows client/, lib/ and the words of the command line, and nothing of the gateway'
  const PATHS = 'cli/ and mcp/ call endpoints by name and spell no path of the service'

  test('nothing in a sound project', () => {
    expect(brokenBy(main, lib)).toEqual([])
  })

  test.each([
    [
      'an import upwards',
      file('src/lib/clock.ts', "import { x } from '../home/x.ts'"),
      file('src/home/x.ts', 'export const x = 1'),
      'Every folder of src stands on a floor and imports only from there and from below',
    ],
    [
      'an import over several lines',
      file('src/lib/clock.ts', 'import {', '  x,', "} from '../home/x.ts'"),
      file('src/home/x.ts', 'export const x = 1'),
      'Every folder of src stands on a floor and imports only from there and from below',
    ],
    [
      'an import of a type upwards',
      file('src/lib/clock.ts', "import type { X } from '../home/x.ts'"),
      file('src/home/x.ts', 'export type X = 1'),
      'Every folder of src stands on a floor and imports only from there and from below',
    ],
    [
      'a re-export upwards',
      file('src/lib/clock.ts', "export * from '../home/x.ts'"),
      file('src/home/x.ts', 'export const x = 1'),
      'Every folder of src stands on a floor and imports only from there and from below',
    ],
    [
      'a lazy import upwards',
      file('src/lib/clock.ts', `const load = () => ${LAZY}('../home/x.ts')`),
      file('src/home/x.ts', 'export const x = 1'),
      'Every folder of src stands on a floor and imports only from there and from below',
    ],
    [
      'a domain that knows an adapter',
      lib,
      file('src/home/x.ts', "import '../db/y.ts'"),
      'Every folder of src stands on a floor and imports only from there and from below',
    ],
    [
      'a folder without a floor',
      lib,
      file('src/helpers/x.ts', ''),
      'Every folder of src stands on a floor and imports only from there and from below',
    ],
    [
      'adapters that know each other',
      lib,
      file('src/sim/x.ts', "import '../hmhc/y.ts'"),
      'Adapters know the domain’s language and its ports, and nothing of each other',
    ],
    [
      'a demo that imports a floor above the home',
      file('src/api/x.ts', 'export const x = 1'),
      file('src/demo/x.ts', "import { x } from '../api/x.ts'"),
      'Adapters know the domain’s language and its ports, and nothing of each other',
    ],
    [
      'a home that knows the demo',
      file('src/demo/x.ts', 'export const x = 1'),
      file('src/home/x.ts', "import { x } from '../demo/x.ts'"),
      'Every folder of src stands on a floor and imports only from there and from below',
    ],
    [
      'a model that knows the house',
      lib,
      file('src/home/model/x.ts', "import '../house/house.ts'"),
      'The domain’s model knows only itself and lib; its ports know only the model besides',
    ],
    [
      'db that runs code of auth',
      lib,
      file('src/db/x.ts', "import { y } from '../auth/y.ts'"),
      'db/ takes types and data, never code, from auth/, exposure/ and intents/',
    ],
    [
      'a command that opens a gateway of its own',
      lib,
      file('src/cli/x.ts', "import '../gateway/gateway.ts'"),
      'cli/ knows nothing of the composition, and only notices of operations/',
    ],
    [
      'fastify in a handler',
      lib,
      file('src/api/x.ts', "import type { FastifyRequest } from 'fastify'"),
      'Only http/ and ws/ know fastify',
    ],
    [
      'a fastify plugin in a handler',
      lib,
      file('src/api/x.ts', "import cors from '@fastify/cors'"),
      'Only http/ and ws/ know fastify',
    ],
    [
      'SQLite outside db/',
      lib,
      file('src/home/x.ts', "import Database from 'better-sqlite3'"),
      'Only db/, the lock of a data folder and one store of the relay know better-sqlite3',
    ],
    [
      'SQLite elsewhere in the relay',
      lib,
      file('relay/accounts/x.ts', "import Database from 'better-sqlite3'"),
      'Only db/, the lock of a data folder and one store of the relay know better-sqlite3',
    ],
    [
      'the OAuth engine outside its folder',
      lib,
      file('relay/pages/x.ts', "import { Provider } from 'oidc-provider'"),
      'Only relay/oauth knows oidc-provider',
    ],
    [
      'NATS in the edge',
      lib,
      file('relay/edge/x.ts', "import { connect } from '@nats-io/transport-node'"),
      'Only relay/nats knows NATS',
    ],
    [
      'a relay that knows the home',
      file('src/home/x.ts', 'export const x = 1'),
      file('relay/edge/x.ts', "import { x } from '../../src/home/x.ts'"),
      PACKAGE,
    ],
    [
      'a gateway that knows the relay',
      file('relay/edge/x.ts', 'export const x = 1'),
      file('src/gateway/x.ts', "import { x } from '../../relay/edge/x.ts'"),
      PACKAGE,
    ],
    [
      'a gateway that knows the relay by its name',
      file('relay/edge/x.ts', 'export const x = 1'),
      file('src/gateway/x.ts', "import { x } from '@hm-gateway/relay/edge/x.ts'"),
      PACKAGE,
    ],
    [
      'a relay that imports a shared package by its path',
      lib,
      file('relay/edge/x.ts', "import { clock } from '../../src/lib/clock.ts'"),
      PACKAGE,
    ],
    [
      'a lib that goes by the packages of the gateway',
      lib,
      file('src/lib/x.ts', "import { pino } from 'pino'"),
      PACKAGE,
    ],
    [
      'a relay that imports a test',
      file('relay/edge/x.ts', "import '../../test/support/x.ts'"),
      file('test/support/x.ts', ''),
      'Sources never import tests or what belongs to them',
    ],
    [
      'a client that knows the gateway',
      file('src/lib/x.ts', 'export const x = 1'),
      file('client/src/x.ts', "import type { x } from '../../src/lib/x.ts'"),
      PACKAGE,
    ],
    [
      'a gateway that knows the client',
      file('client/src/x.ts', 'export const x = 1'),
      file('src/gateway/x.ts', "import { x } from '../../client/src/x.ts'"),
      CLIENT,
    ],
    ['a client for browsers that knows Node', lib, file('client/src/call.ts', "import 'node:https'"), CLIENT],
    [
      'a page of the console that knows the gateway',
      lib,
      file('console/src/x.tsx', "import { x } from '../../src/lib/x.ts'"),
      PACKAGE,
    ],
    ['a console with another package', lib, file('console/src/x.ts', "import 'zod'"), PACKAGE],
    ['a client with another package', lib, file('client/src/node.ts', "import { z } from 'zod'"), PACKAGE],
    [
      'the protocol of the tunnel in a handler',
      lib,
      file('src/api/x.ts', "import { connect } from 'node:http2'"),
      'Only the two ends of the tunnel know http2',
    ],
    [
      'words of the tunnel that know a transport',
      file('src/http/x.ts', 'export const x = 1'),
      file('src/wire/x.ts', "import { x } from '../http/x.ts'"),
      'Every folder of src stands on a floor and imports only from there and from below',
    ],
    ['a source that imports main.ts', file('src/lib/clock.ts', "import '../main.ts'"), main, 'No file imports main.ts'],
    [
      'a source that imports a test',
      file('src/lib/clock.ts', "import '../../test/support/x.ts'"),
      file('test/support/x.ts', ''),
      'Sources never import tests or what belongs to them',
    ],
    [
      'a source that imports the support of tests by its short name',
      file('src/lib/clock.ts', "import '#support/x.ts'"),
      file('test/support/x.ts', ''),
      'Sources never import tests or what belongs to them',
    ],
    [
      'an import of nothing',
      lib,
      file('src/lib/x.ts', "import './gone.ts'"),
      'Every import names a file that is there, with its ending',
    ],
    [
      'a file that nothing uses',
      lib,
      file('src/lib/alone.ts', 'export const alone = 1'),
      'Every source file is reached from an entrance',
    ],
    [
      'two files that import each other',
      file('src/lib/clock.ts', "import './x.ts'"),
      file('src/lib/x.ts', "import './clock.ts'"),
      'No file imports itself, not even over others',
    ],
    [
      'two files that import each other by type',
      file('src/lib/clock.ts', "import type { X } from './x.ts'"),
      file('src/lib/x.ts', "import { clock } from './clock.ts'"),
      'No file imports itself, not even over others',
    ],
    [
      'two folders of one parent that import each other, deep inside',
      file('src/home/live/x.ts', "import type { Y } from '../rules/runs/y.ts'"),
      file('src/home/rules/z.ts', "import { x } from '../live/x.ts'"),
      'No two folders import each other',
    ],
    [
      'a folder and its subfolder that import each other',
      file('client/src/x.ts', "import { y } from './live/y.ts'"),
      file('client/src/live/z.ts', "import { x } from '../x.ts'"),
      'No two folders import each other',
    ],
    [
      'scripts that import each other by type',
      file('scripts/x.mjs', "import './checks/y.mjs'"),
      file('scripts/checks/z.ts', "import type { X } from '../w.ts'"),
      'No two folders import each other',
    ],
    [
      'a client command that knows the gateway',
      file('src/api/contract-client.ts', 'export const x = 1'),
      file('src/cli/client/x.ts', "import { x } from '../../api/client.ts'"),
      COMMANDS,
    ],
    [
      "a client command that goes by the administrators' socket",
      file('src/cli/commands/context.ts', 'export const x = 1'),
      file('src/cli/client/x.ts', "import { x } from '../admin-socket.ts'"),
      COMMANDS,
    ],
    [
      "an administrators' command that knows client/",
      file('client/src/node.ts', 'export const x = 1'),
      file('src/cli/commands/x.ts', "import { x } from '../../../client/src/node.ts'"),
      CLIENT,
    ],
    [
      "an administrators' path in a command",
      lib,
      file('src/cli/commands/x.ts', "export const list = () => send('GET', '/admin/v1/keys')"),
      PATHS,
    ],
    [
      'a path of the service in a tool',
      lib,
      file('src/mcp/tools/x.ts', "export const one = (id: string) => get('/v1/devices/' + id)"),
      PATHS,
    ],
    [
      'a path without its beginning in a command',
      lib,
      file('src/cli/commands/x.ts', "export const one = (id: string) => get('/keys/' + id)"),
      PATHS,
    ],
  ])('%s', (_name, one, other, sentence) => {
    expect(brokenBy(main, one, other)).toContain(sentence)
  })

  test('a second file that knows serialport', () => {
    const port = "import { SerialPort } from 'serialport'"
    expect(brokenBy(main, lib, file('src/hmhc/a.ts', port))).not.toContain('Only one file of hmhc/ knows serialport')
    expect(brokenBy(main, lib, file('src/hmhc/a.ts', port), file('src/hmhc/b.ts', port))).toContain(
      'Only one file of hmhc/ knows serialport',
    )
  })

  test('a path in a comment is no path that is spelt', () => {
    expect(brokenBy(main, lib, file('src/mcp/x.ts', "/* '/v1/house' */ // '/v1/house'"))).not.toContain(PATHS)
  })

  test('a source that asks existsSync', () => {
    const rule = STRUCTURE_RULES.at(-1)!
    const text = "import { existsSync } from 'node:fs'"
    expect(rule.broken([file('src/lib/x.ts', text), file('src/cli/x.ts', text)])).toEqual(['src/lib/x.ts'])
  })

  test('types and constants that are exported are no imports', () => {
    const text =
      "export interface X {\n  readonly kind: 'one'\n}\nexport type { Y } from './y.ts'\nexport * from './z.ts'"
    expect(importsOf(file('src/lib/x.ts', text)).map((one) => [one.kind === 'file' && one.file, one.typeOnly])).toEqual(
      [
        ['src/lib/y.ts', true],
        ['src/lib/z.ts', false],
      ],
    )
  })

  test('comments and strings are no imports', () => {
    expect(
      importsOf(
        file(
          'src/lib/x.ts',
          "// import '../home/x.ts'",
          "/* import '../home/y.ts' */",
          "const text = 'no import here'",
        ),
      ),
    ).toEqual([])
  })
})
