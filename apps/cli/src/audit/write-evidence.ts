import { approvalCallId, type CallEvidence, isApprovalId } from "@toolbus/contracts";
import { evidenceText, verifyEvidence } from "@toolbus/grants";
import { Answered, Unreachable } from "../http/client.ts";
import type { Context } from "../toolbus/context.ts";
import { escapedJson } from "../terminal/safe-json.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { idOf } from "../toolbus/ids.ts";
import { SELF } from "../toolbus/self.ts";
import { newFile } from "./new-file.ts";
import { approvalEvidence, callEvidence } from "./read-evidence.ts";

/** Writes one file with everything that approvals and the gateway know about a write. The user types the id of the call or of its approval. */
export async function writeEvidence(context: Context, typed: string | undefined, out: string | undefined): Promise<ExitCode> {
  const callId = typed !== undefined && isApprovalId(typed) ? approvalCallId(typed) : idOf("call", typed);
  const { chained: _, ...approvals } = await approvalEvidence(await context.approvals(), callId, context.signal).catch((error: unknown) => {
    if (!(error instanceof Answered) || error.status !== 404) throw error;
    // The calls that a report names as its evidence are reads, which nobody approves.
    throw new Failure(
      EXIT.notFound,
      `There is no approval of ${callId}: only a write that asked for one has an evidence file. Approvals of other tenants are not shown.`,
    );
  });
  const text = evidenceText(approvals, await ofGateway(context, callId));
  const { output, around } = context;
  if (out !== undefined) await newFile(out, around.cwd, (handle) => handle.writeFile(text));
  // The command also writes broken evidence, because somebody may have to investigate exactly that fault.
  const { broken, missing } = await verifyEvidence(text);
  if (broken !== null) output.note(`The evidence is not whole: ${broken}`);
  if (out === undefined) output.out.write(escapedJson(text));
  else if (output.json) output.document({ file: out, callId, broken, missing });
  else {
    for (const part of missing) output.note(`Not in the file: ${part}`);
    output.note(`The evidence is in ${out}. Check it with "${SELF} verify ${out}".`);
  }
  return EXIT.ok;
}

/** Reads the gateway's part. Without it, the file still proves who approved what. */
async function ofGateway(context: Context, callId: string): Promise<CallEvidence | null> {
  try {
    return await callEvidence(await context.gatewayForOperators(), callId);
  } catch (error) {
    if (error instanceof Answered || error instanceof Unreachable || (error instanceof Failure && error.exitCode === EXIT.notAllowed)) {
      context.output.note(`The gateway's part is not in the file: ${error.message}`);
      return null;
    }
    throw error;
  }
}
