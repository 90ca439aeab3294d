import type { Problem } from "@toolbus/contracts";
import type { FileFault } from "@toolbus/runtime/yaml-text";

/** Converts the problems of a profile into faults of its file, with the line of each field and in words for the author. */
export function fileFaults(problems: readonly Problem[], lineOf: (pointer: string) => number): readonly FileFault[] {
  const reported = new Map<string, FileFault>();
  for (const problem of problems) {
    // If a list has a bad rule, the schema also reports that the list is not "all". That problem is skipped, because only the bad rule is a fault.
    if (problem.path === "/tools" && problems.some((other) => other.path.startsWith("/tools/"))) continue;
    const message = inWords(problem);
    reported.set(message, { line: lineOf(problem.path), message });
  }
  return [...reported.values()].toSorted((a, b) => a.line - b.line);
}

function inWords({ path, message }: Problem): string {
  if (path === "")
    return message.startsWith("must ") ? "this is not a profile: it must have name, description and the other fields" : message;
  const known = message.startsWith("must ") ? meanings.find(({ field }) => field.test(path)) : undefined;
  return `${path.slice(1).replaceAll("/", ".")} ${known?.meaning ?? message}`;
}

/** The descriptions of fields for which the schema's own message would show a regular expression. */
const meanings: readonly { readonly field: RegExp; readonly meaning: string }[] = [
  { field: /^\/name$/, meaning: "must be lower-case letters, digits and hyphens, 64 at most, the first a letter" },
  { field: /^\/tools$/, meaning: 'must be "all" or a list of tools' },
  {
    field: /^\/tools\/\d+$/,
    meaning:
      'must be a tool ("find_order"), a version of it ("find_order@v3"), an optional one ("find_order?"), "kind:read", "toolset:web" or "source:mcp:weather"',
  },
  { field: /^\/toolChoice$/, meaning: 'must be "auto", "none", "required" or "tool:" with a name' },
  { field: /\/(tool)$/, meaning: "must be the name of a tool, such as find_order" },
  {
    field: /\/(argumentsFromInput\/[^/]+|when|subjectFromInput|orSubjectFromInput)$/,
    meaning: "must be a path in the input, such as alert.labels.release",
  },
];
