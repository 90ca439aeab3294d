import { type EraView, FIRST_ERA } from "@toolbus/contracts";
import { readEra } from "../http/answers.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { type HeldWrites, heldWrites } from "./held-writes.ts";
import { eraLines } from "./show-era.ts";
import { heldLines } from "./show-held.ts";

export interface RaiseOptions {
  readonly reason: string;
  readonly hold?: true;
  readonly replace?: true;
  readonly stopped?: true;
}

/** The era after a raise, and the writes that it holds. They are null if the raise holds no shard. */
export interface Raised {
  readonly era: EraView;
  readonly held: HeldWrites | null;
}

/** Raises the era, and shows the writes that this holds. With `--stopped`, the command itself opens the store of a Toolbus that is stopped. */
export async function raiseEra(context: Context, options: RaiseOptions): Promise<ExitCode> {
  await using system = options.stopped ? await openStopped(context) : null;
  const raised = await raiseAt(system ?? context, options, context.around.now());
  const { output } = context;
  if (output.json) output.document(raisedDocument(raised));
  else output.lines(raisedLines(context, raised));
  return EXIT.ok;
}

/** Raises the era at these services. The request names the current era, so that a repeat after a lost answer does not raise it twice. */
export async function raiseAt(
  services: Pick<Context, "approvals" | "gatewayForOperators">,
  { reason, hold, replace }: Pick<RaiseOptions, "reason" | "hold" | "replace">,
  now: number,
): Promise<Raised> {
  const approvals = await services.approvals();
  // With `--replace` the stored era may be forged, so its number is meaningless and the request names the first era.
  const { era } = replace ? { era: FIRST_ERA } : readEra(await approvals.get("/v1/era"));
  const wanted = { era, reason, ...(hold ? { hold } : {}), ...(replace ? { replace } : {}) };
  const raised = readEra(await approvals.post("/v1/era/raise", wanted));
  return { era: raised, held: hold || replace ? await heldWrites(services, raised, now) : null };
}

/** Returns the JSON of a raise: the era, and the held writes if shards were held. */
export function raisedDocument({ era, held }: Raised): object {
  return held === null ? era : { ...era, ...held };
}

export function raisedLines(context: Pick<Context, "around" | "output">, { era, held }: Raised): string[] {
  const lines = eraLines(safeValue(era), context.around.now());
  return held === null ? lines : [...lines, "", ...heldLines(context, held)];
}

async function openStopped(context: Context) {
  const { stoppedSystem } = await import("./stopped-system.ts");
  return stoppedSystem(context, context.options.dataDirectory);
}
