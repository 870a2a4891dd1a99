// @module-tag long
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { corpus } from '#support/corpus/cases.ts'
import { CorpusHome } from '#support/corpus/player.ts'

/**
 * A file with the answers of another commit: written if it does not exist, otherwise compared. The folder
 * test/support/corpus and this file also run in a checkout of an earlier commit.
 */
const RECORDED = process.env['HM_CORPUS']

type Answers = Readonly<Record<string, string>>

it('each raw request of the corpus gets an HTTP answer, and the bytes of a recorded commit', async () => {
  await using home = await CorpusHome.open()
  const cases = corpus()
  const heard = await home.play(cases)
  const answers: Answers = Object.fromEntries(cases.map(({ name }, index) => [`${index} ${name}`, heard[index] ?? '']))
  const unanswered = Object.keys(answers).filter((name) => !/^HTTP\/1\.1 [1-4]\d\d /.test(answers[name] ?? ''))
  // Node closes the connection of a CONNECT request without an answer.
  expect(unanswered.filter((name) => !name.endsWith(' authority'))).toEqual([])
  if (RECORDED === undefined) return
  if (!existsSync(RECORDED)) return writeFileSync(RECORDED, JSON.stringify(answers, null, 1))
  const recorded = JSON.parse(readFileSync(RECORDED, 'utf8')) as Answers
  const changed = Object.keys(answers).filter((name) => answers[name] !== recorded[name])
  const shown = changed.map((name) => `${name}\n--- recorded\n${recorded[name]}\n+++ now\n${answers[name]}\n`)
  writeFileSync(`${RECORDED}.changed`, shown.join('\n'))
  expect(changed).toEqual([])
})
