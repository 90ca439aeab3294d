import { parser, type Static, Type } from "@toolbus/contracts";

// Every text has a maximum length and every list a maximum number of items, so a value of this type is always small enough for a message. No text is
// a line of the project's source: texts are names, paths, versions, hashes and the first lines of commit messages.
const closed = { additionalProperties: false } as const;
const Text = (maxLength: number) => Type.String({ maxLength, pattern: "^[^\\u0000-\\u001f\\u007f]*$" });
const Count = Type.Integer({ minimum: 0 });
const Path = Text(400);
const Names = Type.Array(Text(160), { maxItems: 100 });

/** The kinds of files. The order is the order of importance, in which files are kept if there are too many. */
export const fileKinds = [
  "migration",
  "code",
  "manifest",
  "config",
  "types",
  "lockfile",
  "ci",
  "test",
  "example",
  "docs",
  "vendored",
  "generated",
  "asset",
  "other",
] as const;

/** What the lines of a hunk do. The order decides which kind wins if several patterns match. */
export const hunkKinds = [
  "comment",
  "import",
  "version",
  "auth",
  "sql",
  "concurrency",
  "validation",
  "error_handling",
  "logging",
  "other",
] as const;

/** The kind of security that the words of a commit message name. */
export const securityWords = [
  "security",
  "vulnerability",
  "denial_of_service",
  "injection",
  "bypass",
  "traversal",
  "memory_safety",
  "prototype_pollution",
  "information_leak",
  "request_forgery",
  "smuggling",
  "access_control",
] as const;

/** What an entry of a changelog says, by its words and by the heading above it. */
export const changelogMarks = ["security", "breaking", "removed", "deprecated", "added"] as const;

/** The step from one version to another. In 0.x, semver lets a minor step break users, so `breaking` says more than the name of the step. */
export const versionSteps = ["major", "minor", "patch", "pre", "none", "back", "unknown"] as const;

const FileKindSchema = Type.Enum([...fileKinds]);
const Step = Type.Enum([...versionSteps]);

const Point = Type.Object({ ref: Text(250), commit: Text(64), date: Text(30), tag: Type.Boolean() }, closed);

const Version = Type.Object(
  {
    from: Type.Union([Text(60), Type.Null()]),
    to: Type.Union([Text(60), Type.Null()]),
    step: Step,
    /** True if semver allows this step to break users. */
    mayBreak: Type.Boolean(),
  },
  closed,
);

const Commit = Type.Object(
  {
    hash: Text(12),
    date: Text(30),
    subject: Text(160),
    parents: Count,
    /** The conventional type, such as fix or feat. */
    type: Type.Optional(Text(20)),
    /** The subject has "!" after the type, or a footer says BREAKING CHANGE. */
    breaking: Type.Optional(Type.Literal(true)),
    /** The hash of the commit that this one undoes, or "unknown". */
    reverts: Type.Optional(Text(64)),
    /** The undone commit belongs to this release too, so users see neither of them. */
    revertsInRelease: Type.Optional(Type.Literal(true)),
    /** Numbers of issues that the message says it fixes. */
    fixes: Type.Optional(Type.Array(Text(20), { maxItems: 10 })),
    /** Identifiers of published vulnerabilities in the message, such as CVE-2026-1234. */
    advisories: Type.Optional(Type.Array(Text(30), { maxItems: 10 })),
    security: Type.Optional(Type.Array(Type.Enum([...securityWords]), { maxItems: securityWords.length })),
    /** Those of the words that stand close after a verb such as prevent, so the message says that the commit takes a danger away. */
    repairs: Type.Optional(Type.Array(Type.Enum([...securityWords]), { maxItems: securityWords.length })),
    /** The commit merges a branch that was prepared in private, as for an advisory. */
    privateMerge: Type.Optional(Type.Literal(true)),
    touches: Type.Optional(Type.Array(FileKindSchema, { maxItems: fileKinds.length })),
    areas: Type.Optional(Type.Array(Path, { maxItems: 6 })),
    /** Inserted plus deleted lines of product code. */
    codeLines: Type.Optional(Count),
  },
  closed,
);

const Hunk = Type.Object({ line: Count, added: Count, deleted: Count, kind: Type.Enum([...hunkKinds]) }, closed);

