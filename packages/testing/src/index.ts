export { type Patch, patched } from "./mutants/mutant.ts";
