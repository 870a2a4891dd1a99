/** Safe HTML, made only by the template tag below, which escapes all values. */
export class Html {
  readonly text: string

  private constructor(text: string) {
    this.text = text
  }

  /** For the tag and for constants of this folder, never for input. */
  static raw(text: string): Html {
    return new Html(text)
  }
}

export type Part = Html | string | number | null | readonly Part[]

/** `html\`<p>${name}</p>\`` escapes all values except `Html`. Null is empty, and lists are concatenated. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return Html.raw(
    texts.map((text, index) => (index === 0 ? text : `${render(parts[index - 1] ?? null)}${text}`)).join(''),
  )
}

function render(part: Part): string {
  if (part instanceof Html) return part.text
  if (part === null) return ''
  if (typeof part === 'object') return part.map(render).join('')
  return escapeHtml(String(part))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter)
