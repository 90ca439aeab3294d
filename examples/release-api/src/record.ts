import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readCodeChanges } from "./code-changes.ts";
import { summariseGitRange } from "./git-summary.ts";
import { RECORDED_FACTS, RECORDED_SUMMARY } from "./recorded-release.ts";

// This program records the newest release of this repository, from its own history: npx node examples/release-api/src/record.ts
const repo = fileURLToPath(new URL("../../..", import.meta.url));
const outcome = await summariseGitRange({ repository: repo });
const changes = outcome.ok
  ? await readCodeChanges({
      repo,
      project: "toolbus",
      ends: outcome.summary,
      // A record is a file of this repository, so it lists fewer items than the API lists of a repository.
      limits: { commits: 80, files: 100, hunks: 6, names: 40 },
      environment: process.env,
      signal: AbortSignal.timeout(120_000),
    })
  : undefined;
if (outcome.ok && changes?.ok) {
  await writeFile(RECORDED_SUMMARY, `${JSON.stringify(outcome.summary, null, 2)}\n`);
  await writeFile(RECORDED_FACTS, `${JSON.stringify(changes.facts, null, 2)}\n`);
  console.log(
    `Recorded ${outcome.summary.version}: ${outcome.summary.change_count} ${outcome.summary.change_count === 1 ? "commit" : "commits"}.`,
  );
} else {
  console.error(outcome.ok ? (changes?.ok === false ? changes.message : "") : `${outcome.message} ${outcome.remedy}`);
  process.exitCode = 1;
}
