import { type EraView, FIRST_ERA } from "@toolbus/contracts";
import { readEra } from "../http/answers.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";
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
  const services = system ?? context;
  const era = await raiseAt(services, options);
  const holds = options.hold === true || options.replace === true;
  const held = holds ? await heldWrites(services, era, context.around.now()).catch((error: unknown) => raisedAlready(era, error)) : null;
  const raised: Raised = { era, held };
  const { output } = context;
  if (output.json) output.document(raisedDocument(raised));
  else output.lines(raisedLines(context, raised));
  return EXIT.ok;
}

/** Says that the era was raised although its writes cannot be listed, because a repeat would raise it again. */
function raisedAlready({ era }: EraView, error: unknown): never {
  if (!(error instanceof Failure)) throw error;
  const says = `The era was raised to ${era} and holds writes, but they cannot be listed now. Do not raise it again: list them with ${SELF} era held. ${error.message}`;
  throw new Failure(error.exitCode, says, { cause: error });
}

/** Raises the era at these services. The request names the current era, so that a repeat after a lost answer does not raise it twice. */
export async function raiseAt(
  services: Pick<Context, "approvals">,
  { reason, hold, replace }: Pick<RaiseOptions, "reason" | "hold" | "replace">,
): Promise<EraView> {
  const approvals = await services.approvals();
  // With `--replace` the stored era may be forged, so its number is meaningless and the request names the first era.
  const { era } = replace ? { era: FIRST_ERA } : readEra(await approvals.get("/v1/era"));
  const wanted = { era, reason, ...(hold ? { hold } : {}), ...(replace ? { replace } : {}) };
  return readEra(await approvals.post("/v1/era/raise", wanted));
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
