import type { Audience } from "../keys/find-key.ts";
import { spanOf } from "../terminal/duration.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import type { NotReached, Probed } from "./probe.ts";

const CLOCK_WARN_MS = 5000;

/** Whether a service can be reached and takes work. */
export function checkReady(service: Audience, url: string, probed: Probed | NotReached): Check {
  if (!probed.reachable) {
    const [what = probed.why, fix = probed.why] = split(probed.why);
    return fail(service, what, fix);
  }
  const flag = service === "gateway" ? "--url" : "--approvals-url";
  if (!probed.ours) return fail(service, `${url} answers, and not as Toolbus does.`, `Check the address (${flag}).`);
  if (!probed.ready) {
    const why = probed.reasons.length > 0 ? probed.reasons.join("; ") : "it gives no reason";
    return fail(service, `${url} is not ready: ${why.replace(/\.$/, "")}.`, "Wait a moment and look again; its log says more.");
  }
  return ok(service, `${url} is ready, answered in ${Math.round(probed.tookMs)} ms`);
}

/** Whether the service's clock and this machine's agree: ages and expiries are shown by both. */
export function checkClock(probed: Probed): Check {
  const { clockMs } = probed;
  if (clockMs === null) return warn("clock", "The gateway sends no time.", "See whether something between changes its headers.");
  const apart = Math.abs(clockMs);
  if (apart <= CLOCK_WARN_MS) return ok("clock", "agrees with the gateway's");
  return warn(
    "clock",
    `This machine's clock is ${spanOf(apart)} ${clockMs > 0 ? "behind" : "before"} the gateway's.`,
    "Set both by NTP: ages and the time to decide are shown wrong otherwise.",
  );
}

/** The sentence of a failure in its two halves: what is the matter, and what to do. */
function split(sentence: string): string[] {
  const at = sentence.indexOf(": ");
  if (at === -1) return [sentence];
  const fix = sentence.slice(at + 2);
  return [`${sentence.slice(0, at)}.`, fix.charAt(0).toUpperCase() + fix.slice(1)];
}
