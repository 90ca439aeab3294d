import { counted, type DeliveryView } from "@toolbus/contracts";
import { readDeliveries } from "../http/answers.ts";
import { Answered, type Client } from "../http/client.ts";
import { spanOf } from "../terminal/duration.ts";
import { safeText } from "../terminal/safe-text.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { type Check, fail, warn } from "./check.ts";

const NAME = "webhooks";
const DAY_MS = 86_400_000;
const LOOKED_AT = 20;

/**
 * Warns of webhooks, mails and messages that a service gave up within the last day, because nobody else learns that a target got no notice. Returns no
 * finding if there are none, or if the key is not an operator's. `now` is this machine's time.
 */
export async function checkWebhooks(service: Client, whose: "approvals" | "the gateway", now: number): Promise<readonly Check[]> {
  try {
    const lately = (await deliveriesOf(service)).filter(({ failedAt = 0 }) => now - failedAt < DAY_MS);
    const [newest] = lately;
    if (!newest) return [];
    const { event, target, failedAt = now, reason = "it says no reason" } = newest;
    const many = `${counted(lately.length, "notice")}${lately.length === LOOKED_AT ? " or more" : ""}`;
    const what = `${many} of ${whose} given up within a day; the newest, ${event} to "${target}", ${spanOf(Math.max(0, now - failedAt))} ago: ${reason.replace(/\.$/, "")}.`;
    return [
      warn(
        NAME,
        safeText(what),
        "Correct the target in WEBHOOKS_FILE; docs/webhooks.md says how an operator lists the notices and sends them again.",
      ),
    ];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [fail(NAME, "This could not be found out.", error.message)];
  }
}

async function deliveriesOf(service: Client): Promise<readonly DeliveryView[]> {
  try {
    return readDeliveries(await service.get(`/v1/webhooks?limit=${LOOKED_AT}`)).deliveries;
  } catch (error) {
    // Only an operator may see them. A service of an older version has no such route.
    if (error instanceof Answered && (error.exitCode === EXIT.notAllowed || error.status === 404)) return [];
    throw error;
  }
}
