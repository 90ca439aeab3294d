import { policyOf, readPolicy } from "@toolbus/all-in-one/policy";
import { counted } from "@toolbus/contracts";
import { readWrites } from "../http/answers.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { DEFAULTS, textOf } from "./policy-file.ts";

export interface CheckPolicyOptions {
  readonly registered?: true;
}

/** Checks a policy file and prints its version, or every fault with its line. */
export async function checkPolicy(context: Context, typed: string, { registered }: CheckPolicyOptions): Promise<ExitCode> {
  const { output } = context;
  const text = await textOf(context, typed, "The policy file");
  const tools = registered ? await registeredTools(context) : undefined;
  const read = readPolicy(text, DEFAULTS, { targets: null, ...(tools === undefined ? {} : { tools }) });
  if (!read.ok) {
    if (output.json) output.document({ ok: false, faults: read.faults });
    else output.lines(read.faults.map(({ line, message }) => safeText(`${typed}:${line}: ${message}`)));
    return EXIT.failed;
  }
  const { version, content } = policyOf(read.file);
  const { rules = [] } = content;
  if (output.json) output.document({ ok: true, version, rules: rules.map(({ name }) => name) });
  else output.lines([`The policy can be used. It has ${counted(rules.length, "rule")}.`, `Version ${version}`]);
  return EXIT.ok;
}

/** Returns the registered writes and their toolsets, from a running approvals service. */
async function registeredTools(context: Context): Promise<readonly string[]> {
  const { writes } = readWrites(await (await context.approvals()).get("/v1/writes"));
  return [...new Set(writes.flatMap(({ tool, toolset }) => [tool, `toolset:${toolset}`]))];
}
