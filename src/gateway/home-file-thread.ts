import { parentPort, workerData } from 'node:worker_threads'
import { parsedHomeFile } from '../home/home-file.ts'

const { text, defaultZone } = workerData as { readonly text: string; readonly defaultZone: string }
parentPort?.postMessage(parsedHomeFile(text, defaultZone), [])
