import { readProfile, replayModel, ReplayRefused, type ToolChange, type Variant } from "@toolbus/all-in-one/replay";
import { isJsonObject } from "@toolbus/contracts";
import { BadSettings, Refusal } from "@toolbus/runtime";
import { readYaml } from "@toolbus/runtime/yaml-text";
import type { Context } from "../toolbus/context.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { fileText } from "../toolbus/file-text.ts";

export interface VariantOptions {
  readonly profile?: string;
  readonly prompt?: string;
  readonly tools?: string;
  readonly model?: string;
}

/** Returns what the user wants to be different. Null if nothing. Throws a Failure if a file or a name cannot be used. */
export async function readVariant(context: Context, options: VariantOptions): Promise<Variant | null> {
  const { profile, prompt, tools, model } = options;
  if ([profile, prompt, tools, model].every((part) => part === undefined)) return null;
  const textOf = (file: string, what: string): Promise<string> => fileText(context, file, what, EXIT.failed);
  return {
    ...(profile === undefined ? {} : { profile: profileIn(await textOf(profile, "The profile"), profile) }),
    ...(prompt === undefined ? {} : { prompt: await textOf(prompt, "The prompt") }),
    ...(tools === undefined ? {} : { tools: toolsIn(await textOf(tools, "The tools file"), tools) }),
    ...(model === undefined ? {} : { model: await modelNamed(context, model) }),
  };
}

/** Runs a replay, and turns its refusal into a Failure. */
export async function withoutRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ReplayRefused ? new Failure(EXIT.failed, error.message, { cause: error }) : error;
  }
}

function profileIn(text: string, file: string): NonNullable<Variant["profile"]> {
  const read = readProfile(text);
  if (read.ok) return read.profile;
  throw cannotBeUsed(`The profile file ${file}`, read.faults, "docs/profiles.md explains every field");
}

function toolsIn(text: string, file: string): readonly ToolChange[] {
  const read = readYaml(text);
  if (!read.ok) throw cannotBeUsed(`The tools file ${file}`, read.faults, "docs/replay.md shows one");
  const listed: readonly unknown[] = Array.isArray(read.value) ? read.value : [read.value];
  if (
    listed.length > 0 &&
    listed.every((one): one is ToolChange => isJsonObject(one as never) && typeof (one as ToolChange).name === "string")
  )
    return listed;
  throw new Failure(EXIT.failed, `The tools file ${file} must be a list of definitions, each with a name; docs/replay.md shows one.`);
}

async function modelNamed({ around }: Context, named: string): Promise<NonNullable<Variant["model"]>> {
  try {
    return await replayModel(named, around.env);
  } catch (error) {
    throw error instanceof Refusal || error instanceof BadSettings ? new Failure(EXIT.failed, error.message, { cause: error }) : error;
  }
}

function cannotBeUsed(what: string, faults: readonly { readonly line: number; readonly message: string }[], where: string): Failure {
  return new Failure(
    EXIT.failed,
    `${what} cannot be used: ${faults.map(({ line, message }) => `line ${line}: ${message}`).join("; ")}. Fix it; ${where}.`,
  );
}
