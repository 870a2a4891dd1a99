import { parentPort, workerData } from 'node:worker_threads'
import { defectNamed, type WorkerTask, type Summary } from './batch.ts'
import { run } from './run.ts'

const { days, plant, folder } = workerData as WorkerTask

parentPort?.on('message', (seed: number) => {
  void run({ seed, days, folder, defect: defectNamed(plant) }).then(({ violation, hash, days: passed, acts }) => {
    const summary: Summary = { seed, violation, hash, days: passed, made: acts.length }
    parentPort?.postMessage(summary, [])
  })
})
