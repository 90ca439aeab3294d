export {
  type TestCallOptions,
  type TestedCall,
  type ToolsetUnderTest,
  toolsetUnderTest,
  type ToolsetUnderTestOptions,
} from "./toolset-under-test.ts";
