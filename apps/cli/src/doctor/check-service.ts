import { BadSettings, processSettings, readSettings } from "@toolbus/runtime";
import { ADDRESS_FLAGS, type Asked } from "../http/unreachable.ts";
import { safeText } from "../terminal/safe-text.ts";
import { spanOf } from "../terminal/duration.ts";
import { SELF } from "../toolbus/self.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import type { NotReached, Probed } from "./probe.ts";

/** The rounding error of the header `Date`, which has whole seconds. */
const DATE_MS = 500;
const HOUR_MS = 3_600_000;

/**
 * The remedies for the reasons why a service is not ready. The patterns match the reasons in docs/deployment.md and those of the previous release.
 * The first pattern that matches decides.
 */
const REMEDIES: readonly (readonly [reason: RegExp, remedy: string])[] = [
  [/(?:accepts|takes) no changes: memory$/, "Give Redis more memory (maxmemory), or remove what is old; leave noeviction as it is."],
  [/(?:accepts|takes) no changes: disk$/, "Make room on the store's disk; the store's own log says more."],
  [
    /(?:accepts|takes) no changes: replicas$/,
    "Start the replicas that min-replicas-to-write of Redis, or ?replicas= of STATE_URL, asks for.",
  ],
  [/(?:accepts|takes) no changes: read-only$/, "Name the primary in STATE_URL, or correct the rights of the store's file."],
  [
    /(?:accepts|takes) no changes: refused$/,
    `The service's log says which: if the store was emptied or is another one, "${SELF} permissions --set-up" writes its record again; if its login lacks a right, load the files of "${SELF} permissions".`,
  ],
  [
    /(?:accepts|takes) no changes: damaged$/,
    "Check again in a few seconds. If it stays, the service's log names what has to be removed from the store.",
  ],
  [
    /the connection to (?:NATS|RabbitMQ) is down$/,
    "Check that the broker runs and accepts the service's login, and that its BUS_URL points to it. The service's log says more.",
  ],
  [
    /the state store does not answer$/,
    "Check that the store runs and accepts the service's login, and that its STATE_URL points to it. The service's log says more.",
  ],
];

/** Checks whether a service can be reached and accepts work. */
export function checkReady(service: Asked["service"], url: string, probed: Probed | NotReached): Check {
  if (!probed.reachable) {
    const [what = probed.why, fix = probed.why] = split(probed.why);
    return fail(service, what, fix);
  }
  if (!probed.ours)
    return fail(service, `${url} answers, but not as a Toolbus service does.`, `Check the address (${ADDRESS_FLAGS[service]}).`);
  if (!probed.ready) {
    const why = probed.reasons.length > 0 ? probed.reasons.join("; ") : "it gives no reason";
    return fail(service, `${url} is not ready: ${why.replace(/\.$/, "")}.`, whatToDo(probed.reasons));
  }
  return ok(service, `${url} is ready, answered in ${Math.round(probed.tookMs)} ms`);
}

/**
 * Returns one finding for each fault that a working service reports about itself, such as a wrong clock, a policy
 * that cannot be used or a broker that accepts no messages.
 */
export function checkWarnings(service: Asked["service"], url: string, { warnings }: Probed): readonly Check[] {
  return warnings.map((sentence) => {
    const [what = "", fix] = split(safeText(sentence));
    // A warning about the broker fails the check, because no call reaches a worker while the broker accepts no messages.
    if (BROKER.test(sentence)) return fail("broker", what, fix?.replace(/\.?$/, ".") ?? "Look at the broker's log.");
    if (KEYS.test(sentence)) return fail("API keys", what, fix?.replace(/\.?$/, ".") ?? "Look at the service's log.");
    if (POLICY.test(sentence)) {
      // An operator must fix a policy file that cannot be used. Other sentences only warn, because a tool that the policy names may register later.
      const said = `${what.replace(/\.$/, "")}.`;
      return sentence.startsWith(UNUSABLE)
        ? fail("policy", said, CHECK_POLICY)
        : warn("policy", said, fix?.replace(/\.?$/, ".") ?? "See docs/policy.md.");
    }
    // The service may run on another machine than this command, so "this machine" would mislead the reader.
    const said = what.replace(/\.$/, "").replace(/^this machine's/, "its machine's");
    return fail(
      "clock",
      `${SPEAKERS[service] ?? `The service at ${url}`} says: ${said}.`,
      fix?.replace(/\.?$/, ".") ??
        'See "Clocks that do not agree" in docs/operations.md: deadlines hold, but TLS and external logins depend on the machine\'s own clock.',
    );
  });
}

/** Removes repeated findings about the broker, because all services report the same fault of their broker. */
export function brokerOnce(checks: readonly Check[]): readonly Check[] {
  const reported = new Set<string>();
  return checks.filter(({ name, message }) => name !== "broker" || (!reported.has(message) && reported.add(message)));
}

const BROKER = /^(RabbitMQ|NATS) /;
const KEYS = /^The file of API keys /;
const POLICY = /^The policy /;
const UNUSABLE = "The policy file ";
const CHECK_POLICY = `"${SELF} policy check FILE" names each fault and its line, for the file of APPROVAL_POLICY_FILE. Approvals reads a corrected file by itself.`;

const SPEAKERS: Readonly<Partial<Record<Asked["service"], string>>> = { gateway: "The gateway", approvals: "Approvals" };

const CLOCK_SETTING = { CLOCK_SKEW_WARN_MS: processSettings.CLOCK_SKEW_WARN_MS } as const;

/**
 * Checks whether the gateway's clock and this machine's clock agree, because commands compute ages and expiries from both. The limit is
 * `CLOCK_SKEW_WARN_MS`, as between a service and the store, plus the uncertainty of the measurement.
 */
export function checkClock({ clockMs, tookMs }: Probed, env: Readonly<Record<string, string | undefined>>): Check {
  const limit = clockLimit(env);
  if (typeof limit !== "number") return limit;
  if (clockMs === null) return warn("clock", "The gateway sends no time.", "Check whether a proxy in between changes its headers.");
  const apart = Math.abs(clockMs);
  if (apart <= limit + DATE_MS + tookMs / 2) return ok("clock", "agrees with the gateway's");
  return fail(
    "clock",
    `This machine's clock is ${apart < HOUR_MS ? spanOf(apart) : `${(apart / HOUR_MS).toFixed(1)} h`} ${clockMs > 0 ? "behind" : "ahead of"} the gateway's.`,
    "Set both by NTP: otherwise ages and the time left to decide are wrong.",
  );
}

function whatToDo(reasons: readonly string[]): string {
  const [known] = REMEDIES.filter(([reason]) => reasons.some((one) => reason.test(one)));
  if (!known) return "Wait a moment and check again; its log says more.";
  return `${known[1]} Once that is right, it is ready again by itself within half a minute. docs/deployment.md, "Health and stopping", says more.`;
}

function clockLimit(env: Readonly<Record<string, string | undefined>>): number | Check {
  try {
    return readSettings(CLOCK_SETTING, env).CLOCK_SKEW_WARN_MS;
  } catch (error) {
    if (!(error instanceof BadSettings)) throw error;
    return fail("clock", safeText(error.message), "Correct it, or leave it unset: no service starts with it either.");
  }
}

/** Splits the sentence of a failure into what is wrong and what to do. */
function split(sentence: string): string[] {
  const at = sentence.indexOf(": ");
  if (at === -1) return [sentence];
  const fix = sentence.slice(at + 2);
  return [`${sentence.slice(0, at)}.`, fix.charAt(0).toUpperCase() + fix.slice(1)];
}
