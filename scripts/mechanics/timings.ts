import { markdownTable } from "../markdown-table.ts";
import { durationText } from "./durations.ts";

/** The settings of a service, each with its default and a sentence. */
export interface Timed {
  /** The service that reads the settings. */
  readonly name: string;
  readonly settings: Readonly<Record<string, { readonly default?: unknown; readonly desc?: string }>>;
}

/**
 * Returns a table of the settings that are times, sorted by name. Each setting has one row, with all services that read the setting. `linksTo`
 * returns links to the code that applies a setting.
 */
export function timingTable(services: readonly Timed[], linksTo: (setting: string) => string): string {
  const settings = services
    .flatMap(({ name: service, settings: of }) =>
      Object.entries(of)
        .filter(([name]) => unitOf(name) !== null)
        .map(([name, { default: value, desc = "" }]) => ({ name, value: defaultText(name, value), desc, service })),
    )
    .toSorted((a, b) => a.name.localeCompare(b.name));
  const rows = Map.groupBy(settings, ({ name, value, desc }) => [name, value, desc].join("\n"));
  return markdownTable(
    ["Setting", "Default", "Read by", "What it is", "Code"],
    [...rows.values()].flatMap(([first, ...others]) =>
      first
        ? [[`\`${first.name}\``, first.value, [first, ...others].map(({ service }) => service).join(", "), first.desc, linksTo(first.name)]]
        : [],
    ),
  );
}

/** Returns how many milliseconds one unit of the setting has. Returns null if the setting is not a time. */
function unitOf(name: string): number | null {
  if (name.endsWith("_MS")) return 1;
  return name.endsWith("_S") ? 1000 : null;
}

/** Returns the default value as text: one number, or several numbers separated by commas. The setting's own sentence explains a 0. */
function defaultText(name: string, value: unknown): string {
  return String(value)
    .split(",")
    .map((text) => (text === "0" ? text : durationText(Number(text) * (unitOf(name) ?? 1))))
    .join(", ");
}
