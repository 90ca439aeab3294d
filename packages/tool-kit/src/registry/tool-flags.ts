import { open, stat } from "node:fs/promises";
import { describeProblems, isJsonObject, type Parsed, type Problem, type ToolDefinition } from "@toolbus/contracts";
import { parseStrictJson } from "@toolbus/grants";

/**
 * The feature flags of tools in one environment. A definition names its flag. Three sources set the value of a flag: the section `default` of the
 * flags file, the section named after the environment, and the text given at the start. A later source in this list overrides an earlier one. An
 * unset flag is on, because a flag can only remove a tool.
 */
export interface ToolFlags {
  readonly environment: string;
  /**
   * Returns the current flags. A changed file is read again within a second. If the file cannot be read any more, or is malformed, the flags do not
   * change, and the problem is reported to `onProblem` once per change.
   */
  current(): Promise<FlagValues>;
}

export type FlagValues = ReadonlyMap<string, boolean>;

export interface ToolFlagsOptions {
  readonly environment: string;
  /** The flags as text: `issue_refund_enabled=false,other=true`. */
  readonly text?: string | undefined;
  /** The path of the flags file. Its content is, for example, `{"default": {"a_enabled": true}, "staging": {"a_enabled": false}}`. */
  readonly file?: string | undefined;
  /** Returns the time of a monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
  readonly onProblem: (message: string) => void;
}

/** The error for an invalid environment, flags file or text of flags. The message says what is wrong and what to write instead. */
export class FlagsRefused extends Error {
  readonly code = "flags_refused";
  override readonly name = "FlagsRefused";
}

/** Opens the flags of an environment. Throws `FlagsRefused` with one sentence if they cannot be read. */
export async function openToolFlags(options: ToolFlagsOptions): Promise<ToolFlags> {
  const { environment, text = "", file = "", monotonic, onProblem } = options;
  if (!NAME.test(environment))
    throw new FlagsRefused(`"${environment.slice(0, 80)}" is not a name of an environment: use letters, digits, ".", "-" and "_".`);
  const given = flagsOfText(text);
  if (file === "") return { environment, current: async () => given };
  let seen = await signOf(file);
  let values = merged(await readFlags(file, environment), given);
  let looked = monotonic();
  let looking: Promise<void> | null = null;
  return {
    environment,
    async current() {
      if (looking === null && monotonic() - looked >= LOOK_EVERY_MS) looking = look().finally(() => (looking = null));
      await looking;
      return values;
    },
  };

  async function look(): Promise<void> {
    looked = monotonic();
    const sign = await signOf(file);
    if (sign === seen) return;
    // The sign is stored even if the file cannot be read, so that the problem is reported once and not with every call.
    seen = sign;
    try {
      values = merged(await readFlags(file, environment), given);
    } catch (error) {
      onProblem(`${error instanceof Error ? error.message : String(error)} The flags stay as they were.`);
    }
  }
}

/** Returns flags that never change. Without values, every tool is on. */
export function fixedToolFlags(environment = "local", values: Readonly<Record<string, boolean>> = {}): ToolFlags {
  const map: FlagValues = new Map(Object.entries(values));
  return { environment, current: async () => map };
}

/** Returns a sentence for people and models that says why a tool is switched off, or null if it is on. */
export function switchedOff({ name, flag }: Pick<ToolDefinition, "name" | "flag">, values: FlagValues, environment: string): string | null {
  if (flag === undefined || values.get(flag) !== false) return null;
  return `The tool "${name}" is switched off in the environment "${environment}" (flag ${flag}).`;
}

const LOOK_EVERY_MS = 1000;
const MAX_FILE_BYTES = 64 * 1024;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$/;

/** Returns a text that changes whenever the file changes, appears or disappears. */
async function signOf(file: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    return reasonOf(error);
  }
}

async function readFlags(file: string, environment: string): Promise<FlagValues> {
  const parsed = parseFlags(await readSmall(file));
  if (!parsed.ok)
    throw new FlagsRefused(
      `The flags file ${file} is invalid: ${describeProblems(parsed.problems)}. Write {"default": {"a_flag": true}, "staging": {"a_flag": false}}.`,
    );
  const { default: common = {}, [environment]: own = {} } = parsed.value;
  return new Map(Object.entries({ ...common, ...own }));
}

async function readSmall(file: string): Promise<string> {
  try {
    await using handle = await open(file, "r");
    const buffer = Buffer.alloc(MAX_FILE_BYTES + 1);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch (error) {
    throw new FlagsRefused(`The flags file ${file} cannot be read (${reasonOf(error)}).`, { cause: error });
  }
}

type Sections = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

function parseFlags(text: string): Parsed<Sections> {
  const parsed = parseStrictJson(text);
  if (!parsed.ok) return parsed;
  if (!isJsonObject(parsed.value)) return refused("", "must be an object with a section for each environment");
  const sections: Record<string, Record<string, boolean>> = {};
  for (const [name, flags] of Object.entries(parsed.value)) {
    if (!isJsonObject(flags)) return refused(`/${name}`, "must be an object of flags");
    const section: Record<string, boolean> = (sections[name] = {});
    for (const [flag, value] of Object.entries(flags)) {
      if (!NAME.test(flag)) return refused(`/${name}/${flag.slice(0, 80)}`, "is not a name of a flag");
      if (typeof value !== "boolean") return refused(`/${name}/${flag}`, "must be true or false");
      section[flag] = value;
    }
  }
  return { ok: true, value: sections };
}

function refused(path: string, message: string): { readonly ok: false; readonly problems: readonly Problem[] } {
  return { ok: false, problems: [{ path, message }] };
}

function flagsOfText(text: string): FlagValues {
  const values = new Map<string, boolean>();
  for (const part of text.split(",").map((item) => item.trim())) {
    if (part === "") continue;
    const [, flag = "", value] = /^([^=]+)=(true|false)$/.exec(part) ?? [];
    if (value === undefined || !NAME.test(flag) || values.has(flag))
      throw new FlagsRefused(
        `"${part.slice(0, 80)}" ${values.has(flag) ? "sets a flag a second time" : "sets no flag"}: write flags as issue_refund_enabled=false,other=true.`,
      );
    values.set(flag, value === "true");
  }
  return values;
}

function merged(weaker: FlagValues, stronger: FlagValues): FlagValues {
  return new Map([...weaker, ...stronger]);
}

function reasonOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
