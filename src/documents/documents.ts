import { adminOpenapiDocument } from './admin-openapi.ts'
import { asyncapiDocument } from './asyncapi.ts'
import { openapiDocument } from './openapi.ts'

/** The committed documents, by their path in the project; the same contract always gives the same text. */
export function documents(): readonly { readonly path: string; readonly text: string }[] {
  const text = (document: object): string => `${JSON.stringify(document, null, 2)}\n`
  return [
    { path: 'openapi/openapi.json', text: text(openapiDocument()) },
    { path: 'openapi/admin.json', text: text(adminOpenapiDocument()) },
    { path: 'asyncapi/asyncapi.json', text: text(asyncapiDocument()) },
  ]
}