const File = Type.Object(
  {
    path: Path,
    status: Type.Enum(["A", "M", "D", "R", "T"]),
    from: Type.Optional(Path),
    added: Count,
    deleted: Count,
    binary: Type.Optional(Type.Literal(true)),
    kind: FileKindSchema,
    /** How many of the earlier commits to this file, as far as `history` looks back, were fixes. */
    earlierFixes: Type.Optional(Count),
    hunks: Type.Optional(Type.Array(Hunk, { maxItems: 50 })),
    hunksOmitted: Type.Optional(Count),
    /** How many hunks change lines that the earlier release brought. Only if the facts have `freshSince`. */
    freshHunks: Type.Optional(Count),
  },
  closed,
);

const KindTotal = Type.Object({ kind: FileKindSchema, files: Count, added: Count, deleted: Count }, closed);

const ExportedName = Type.Object({ file: Path, name: Text(160) }, closed);
const Exported = Type.Array(ExportedName, { maxItems: 200 });

const Dependency = Type.Object(
  {
    manifest: Path,
    name: Text(200),
    from: Type.Union([Text(100), Type.Null()]),
    to: Type.Union([Text(100), Type.Null()]),
    step: Step,
    use: Type.Enum(["runtime", "dev", "peer", "optional"]),
    /** The dependency is a package of the same repository. Facts from before this field do not have it. */
    sibling: Type.Optional(Type.Literal(true)),
  },
  closed,
);

const Requirement = Type.Object(
  { manifest: Path, name: Text(60), from: Type.Union([Text(100), Type.Null()]), to: Type.Union([Text(100), Type.Null()]) },
  closed,
);

const ChangelogEntry = Type.Object(
  {
    file: Path,
    line: Count,
    says: Type.Array(Type.Enum([...changelogMarks]), { minItems: 1, maxItems: changelogMarks.length }),
    advisories: Type.Optional(Type.Array(Text(30), { maxItems: 10 })),
    /** Commits of the release that the entry names, by hash or number, or that added it together with code. */
    commits: Type.Optional(Type.Array(Text(12), { maxItems: 10 })),
  },
  closed,
);

const FixedAdvisory = Type.Object(
  {
    id: Text(60),
    aliases: Type.Optional(Type.Array(Text(60), { maxItems: 5 })),
    severity: Type.Optional(Type.Enum(["low", "moderate", "high", "critical"])),
    /** The version that the advisory names as the first one with the fix. */
    fixedIn: Type.Optional(Text(60)),
    /** The day of the publication, ISO 8601. */
    published: Type.Optional(Text(10)),
    /** Commits of the release that the advisory names as the fix. */
    commits: Type.Optional(Type.Array(Text(12), { maxItems: 12 })),
  },
  closed,
);

const OpenAdvisory = Type.Object(
  {
    id: Text(60),
    /** The earlier version is not affected, so the release brings the vulnerability. */
    fresh: Type.Optional(Type.Literal(true)),
  },
  closed,
);

const DependencyAdvisory = Type.Object({ id: Text(60), published: Type.Optional(Text(10)) }, closed);

const DependencyAdvisories = Type.Object(
  {
    manifest: Path,
    name: Text(200),
    use: Type.Enum(["runtime", "peer", "optional"]),
    /** The version before the step, or null if the dependency is new. */
    from: Type.Union([Text(100), Type.Null()]),
    to: Text(100),
    /** The manifest allows later versions too, so these are the lowest ones that it allows. */
    lowest: Type.Optional(Type.Literal(true)),
    /** The version after is the first one of its series in which one of the advisories is fixed. Facts from before this field do not have it. */
    firstFixed: Type.Optional(Type.Literal(true)),
    /** Advisories that affect the version before and not the one after. Each vulnerability is there once. */
    fixed: Type.Optional(Type.Object({ omitted: Count, list: Type.Array(DependencyAdvisory, { maxItems: 5 }) }, closed)),
    /** Advisories that affect the version after and not the one before. */
    brought: Type.Optional(Type.Object({ omitted: Count, list: Type.Array(DependencyAdvisory, { maxItems: 3 }) }, closed)),
  },
  closed,
);

