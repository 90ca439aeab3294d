export * from "./append-record.ts";
export * from "./commit-repeatedly.ts";
export * from "./connect-state.ts";
export * from "./held-text.ts";
export * from "./memory/memory-store.ts";
export * from "./state-store.ts";
export * from "./store-losses.ts";
export * from "./store-rights.ts";
