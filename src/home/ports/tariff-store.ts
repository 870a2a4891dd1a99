/** Keeps the tariff file's content as it was set. Writes run inside `UnitOfWork.change`. */
export interface TariffStore {
  /** The content as read from the file, or null where no tariff is set. */
  load(): unknown
  save(content: unknown): void
  clear(): void
}
