// Reads the JSON report of vitest, and prints every failure again and then one line of counts. It is plain JavaScript, because it must work on the
// system's Node.
// usage: node .ci/summary.mjs <report> <exit code of the tests> [<npm script>=<its exit code> ...]
import { readFileSync } from "node:fs";
import path from "node:path";

const [reportFile, testsCode, ...others] = process.argv.slice(2);
const report = readReport(reportFile);
const results = report?.testResults ?? [];
const tests = results.flatMap((file) => file.assertionResults.map((test) => ({ ...test, file: path.relative(process.cwd(), file.name) })));

const passed = tests.filter((test) => test.status === "passed").length;
const failures = tests
  .filter((test) => test.status === "failed")
  .map((test) => `${test.file} > ${test.fullName}\n${indent(test.failureMessages[0])}`);
const skipped = tests.length - passed - failures.length;

// If a file cannot be loaded or its hooks fail, the report contains no failed test for it.
for (const file of results) {
  const own = file.assertionResults.some((test) => test.status === "failed");
  if (file.status === "failed" && !own)
    failures.push(
      `${path.relative(process.cwd(), file.name)}\n${indent(file.message || "failed outside its tests, in a hook: see above")}`,
    );
}
if (testsCode !== "0" && failures.length === 0) {
  failures.push(
    report ? `npm test ended with code ${testsCode} although no test failed: an error outside the tests` : "npm test wrote no report",
  );
}
for (const [script, code] of others.map((other) => other.split("="))) {
  if (code !== "0") failures.unshift(`npm run ${script} ended with code ${code}`);
}
if (passed === 0 && failures.length === 0) failures.push("no test ran");

for (const failure of failures) console.log(`\nFAILED ${failure}`);
console.log(`\n${passed} passed, ${failures.length} failed, ${skipped} skipped`);
process.exitCode = failures.length === 0 ? 0 : 1;

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

function indent(text = "") {
  return text.split("\n").slice(0, 8).join("\n").replace(/^/gm, "    ");
}
