// Modules of the first load. The build adds this import to every page, so that all shared code is in one file.
export { HomePage } from './pages/home/index.tsx'
export { SignInPage } from './pages/sign-in/index.tsx'
export { PageFrame } from './parts/page-frame.tsx'
export { integrations } from './stores/integrations.ts'
