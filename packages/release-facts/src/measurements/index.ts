export { readBounded } from "./bounded-file.ts";
export { type CiJob, type CiPipeline, jobsInOrder } from "./ci-pipeline.ts";
export { readCiResults } from "./ci-results.ts";
export { type Coverage, type CoveredFile, readCoverage } from "./coverage.ts";
export { type Fields, fieldsOf, lineOf, listOf, parseJson } from "./foreign-json.ts";
export { readJunit, type TestResults, type TestRun } from "./junit.ts";
export { type DeploymentMetrics, readMetrics } from "./metrics.ts";
export type { TestCase } from "./test-case.ts";
