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

/**
 * Locks a directory for this process, with the empty file `lock.db` in it. The lock ends with the process, also if that is killed. Returns null if a
 * process has the lock. Throws `StoreRefused` or `StoreUnavailable` if the directory cannot be locked. The directory must exist.
 */
export async function tryLockDirectory(directory: string): Promise<{ release(): void } | null> {
  const lock = await import("./sqlite/directory-lock.ts");
  return lock.tryLockDirectory(directory);
}
