import { importsOf, type Import, withoutComments } from './imports.ts'
import { packageOf } from './own-packages.ts'
import { isTest, isTypeScript, type ProjectFile } from './source-tree.ts'
import { twoWayFolders } from './two-way-folders.ts'

/** A rule over all files: a sentence, and its violations. */
export interface StructureRule {
  readonly sentence: string
  readonly broken: (files: readonly ProjectFile[]) => string[]
}

/** Opens and stops the parts in order: the only folder that knows them all. */
const COMPOSITION = 'gateway'

/** The floors of the house, from the top: each folder of src imports only from its own floor and lower ones. */
const FLOORS: readonly (readonly string[])[] = [
  ['main.ts'],
  ['cli'],
  [COMPOSITION],
  ['operations', 'documents', 'http', 'ws', 'mcp', 'tunnel'],
  ['admin'],
  ['transport'],
  ['api'],
  ['backup'],
  ['auth', 'exposure', 'intents'],
  ['home'],
  ['settings'],
  ['wire'],
  ['lib'],
]

/** The domain's types. */
const MODEL = ['src/home/model/']
const PORTS = ['src/home/ports/']
/** The domain's schemas of stored data, by which a start finds damaged rows. */
const STORED = [
  'src/home/house/house-file.ts',
  'src/home/record/tariff.ts',
  'src/home/rules/schema.ts',
  'src/home/rules/step-schema.ts',
]

/** Allowed imports of adapters: the domain's language and its ports, and lib. Adapters do not see each other. */
const ADAPTERS: Readonly<Record<string, readonly string[]>> = {
  hmhc: [...MODEL, ...PORTS, 'src/lib/'],
  db: [...MODEL, ...PORTS, ...STORED, 'src/lib/', 'src/auth/', 'src/exposure/', 'src/intents/'],
  tls: [...MODEL, ...PORTS, 'src/lib/'],
  mdns: [...MODEL, ...PORTS, 'src/lib/'],
  ical: [...MODEL, ...PORTS, 'src/home/rules/time/', 'src/lib/'],
  sim: ['src/lib/'],
  // Not an adapter, but on their floor: a house for the simulator, and its history for the home.
  demo: ['src/home/', 'src/sim/', 'src/lib/'],
}

/** Adapters, or files of them, with importers other than the composition. */
const ADAPTERS_SEEN: Readonly<Record<string, readonly string[]>> = {
  cli: ['src/sim/', 'src/demo/'],
  backup: ['src/db/', 'src/tls/'],
  settings: ['src/tls/leaf-names.ts'],
}

