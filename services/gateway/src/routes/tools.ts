import {
  availabilityOf,
  cutText,
  definitionFault,
  describeProblems,
  exampleArguments,
  keys,
  parseRegistration,
  protectionOf,
  preferredRegistration,
  publicTool,
  type Registration,
  registryVersion,
  rightsFault,
  type ToolList,
  type ToolView,
} from "@toolbus/contracts";
import { hasToolHash } from "@toolbus/grants";
import { getRoute, noQuery, type Principal, type Route } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Gateway } from "../gateway.ts";
import { toolForms } from "../tool-forms.ts";
import { CALLERS } from "./callers.ts";
import { recorded, views } from "./documented.ts";

/**
 * Returns the route `GET /v1/tools`. It lists the registered tools and what is known of their workers, whether or not a worker is running. It also
 * shows which tools the caller may not use.
 */
export function toolRoutes(gateway: Pick<Gateway, "state" | "owners">): readonly Route[] {
  return [
    getRoute({
      url: "/v1/tools",
      access: CALLERS,
      docs: {
        operationId: "listTools",
        tag: "Tools",
        summary: "Lists the registered tools, whether or not a worker runs at this moment.",
        answers: {
          200: {
            says: "The tools, with what is known of their workers.",
            body: views.tools,
            example: recorded.tools,
          },
        },
        problems: [],
      },
      query: noQuery,
      handle: ({ principal }) => toolList(gateway, principal),
    }),
  ];
}

/** Returns every registered tool, with what the caller may not use. A tool under a name of another toolset is quarantined. */
export async function toolList({ state, owners }: Pick<Gateway, "state" | "owners">, caller: Principal): Promise<ToolList> {
  const members = await registered(state);
  const { now, documents } = await state.read(members.map(({ toolset, name, version }) => keys.registration(toolset, name, version)));
  const registrations: Registration[] = [];
  const unreadable: Unreadable[] = [];
  members.forEach((member, n) => {
    // A tool may have been unregistered since the index was read.
    const document = documents[n];
    if (!document) return;
    const registration = parseRegistration(document.value);
    if (registration.ok) registrations.push(registration.value);
    else unreadable.push({ ...member, reason: cutText(describeProblems(registration.problems), REASON_CHARS) });
  });
  const strange = await owners.strangers(state, registrations);
  const own = registrations.filter((one) => !strange.has(one));
  const byName = Map.groupBy(own, ({ definition }) => definition.name);
  const preferred = new Set([...byName.values()].map((versions) => preferredRegistration(versions, now)));
  return {
    registryVersion: registryVersion(own.map(({ definition: { name, version }, hash }) => ({ name, version, hash }))),
    asOf: now,
    tools: registrations.map((registration) => ({
      ...toolView(registration, { now, preferred: preferred.has(registration), stranger: strange.get(registration) }),
      ...forbidden(caller, registration),
    })),
    ...(unreadable.length === 0 ? {} : { unreadable }),
  };
}

type Unreadable = NonNullable<ToolList["unreadable"]>[number];
const REASON_CHARS = 300;

function forbidden(caller: Principal, { toolset, definition: { name, scopes } }: Registration): Pick<ToolView, "forbidden"> {
  const fault = rightsFault(caller, { name, toolset, scopes });
  return fault === null ? {} : { forbidden: fault };
}

const PAGE = 256;

/** Returns the names in the index of the registry. */
async function registered(state: StateStore): Promise<readonly Omit<Unreadable, "reason">[]> {
  const found: Omit<Unreadable, "reason">[] = [];
  let cursor: string | undefined;
  do {
    const page = await state.page(keys.registryIndex(), { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    for (const { member } of page.members) {
      const [, toolset, name, version] = /^([^/]+)\/([^@]+)@(.+)$/.exec(member) ?? [];
      if (toolset !== undefined && name !== undefined && version !== undefined) found.push({ toolset, name, version });
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}

/**
 * Returns what is wrong with a registration's hash, or null. Every reader leaves out a registration with a wrong hash (`readRegistry`), so the list
 * must not call it ready.
 */
function hashFault({ definition, hash }: Registration): { readonly pointer: string; readonly reason: string } | null {
  if (hasToolHash(definition, hash)) return null;
  return { pointer: "/hash", reason: "The hash is not that of the definition: no Toolbus worker registered it in this form." };
}

interface Shown {
  readonly now: number;
  readonly preferred: boolean;
  /** Why the name is not the toolset's, if it is not. */
  readonly stranger: string | undefined;
}

function toolView(registration: Registration, { now, preferred, stranger }: Shown): ToolView {
  const { toolset, hash, definition, registeredAt, lastSeenAt, leftAt, scalesToZero, unavailable, example } = registration;
  const { version, kind, risk, source, owner, slo, scopes, flag, deprecated } = definition;
  const { dependencies, limits } = protectionOf(definition);
  const foreign = stranger === undefined ? null : { pointer: "/name", reason: stranger };
  const quarantined = definitionFault(definition) ?? hashFault(registration) ?? foreign;
  // If a definition was refused, the list does not repeat its content.
  const { name, description, parameters } = quarantined ? { ...definition, parameters: { type: "object" } } : publicTool(definition);
  const availability = availabilityOf(registration, now);
  return {
    name,
    version,
    preferred,
    toolset,
    source,
    kind,
    tier: risk.tier,
    description,
    parameters,
    ...(example === undefined || quarantined ? {} : { example: exampleArguments(parameters, example).arguments }),
    hash,
    ...(owner === undefined ? {} : { owner }),
    ...(slo === undefined ? {} : { slo }),
    ...(dependencies === undefined ? {} : { dependencies }),
    ...(limits === undefined ? {} : { limits }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(flag === undefined ? {} : { flag }),
    ...(deprecated === undefined ? {} : { deprecated }),
    available: availability === "ready" && !quarantined,
    availability,
    ...(quarantined ? { quarantined } : toolForms(definition)),
    ...(unavailable === undefined || availability !== "unavailable" ? {} : { unavailable }),
    registeredAt,
    lastSeenAt,
    ...(availability === "asleep" && leftAt !== undefined && leftAt >= lastSeenAt ? { leftAt } : {}),
    ...(scalesToZero === undefined ? {} : { scalesToZero }),
  };
}
