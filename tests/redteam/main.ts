import { redteamArguments, REDTEAM_HELP } from "./arguments.ts";
import { ATTACKS } from "./attacks/index.ts";
import { isHeld, lineOf, reportOf, summaryOf } from "./report.ts";
import { runAttacks, type SystemResult } from "./run-attacks.ts";
import { EVERY_EVENT, startSystemUnderAttack } from "./system.ts";

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const read = redteamArguments(process.argv.slice(2));
  if (!read.ok) {
    console.error(read.message);
    return 1;
  }
  const { args } = read;
  if (args.kind === "help") {
    process.stdout.write(REDTEAM_HELP);
    return 0;
  }
  const attacks = ATTACKS.filter(({ name }) => args.only === null || name.includes(args.only));
  if (attacks.length === 0) {
    console.error(`No attack has "${args.only?.slice(0, 60) ?? ""}" in its name.`);
    return 1;
  }
  const results: SystemResult[] = [];
  for (const broker of args.brokers)
    for (const mode of args.modes) {
      const say = (line: string): void => (args.json ? undefined : console.log(line));
      say(`\n${broker} and Redis, ${mode === "own" ? "a login for each service" : "one login for all"}`);
      const system = await startSystemUnderAttack(broker, mode, EVERY_EVENT);
      try {
        results.push(await runAttacks(system, attacks, (result) => say(lineOf(result))));
      } finally {
        await system.stop();
      }
    }
  const report = reportOf(results);
  console.log(args.json ? JSON.stringify(report, null, 2) : `\n${summaryOf(report)}`);
  return isHeld(report) ? 0 : 1;
}
