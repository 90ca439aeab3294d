import { isJsonObject, type Json, type JsonObject, type Severity } from "@toolbus/contracts";
import { quoted } from "../clean-text.ts";

/** The facts that the rules read from an alert. A fact that is null or empty is not in the alert. */
export interface AlertFacts {
  readonly name: string | null;
  /** The component that the alert is about. */
  readonly service: string | null;
  /** The releases that the alert's labels name, without duplicates. */
  readonly releases: readonly string[];
  readonly severity: { readonly label: string; readonly means: Severity | null } | null;
  readonly status: string | null;
  readonly startsAt: string | null;
  /** The alert's annotations, with the shortest form first. */
  readonly says: readonly string[];
}

/** The labels that name a release. The labels in `SERVICE_LABELS` name the component. The rules use the first of those labels that the alert has. */
export const RELEASE_LABELS: readonly string[] = ["release", "version"];
export const SERVICE_LABELS: readonly string[] = ["service", "app", "component", "job"];

/** The values of a severity label that mean each severity. */
export const severityWords = {
  high: ["critical", "page", "high", "error", "fatal", "emergency"],
  medium: ["warning", "warn", "medium", "major", "ticket"],
  low: ["info", "informational", "low", "minor", "none", "notice"],
} as const satisfies Record<Severity, readonly string[]>;

/** Returns the facts of an alert in the run's input. It never throws, because every part may be absent or malformed. */
export function readAlertFacts(alert: JsonObject): AlertFacts {
  const labels = texts(alert["labels"]);
  const annotations = texts(alert["annotations"]);
  const releases = RELEASE_LABELS.flatMap((label) => labels.get(label) ?? []);
  const severity = labels.get("severity");
  return {
    name: labels.get("alertname") ?? null,
    service: SERVICE_LABELS.map((label) => labels.get(label)).find((value) => value !== undefined) ?? null,
    releases: [...new Set(releases)],
    severity: severity === undefined ? null : { label: severity, means: meaningOf(severity) },
    status: text(alert["status"]),
    startsAt: text(alert["startsAt"]),
    says: ["summary", "description"].flatMap((name) => annotations.get(name) ?? []),
  };
}

/** Returns the alert's name for a sentence, such as `Alert "HighErrorRate" on "payments"`. */
export function alertInWords({ name, service }: AlertFacts): string {
  const on = service === null ? "" : ` on ${quoted(service, 100)}`;
  return `${name === null ? "An alert without a name" : `Alert ${quoted(name, 100)}`}${on}`;
}

function meaningOf(label: string): Severity | null {
  const word = label.trim().toLowerCase();
  const known = (Object.keys(severityWords) as Severity[]).find((severity) =>
    (severityWords[severity] as readonly string[]).includes(word),
  );
  return known ?? null;
}

function texts(value: Json | undefined): ReadonlyMap<string, string> {
  const members = isJsonObject(value) ? Object.entries(value) : [];
  return new Map(
    members.flatMap(([name, member]) => {
      const held = text(member);
      return held === null ? [] : [[name, held] as const];
    }),
  );
}

function text(value: Json | undefined): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
