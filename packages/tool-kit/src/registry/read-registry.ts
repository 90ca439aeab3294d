import { HOME_SHARD, type Json, keys, parseRegistration, type Registration } from "@toolbus/contracts";
import type { Seen, StateStore, StoredDocument } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { DefinitionPace } from "./definition-pace.ts";
import type { NameOwners } from "./name-owners.ts";
import { type Earlier, readAgain } from "./read-again.ts";
import { verifiedDefinition } from "./verified-definition.ts";

/**
 * Returns every registration, in the order of the index. A registration that cannot be read, or whose hash is wrong, is left out and logged. `pace`
 * decides which definitions may be used now, and `owners` leaves out registrations under the name of another toolset's tool. While the shard of the registry has no new commit, a process does not read it again and gets the same
 * objects, which nobody may change. After a commit, it reads only the registrations that have changed.
 */
export async function readRegistry(
  state: StateStore,
  log?: Log,
  pace?: DefinitionPace,
  owners?: NameOwners,
): Promise<readonly Registration[]> {
  const { registrations, unreadable, pins } = await readAgainRegistry(state, (earlier) => readAll(state, earlier));
  for (const member of unreadable) log?.warn({ ...member }, "a registration cannot be read and is left out");
  const own = owners ? await owners.admit(registrations, pins) : registrations;
  return pace ? pace.admit(own) : own;
}

/** One version of a tool, as the index names it. */
export interface Member {
  readonly toolset: string;
  readonly tool: string;
  readonly version: string;
}

/** Returns the members of the index. */
export async function indexMembers(state: StateStore): Promise<readonly Member[]> {
  return (await indexNames(state)).flatMap((name) => memberOf(name) ?? []);
}

async function indexNames(state: StateStore): Promise<readonly string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await state.page(keys.registryIndex(), { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    for (const { member } of page.members) names.push(member);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return names;
}

function memberOf(name: string): Member | null {
  const [, toolset, tool, version] = /^([^/]+)\/([^@]+)@(.+)$/.exec(name) ?? [];
  return toolset === undefined || tool === undefined || version === undefined ? null : { toolset, tool, version };
}

const PAGE = 1000;

/** What the store has. The same object is given to all readers, so nobody may change it. */
interface Registry {
  readonly registrations: readonly Registration[];
  readonly unreadable: readonly Member[];
  /** What is known of each name in the index, in the order of the index. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** The pin of each name of a tool, as it is stored. */
  readonly pins: ReadonlyMap<string, PinEntry>;
}

interface PinEntry {
  readonly key: string;
  /** The version of the document, or 0 if there is none. */
  readonly version: number;
  readonly value: Json | null;
}

/** What is known of one name in the index. */
interface Entry {
  readonly key: string;
  readonly member: Member;
  /** The version of the document. It is 0 if nothing was read, or if the tool was unregistered after the index was read. */
  readonly version: number;
  /** Null if there is no document, or if it cannot be read. */
  readonly registration: Registration | null;
}

const readAgainRegistry = readAgain<Registry>();

/** Reads the index, and all documents or only those that have changed since an earlier read. Returns what was read earlier if nothing has changed. */
async function readAll(state: StateStore, earlier: Earlier<Registry> | null): Promise<Registry> {
  const names = await indexNames(state);
  const known = new Map<string, Entry>();
  for (const name of names) {
    const entry = earlier?.value.entries.get(name) ?? unread(name);
    if (entry) known.set(name, entry);
  }
  const pins = new Map<string, PinEntry>();
  for (const { member } of known.values())
    if (!pins.has(member.tool)) pins.set(member.tool, earlier?.value.pins.get(member.tool) ?? { key: keys.pin(member.tool), ...NO_PIN });
  const documents = await documentsOf(state, [...known.values(), ...pins.values()], earlier?.since ?? null);
  if (documents.size === 0 && earlier && hasSameNames(known, earlier.value.entries)) return earlier.value;
  for (const [name, entry] of known) {
    const document = documents.get(entry.key);
    if (document !== undefined) known.set(name, { ...entry, ...readOf(document, entry.member) });
  }
  for (const [tool, { key }] of pins) {
    const document = documents.get(key);
    if (document !== undefined) pins.set(tool, document ? { key, version: document.version, value: document.value } : { key, ...NO_PIN });
  }
  const entries = [...known.values()];
  return {
    registrations: Object.freeze(entries.flatMap(({ registration }) => registration ?? [])),
    unreadable: entries.filter(({ version, registration }) => version > 0 && registration === null).map(({ member }) => member),
    entries: known,
    pins,
  };
}

const NO_PIN = { version: 0, value: null } as const;

function hasSameNames(one: ReadonlyMap<string, Entry>, other: ReadonlyMap<string, Entry>): boolean {
  return one.size === other.size && [...one.keys()].every((name) => other.has(name));
}

function unread(name: string): Entry | null {
  const member = memberOf(name);
  return member && { key: keys.registration(member.toolset, member.tool, member.version), member, version: 0, registration: null };
}

/** Returns the documents that differ from what is known, by key. Without a commit since which they may differ, returns all of them. */
async function documentsOf(
  state: StateStore,
  known: readonly Pick<Entry, "key" | "version">[],
  since: Seen | null,
): Promise<ReadonlyMap<string, StoredDocument | null>> {
  if (known.length === 0) return new Map();
  const changed = since && (await state.changed(HOME_SHARD, since, known)).changed;
  if (changed) return changed;
  const { documents } = await state.read(known.map(({ key }) => key));
  return new Map(known.map(({ key }, n) => [key, documents[n] ?? null]));
}

function readOf(document: StoredDocument | null, member: Member): Pick<Entry, "version" | "registration"> {
  return document ? { version: document.version, registration: readOne(document.value, member) } : { version: 0, registration: null };
}

/** Returns the registration in a document, or null if the document is not that of this member, or if its hash is wrong. */
function readOne(value: Json, { toolset, tool }: Member): Registration | null {
  const parsed = parseRegistration(value);
  if (!parsed.ok || parsed.value.toolset !== toolset || parsed.value.definition.name !== tool) return null;
  const definition = verifiedDefinition(parsed.value);
  return definition && Object.freeze({ ...parsed.value, definition });
}
