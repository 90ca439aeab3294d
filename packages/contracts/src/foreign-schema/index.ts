export { newSteps, type Steps } from "./check.ts";
export { type ForeignSchema, foreignSchema, isCompiled } from "./foreign-schema.ts";
export type { SchemaFault } from "./schema-fault.ts";
