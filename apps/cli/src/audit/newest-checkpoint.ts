import type { ChainKind } from "@toolbus/contracts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { newestOf } from "./chain-pages.ts";

/** Prints the newest checkpoint as one line of JSON, so that somebody can keep the checkpoint elsewhere. */
export async function newestCheckpoint(context: Context, chain: ChainKind): Promise<ExitCode> {
  const { checkpoint } = await newestOf(await context.approvals(), chain);
  if (checkpoint || context.output.json) context.output.record(checkpoint);
  else context.output.note("The chain has no records yet.");
  return EXIT.ok;
}
