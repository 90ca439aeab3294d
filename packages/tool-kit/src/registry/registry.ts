import { hash } from "node:crypto";
import { definitionFault, HOME_SHARD, keyOf, keys, type PublicJwk, quarantineSentence, type ToolDefinition } from "@toolbus/contracts";
import { commitRepeatedly, type Change, type StateStore } from "@toolbus/state";
import { attributeNames, type Log, measure, metricNames } from "@toolbus/telemetry";
import { guideChange } from "./guides.ts";
import { indexMembers, type Member } from "./read-registry.ts";
import { type Put, registrationOf, replacedBy, seenAgain } from "./registration.ts";
import type { Examples } from "../tool/tool-examples.ts";
import type { Executor, Toolset } from "../tool/toolset.ts";

/** The error for a tool whose name belongs to another toolset. The message names both toolsets and says what to do. */
export class RegistryConflict extends Error {
  readonly code = "registry_conflict";
  override readonly name = "RegistryConflict";
}

/** The facts that a worker knows about its toolset now. */
export interface RegistrationOptions {
  /** The reason why the tools cannot be used now. It is null or omitted if they can be used. */
  readonly unavailable?: string | null;
  /** The reason why the writes cannot be used, although the other tools can. */
  readonly unavailableWrites?: string | null;
  /** Arguments that work now, as JSON text, by the definition's hash. */
  readonly examples?: Examples;
  /** The public half of the key that signs the effects of the writes. Operators pin it with the tool. */
  readonly receiptKey?: PublicJwk | undefined;
  readonly log?: Log;
}

/**
 * Registers every sound tool of a toolset and its guide, or none of them. Each tool has a stored document, which outlives the workers, and an entry in the index. A
 * second replica or a second version is not a duplicate. Throws `RegistryConflict` for a name that belongs to another toolset.
 *
 * A tool whose definition is refused (`definitionFault`) is left out and logged. The toolset's other tools are still registered.
 *
 * A definition that differs from the registered one of the same version replaces it. The replaced definition is kept under its hash for the runs that
 * began with it. The log recommends a new version, which would not disturb those runs.
 *
 * No commit may change another toolset's documents, so the names are looked up before the commit and again after it. If two toolsets registered a
 * name at the same moment, the toolset with the later commit withdraws. For this purpose, a toolset writes a claim for each name once, and the
 * version of the claim shows the order.
 */
export async function registerToolset(state: StateStore, toolset: Toolset, options: RegistrationOptions = {}): Promise<void> {
  const executors = toolset.list().filter(({ definition }) => isSound(definition, toolset.name, options.log));
  refuseForeign(toolset.name, await foreignClaims(state, toolset));
  for (let tries = 1; !(await writeRegistrations(state, toolset, executors, options)); tries++) {
    if (tries === TRIES) throw new Error(`The toolset "${toolset.name}" could not be registered: its documents change all the time.`);
  }
  const lost = await lostNames(state, toolset);
  if (lost.length === 0) return;
  for (const { definition } of executors)
    if (lost.some(({ tool }) => tool === definition.name)) await unregister(state, toolset.name, definition.name, definition.version);
  refuseForeign(toolset.name, lost);
}

/**
 * Writes a worker's heartbeat into its registrations. It records that a worker was seen now, whether the tools can be used, and arguments that work.
 * It registers nothing, so a tool that was unregistered on purpose, or replaced by a newer deployment, does not change. It does not repeat the report
 * of another replica from a moment ago.
 */
export async function markSeen(
  state: StateStore,
  toolset: Toolset,
  unavailable: string | null,
  unavailableWrites: string | null = null,
  examples: Examples = NO_EXAMPLES,
): Promise<void> {
  const executors = toolset.list();
  const registrationKeys = executors.map(({ definition }) => keys.registration(toolset.name, definition.name, definition.version));
  const { now, documents } = await state.read(registrationKeys);
  const put: Put[] = [];
  const guards: { readonly key: string; readonly version: number }[] = [];
  executors.forEach(({ hash, tool, definition }, i) => {
    const [key = "", document] = [registrationKeys[i], documents[i]];
    const value = document
      ? seenAgain(document, hash, {
          now,
          unavailable: whyNot(tool, unavailable ?? toolset.unavailableTool(definition), unavailableWrites),
          example: examples.get(hash),
        })
      : null;
    if (!document || !value) return;
    put.push({ key, value });
    guards.push({ key, version: document.version });
  });
  if (put.length === 0) return;
  // A stale commit needs no retry. Somebody registered, or another replica was faster, and the next heartbeat follows soon.
  // Two reports of one worker may come in the same millisecond, so the op also names the versions that the report changes.
  const over = hash("sha256", guards.map(({ version }) => version).join(" ")).slice(0, 16);
  await commitRepeatedly(state, HOME_SHARD, { op: `seen:${toolset.name}:${now}:${over}`, guards, put });
}

