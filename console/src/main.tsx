import { render } from 'preact'
import { App } from './app.tsx'
import { watchPresses } from './parts/press.ts'
import { arrive } from './stores/arrival.ts'

watchPresses()
render(<App />, document.body)
void arrive()
