import { describeProblems, parseRunRecord, type RunRecord } from "@toolbus/contracts";
import type { Client } from "../http/client.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { fileText } from "../toolbus/file-text.ts";
import { idOf } from "../toolbus/ids.ts";
import { SELF } from "../toolbus/self.ts";

/**
 * Returns the record of a run from the gateway, or from a file. The user names exactly one of the two. The exit code for a file that cannot be read is
 * 1, because 2 says that a replay differs.
 */
export async function readRecord(context: Context, typed: string | undefined, file: string | undefined): Promise<RunRecord> {
  if ((typed === undefined) === (file === undefined))
    throw new Failure(EXIT.usage, `Name the run or its file with --file, and not both: "${SELF} runs list" shows the runs.`);
  return file === undefined ? recordOf(context, typed) : recordIn(await fileText(context, file, "The record", EXIT.failed), file);
}

/** Returns the record of a run from the gateway. An operator's key is used if there is one, because only an operator may read the profile. */
export async function recordOf(context: Context, typed: string | undefined): Promise<RunRecord> {
  const runId = idOf("run", typed);
  const gateway = await clientOf(context);
  return checked(await gateway.get(`/v1/runs/${runId}/record`), `The gateway at ${gateway.url}`);
}

async function clientOf(context: Context): Promise<Client> {
  try {
    return await context.gatewayForOperators();
  } catch (error) {
    if (error instanceof Failure && error.exitCode === EXIT.notAllowed) return context.gateway();
    throw error;
  }
}

function recordIn(text: string, file: string): RunRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Failure(EXIT.failed, `The file ${file} is not JSON: name a file that "${SELF} runs record" wrote.`);
  }
  return checked(value, `The file ${file}`);
}

function checked(value: unknown, where: string): RunRecord {
  const parsed = parseRunRecord(value);
  if (parsed.ok) return parsed.value;
  const [first] = parsed.problems;
  throw new Failure(
    EXIT.failed,
    `${where} has no record of a run that this version reads${first ? ` (${describeProblems([first])})` : ""}: record the run with "${SELF} runs record" of this version.`,
  );
}
