import { readDeadLetters, readTools } from "../http/answers.ts";
import { Answered, type Client } from "../http/client.ts";
import { spanOf } from "../terminal/duration.ts";
import { safeText } from "../terminal/safe-text.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";
import { type Check, ok, warn } from "./check.ts";
import { findingOf } from "./finding-of.ts";

const DAY_MS = 86_400_000;
const LOOKED_AT = 20;

/** Checks whether queues gave up messages within the last day. `here` is this machine's time, for a gateway that does not report the store's time. */
export function checkLetters(gateway: Client, here: number): Promise<Check> {
  const name = "dead letters";
  return findingOf(name, async () => {
    const { asOf: now = here } = readTools(await gateway.get("/v1/tools"));
    const found = await lettersOf(gateway);
    if (found === null) return ok(name, "not checked: this needs an operator's key at the gateway");
    const lately = found.filter(({ keptAt }) => now - keptAt < DAY_MS);
    const [newest] = lately;
    if (!newest) return ok(name, "none within a day");
    const many = lately.length === LOOKED_AT ? `${LOOKED_AT} or more` : String(lately.length);
    return warn(
      name,
      safeText(
        `${many} within a day; the newest ${spanOf(Math.max(0, now - newest.keptAt))} ago, of ${newest.queue}: ${newest.reason.replace(/\.$/, "")}.`,
      ),
      `"${SELF} dead-letters show ${safeText(newest.id)}" says what it was and whether a replay helps; docs/operations.md explains each reason.`,
    );
  });
}

/** Returns the newest open dead letters, or null if the key may not see them. */
async function lettersOf(gateway: Client) {
  try {
    return readDeadLetters(await gateway.get(`/v1/dead-letters?state=open&limit=${LOOKED_AT}`)).deadLetters;
  } catch (error) {
    if (error instanceof Answered && error.exitCode === EXIT.notAllowed) return null;
    throw error;
  }
}
