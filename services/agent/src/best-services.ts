import type { OfferedChoice, Registration } from "@toolbus/contracts";
import { type KnownService, knownServices, searchServices, SERVICE_TOOLS } from "@toolbus/tool-kit";

/** The number of services that are put before the model. */
const MOST_SERVICES = 2;

type Services = NonNullable<OfferedChoice["services"]>;

/**
 * Returns the two services that match a message best, with the names of their best tools. It returns none if no word matches. `words` are those of a
 * model about some services. They only change the rank.
 */
export function bestServices(
  candidates: readonly Registration[],
  about: string,
  now: number,
  words: ReadonlyMap<string, readonly string[]> = new Map(),
): Services {
  const services = servicesOf(candidates, now).map((one) => ({ ...one, words: words.get(one.id) ?? [] }));
  const found = searchServices(services, about, MOST_SERVICES);
  return found.map(({ id, top_tools: tools = [] }) => ({ id, tools: [...tools] }));
}

const known = new WeakMap<readonly Registration[], readonly KnownService[]>();

/** Returns the services of these tools. Whether their workers are alive does not matter here, so a list of tools always has the same services. */
function servicesOf(candidates: readonly Registration[], now: number): readonly KnownService[] {
  const services = known.get(candidates) ?? knownServices(candidates, now, SERVICE_TOOLS);
  known.set(candidates, services);
  return services;
}

/**
 * Returns the note that tells the model about these services, or undefined if there are none. The note is stored with the person's message and never
 * changes, so that the beginning of the prompt stays the same in all turns and later runs. It contains names only, and no text of a foreign server.
 */
export function noteOf({ matched, services = [] }: OfferedChoice, offered: number): string | undefined {
  if (services.length === 0) return undefined;
  const list = services.map(({ id, tools }) => `${id} (${tools.join(", ")})`).join("; ");
  return `[Note by Toolbus, not by the person: ${offered} of ${matched} tools are offered in this run. Best matches for this message: ${list}.]`;
}
