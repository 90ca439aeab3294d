import path from "node:path";
import { counted, type JsonObject } from "@toolbus/contracts";
import { compactFacts, LARGEST_FACTS, type ReleaseFacts } from "@toolbus/release-facts";
import type { Context } from "../toolbus/context.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { advisoryList } from "./read-advisory-list.ts";

/** The repository and the ends of a release, as typed. */
export interface ChangesOptions {
  readonly repo?: string;
  readonly from?: string;
  readonly to?: string;
  readonly package?: string;
  readonly advisories?: string;
}

/** What belongs to the request beside the facts of the change. */
interface Beside {
  /** The bytes that the facts have to leave free. */
  readonly taken: number;
}

/**
 * Reads the change of a release from the repository that the person named, or returns null if no repository is named. The facts are bounded. The notes
 * say in sentences what they leave out and why they may be incomplete.
 */
export async function readChanges(
  { around: { cwd, env, now }, signal, output, options: { quiet } }: Pick<Context, "around" | "signal" | "output" | "options">,
  { repo, from, to, package: name, advisories: list }: ChangesOptions,
  { taken }: Beside = { taken: 0 },
): Promise<JsonObject | null> {
  if (repo === undefined) {
    const needy = { "--from": from, "--to": to, "--package": name, "--advisories": list };
    const [typed] = Object.entries(needy).flatMap(([option, value]) => (value === undefined ? [] : [option]));
    if (typed !== undefined) throw new Failure(EXIT.usage, `${typed} needs a repository: add --repo with its folder.`);
    return null;
  }
  if (from === undefined || to === undefined)
    throw new Failure(EXIT.usage, "--repo needs both ends of the release: name them with --from and --to.");
  // An empty text would name the current folder, and often comes from a variable that is not set.
  if (list === "") throw new Failure(EXIT.usage, "--advisories is empty: name a file or a folder.");
  const advisories =
    list === undefined ? undefined : advisoryList({ place: path.resolve(cwd, list), typed: list, signal, err: output.err, quiet, now });
  const most = LARGEST_FACTS - taken;
  const found = await compactFacts({ repo: path.resolve(cwd, repo), from, to, package: name, advisories, environment: env, signal, most });
  if (!found.ok) {
    const swapped = found.problem === "swapped_ends";
    throw new Failure(EXIT.usage, swapped ? found.message : `The change cannot be read from --repo ${repo}: ${found.message}`);
  }
  if (Buffer.byteLength(found.text) > most)
    throw new Failure(EXIT.usage, `The facts of this change do not fit into ${most} bytes: name two refs that are closer together.`);
  for (const note of notesOn(found.facts)) output.note(note);
  return JSON.parse(found.text);
}

/** Returns what a person should know about facts before they are judged, one sentence each. */
export function notesOn({
  base,
  head,
  baseIsAncestor,
  sameTagSeries,
  version,
  commits,
  files,
  exports,
  dependencies,
  advisories,
}: ReleaseFacts): readonly string[] {
  const hunks = files.list.reduce((sum, { hunksOmitted = 0 }) => sum + hunksOmitted, 0);
  const omitted = [
    [commits.omitted, "commit"],
    [files.omitted, "file"],
    [exports.omitted, "exported name"],
    [dependencies.omitted, "dependency step"],
    [hunks, "hunk"],
  ] as const;
  const left = omitted.flatMap(([count, what]) => (count > 0 ? [counted(count, what)] : []));
  return [
    ...(baseIsAncestor
      ? []
      : [`${base.ref} is not an ancestor of ${head.ref}, so the difference is that of two branches and the confidence is lower.`]),
    ...(base.tag && head.tag && !sameTagSeries
      ? [
          `${base.ref} and ${head.ref} are tags of different packages or series, so they may not follow each other and the confidence is lower.`,
        ]
      : []),
    ...notesOnAdvisories({ base, head, version, advisories }),
    ...(left.length === 0 ? [] : [`The change is large, so the evidence leaves out ${left.join(", ")}.`]),
  ];
}

/** Returns why advisories that somebody gave show less about the release than they could. */
export function notesOnAdvisories({
  base,
  head,
  version,
  advisories,
}: Pick<ReleaseFacts, "base" | "head" | "version"> & { readonly advisories: ReleaseFacts["advisories"] | undefined }): readonly string[] {
  if (!advisories) return [];
  if (advisories.ofPackage === 0 && advisories.dependencies === undefined)
    return [
      "None of the advisories names this package, a dependency that moves over one, or a commit of the release: check that --advisories has those of its ecosystem, and that they are not withdrawn.",
    ];
  if (version.from !== null && version.to !== null) return [];
  const unknown = version.to === null ? head.ref : base.ref;
  return [
    `The version of ${unknown} is not known, so only advisories that name a commit of the release can be found fixed, and open ones may be missing: name tags with --from and --to.`,
  ];
}
