// @module-tag long
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { corpus } from '#support/corpus/cases.ts'
import { CorpusHome } from '#support/corpus/player.ts'

/**
 * A file with the answers of another commit. It is written if it does not exist, otherwise compared. The folder
 * test/support/corpus and this file also run in a checkout of an earlier commit.
 */
const RECORDED = process.env['HM_CORPUS']

type Answers = Readonly<Record<string, string>>

async function play(fastPath: boolean): Promise<Answers> {
  await using home = await CorpusHome.open(fastPath)
  const cases = corpus()
  const responses = await home.play(cases)
  return Object.fromEntries(cases.map(({ name }, index) => [`${index} ${name}`, responses[index] ?? '']))
}

it('the corpus of raw requests gets the same bytes with the fast path, without it, and from a recorded commit', async () => {
  const answers = await play(true)
  const unanswered = Object.keys(answers).filter((name) => !/^HTTP\/1\.1 [1-4]\d\d /.test(answers[name] ?? ''))
  // Node closes the connection of a CONNECT request without an answer.
  expect(unanswered.filter((name) => !name.endsWith(' authority'))).toEqual([])
  expect(await play(false)).toEqual(answers)
  if (RECORDED === undefined) return
  if (!existsSync(RECORDED)) return writeFileSync(RECORDED, JSON.stringify(answers, null, 1))
  const recorded = JSON.parse(readFileSync(RECORDED, 'utf8')) as Answers
  const changed = Object.keys(answers).filter((name) => answers[name] !== recorded[name])
  const differences = changed.map((name) => `${name}\n--- recorded\n${recorded[name]}\n+++ now\n${answers[name]}\n`)
  writeFileSync(`${RECORDED}.changed`, differences.join('\n'))
  expect(changed).toEqual([])
})