/** Packages that only one part of the project may import. */
const KEPT_PACKAGES: readonly {
  readonly packages: RegExp
  readonly where: RegExp
  readonly sentence: string
  readonly filesMax?: number
}[] = [
  { packages: /^(?:fastify|@fastify\/.*)$/, where: /^src\/(?:http|ws)\//, sentence: 'Only http/ and ws/ know fastify' },
  {
    packages: /^find-my-way$/,
    where: /^src\/api\/router\.ts$/,
    sentence: 'Only the router of api/ knows find-my-way',
    filesMax: 1,
  },
  {
    packages: /^better-sqlite3$/,
    where: /^(?:src\/db\/|src\/lib\/lock\.ts$|relay\/store\/sqlite-store\.ts$)/,
    sentence: 'Only db/, the lock of a data folder and one store of the relay know better-sqlite3',
  },
  { packages: /^oidc-provider$/, where: /^relay\/oauth\//, sentence: 'Only relay/oauth knows oidc-provider' },
  {
    packages: /^(?:serialport|@serialport\/.*)$/,
    where: /^src\/hmhc\//,
    sentence: 'Only one file of hmhc/ knows serialport',
    filesMax: 1,
  },
  {
    packages: /^(?:modern-tar|age-encryption|@scure\/(?:base|bip39))(?:\/.*)?$/,
    where: /^src\/backup\//,
    sentence: 'Only backup/ knows tar files, age files and the words of phrases',
  },
  { packages: /^node-forge$/, where: /^src\/tls\//, sentence: 'Only tls/ knows node-forge' },
  { packages: /^multicast-dns$/, where: /^src\/mdns\//, sentence: 'Only mdns/ knows multicast-dns' },
  {
    packages: /^ws$/,
    where: /^src\/(?:http|transport|tunnel|ws)\//,
    sentence: 'Only http/, transport/, tunnel/ and ws/ know ws',
  },
  {
    packages: /^node:http2$/,
    where: /^(?:src\/tunnel|relay\/(?:edge|tunnels|nodes))\//,
    sentence: 'Only the two ends of the tunnel know http2',
  },
  { packages: /^@modelcontextprotocol\//, where: /^src\/mcp\//, sentence: 'Only mcp/ knows the protocol of agents' },
  { packages: /^@nats-io\//, where: /^relay\/nats\//, sentence: 'Only relay/nats knows NATS' },
  { packages: /^commander$/, where: /^src\/cli\//, sentence: 'Only cli/ knows commander' },
  {
    packages: /^node-ical$/,
    where: /^src\/ical\/repetition\.ts$/,
    sentence: 'Only repetition.ts of ical/ knows node-ical',
    filesMax: 1,
  },
  { packages: /^uqr$/, where: /^src\/cli\//, sentence: 'Of src only cli/ knows uqr' },
]

/** The client's files for Node; the others run in browsers too. */
const CLIENT_IN_NODE = /^client\/src\/node(?:-[a-z]+)?\.ts$/

/** Entry points of the programs: files reachable from here are in use. */
const ENTRANCES =
  /^(?:client\/src\/(?:node|browser)\.ts|src\/main\.ts|src\/cli\/main\.ts|relay\/main\.ts|scripts\/[^/]+\.ts|bench\/[^/]+\.ts|simulate\/(?:main|worker)\.ts)$/

/** The folder of src that a file belongs to (`hmhc`), `main.ts`, or null outside src. */
export function floorOf(path: string): string | null {
  const [top, name = ''] = path.split('/')
  return top === 'src' ? name : null
}

/** The sources of the programs. */
const SHIPPED = /^(?:src|relay|console\/src|client\/src)\/.*\.tsx?$/

const isSource = (file: ProjectFile): boolean => file.path.startsWith('src/') && isTypeScript(file) && !isTest(file)
const isRelay = (file: ProjectFile): boolean => file.path.startsWith('relay/') && isTypeScript(file) && !isTest(file)
const isClient = (file: ProjectFile): boolean => file.path.startsWith('client/') && isTypeScript(file) && !isTest(file)
const importsOfAll = (files: readonly ProjectFile[]): Import[] => files.filter(isTypeScript).flatMap(importsOf)
const show = (one: Import): string => `${one.from} imports ${one.kind === 'file' ? one.file : one.name}`

const floorRule: StructureRule = {
  sentence: 'Every folder of src stands on a floor and imports only from there and from below',
  broken: (files) =>
    files.filter(isSource).flatMap((file) => {
      const floor = floorOf(file.path)!
      const height = FLOORS.findIndex((names) => names.includes(floor))
      if (height < 0) return Object.hasOwn(ADAPTERS, floor) ? [] : [`${file.path} stands on no floor`]
      return importsOf(file)
        .filter((one) => one.kind === 'file' && !mayImport(floor, height, one.file))
        .map(show)
    }),
}

function mayImport(floor: string, height: number, target: string): boolean {
  const below = floorOf(target)
  // Another rule says which files of the command line know client/.
  if (below === null)
    return (target === 'package.json' && height === 0) || (floor === 'cli' && target.startsWith('client/'))
  if (below === floor) return true
  // The composition root sees all adapters, backup/ the databases and the CA. The command line runs the simulated demo
  // house as a process of its own.
  if (Object.hasOwn(ADAPTERS, below))
    return height === 0 || floor === COMPOSITION || (ADAPTERS_SEEN[floor] ?? []).some((path) => target.startsWith(path))
  return FLOORS.findIndex((names) => names.includes(below)) >= height
}

const cliRule: StructureRule = {
  sentence: 'cli/ knows nothing of the composition, and only notices of operations/',
  broken: (files) =>
    importsOfAll(files.filter((file) => isSource(file) && floorOf(file.path) === 'cli'))
      .filter(
        (one) =>
          one.kind === 'file' &&
          [COMPOSITION, 'operations'].includes(floorOf(one.file) ?? '') &&
          one.file !== 'src/operations/notice.ts',
      )
      .map(show),
}

/** Commands that use the service like any other client, and code shared with the administrators' commands. */
const CLIENT_COMMANDS = 'src/cli/client/'
const CLIENT_COMMANDS_KNOW: readonly RegExp[] = [
  /^src\/cli\/client\//,
  /^client\//,
  /^src\/lib\//,
  /^src\/cli\/shell\//,
]

const clientCommandsRule: StructureRule = {
  sentence: 'cli/client/ knows client/, lib/ and the words of the command line, and nothing of the gateway',
  broken: (files) =>
    importsOfAll(files.filter((file) => isSource(file) && file.path.startsWith(CLIENT_COMMANDS)))
      .filter((one) =>
        one.kind === 'file'
          ? !CLIENT_COMMANDS_KNOW.some((known) => known.test(one.file))
          : !/^(?:commander$|node:)/.test(one.name),
      )
      .map(show),
}

const adapterRule: StructureRule = {
  sentence: 'Adapters know the domain’s language and its ports, and nothing of each other',
  broken: (files) =>
    files.filter(isSource).flatMap((file) => {
      const floor = floorOf(file.path)!
      const allowed = ADAPTERS[floor]
      if (allowed === undefined) return []
      return importsOf(file)
        .filter(
          (one) =>
            one.kind === 'file' && floorOf(one.file) !== floor && !allowed.some((path) => one.file.startsWith(path)),
        )
        .map(show)
    }),
}

const packageRule: StructureRule = {
  sentence: 'A package imports its own files by path and other packages by the names in its manifest',
  broken: (files) =>
    importsOfAll(files.filter((file) => SHIPPED.test(file.path) && !isTest(file)))
      .filter((one) => !isOfPackage(one))
      .map(show),
}

function isOfPackage(one: Import): boolean {
  const { folder, dependencies } = packageOf(one.from)
  if (one.kind === 'package') return one.name.startsWith('node:') || dependencies.includes(one.name)
  const target = packageOf(one.file)
  if (one.byName) return dependencies.includes(target.name)
  if (target.folder === folder) return true
  // The gateway's sources surround the packages that it shares with the relay.
  return folder === '' && target.folder.startsWith('src/')
}

const clientRule: StructureRule = {
  sentence: 'client/ knows ws and Node in its Node files alone, and of the sources cli/client/ alone knows client/',
  broken: (files) => [
    ...importsOfAll(files.filter(isClient))
      .filter((one) => one.kind === 'package' && !CLIENT_IN_NODE.test(one.from))
      .map(show),
    ...importsOfAll(files.filter(isSource))
      .filter(
        (one) => one.kind === 'file' && one.file.startsWith('client/src/') && !one.from.startsWith(CLIENT_COMMANDS),
      )
      .map(show),
  ],
}

const languageRule: StructureRule = {
  sentence: 'The domain’s model knows only itself and lib; its ports know only the model besides',
  broken: (files) =>
    files.filter(isSource).flatMap((file) => {
      const isIn = (paths: readonly string[]): boolean => paths.some((path) => file.path.startsWith(path))
      const allowed = isIn(['src/home/model/'])
        ? ['src/home/model/', 'src/lib/']
        : isIn([...MODEL, ...PORTS])
          ? [...MODEL, ...PORTS, 'src/lib/']
          : null
      if (allowed === null) return []
      return importsOf(file)
        .filter((one) => one.kind === 'file' && !allowed.some((path) => one.file.startsWith(path)))
        .map(show)
    }),
}

/** Files that hold tables and constants, no behaviour. */
const PURE_DATA: readonly string[] = ['src/exposure/knobs.ts']

const typesOfUpperFloorsRule: StructureRule = {
  sentence: 'db/ takes types and data, never code, from auth/, exposure/ and intents/',
  broken: (files) =>
    importsOfAll(files.filter((file) => isSource(file) && floorOf(file.path) === 'db'))
      .filter(
        (one) =>
          one.kind === 'file' &&
          !one.typeOnly &&
          !PURE_DATA.includes(one.file) &&
          ['auth', 'exposure', 'intents'].includes(floorOf(one.file) ?? ''),
      )
      .map(show),
}

const packageRules: StructureRule[] = KEPT_PACKAGES.map(({ packages, where, sentence, filesMax }) => ({
  sentence,
  broken: (files) => {
    const users = importsOfAll(files.filter((file) => isSource(file) || isRelay(file))).filter(
      (one) => one.kind === 'package' && packages.test(one.name),
    )
    const elsewhere = users.filter((one) => !where.test(one.from)).map(show)
    const inside = [...new Set(users.filter((one) => where.test(one.from)).map((one) => one.from))]
    return inside.length > (filesMax ?? Infinity)
      ? [...elsewhere, `too many files use it: ${inside.join(', ')}`]
      : elsewhere
  },
}))

const mainRule: StructureRule = {
  sentence: 'No file imports main.ts',
  broken: (files) =>
    importsOfAll(files)
      .filter((one) => one.kind === 'file' && /^src\/(?:cli\/)?main\.ts$/.test(one.file))
      .map(show),
}

const testRule: StructureRule = {
  sentence: 'Sources never import tests or what belongs to them',
  broken: (files) =>
    importsOfAll(
      files.filter(
        (file) =>
          isSource(file) || isRelay(file) || isClient(file) || (file.path.startsWith('scripts/') && isTypeScript(file)),
      ),
    )
      .filter(
        (one) =>
          (one.kind === 'file' && (one.file.startsWith('test/') || one.file.endsWith('.test.ts'))) ||
          (one.kind === 'package' && ['vitest', 'fast-check'].includes(one.name)),
      )
      .map(show),
}

const existsRule: StructureRule = {
  sentence: 'Every import names a file that is there, with its ending',
  broken: (files) => {
    const paths = new Set(files.map((file) => file.path))
    return importsOfAll(files)
      .filter(
        (one) =>
          one.kind === 'file' && !paths.has(one.file) && !files.some((file) => file.path.startsWith(`${one.file}/`)),
      )
      .map(show)
  },
}

const reachRule: StructureRule = {
  sentence: 'Every source file is reached from an entrance',
  broken: (files) => {
    const byPath = new Map(files.map((file) => [file.path, file]))
    const reached = new Set<string>()
    const waiting = files.filter((file) => ENTRANCES.test(file.path)).map((file) => file.path)
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const file = byPath.get(path)
      if (reached.has(path) || file === undefined) continue
      reached.add(path)
      if (isTypeScript(file)) for (const one of importsOf(file)) if (one.kind === 'file') waiting.push(one.file)
    }
    return files
      .filter((file) => (isSource(file) || isClient(file)) && !reached.has(file.path))
      .map((file) => `${file.path} is not reachable`)
  },
}

const cycleRule: StructureRule = {
  sentence: 'No file imports itself, not even over others',
  broken: (files) => {
    const next = new Map(
      files
        .filter(isTypeScript)
        .map((file) => [file.path, importsOf(file).flatMap((one) => (one.kind === 'file' ? [one.file] : []))]),
    )
    const done = new Set<string>()
    const cycles: string[] = []
    const walk = (path: string, trail: readonly string[]): void => {
      const start = trail.indexOf(path)
      if (start >= 0) cycles.push([...trail.slice(start), path].join(' → '))
      if (start >= 0 || done.has(path)) return
      for (const target of next.get(path) ?? []) walk(target, [...trail, path])
      done.add(path)
    }
    for (const path of next.keys()) walk(path, [])
    return cycles
  },
}

const oneWayRule: StructureRule = {
  sentence: 'No two folders import each other',
  broken: (files) => twoWayFolders(files),
}

/** A string that starts like the path of an endpoint, whole or after `/v1`. */
const SERVICE_PATH = /(['"`])\/(?:[a-z]|\$\{)[^'"`\n]*/g

/** Their files belong to the program, or to the user of the command. */
const MAY_ASK_EXISTS = /^src\/(?:cli\/|http\/console-files\.ts$|db\/database\.ts$)/

const missingRule: StructureRule = {
  sentence:
    'Sources look for files of the data folder by pathExists: existsSync calls a file missing when its disk fails',
  broken: (files) =>
    files
      .filter((file) => isSource(file) && !MAY_ASK_EXISTS.test(file.path))
      .filter((file) => /\bexistsSync\b/.test(withoutComments(file.text)))
      .map(({ path }) => path),
}

const pathRule: StructureRule = {
  sentence: 'cli/ and mcp/ call endpoints by name and spell no path of the service',
  broken: (files) =>
    files
      .filter((file) => isSource(file) && ['cli', 'mcp'].includes(floorOf(file.path) ?? ''))
      // Calls of client/ take a path, which the compiler checks against the contract.
      .filter((file) => !file.path.startsWith(CLIENT_COMMANDS))
      .flatMap((file) =>
        [...withoutComments(file.text).matchAll(SERVICE_PATH)].map(([text]) => `${file.path} spells ${text}`),
      ),
}

export const STRUCTURE_RULES: readonly StructureRule[] = [
  floorRule,
  cliRule,
  clientCommandsRule,
  adapterRule,
  packageRule,
  clientRule,
  languageRule,
  typesOfUpperFloorsRule,
  ...packageRules,
  mainRule,
  testRule,
  existsRule,
  reachRule,
  cycleRule,
  oneWayRule,
  pathRule,
  missingRule,
]
