import { nearest, type WriteView } from "@toolbus/contracts";
import { readWrite, readWrites } from "../http/answers.ts";
import { Answered, type Client } from "../http/client.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";

/** Returns a write from approvals. If it does not exist, throws a Failure that proposes a similar name. */
export async function findWrite(approvals: Client, typed: string): Promise<WriteView> {
  try {
    return readWrite(await approvals.get(`/v1/writes/${encodeURIComponent(typed)}`));
  } catch (error) {
    if (!(error instanceof Answered) || error.exitCode !== EXIT.notFound) throw error;
  }
  const { writes } = readWrites(await approvals.get("/v1/writes"));
  const meant = nearest(typed, [...new Set(writes.map(({ tool }) => tool))]);
  throw new Failure(
    EXIT.notFound,
    `There is no write "${typed.slice(0, 80)}"${meant === null ? "" : `: did you mean ${meant}?`}${meant === null ? ":" : ""} "${SELF} tools pending --all" shows the registered writes.`,
  );
}
