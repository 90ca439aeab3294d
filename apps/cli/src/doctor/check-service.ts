import { BadSettings, processSettings, readSettings } from "@toolbus/runtime";
import { ADDRESS_FLAGS, type Asked } from "../http/unreachable.ts";
import { safeText } from "../terminal/safe-text.ts";
import { spanOf } from "../terminal/duration.ts";
import { SELF } from "../toolbus/self.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import type { NotReached, Probed } from "./probe.ts";

/** The header `Date` has whole seconds. */
const DATE_MS = 500;
const HOUR_MS = 3_600_000;

/** What to do about a reason that services give, in the words of the table in docs/deployment.md. The first that fits. */
const REMEDIES: readonly (readonly [reason: RegExp, remedy: string])[] = [
  [/takes no changes: memory$/, "Give Redis more memory (maxmemory), or remove what is old; leave noeviction as it is."],
  [/takes no changes: disk$/, "Make room on the store's disk; the store's own log says more."],
  [/accepts no changes: replicas$/, "Start the replicas that min-replicas-to-write of Redis, or ?replicas= of STATE_URL, asks for."],
  [/takes no changes: read-only$/, "Name the primary in STATE_URL, or correct the rights of the store's file."],
  [
    /takes no changes: refused$/,
    `The service's log says which: where the store was emptied or is another one, "${SELF} permissions --set-up" makes its record again; where its login lacks a right, load the files of "${SELF} permissions".`,
  ],
  [
    /takes no changes: damaged$/,
    "Look again in a few seconds. If it stays, the service's log names what has to be removed from the store.",
  ],
  [/the state store does not answer$/, "See whether the store runs, and whether STATE_URL of the service leads to it."],
];

/** Whether a service can be reached and takes work. */
export function checkReady(service: Asked["service"], url: string, probed: Probed | NotReached): Check {
  if (!probed.reachable) {
    const [what = probed.why, fix = probed.why] = split(probed.why);
    return fail(service, what, fix);
  }
  if (!probed.ours) return fail(service, `${url} answers, and not as Toolbus does.`, `Check the address (${ADDRESS_FLAGS[service]}).`);
  if (!probed.ready) {
    const why = probed.reasons.length > 0 ? probed.reasons.join("; ") : "it gives no reason";
    return fail(service, `${url} is not ready: ${why.replace(/\.$/, "")}.`, whatToDo(probed.reasons));
  }
  return ok(service, `${url} is ready, answered in ${Math.round(probed.tookMs)} ms`);
}

/** What a service that works says of itself all the same: that clocks do not agree, that its broker takes no messages. A check for each sentence. */
export function checkWarnings(service: Asked["service"], url: string, { warnings }: Probed): readonly Check[] {
  return warnings.map((sentence) => {
    const [what = "", fix] = split(safeText(sentence));
    // No call gets to a worker while its broker takes nothing.
    if (BROKER.test(sentence)) return fail("broker", what, fix?.replace(/\.?$/, ".") ?? "Look at the broker's log.");
    // Read on another machine than that which says it.
    const said = what.replace(/\.$/, "").replace(/^this machine's/, "its machine's");
    return warn(
      "clock",
      `${SPEAKERS[service] ?? `The service at ${url}`} says: ${said}.`,
      fix?.replace(/\.?$/, ".") ??
        'See "Clocks that do not agree" in docs/operations.md: deadlines hold, and TLS and logins from outside go by the machine\'s own clock.',
    );
  });
}

/** Services of one broker say the same of it; it is one fault. */
export function brokerOnce(checks: readonly Check[]): readonly Check[] {
  const told = new Set<string>();
  return checks.filter(({ name, message }) => name !== "broker" || (!told.has(message) && told.add(message)));
}

const BROKER = /^(RabbitMQ|NATS) /;

const SPEAKERS: Readonly<Partial<Record<Asked["service"], string>>> = { gateway: "The gateway", approvals: "Approvals" };

const CLOCK_SETTING = { CLOCK_SKEW_WARN_MS: processSettings.CLOCK_SKEW_WARN_MS } as const;

/**
 * Whether the service's clock and this machine's agree: ages and expiries are shown by both. They may be as far apart as a service's and the store's
 * (`CLOCK_SKEW_WARN_MS`), and as the answer leaves open.
 */
export function checkClock({ clockMs, tookMs }: Probed, env: Readonly<Record<string, string | undefined>>): Check {
  const limit = clockLimit(env);
  if (typeof limit !== "number") return limit;
  if (clockMs === null) return warn("clock", "The gateway sends no time.", "See whether something between changes its headers.");
  const apart = Math.abs(clockMs);
  if (apart <= limit + DATE_MS + tookMs / 2) return ok("clock", "agrees with the gateway's");
  return warn(
    "clock",
    `This machine's clock is ${apart < HOUR_MS ? spanOf(apart) : `${(apart / HOUR_MS).toFixed(1)} h`} ${clockMs > 0 ? "behind" : "ahead of"} the gateway's.`,
    "Set both by NTP: ages and the time to decide are shown wrong otherwise.",
  );
}

function whatToDo(reasons: readonly string[]): string {
  const [known] = REMEDIES.filter(([reason]) => reasons.some((one) => reason.test(one)));
  if (!known) return "Wait a moment and look again; its log says more.";
  return `${known[1]} It is ready again by itself within half a minute. docs/deployment.md, "Health and stopping", says more.`;
}

function clockLimit(env: Readonly<Record<string, string | undefined>>): number | Check {
  try {
    return readSettings(CLOCK_SETTING, env).CLOCK_SKEW_WARN_MS;
  } catch (error) {
    if (!(error instanceof BadSettings)) throw error;
    return fail("clock", safeText(error.message), "Set it right, or leave it unset: no service starts with it either.");
  }
}

/** The sentence of a failure in its two halves: what is the matter, and what to do. */
function split(sentence: string): string[] {
  const at = sentence.indexOf(": ");
  if (at === -1) return [sentence];
  const fix = sentence.slice(at + 2);
  return [`${sentence.slice(0, at)}.`, fix.charAt(0).toUpperCase() + fix.slice(1)];
}
