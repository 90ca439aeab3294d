import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { Refusal } from "@toolbus/runtime";
import type { Profile } from "../profile.ts";
import { readProfile } from "./read-profile.ts";

/** The directory of the built-in profiles. The path is relative to this source file, so it does not depend on where the package is installed. */
export const BUILT_IN_PROFILES = path.resolve(import.meta.dirname, "../../profiles");

// A profile has a prompt of at most 16 KiB, and this limit leaves room for its other fields. A larger file is not a profile.
const MAX_BYTES = 64 * 1024;
const MAX_PROFILES = 64;

/**
 * Returns the profiles of this agent by name. The files `*.yaml` and `*.yml` of a directory add to the built-in profiles or replace them by name.
 * Throws `Refusal` if the directory or one of its files cannot be used. The message names the file, the line and the remedy.
 */
export async function loadProfiles(directory: string): Promise<ReadonlyMap<string, Profile>> {
  const builtIn = await profilesIn(BUILT_IN_PROFILES);
  const own = directory === "" ? new Map<string, Profile>() : await profilesIn(path.resolve(directory));
  const all = new Map([...builtIn, ...own]);
  if (all.size > MAX_PROFILES)
    throw new Refusal(`There are ${all.size} profiles, ${MAX_PROFILES} is the most: remove files from PROFILES_DIR (${directory}).`);
  return all;
}

async function profilesIn(directory: string): Promise<Map<string, Profile>> {
  const files = new Map<string, string>();
  const profiles = new Map<string, Profile>();
  for (const file of await profileFiles(directory)) {
    const profile = profileIn(file, await textOf(file));
    const other = files.get(profile.name);
    if (other !== undefined)
      throw new Refusal(
        `The profile files ${other} and ${file} both hold the profile "${profile.name}": rename one of them, or remove it.`,
      );
    files.set(profile.name, file);
    profiles.set(profile.name, profile);
  }
  return profiles;
}

/** Returns the profile files in alphabetical order, so that the message about two files does not depend on the disk. */
async function profileFiles(directory: string): Promise<readonly string[]> {
  try {
    const names = await readdir(directory);
    return names
      .filter((name) => /\.ya?ml$/i.test(name))
      .toSorted()
      .map((name) => path.join(directory, name));
  } catch (error) {
    throw new Refusal(`The directory of profiles ${directory} cannot be read (${codeOf(error)}): create it, or leave PROFILES_DIR unset.`);
  }
}

async function textOf(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES)
      throw new Refusal(`The profile file ${file} has ${size} bytes, ${MAX_BYTES} is the most: shorten its prompt, or remove the file.`);
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`The profile file ${file} cannot be read (${codeOf(error)}): make it a readable file, or remove it.`);
  }
}

function profileIn(file: string, text: string): Profile {
  const read = readProfile(text);
  if (read.ok) return read.profile;
  const faults = read.faults.map(({ line, message }) => `line ${line}: ${message}`).join("; ");
  throw new Refusal(`The profile file ${file} cannot be used: ${faults}. Fix it or remove it; docs/profiles.md explains every field.`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
