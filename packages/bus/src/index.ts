export * from "./connect-bus.ts";
export * from "./consume-pipeline.ts";
export * from "./dead-letter.ts";
export * from "./listen-pipeline.ts";
export * from "./memory/memory-bus.ts";
export * from "./message-bus.ts";
export * from "./pipeline-log.ts";
