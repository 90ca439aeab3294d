import type { CompatibilityManifest, ManifestForm } from "./manifest.ts";
import { misfits } from "./misfits.ts";

/** A reason why processes of two versions must not run side by side. */
export interface Incompatibility {
  readonly form: string;
  /** What cannot be read, and what to do. */
  readonly sentence: string;
}

/**
 * Returns every reason why processes of two versions must not run side by side, or why the newer version cannot read what the older one stored. Each
 * writer's schema is compared with each reader's schema, in both directions.
 */
export function incompatibilities(older: CompatibilityManifest, newer: CompatibilityManifest): readonly Incompatibility[] {
  const names = [...new Set([...Object.keys(older.forms), ...Object.keys(newer.forms)])].toSorted();
  return [
    ...(older.storeFormat === newer.storeFormat
      ? []
      : [
          {
            form: "store",
            sentence: `The store has the format ${newer.storeFormat} in the new version and ${older.storeFormat} in the old one, so each refuses the other's store: use another namespace.`,
          },
        ]),
    ...names.flatMap((form) => ofForm(form, older.forms[form], newer.forms[form])),
  ];
}

function ofForm(form: string, old: ManifestForm | undefined, now: ManifestForm | undefined): readonly Incompatibility[] {
  const said = (sentence: string): Incompatibility => ({ form, sentence });
  if (!old || !now) {
    const known = old ?? now;
    // Nobody of the other version reads a document of a kind that it does not know.
    if (known?.kind !== "message") return [];
    const [writing, reading] = old ? ["old", "new"] : ["new", "old"];
    const first = old ? `stop the old ${people(known.writers)} first` : inOrder(known.readers, known.writers);
    return [
      said(`No service of the ${reading} version reads ${form}, which ${people(known.writers)} of the ${writing} version write: ${first}.`),
    ];
  }
  if (old.version === now.version) return [];
  const unreadByNew = misfits(old.schema, now.schema);
  const unreadByOld = misfits(now.schema, old.schema);
  return [
    ...(unreadByNew.length === 0
      ? []
      : [
          said(
            `${capital(people(now.readers))} of the new version cannot read ${versioned(form, old)} that ${people(old.writers)} of the old version write (${listed(unreadByNew)}): ${
              now.kind === "document"
                ? "the new version needs a migration of the stored documents"
                : `stop the old ${people(old.writers)}, and let the new ${people(now.readers)} begin when no such ${now.kind} is left`
            }.`,
          ),
        ]),
    ...(unreadByOld.length === 0
      ? []
      : [
          said(
            `${capital(people(old.readers))} of the old version cannot read ${versioned(form, now)} that ${people(now.writers)} of the new version write (${listed(unreadByOld)}): ${inOrder(old.readers, now.writers)}.`,
          ),
        ]),
  ];
}

/** Returns the order in which the services of a version are replaced. */
function inOrder(readers: readonly string[], writers: readonly string[]): string {
  const first = readers.filter((reader) => !writers.includes(reader));
  const both = readers.filter((reader) => writers.includes(reader));
  const steps = [
    ...(first.length === 0 ? [] : [`replace the ${people(first)} before the ${people(writers)}`]),
    ...(both.length === 0 ? [] : [`stop all ${people(both)} of the old version before the first new one starts`]),
  ];
  return steps.length === 0 ? "stop the old version first" : steps.join(", and ");
}

const PEOPLE: Readonly<Record<string, string>> = {
  gateway: "gateways",
  agent: "agents",
  approvals: "approvals services",
  operations: "operations workers",
  worker: "workers",
};

function people(roles: readonly string[]): string {
  const names = roles.map((role) => PEOPLE[role] ?? role);
  return names.length < 2 ? (names[0] ?? "nobody") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}

function versioned(form: string, { version }: ManifestForm): string {
  return `${form} ${version}`;
}

const SHOWN = 3;

function listed(parts: readonly string[]): string {
  const rest = parts.length - SHOWN;
  return [...parts.slice(0, SHOWN), ...(rest > 0 ? [`and ${rest} more`] : [])].join(", ");
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
