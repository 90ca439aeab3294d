import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import path from "node:path";
import { ModelRefused } from "../connect/model-settings.ts";

/** A program with its arguments. No shell interprets them. */
export interface CliCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * Reads `LLM_CLI_COMMAND`, which is a JSON array of texts or plain words separated by blanks. It refuses syntax that only a shell would understand,
 * because the program would receive it literally. Throws `ModelRefused`.
 */
export function readCliCommand(text: string): CliCommand {
  const words = text.trim().startsWith("[") ? arrayOf(text) : wordsOf(text);
  const [program, ...args] = words;
  if (program === undefined || program === "") throw new ModelRefused(`LLM_CLI_COMMAND names no program: ${EXAMPLE}.`);
  return { program, args };
}

const EXAMPLE = 'set it to words, or to a JSON array such as ["claude", "-p"]';

function arrayOf(text: string): readonly string[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new ModelRefused(`LLM_CLI_COMMAND begins like a JSON array but is not one: ${EXAMPLE}.`);
  }
  if (Array.isArray(parsed) && parsed.every((word) => typeof word === "string" && !word.includes("\0"))) return parsed as string[];
  throw new ModelRefused(`LLM_CLI_COMMAND may contain only texts in its JSON array: ${EXAMPLE}.`);
}

function wordsOf(text: string): readonly string[] {
  const shell = /["'`\\|&;<>(){}$*?~#]/.exec(text)?.[0];
  if (shell !== undefined)
    throw new ModelRefused(
      `LLM_CLI_COMMAND contains ${JSON.stringify(shell)}, and no shell reads it: write a JSON array, or put the command into a script.`,
    );
  return text.trim().split(/\s+/);
}

/** Returns the path of the program. It searches `PATH` as the system does. Throws `ModelRefused` if it finds no executable file. */
export async function findProgram({ program }: CliCommand, environment: Readonly<Record<string, string>>): Promise<string> {
  const places = program.includes("/")
    ? [path.resolve(program)]
    : (environment["PATH"] ?? "").split(path.delimiter).map((dir) => path.resolve(dir, program));
  for (const place of places) if (await runnable(place)) return place;
  throw new ModelRefused(
    `LLM_CLI_COMMAND names the program ${JSON.stringify(program.slice(0, 200))}, which does not exist or may not be run: install it, or give its full path.`,
  );
}

async function runnable(file: string): Promise<boolean> {
  try {
    // For root, `access` allows any file. So the function checks the file's mode first.
    const found = await stat(file);
    if (!found.isFile() || (found.mode & 0o111) === 0) return false;
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
