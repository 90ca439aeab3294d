import { type Tier, TIERS } from "@toolbus/contracts";
import { readWrite } from "../http/answers.ts";
import { Answered } from "../http/client.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { findWrite } from "./find-write.ts";

export interface TierOptions {
  readonly acceptWeaker?: true;
  /** Answers the question about the writes of a server whose tier falls. */
  readonly yes?: true;
}

/** Returns the tier that a person typed. Throws a Failure if it is none. */
export function tierOf(typed: string): Tier {
  const known = TIERS.find((one) => one === typed);
  if (known !== undefined) return known;
  throw new Failure(EXIT.usage, `"${typed.slice(0, 40)}" is not a tier: name ${TIERS.slice(0, -1).join(", ")} or ${TIERS.at(-1) ?? ""}.`);
}

/** Sets the lowest tier for the calls of a write. */
export async function raiseTier(context: Context, typed: string, tier: string, { acceptWeaker }: TierOptions): Promise<ExitCode> {
  const lowest = tierOf(tier);
  const service = await context.approvals();
  const { tool } = await findWrite(service, typed);
  const body = { tier: lowest, ...(acceptWeaker ? { acceptWeaker } : {}) };
  const now = readWrite(
    await service.post(`/v1/writes/${encodeURIComponent(tool)}/tier`, body).catch((error: unknown) => {
      if (error instanceof Answered && error.message.includes("acceptWeaker"))
        throw new Failure(EXIT.failed, `This lowers the tier of ${tool}: --accept-weaker lowers it anyway.`, { cause: error });
      throw error;
    }),
  );
  const { output } = context;
  if (output.json) output.document(now);
  else output.lines([safeText(`Every call of ${tool} has at least the tier ${now.enabled?.tier ?? tier}.`)]);
  return EXIT.ok;
}
