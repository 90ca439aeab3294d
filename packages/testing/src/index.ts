export { drawnPlan, quietPlan, type WorldPlan } from "./world/plan.ts";
export { runWorld, type Witness, type WorldEnd } from "./world/world.ts";
export { type Patch, patched } from "./mutants/mutant.ts";
