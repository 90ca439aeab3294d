import { type Json, keys, parseRegistration, type Registration } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { DefinitionPace } from "./definition-pace.ts";
import { readAgain } from "./read-again.ts";
import { verifiedDefinition } from "./verified-definition.ts";

/**
 * Returns every registration, in the order of the index. A registration that cannot be read, or whose hash is wrong, is left out and logged. `pace`
 * decides which definitions may be used now. While the shard of the registry has no new commit, a process does not read it again and gets the same
 * objects, which nobody may change.
 */
export async function readRegistry(state: StateStore, log?: Log, pace?: DefinitionPace): Promise<readonly Registration[]> {
  const { registrations, unreadable } = await readAgainRegistry(state, () => readAll(state));
  for (const member of unreadable) log?.warn({ ...member }, "a registration cannot be read and is left out");
  return pace ? pace.admit(registrations) : registrations;
}

/** One version of a tool, as the index names it. */
export interface Member {
  readonly toolset: string;
  readonly tool: string;
  readonly version: string;
}

/** Returns the members of the index. */
export async function indexMembers(state: StateStore): Promise<readonly Member[]> {
  const members: Member[] = [];
  let cursor: string | undefined;
  do {
    const page = await state.page(keys.registryIndex(), { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    for (const { member } of page.members) {
      const [, toolset, tool, version] = /^([^/]+)\/([^@]+)@(.+)$/.exec(member) ?? [];
      if (toolset !== undefined && tool !== undefined && version !== undefined) members.push({ toolset, tool, version });
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return members;
}

const PAGE = 1000;

/** What the store has. The same object is given to all readers, so nobody may change it. */
interface Registry {
  readonly registrations: readonly Registration[];
  readonly unreadable: readonly Member[];
}

const readAgainRegistry = readAgain<Registry>();

async function readAll(state: StateStore): Promise<Registry> {
  const members = await indexMembers(state);
  if (members.length === 0) return { registrations: [], unreadable: [] };
  const { documents } = await state.read(members.map(({ toolset, tool, version }) => keys.registration(toolset, tool, version)));
  const registrations: Registration[] = [];
  const unreadable: Member[] = [];
  for (const [i, member] of members.entries()) {
    const value = documents[i]?.value;
    // The tool was unregistered after the index was read.
    if (value === undefined) continue;
    const registration = readOne(value, member);
    if (registration) registrations.push(registration);
    else unreadable.push(member);
  }
  return { registrations: Object.freeze(registrations), unreadable };
}

/** Returns the registration in a document, or null if the document is not that of this member, or if its hash is wrong. */
function readOne(value: Json, { toolset, tool }: Member): Registration | null {
  const parsed = parseRegistration(value);
  if (!parsed.ok || parsed.value.toolset !== toolset || parsed.value.definition.name !== tool) return null;
  const definition = verifiedDefinition(parsed.value);
  return definition && Object.freeze({ ...parsed.value, definition });
}
