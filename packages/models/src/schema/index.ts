export { type CompiledTool, compileForAll, compileTool, type Loss, type ToolSetAside } from "./compile-tool.ts";
export { type DialectName, DIALECTS } from "./dialect.ts";
export type { ToolSpec } from "./tool-spec.ts";