const Advisories = Type.Object(
  {
    /** How many of the advisories are about the package or name a commit of the release. */
    ofPackage: Count,
    fixed: Type.Object({ omitted: Count, list: Type.Array(FixedAdvisory, { maxItems: 20 }) }, closed),
    /** Advisories that affect the later version too. */
    open: Type.Object({ omitted: Count, list: Type.Array(OpenAdvisory, { maxItems: 10 }) }, closed),
    /** Ids that messages or changelogs of the release name, although the earlier version was not affected. */
    settled: Type.Optional(Type.Array(Text(60), { maxItems: 20 })),
    /** Steps of dependencies that leave or enter the affected versions of an advisory. Facts from before this field do not have it. */
    dependencies: Type.Optional(Type.Object({ omitted: Count, list: Type.Array(DependencyAdvisories, { maxItems: 8 }) }, closed)),
  },
  closed,
);

export const ReleaseFactsSchema = Type.Object(
  {
    format: Type.Literal(1),
    project: Text(200),
    /** The package of a monorepo. `directory` is null if no folder of the repository is known to contain it. */
    package: Type.Union([Type.Object({ name: Text(200), directory: Type.Union([Path, Type.Null()]) }, closed), Type.Null()]),
    base: Point,
    head: Point,
    baseIsAncestor: Type.Boolean(),
    /** Both ends are tags with the same name before the version. */
    sameTagSeries: Type.Boolean(),
    version: Version,
    commits: Type.Object({ total: Count, omitted: Count, list: Type.Array(Commit, { maxItems: 300 }) }, closed),
    files: Type.Object(
      {
        total: Count,
        added: Count,
        deleted: Count,
        /** All files, also those outside `list`. */
        byKind: Type.Array(KindTotal, { maxItems: fileKinds.length }),
        omitted: Count,
        list: Type.Array(File, { maxItems: 300 }),
        /** Changed files outside the package's folder. */
        outside: Type.Optional(Count),
      },
      closed,
    ),
    /**
     * Names that other code can use, from JavaScript, TypeScript, Python, Go and Rust. An optional parameter of Python is `function(parameter)`. A name that
     * moved to another file is not listed.
     */
    exports: Type.Object({ removed: Exported, changed: Exported, added: Exported, omitted: Count }, closed),
    dependencies: Type.Object({ omitted: Count, list: Type.Array(Dependency, { maxItems: 200 }) }, closed),
    /** Minimum versions of languages and run times. */
    requirements: Type.Array(Requirement, { maxItems: 50 }),
    /** Entries of changelogs that the release adds and that say something special, without their text. Facts from before this field do not have it. */
    changelog: Type.Optional(Type.Object({ omitted: Count, list: Type.Array(ChangelogEntry, { maxItems: 100 }) }, closed)),
    /** What a list of security advisories says about the release. Only if somebody gave such a list. It is not part of the repository. */
    advisories: Type.Optional(Advisories),
    /** The release before the earlier one, with which `freshHunks` were found. Only a patch step has it. */
    freshSince: Type.Optional(Text(250)),
    owners: Type.Array(Type.Object({ pattern: Path, owners: Names, files: Count }, closed), { maxItems: 50 }),
    /** How far the history of fixes looks back. */
    history: Type.Object({ commits: Count, fixes: Count }, closed),
    notes: Type.Array(Text(300), { maxItems: 20 }),
  },
  closed,
);

/** The facts of one release, derived from a git repository. They contain no line of the project's source. */
export type ReleaseFacts = Static<typeof ReleaseFactsSchema>;
export type FileKind = (typeof fileKinds)[number];
export type HunkKind = (typeof hunkKinds)[number];
export type SecurityWord = (typeof securityWords)[number];
export type ChangelogMark = (typeof changelogMarks)[number];
export type ChangelogFacts = NonNullable<ReleaseFacts["changelog"]>;
export type AdvisoryFacts = NonNullable<ReleaseFacts["advisories"]>;
export type DependencyAdvisories = NonNullable<AdvisoryFacts["dependencies"]>;
export type DependencyAdvisory = NonNullable<DependencyAdvisories["list"][number]["fixed"]>["list"][number];
export type FixedAdvisory = AdvisoryFacts["fixed"]["list"][number];
export type VersionStep = (typeof versionSteps)[number];
export type CommitFacts = ReleaseFacts["commits"]["list"][number];
export type FileFacts = ReleaseFacts["files"]["list"][number];
export type HunkFacts = NonNullable<FileFacts["hunks"]>[number];
export type DependencyChange = ReleaseFacts["dependencies"]["list"][number];
export type RequirementChange = ReleaseFacts["requirements"][number];

/** Parses facts that were stored as JSON. */
export const parseReleaseFacts = parser(ReleaseFactsSchema);
