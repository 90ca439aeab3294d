import { availabilityOf, goneSince, type JudgedTool, type Registration, SEEN_FOR_MS } from "@toolbus/contracts";

/** A tool whose toolset has had no worker for this long is not offered to new runs, unless its workers may be scaled to zero. */
const GONE_FOR_MS = 3_600_000;

/** Returns why a tool is switched off, in a sentence, or null if it is on. The same function always gives the same answer for the same registration. */
export type WhyOff = (registration: Registration) => string | null;

/** Returns a registered tool in the form in which its requester's rights are checked. */
export function judged({ toolset, definition: { name, scopes } }: Registration): JudgedTool {
  return { name, toolset, scopes };
}

/** Returns why nobody can use a tool now, in a sentence, or null if it can be used. `fixed` are tools that a profile itself calls. */
export function whyNot(
  registration: Registration,
  { now, off, fixed }: { readonly now: number; readonly off: WhyOff; readonly fixed: ReadonlySet<string> },
): string | null {
  const { name } = registration.definition;
  const switched = off(registration);
  if (switched !== null) return switched;
  const gone = goneSince(registration, now);
  if (gone !== null && !registration.scalesToZero && now - gone > GONE_FOR_MS)
    return `"${registration.toolset}" has had no worker since ${new Date(gone).toISOString()}: start one, or unregister the tool.`;
  if (availabilityOf(registration, now) === "unavailable" && !fixed.has(name))
    return `Its workers say that "${name}" cannot be used: ${registration.unavailable?.reason ?? "no reason given"}`;
  return null;
}

/** Returns until when `whyNot` gives this answer for a registration, if the clock does not go back. Infinity if only a new registration changes it. */
export function sameUntil(registration: Registration, now: number): number {
  const gone = goneSince(registration, now);
  if (gone === null) return registration.lastSeenAt + SEEN_FOR_MS;
  return now - gone > GONE_FOR_MS ? Number.POSITIVE_INFINITY : gone + GONE_FOR_MS;
}