/**
 * Removes one version of a tool on purpose. The toolset's claim on the name is removed with the last version, and its guide with its last tool. Runs that began with the removed
 * version keep its definition, so stop its workers later. Returns false if it was not registered.
 */
export async function unregister(state: StateStore, toolset: string, tool: string, version: string): Promise<boolean> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const remaining = (await indexMembers(state)).filter((m) => m.toolset === toolset && (m.tool !== tool || m.version !== version));
    const others = remaining.filter((m) => m.tool === tool);
    const key = keys.registration(toolset, tool, version);
    const { now, documents } = await state.read([key, claimKey(toolset, tool), keys.guide(toolset)]);
    const [registration, claim, guide] = documents;
    if (!registration) return false;
    const reply = await commitRepeatedly(state, HOME_SHARD, {
      op: `unregister:${toolset}/${tool}@${version}:${registration.version}`,
      guards: [
        { key, version: registration.version },
        { key: claimKey(toolset, tool), version: claim?.version ?? 0 },
      ],
      put: replacedBy(registration, null, now),
      remove: [
        key,
        ...(others.length === 0 && claim ? [claimKey(toolset, tool)] : []),
        ...(remaining.length === 0 && guide ? [keys.guide(toolset)] : []),
      ],
      index: [{ index: keys.registryIndex(), member: `${toolset}/${tool}@${version}`, score: null }],
    });
    if (reply.outcome === "ok") return true;
  }
  throw new Error(`The tool "${tool}" of "${toolset}" could not be unregistered: its documents change all the time.`);
}

/** Returns why this tool cannot be used. The reason may concern all tools or only writes. */
function whyNot({ kind }: Executor["tool"], all: string | null, writes: string | null): string | null {
  return all ?? (kind === "write" ? writes : null);
}

/** Returns whether a definition is accepted. Every reader repeats this check, so a worker that skips it gains nothing. */
function isSound(definition: ToolDefinition, toolset: string, log: Log | undefined): boolean {
  const fault = definitionFault(definition);
  if (fault === null) return true;
  const { name: tool, version } = definition;
  measure(metricNames.toolQuarantined, 1, { [attributeNames.toolset]: toolset });
  log?.error({ toolset, tool, version, pointer: fault.pointer }, `${quarantineSentence(definition, fault)} It is not registered.`);
  return false;
}

const TRIES = 8;

