import type { RawAnswer } from '#support/gateway/callers.ts'
import { type VisitorRequest, ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import type { TestGateway } from '#support/gateway/test-gateway.ts'

/** A monitoring program with its own token. */
export class TestOperator implements Disposable {
  readonly id: string
  readonly token: string
  readonly #visitor: ConsoleVisitor

  private constructor(visitor: ConsoleVisitor, id: string, token: string) {
    this.#visitor = visitor
    this.id = id
    this.token = token
  }

  static async of(running: TestGateway, ...scopes: readonly string[]): Promise<TestOperator> {
    const made = await running.admin.call<{ token: string; operator: { id: string } }>('POST', '/operators', {
      name: 'Monitoring',
      scopes,
    })
    return new TestOperator(new ConsoleVisitor(running), made.operator.id, made.token)
  }

  ask(path: string, more: Partial<VisitorRequest> = {}): Promise<RawAnswer> {
    return this.#visitor.ask({ path, ...more, headers: { authorization: `Bearer ${this.token}`, ...more.headers } })
  }

  /** The metrics by name with labels. */
  async metrics(query = ''): Promise<ReadonlyMap<string, number>> {
    return valuesOf((await this.ask(`/admin/v1/metrics${query}`)).text)
  }

  [Symbol.dispose](): void {
    this.#visitor[Symbol.dispose]()
  }
}

/** Values by name with labels. */
export function valuesOf(text: string): ReadonlyMap<string, number> {
  const rows = text.split('\n').filter((row) => row !== '' && !row.startsWith('#'))
  return new Map(rows.map((row) => [row.slice(0, row.lastIndexOf(' ')), Number(row.slice(row.lastIndexOf(' ') + 1))]))
}
