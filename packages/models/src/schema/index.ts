export * from "./compile-tool.ts";
export * from "./dialect-rules.ts";
export * from "./dialect.ts";
export * from "./tool-spec.ts";
