// What everybody loads, whatever page they begin with. The build has each page with a file of its own import it too, so
// that all that they share is one file, and not one for each choice of pages that share something.
export { HomePage } from './pages/home/index.tsx'
export { SignInPage } from './pages/sign-in/index.tsx'
export { Frame } from './parts/frame.tsx'
