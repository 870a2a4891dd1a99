import { expect, test } from 'vitest'
import { tempHistory } from '#support/homes/history.ts'
import { exportCsv } from './csv-export.ts'

const NOW = Date.UTC(2027, 0, 1)

test('every table is CSV in order, with the necessary quotes and no formulas', () => {
  const history = tempHistory()
  history.activity.record({
    at: NOW,
    kind: 'edited',
    subject: { kind: 'room', id: 'hall' },
    what: 'renamed to Hall, "new"',
    cause: {
      source: 'scene',
      name: '=1+1',
      by: { source: 'integration', name: 'API: Script', integration: 'i', link: 'abc' },
    },
    data: { from: 'a', to: 'b' },
  })
  history.detections.record('sensor', { at: NOW + 1, kind: 'door', value: true })
  history.readings.record('sensor', 'temperature', NOW + 2, -3.5)
  history.energy.add('lamp:1', [{ quarter: NOW, day: 20270101, price: -1, mwh: 1_234 }])
  const all = (['activity', 'detections', 'readings', 'energy'] as const).map((table) =>
    [...exportCsv(history, table, NOW, NOW + 10)].join(''),
  )
  expect(all).toEqual([
    'time,kind,subject,what,source,cause,credential,data\r\n2027-01-01T00:00:00.000Z,edited,room:hall,"renamed to Hall, ""new""",scene,\'=1+1 < API: Script,abc,"{""from"":""a"",""to"":""b""}"\r\n',
    'time,unit,kind,value\r\n2027-01-01T00:00:00.001Z,sensor,door,true\r\n',
    'time,unit,kind,min,max,mean,count\r\n2027-01-01T00:00:00.002Z,sensor,temperature,-3.5,-3.5,-3.5,1\r\n',
    'time,device,energy_wh\r\n2027-01-01T00:00:00.000Z,lamp:1,1.234\r\n',
  ])
  expect([...exportCsv(history, 'activity', NOW + 1, NOW + 10)]).toHaveLength(1)
})
