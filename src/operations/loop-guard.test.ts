import { expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { runGuarded } from '#support/guarded-process.ts'

proves(
  'administration.hang',
  'a process with a blocked event loop is ended after the limit, with a log line',
  { tags: ['long'] },
  async () => {
    const [code, signal, stderr] = await runGuarded(
      400,
      `const stand = (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
    guard.allow(60_000)
    stand(600)
    guard.allow(400)
    stand(50)
    process.stderr.write('Changed\\n')
    stand()`,
    )
    expect([code, signal]).toEqual([null, 'SIGKILL'])
    const [changed, line = ''] = stderr.split('\n')
    expect(changed).toBe('Changed')
    expect(JSON.parse(line)).toEqual({
      level: 60,
      time: expect.stringMatching(/^\d{4}-/),
      msg: expect.stringMatching(/^The gateway has hung for \d+ s and is ended for a restart\./),
    })
  },
)
