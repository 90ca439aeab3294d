import type { ReleaseFacts } from "@toolbus/release-facts";

type Commit = ReleaseFacts["commits"]["list"][number];
type File = ReleaseFacts["files"]["list"][number];
type Dependency = ReleaseFacts["dependencies"]["list"][number];

/** What a test says about made-up facts. Everything else is that of a small patch without a change. */
export interface Told {
  readonly step?: ReleaseFacts["version"]["step"];
  readonly from?: string;
  readonly to?: string;
  /** Days between the earlier release and this one. */
  readonly days?: number;
  readonly commits?: readonly Partial<Commit>[];
  readonly omittedCommits?: number;
  readonly files?: readonly Partial<File>[];
  readonly removed?: readonly { readonly file: string; readonly name: string }[];
  readonly changed?: readonly { readonly file: string; readonly name: string }[];
  readonly added?: readonly { readonly file: string; readonly name: string }[];
  readonly changelog?: NonNullable<ReleaseFacts["changelog"]>["list"];
  readonly freshSince?: string;
  readonly packageName?: string;
  readonly dependencies?: readonly Partial<Dependency>[];
  readonly requirements?: ReleaseFacts["requirements"];
  readonly baseIsAncestor?: boolean;
  readonly sameTagSeries?: boolean;
}

/** Makes the facts of a release that never existed. */
export function madeUpFacts(told: Told = {}): ReleaseFacts {
  const { step = "patch", from = "1.0.0", to = "1.0.1", days = 100 } = told;
  const commits = (told.commits ?? []).map((commit, index): Commit => ({
    hash: `c${index}`.padEnd(12, "0"),
    date: "2026-01-01",
    subject: "Work",
    parents: 1,
    touches: ["code"],
    ...commit,
  }));
  const files = (told.files ?? []).map((file): File => ({ path: "src/a.py", status: "M", added: 0, deleted: 0, kind: "code", ...file }));
  const kinds = [...new Set(files.map(({ kind }) => kind))];
  const sum = (list: readonly File[], field: "added" | "deleted") => list.reduce((total, file) => total + file[field], 0);
  return {
    format: 1,
    project: "made-up",
    package: told.packageName === undefined ? null : { name: told.packageName, directory: null },
    base: { ref: from, commit: "a".repeat(40), date: "2026-01-01T00:00:00Z", tag: true },
    head: { ref: to, commit: "b".repeat(40), date: new Date(Date.UTC(2026, 0, 1) + days * 86_400_000).toISOString(), tag: true },
    baseIsAncestor: told.baseIsAncestor ?? true,
    sameTagSeries: told.sameTagSeries ?? true,
    version: { from, to, step, mayBreak: step === "major" },
    commits: { total: commits.length + (told.omittedCommits ?? 0), omitted: told.omittedCommits ?? 0, list: commits },
    files: {
      total: files.length,
      added: sum(files, "added"),
      deleted: sum(files, "deleted"),
      byKind: kinds.map((kind) => {
        const own = files.filter((file) => file.kind === kind);
        return { kind, files: own.length, added: sum(own, "added"), deleted: sum(own, "deleted") };
      }),
      omitted: 0,
      list: files,
    },
    exports: { removed: [...(told.removed ?? [])], changed: [...(told.changed ?? [])], added: [...(told.added ?? [])], omitted: 0 },
    dependencies: {
      omitted: 0,
      list: (told.dependencies ?? []).map((dependency) => ({
        manifest: "package.json",
        name: "one",
        from: "1.0.0",
        to: "1.0.1",
        step: "patch" as const,
        use: "runtime" as const,
        ...dependency,
      })),
    },
    requirements: [...(told.requirements ?? [])],
    ...(told.changelog ? { changelog: { omitted: 0, list: [...told.changelog] } } : {}),
    ...(told.freshSince === undefined ? {} : { freshSince: told.freshSince }),
    owners: [],
    history: { commits: 0, fixes: 0 },
    notes: [],
  };
}
