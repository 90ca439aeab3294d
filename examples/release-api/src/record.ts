import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { summariseGitRange } from "./git-summary.ts";
import { RECORDED_SUMMARY } from "./recorded-release.ts";

// This program records the newest release of this repository, from its own history: npx node examples/release-api/src/record.ts
const outcome = await summariseGitRange({ repository: fileURLToPath(new URL("../../..", import.meta.url)) });
if (outcome.ok) {
  await writeFile(RECORDED_SUMMARY, `${JSON.stringify(outcome.summary, null, 2)}\n`);
  console.log(
    `Recorded ${outcome.summary.version}: ${outcome.summary.change_count} ${outcome.summary.change_count === 1 ? "commit" : "commits"}.`,
  );
} else {
  console.error(`${outcome.message} ${outcome.remedy}`);
  process.exitCode = 1;
}
