export { halfOf } from "./mutants/half-of.ts";
export { type Patch, patched } from "./mutants/mutant.ts";
