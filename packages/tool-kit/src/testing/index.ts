export { type TestCallOptions, type TestedCall, type ToolsetUnderTest, toolsetUnderTest } from "./toolset-under-test.ts";
