/**
 * Copies the store of a directory into another directory, which must not have a store yet. A process may use the store meanwhile. The copy is the
 * store at one moment, with every commit that was acknowledged before the copy began. It is checked and synced to disk before this resolves. Throws
 * `StoreRefused` if there is no store of ours, if it is damaged, or if the target has a store.
 */
export async function copySqliteStore(directories: { readonly from: string; readonly to: string }): Promise<void> {
  const { copyStore } = await import("./sqlite/copy-store.ts");
  return copyStore(directories);
}

/**
 * Locks the directory of a store for this process, as a store that is open does. Throws `StoreRefused` if a process uses the store. The directory must
 * exist.
 */
export async function lockSqliteStore(directory: string): Promise<{ release(): void }> {
  const { lockDirectory } = await import("./sqlite/directory-lock.ts");
  return lockDirectory(directory);
}
