import { type RunRecord, secretTexts } from "@toolbus/contracts";
import { earlierCalls } from "./earlier-calls.ts";
import { argumentsOf } from "./recorded-fixtures.ts";

/** Returns the texts that stand in secret arguments of a run's calls or in its input. */
export function secretsIn(record: RunRecord): readonly string[] {
  const earlier = earlierCalls(record).map(({ arguments: args }) => args);
  return [record.run.input, ...earlier, ...record.calls.map(argumentsOf)].flatMap((args) => secretTexts(args));
}
