import type { RegisteredWrite, WriteView } from "@toolbus/contracts";
import { readWrite } from "../http/answers.ts";
import { confirm } from "../terminal/confirm.ts";
import { safeText, safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";
import { findWrite } from "./find-write.ts";
import { registeredLines } from "./write-lines.ts";

export interface EnableOptions {
  readonly hash?: string;
  readonly toolset?: string;
  readonly acceptWeaker?: true;
  readonly yes?: true;
}

/** Enables one registered definition: the one that --hash names, or the one that the command has just shown to the person at the terminal. */
export async function enableWrite(context: Context, typed: string, options: EnableOptions): Promise<ExitCode> {
  const { hash, yes, acceptWeaker } = options;
  if (yes && hash === undefined)
    throw new Failure(
      EXIT.usage,
      `--yes needs --hash: name the definition that you checked, as "${SELF} tools show ${typed} --diff" shows it.`,
    );
  const service = await context.approvals();
  const write = await findWrite(service, typed);
  const chosen = chosenOf(write, options);
  const { tool, toolset, weaker, receiptKeys } = chosen;
  if (weaker !== null && !acceptWeaker)
    throw new Failure(
      EXIT.failed,
      safeText(
        `It is less strict than the enabled definition: ${weaker}. "${SELF} tools show ${tool} --diff" shows the difference; --accept-weaker enables it anyway.`,
      ),
    );
  if (!yes && chosen.state !== "enabled")
    await confirm(context, {
      lines: registeredLines(safeValue(chosen), write.enabled !== null),
      question: `enable ${tool}@${chosen.version}?`,
      otherwise: `check it with "${SELF} tools show ${tool} --diff", then repeat this with --hash and --yes.`,
      declined: "Nothing was enabled.",
    });
  const body = { toolset, hash: chosen.hash, receiptKeys, ...(acceptWeaker ? { acceptWeaker } : {}) };
  const now = readWrite(await service.post(`/v1/writes/${encodeURIComponent(tool)}/enable`, body));
  const { output } = context;
  if (output.json) output.document(now);
  else
    output.lines([
      safeText(`${tool}@${chosen.version} of ${toolset} is enabled; its calls have at least the tier ${now.enabled?.tier ?? chosen.tier}.`),
    ]);
  return EXIT.ok;
}

/** Returns the chosen definition: by hash and toolset, or the only one that still needs a decision. Throws a Failure if none or several match. */
function chosenOf({ tool, registered }: WriteView, { hash, toolset }: EnableOptions): RegisteredWrite {
  const named = registered.filter((one) => (hash === undefined || one.hash === hash) && (toolset === undefined || one.toolset === toolset));
  const open = named.filter(({ state }) => hash !== undefined || (state !== "enabled" && state !== "superseded"));
  const [first, ...others] = open.length > 0 ? open : named.filter(({ state }) => state === "enabled");
  const look = `"${SELF} tools show ${tool} --diff" shows what is`;
  if (!first) throw new Failure(EXIT.notFound, `No such definition of ${tool} is registered: ${look}.`);
  if (others.length > 0)
    throw new Failure(
      EXIT.usage,
      `There are ${others.length + 1} definitions of ${tool}: name one with --hash or --toolset; ${look} there.`,
    );
  return first;
}
