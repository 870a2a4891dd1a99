import { render } from 'preact'
import { App } from './app.tsx'
import { arrive } from './stores/arrival.ts'

render(<App />, document.body)
void arrive()
