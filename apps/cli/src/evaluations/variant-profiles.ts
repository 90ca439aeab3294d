import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { BUILT_IN_PROFILES, loadProfiles } from "@toolbus/all-in-one";
import { isJsonObject, type JsonObject } from "@toolbus/contracts";
import type { Scenario, Variant } from "@toolbus/evals";
import { readYaml } from "@toolbus/runtime/yaml-text";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** The profile of a conversation that names none. */
const CHAT = "chat";
const INVESTIGATIONS = { release: "release-investigation", alert: "alert-investigation" } as const;

/** A profile as its file has it. */
export type ProfileText = JsonObject;

/**
 * Writes the profiles of a variant into a folder for the setting `PROFILES_DIR`: those of `from`, and each profile that a scenario uses with the changes
 * of the variant. Throws a Failure if a scenario or the variant names a profile that does not exist, and a Refusal if a file of `from` cannot be used.
 */
export async function writeProfiles(
  folder: string,
  { scenarios, from, variant }: { readonly scenarios: readonly Scenario[]; readonly from: string | null; readonly variant: Variant },
): Promise<void> {
  const own = from === null ? new Map<string, ProfileText>() : await profilesIn(from);
  // The agent would name the copies, and a line of JSON.
  if (from !== null) await loadProfiles(from);
  const all = new Map([...(await profilesIn(BUILT_IN_PROFILES)), ...own]);
  const written = new Map(own);
  for (const name of profilesOf(scenarios)) {
    const { profile = name, systemPrompt, model } = variant;
    const text = all.get(profile);
    if (!text)
      throw new Failure(
        EXIT.failed,
        `The ${variant.profile === undefined ? "suite" : `variant ${variant.name}`} needs the profile "${profile}", and there are only ${[...all.keys()].toSorted().join(", ")}: correct its name, or add its file to the profiles of the suite.`,
      );
    if (variant.profile === undefined && systemPrompt === undefined && model === undefined) continue;
    // The scenarios name the profile, and investigations always have the same one, so the changed profile has the name of the one that it replaces.
    written.set(name, {
      ...text,
      name,
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(model === undefined ? {} : { model: { provider: model.provider, name: model.name } }),
    });
  }
  // JSON is YAML.
  for (const [name, text] of written) await writeFile(path.join(folder, `${name}.yaml`), JSON.stringify(text));
}

/** Returns the names of the profiles that the runs of these scenarios have. */
function profilesOf(scenarios: readonly Scenario[]): ReadonlySet<string> {
  return new Set(scenarios.map(({ input, profile }) => (input.kind === "messages" ? (profile ?? CHAT) : INVESTIGATIONS[input.kind])));
}

/** Reads the profiles of a folder as they are. The agent that gets them checks them. Throws a Failure for a folder or a file that cannot be read. */
export async function profilesIn(folder: string): Promise<Map<string, ProfileText>> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(
      EXIT.failed,
      `The folder of profiles ${folder} cannot be read (${error.code ?? "unknown"}): create it, or leave it out.`,
    );
  });
  const profiles = new Map<string, ProfileText>();
  for (const name of names.filter((one) => /\.ya?ml$/i.test(one)).toSorted()) {
    const file = path.join(folder, name);
    const read = readYaml(await readFile(file, "utf8"));
    if (!read.ok)
      throw new Failure(EXIT.failed, `The profile file ${file} cannot be read (line ${read.faults[0]?.line ?? 1}): correct it.`);
    const value = read.value as JsonObject;
    if (isJsonObject(value) && typeof value["name"] === "string") profiles.set(value["name"], value);
    else throw new Failure(EXIT.failed, `The profile file ${file} has no name: add one, or remove the file.`);
  }
  return profiles;
}
