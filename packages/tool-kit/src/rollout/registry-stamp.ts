import { readFile } from "node:fs/promises";
import {
  describeProblems,
  limitDifferences,
  parseRegistryStamp,
  type RegistryStamp,
  type StampedLimits,
  type StampedTool,
  toolDifferences,
} from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import { readRegistry } from "../registry/read-registry.ts";
import type { Executor, Toolset } from "../tool/toolset.ts";

/** The error for a stamp that cannot be read. The message says what is wrong and what to do. */
export class StampRefused extends Error {
  readonly code = "stamp_refused";
  override readonly name = "StampRefused";
}

/** Reads a stamp that `toolbus tools stamp` made. Throws `StampRefused` with one sentence. */
export async function readStamp(file: string): Promise<RegistryStamp> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new StampRefused(`The registry stamp ${file} cannot be read (${error.code ?? "unknown"}): ${REMEDY}`, { cause: error });
  });
  const parsed = parseRegistryStamp(text);
  if (parsed.ok) return parsed.value;
  throw new StampRefused(
    `The registry stamp ${file} is not a stamp: ${describeProblems(parsed.problems).slice(0, 300)}. ${SENTENCE_REMEDY}`,
  );
}

/** Returns why the worker of a toolset must not take calls, in a sentence that strangers may read, or null. Without a file, nothing is compared. */
export async function workerStampObstacle(toolset: Toolset, file: string): Promise<string | null> {
  if (file === "") return null;
  const stamp = await readStamp(file);
  if (!Object.hasOwn(stamp.toolsets, toolset.name)) return `the registry stamp has no toolset ${toolset.name}: ${REMEDY}`;
  const tools = toolset.list().map((executor) => stampedTool(toolset.name, executor));
  const differences = toolDifferences(stamp, toolset.name, tools, { all: true });
  if (differences.length === 0) return null;
  return `the toolset ${toolset.name} differs from the registry stamp (${listed(differences)}): deploy the version that was stamped, or ${REMEDY}`;
}

/**
 * Returns why an agent with these limits must not take runs, or null. The agent also waits until the registry has every stamped definition, so its
 * runs are offered what the deployment was made for.
 */
export async function agentStampObstacle(state: StateStore, limits: StampedLimits, file: string): Promise<string | null> {
  if (file === "") return null;
  const stamp = await readStamp(file);
  const ours = limitDifferences(stamp, limits);
  if (ours.length > 0)
    return `the agent differs from the registry stamp (${listed(ours)}): deploy the version that was stamped, or ${REMEDY}`;
  const registered = await readRegistry(state);
  const differences = Object.keys(stamp.toolsets).flatMap((name) => {
    const tools = registered.filter(({ toolset }) => toolset === name).map((registration) => stampedTool(name, registration));
    return toolDifferences(stamp, name, tools, { all: false }).map((difference) => `${name}: ${difference}`);
  });
  if (differences.length === 0) return null;
  return `the registry differs from the registry stamp (${listed(differences)}): start the stamped workers first, or ${REMEDY}`;
}

/** Returns a tool as a stamp sees it. */
export function stampedTool(toolset: string, { definition, hash }: Pick<Executor, "definition" | "hash">): StampedTool {
  const { name, version, kind, risk } = definition;
  return { toolset, name, version, hash, kind, tier: risk.tier };
}

const REMEDY = 'stamp the deployment again with "toolbus tools stamp".';
const SENTENCE_REMEDY = 'Stamp the deployment again with "toolbus tools stamp".';
const SHOWN = 3;

function listed(differences: readonly string[]): string {
  const rest = differences.length - SHOWN;
  return [...differences.slice(0, SHOWN), ...(rest > 0 ? [`and ${rest} more`] : [])].join(", ");
}
