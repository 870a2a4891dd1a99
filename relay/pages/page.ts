import { createHash } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { html, Html } from './html.ts'
import { PASSKEY_SCRIPT } from './passkey-script.ts'
import { STYLE } from './style.ts'
import type { PageError } from './words.ts'

export interface PageContent {
  readonly status?: number
  /** Error message on the page; sets the status and `Retry-After` of the response. */
  readonly error?: PageError | null
  /** Title of the browser's tab. */
  readonly title: string
  readonly body: Html
  /** Loads another page after this time, without a script. */
  readonly refresh?: { readonly seconds: number; readonly url: string }
  readonly headers?: OutgoingHttpHeaders
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const STYLE_POLICY = `default-src 'none'; style-src ${hashOf(STYLE)}`
const REST_POLICY = "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
/** On one line, because the hash covers everything between the tags. */
const SCRIPT_ELEMENT = Html.raw(`<script>${PASSKEY_SCRIPT}</script>`)
const STYLE_ELEMENT = Html.raw(`<style>${STYLE}</style>`)

/**
 * Some browsers apply `form-action` to redirects after a form too, so pages leave this origin only by a refresh or a
 * link. There is no opener policy, because platforms open the sign-in in a window that they watch.
 */
export const PAGE_HEADERS: OutgoingHttpHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `${STYLE_POLICY}; ${REST_POLICY}`,
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Allows the script, and its requests to this origin. */
const PASSKEY_POLICY = `${STYLE_POLICY}; script-src ${hashOf(PASSKEY_SCRIPT)}; connect-src 'self'; ${REST_POLICY}`

/** True for pages with passkeys. Escaped user input cannot contain this quotation mark. */
const usesPasskeys = ({ text }: Html): boolean => text.includes('data-passkey="')

export const headersOf = ({ body, error, headers }: PageContent): OutgoingHttpHeaders => ({
  ...PAGE_HEADERS,
  ...(usesPasskeys(body) ? { 'content-security-policy': PASSKEY_POLICY } : {}),
  ...(error?.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) }),
  ...headers,
})

/** @param account e-mail address of the signed-in account. */
export function renderPage({ title, body, refresh }: PageContent, account: string | null = null): string {
  const refreshTag =
    refresh === undefined ? null : html`<meta http-equiv="refresh" content="${refresh.seconds};url=${refresh.url}" />`
  const signOutForm = html`<form method="post" action="/signout"><button class="plain">Sign out</button></form>`
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        ${refreshTag}
        <title>${title} · Home Control relay</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <header>
          <b>Home Control relay</b>${account === null ? null : html`<span>${account}</span>${signOutForm}`}
        </header>
        <main>${body}</main>
        ${usesPasskeys(body) ? SCRIPT_ELEMENT : null}
      </body>
    </html> `.text
}
