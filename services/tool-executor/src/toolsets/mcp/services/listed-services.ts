import { readFile } from "node:fs/promises";
import { describeProblems, type ListedService, parseKnownServicesFile } from "@toolbus/contracts";
import { readYaml } from "@toolbus/runtime/yaml-text";

/** The operator's list of well-known services. */
export interface ListedServices {
  /**
   * Returns the current list. The file is read at each call. If it cannot be read or is malformed, the last good list is returned, and each new problem
   * is reported once, in one sentence.
   */
  current(): Promise<readonly ListedService[]>;
}

/** Opens the list in a file of YAML or JSON. An empty path means an empty list. Never throws, because a search works without the list. */
export function listedServices(file: string, onProblem: (sentence: string) => void): ListedServices {
  let good: readonly ListedService[] = [];
  let text: string | null = null;
  let problem: string | null = null;
  return {
    async current() {
      if (file === "") return good;
      try {
        const now = await readFile(file, "utf8");
        if (now !== text) {
          text = now;
          good = servicesIn(now);
          problem = null;
        }
      } catch (error) {
        const why = error instanceof Error ? whyOf(error) : String(error);
        if (why !== problem)
          onProblem(`The list of known services ${file} cannot be used: ${why} The last good list stays: correct KNOWN_SERVICES_FILE.`);
        problem = why;
        // A file that could not be read is judged anew when it can be read again.
        if (isSystemError(error)) text = null;
      }
      return good;
    },
  };
}

function servicesIn(text: string): readonly ListedService[] {
  const read = readYaml(text);
  if (!read.ok) throw new Error(`Line ${read.faults[0]?.line ?? 1}: ${read.faults[0]?.message ?? "it cannot be read"}.`);
  const parsed = parseKnownServicesFile(read.value);
  if (!parsed.ok) throw new Error(`It breaks its schema: ${describeProblems(parsed.problems)}.`);
  const { services } = parsed.value;
  const twice = services.find(({ id }, n) => services.findIndex((other) => other.id === id) < n);
  if (twice) throw new Error(`It lists "${twice.id}" twice.`);
  return services;
}

function whyOf(error: Error): string {
  return isSystemError(error) ? `It cannot be read (${error.code}).` : error.message;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error;
}
