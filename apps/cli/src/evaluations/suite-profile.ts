import { readFile } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { loadProfiles } from "@toolbus/all-in-one";
import { profileFileOf, readProfile, recordedProfileFile, ReplayRefused } from "@toolbus/all-in-one/replay";
import { DIRECT_CALL_PROFILE, isJsonObject, type JsonObject, type RunRecord } from "@toolbus/contracts";
import { profileOfRecord, withProfilesFolder } from "@toolbus/evals";
import { readYaml } from "@toolbus/runtime/yaml-text";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { profilesIn } from "./variant-profiles.ts";
import { writeWhole } from "./whole-file.ts";

/** What a suite does about the profile of a recorded run. */
export type SuiteProfile =
  /** The scenario already has the profile of the run. */
  | { readonly kind: "known" }
  /** The scenario will have another profile than the run, for this reason with its remedy. */
  | { readonly kind: "other"; readonly note: string }
  | {
      readonly kind: "missing";
      readonly file: string;
      /** What is masked in it, with the number of texts. */
      readonly masked: ReadonlyMap<string, number>;
      write(newId: () => string): Promise<void>;
    };

/**
 * Compares the profile of a recorded run with the one that a scenario of the suite in this folder has. A profile of the suite is never replaced, and
 * nothing is written outside the folder. Throws a Failure, and writes nothing, if `suite.yaml` cannot take the name of the folder.
 */
export async function suiteProfile(folder: string, record: RunRecord): Promise<SuiteProfile> {
  const { profile: name } = record.run;
  if (name === DIRECT_CALL_PROFILE) return { kind: "known" };
  const other = (why: string): SuiteProfile => ({
    kind: "other",
    note: `The scenario may evaluate another agent than that of the run: ${why}`,
  });
  const recorded = fileIn(record);
  if (recorded === null)
    return other(`the record has no profile. Record the run with an operator's key, or copy the profile "${name}" into the suite.`);
  const { value, yaml, masked } = profileOfRecord(record, recorded);
  const read = readProfile(yaml);
  if (!read.ok || read.profile.name !== name)
    return other(`the profile "${name}" of the record cannot be used. Copy its file into the suite.`);
  const suiteFile = path.join(folder, "suite.yaml");
  const suite = await textOf(suiteFile);
  const declared = fieldOf(suite, "profiles");
  const profiles = path.resolve(folder, declared ?? "profiles");
  const own = declared === null ? undefined : (await profilesIn(profiles)).get(name);
  if (own !== undefined) {
    const kept = readProfile(JSON.stringify(own));
    if (kept.ok && isDeepStrictEqual(kept.profile, read.profile)) return { kind: "known" };
    return other(`the suite has another profile "${name}" in ${profiles}. Compare it with that of the run.`);
  }
  const builtIn = (await loadProfiles("")).get(name);
  if (builtIn && isDeepStrictEqual(profileFileOf(builtIn), value)) return { kind: "known" };
  if (path.relative(folder, profiles).startsWith(".."))
    return other(`the profiles of the suite are outside of its folder, in ${profiles}. Copy the profile "${name}" there.`);
  if (declared === null && fieldOf(withProfilesFolder(suite), "profiles") === null)
    throw new Failure(EXIT.failed, `The folder of profiles cannot be added to ${suiteFile}: name it there under "profiles".`);
  const file = path.join(profiles, `${name}.yaml`);
  return {
    kind: "missing",
    file,
    masked,
    async write(newId) {
      await writeWhole(file, yaml, { id: newId(), replace: false });
      if (declared === null) await writeWhole(suiteFile, withProfilesFolder(await textOf(suiteFile)), { id: newId(), replace: true });
    },
  };
}

/** Returns null if the record has no profile, or one that lacks parts. */
function fileIn(record: RunRecord): JsonObject | null {
  try {
    return JSON.parse(JSON.stringify(recordedProfileFile(record))) as JsonObject | null;
  } catch (error) {
    if (error instanceof ReplayRefused) return null;
    throw error;
  }
}

async function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Failure(EXIT.failed, `The file ${file} cannot be read (${error.code ?? "unknown"}): make it readable.`);
  });
}

function fieldOf(text: string, name: string): string | null {
  const read = readYaml(text);
  const value = read.ok && isJsonObject(read.value as JsonObject) ? (read.value as JsonObject)[name] : null;
  return typeof value === "string" ? value : null;
}