/** Writes the registrations. Returns false if a document changed in between. */
async function writeRegistrations(
  state: StateStore,
  toolset: Toolset,
  executors: readonly Executor[],
  { unavailable = null, unavailableWrites = null, examples = NO_EXAMPLES, receiptKey, log }: RegistrationOptions,
): Promise<boolean> {
  const registrationKeys = executors.map(({ definition }) => keys.registration(toolset.name, definition.name, definition.version));
  // All versions of a name share one claim.
  const names = [...new Set(executors.map(({ definition }) => definition.name))];
  const claimKeys = names.map((tool) => claimKey(toolset.name, tool));
  const guideKey = keys.guide(toolset.name);
  const readKeys = [...registrationKeys, ...claimKeys, guideKey];
  const { now, documents } = await state.read(readKeys);
  const registrations = documents.slice(0, executors.length);
  const claims = documents.slice(executors.length, -1);
  const storedGuide = documents.at(-1) ?? null;
  const put: Put[] = [];
  const replaced: Executor[] = [];
  executors.forEach((executor, i) => {
    const stored = registrations[i] ?? null;
    const registration = registrationOf({ toolset: toolset.name, scalesToZero: toolset.scalesToZero, receiptKey }, executor, stored, {
      now,
      unavailable: whyNot(executor.tool, unavailable ?? toolset.unavailableTool(executor.definition), unavailableWrites),
      example: examples.get(executor.hash),
    });
    if (registration) put.push({ key: registrationKeys[i] ?? "", value: registration });
    const kept = replacedBy(stored, executor.hash, now);
    if (kept.length > 0) replaced.push(executor);
    put.push(...kept);
  });
  names.forEach((tool, i) => {
    if (!claims[i]) put.push({ key: claimKeys[i] ?? "", value: { toolset: toolset.name, tool } });
  });
  const guide = guideChange(toolset, storedGuide, now);
  put.push(...guide.put);
  if (put.length === 0 && guide.remove.length === 0) return true;
  const versions = new Map(readKeys.map((key, i) => [key, documents[i]?.version ?? 0]));
  // A definition under its hash is the same for every writer, so it needs no guard.
  const guarded = [...new Set([...put.map(({ key }) => key).filter((key) => versions.has(key)), ...versions.keys()])];
  const change: Change = {
    // Racing replicas see the same versions and write the same documents, so either of their commits is right. The op is a hash, because two changes
    // of a large toolset must not have the same op.
    op: `register:${toolset.name}:${hash(
      "sha256",
      [receiptKey?.kid ?? "", toolset.guide?.hash ?? "", ...executors.map((e) => e.hash), ...versions.values()].join(" "),
    )}`,
    guards: guarded.map((key) => ({ key, version: versions.get(key) ?? 0 })),
    put,
    remove: guide.remove,
    index: executors.map(({ definition }) => ({
      index: keys.registryIndex(),
      member: `${toolset.name}/${definition.name}@${definition.version}`,
      score: 0,
    })),
  };
  if ((await commitRepeatedly(state, HOME_SHARD, change)).outcome !== "ok") return false;
  for (const { definition, hash } of replaced)
    log?.warn(
      { toolset: toolset.name, tool: definition.name, version: definition.version, hash },
      "a tool's definition was changed under the same version; give a changed tool a new version, so that runs that began with it can end with it",
    );
  return true;
}

/** Returns our names that another toolset claimed before us. */
async function lostNames(state: StateStore, toolset: Toolset): Promise<readonly Member[]> {
  const foreign = await foreignClaims(state, toolset);
  if (foreign.length === 0) return [];
  const { documents } = await state.read(
    foreign.flatMap(({ toolset: other, tool }) => [claimKey(toolset.name, tool), claimKey(other, tool)]),
  );
  return foreign.filter((_, i) => {
    const [ours, theirs] = [documents[2 * i], documents[2 * i + 1]];
    return theirs && (!ours || theirs.version < ours.version);
  });
}

async function foreignClaims(state: StateStore, toolset: Toolset): Promise<readonly Member[]> {
  const foreign = (await indexMembers(state)).filter(
    (member) => member.toolset !== toolset.name && toolset.find(member.tool) !== undefined,
  );
  // Each name appears once, even if it has several versions.
  return [...new Map(foreign.map((member) => [`${member.toolset}/${member.tool}`, member])).values()];
}

function refuseForeign(name: string, foreign: readonly Member[]): void {
  const [first] = foreign;
  if (!first) return;
  const same = foreign.filter(({ toolset }) => toolset === first.toolset).map(({ tool }) => `"${tool}"`);
  const more = same.length > MOST_NAMED ? ` and ${same.length - MOST_NAMED} more` : "";
  throw new RegistryConflict(
    same.length === 1
      ? `The tool "${first.tool}" of the toolset "${name}" is already registered by the toolset "${first.toolset}"; rename it, or unregister that one first.`
      : `${same.length} tools of the toolset "${name}" are already registered by the toolset "${first.toolset}" (${same.slice(0, MOST_NAMED).join(", ")}${more}); rename them, or unregister those first.`,
  );
}

const MOST_NAMED = 5;
const NO_EXAMPLES: Examples = new Map();

/** Returns the key of a toolset's claim on a tool name. Unlike the key of a registration, it has no version. */
function claimKey(toolset: string, tool: string): string {
  return keyOf(`registry.${toolset}`, HOME_SHARD, tool);
}
