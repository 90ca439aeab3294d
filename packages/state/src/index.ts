export { recordsInTurn, type RecordToAppend } from "./append-record.ts";
export { eventSample, type LeftOut } from "./event-sample.ts";
export { commitRepeatedly } from "./commit-repeatedly.ts";
export { connectState, type ConnectStateOptions } from "./connect-state.ts";
export {
  blobOrNull,
  fitsInline,
  heldText,
  holdText,
  INLINE_ENCODED_BYTES,
  INLINE_TEXT_BYTES,
  putBlobRepeatedly,
  referToText,
} from "./held-text.ts";
export { memoryStore, type MemoryStoreOptions } from "./memory/memory-store.ts";
export { copySqliteStore, lockSqliteStore, tryLockDirectory } from "./sqlite-directory.ts";
export { cursorAfter, type Place } from "./page-cursor.ts";
export {
  type Blobs,
  type Change,
  type ClaimOptions,
  type Claims,
  type CommitReply,
  type Documents,
  type FeedItem,
  type Guard,
  type Indexes,
  type LogEntry,
  type Logs,
  MAX_VALUE_BYTES,
  type OutboxRow,
  type Page,
  type ReadReply,
  type Seen,
  type StateStore,
  type StoredDocument,
  type StoreFault,
  StoreRefused,
  StoreUnavailable,
  type RowKind,
  type TimerRow,
} from "./state-store.ts";
export { SKEW_WARN_MS, type StoreClock, storeClock } from "./store-clock.ts";
export { storeDurability } from "./store-durability.ts";
export { type StoreLosses, storeLosses } from "./store-losses.ts";
export { storeRights, type StoreRightsPlace } from "./store-rights.ts";
