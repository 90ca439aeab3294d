import { readFile } from "node:fs/promises";
import { describeProblems, parser, ProfileName, type Static, Type } from "@toolbus/contracts";
import type { Variant } from "@toolbus/evals";
import { readYaml } from "@toolbus/runtime/yaml-text";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** The variant that every evaluation has: the suite as it is. */
export const DEFAULT_VARIANT: Variant = { name: "default" };

const Word = Type.String({ minLength: 1, maxLength: 200 });
const VariantFile = Type.Object(
  {
    name: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,63}$" }),
    profile: Type.Optional(ProfileName),
    systemPrompt: Type.Optional(Type.String({ minLength: 1, maxLength: 16_384 })),
    descriptions: Type.Optional(Type.Record(Word, Type.String({ minLength: 1, maxLength: 4000 }))),
    model: Type.Optional(Type.Object({ provider: Word, name: Word }, { additionalProperties: false })),
  },
  { additionalProperties: false },
);
type VariantFile = Static<typeof VariantFile>;

const parseVariant = parser(VariantFile);

/** Returns the variants of an evaluation, the default one first. Throws a Failure for a file that cannot be used. */
export async function readVariants(files: readonly string[], knownTools: ReadonlySet<string>): Promise<readonly Variant[]> {
  const variants = [DEFAULT_VARIANT];
  for (const file of files) {
    const variant = await readVariant(file, knownTools);
    if (variants.some(({ name }) => name === variant.name))
      throw fault(file, `has the name "${variant.name}" of another variant: choose another name`);
    variants.push(variant);
  }
  return variants;
}

async function readVariant(file: string, knownTools: ReadonlySet<string>): Promise<Variant> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw fault(file, `cannot be read (${error.code ?? "unknown"}): name a readable file`);
  });
  const read = readYaml(text);
  if (!read.ok) throw fault(file, `is not YAML (line ${read.faults[0]?.line ?? 1}): correct it`);
  const parsed = parseVariant(read.value);
  if (!parsed.ok)
    throw fault(
      file,
      `cannot be used (${describeProblems(parsed.problems)}): it may have name, profile, systemPrompt, descriptions and model`,
    );
  const { name: _, ...changes } = parsed.value;
  if (Object.keys(changes).length === 0) throw fault(file, "changes nothing: give it a profile, systemPrompt, descriptions or a model");
  const unknown = Object.keys(changes.descriptions ?? {}).find((tool) => !knownTools.has(tool));
  if (unknown !== undefined) throw fault(file, `describes "${unknown.slice(0, 100)}", and there is no such tool: correct the name`);
  return parsed.value;
}

const fault = (file: string, what: string): Failure => new Failure(EXIT.failed, `The variant ${file} ${what}.`);
