import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type GeneratedClient, PROGRAMS } from './generated-client.ts'
import { run } from './run.ts'

const VERSIONS = { openapiGenerator: '7.25.0', dependencyPlugin: '3.6.1' } as const

const JAR = `openapi-generator-cli-${VERSIONS.openapiGenerator}.jar`
const DEPENDENCIES = `org.apache.maven.plugins:maven-dependency-plugin:${VERSIONS.dependencyPlugin}`

interface JvmClient {
  readonly language: 'java' | 'kotlin'
  readonly programs: readonly string[]
  /** What the generator is told of the language, as `name=value`. */
  readonly properties: readonly string[]
  /** Schemas that a type of a library stands for, as `schema=type`. */
  readonly types?: readonly string[]
  /** The project that compiles it, where the generator makes none for Maven, and the program: from, to. */
  readonly files: readonly (readonly [from: string, to: string])[]
  readonly mainClass: string
}

/** openapi-generator is one program for all of its languages, and Maven compiles what it makes. */
function jvmClient({ language, programs, properties, types = [], files, mainClass }: JvmClient): GeneratedClient {
  return {
    language,
    generator: 'openapi-generator',
    programs,
    async fetch(folder) {
      const shared = join(folder, '..')
      if (existsSync(join(shared, JAR))) return
      const artifact = `org.openapitools:openapi-generator-cli:${VERSIONS.openapiGenerator}`
      await maven(shared, [`${DEPENDENCIES}:copy`, `-Dartifact=${artifact}`, `-DoutputDirectory=${shared}`])
    },
    async generate(folder, openapi) {
      const client = join(folder, 'client')
      rmSync(client, { recursive: true, force: true })
      await run(folder, 'java', [
        ...['-jar', join('..', JAR), 'generate', '-i', openapi, '-g', language, '-o', 'client'],
        ...['--additional-properties', properties.join(',')],
        ...types.flatMap((each) => ['--schema-mappings', each]),
      ])
      for (const [from, to] of files) cpSync(join(PROGRAMS, language, from), join(client, to))
    },
    async resolve(folder) {
      const client = join(folder, 'client')
      await maven(client, [`${DEPENDENCIES}:build-classpath`, '-Dmdep.outputFile=classpath.txt'])
    },
    compile: (folder) => maven(join(folder, 'client'), ['compile']),
    try: (folder, env) =>
      run(join(folder, 'client'), 'sh', ['-c', `java -cp "target/classes:$(cat classpath.txt)" ${mainClass}`], env),
  }
}

const maven = (folder: string, args: readonly string[]): Promise<string> =>
  run(folder, 'mvn', ['--quiet', '--batch-mode', ...args])

export const java = jvmClient({
  language: 'java',
  programs: ['java', 'javac', 'mvn'],
  properties: [
    // A list that was not set is left out, and not sent as an empty one.
    'containerDefaultToNull=true',
    // Parameters are named, so that one more does not move the others.
    'useSingleRequestParameter=true',
  ],
  files: [['Client.java', 'src/main/java/Client.java']],
  mainClass: 'Client',
})

export const kotlin = jvmClient({
  language: 'kotlin',
  programs: ['java', 'mvn'],
  // The library and serializer with which the generator takes the first shape of a union that fits.
  properties: [
    'library=jvm-retrofit2',
    'serializationLibrary=kotlinx_serialization',
    'generateOneOfAnyOfWrappers=true',
  ],
  // The generator forgets numbers in a union of plain values.
  types: ['TestValue=kotlinx.serialization.json.JsonPrimitive'],
  files: [
    ['pom.xml', 'pom.xml'],
    ['Client.kt', 'src/main/kotlin/Client.kt'],
  ],
  mainClass: 'ClientKt',
})
