import { parser, type Static, Type } from "@toolbus/contracts";

const closed = { additionalProperties: false } as const;
const Line = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: "^[^\\n\\r]*$" });

/** The classes of severity, lowest first. docs/release-labels.md says what each means. */
export const severities = ["low", "medium", "high"] as const;

/** The closed list of the kinds of findings. docs/release-labels.md says what each means. */
export const findingKinds = [
  "security_fix",
  "security_hardening",
  "breaking_change",
  "removed_api",
  "revert",
  "regression",
  "hotfix",
  "migration",
  "runtime_requirement",
  "dependency_major",
  "dependency_change",
  "behaviour_change",
  "new_feature",
  "deprecation",
  "risky_area",
  "large_change",
  "bug_fix",
] as const;

/** A page that was read, or a commit of the project as `commit:<hash>`, or a file of the release as `file:<path>`. */
const Source = Type.String({ minLength: 5, maxLength: 300, pattern: "^(?:https://|commit:[0-9a-f]{7,40}$|file:)[^\\s]*$" });

const Finding = Type.Object(
  {
    kind: Type.Enum([...findingKinds]),
    /** A commit, a file or a dependency of the release. */
    where: Line(200),
    says: Line(300),
    source: Source,
  },
  closed,
);

const Label = Type.Object(
  {
    release: Line(100),
    base: Line(100),
    /** One class, or two neighbours if reasonable people differ. */
    severity: Type.Array(Type.Enum([...severities]), { minItems: 1, maxItems: 2 }),
    because: Line(300),
    source: Source,
    findings: Type.Array(Finding, { maxItems: 60 }),
    /** Kinds that somebody who only reads words would report, but that the release does not have. */
    absent: Type.Array(Type.Object({ kind: Type.Enum([...findingKinds]), because: Line(200) }, closed), { maxItems: 10 }),
  },
  closed,
);

const LabelsSchema = Type.Object({ project: Line(60), labels: Type.Array(Label, { maxItems: 200 }) }, closed);

const Project = Type.Object(
  {
    project: Type.String({ pattern: "^[a-z0-9-]{1,60}$" }),
    repository: Type.String({ pattern: "^[\\w.-]+/[\\w.-]+$" }),
    kind: Type.Enum(["library", "framework", "server", "monorepo", "cli", "database"]),
    language: Type.Enum(["javascript", "typescript", "python", "go", "c", "rust"]),
    split: Type.Enum(["tuning", "held-out"]),
    /** The date of the newest commit of the clone from which the facts were derived. */
    cloned: Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" }),
    /**
     * Neighbours: each release with the release before it. A release with a gap does not begin where the one before it in the list ended, because it is of
     * another branch or package, because its neighbours are too large, or because the clone lacks some of their contents.
     */
    releases: Type.Array(
      Type.Object(
        { base: Line(100), release: Line(100), package: Type.Optional(Line(100)), gap: Type.Optional(Type.Literal(true)) },
        closed,
      ),
      { maxItems: 200 },
    ),
  },
  closed,
);

const ProjectsSchema = Type.Object({ projects: Type.Array(Project, { maxItems: 200 }) }, closed);

export type Severity = (typeof severities)[number];
export type Projects = Static<typeof ProjectsSchema>;
export type Project = Projects["projects"][number];
export type Labels = Static<typeof LabelsSchema>;
export type Label = Labels["labels"][number];

export const parseProjects = parser(ProjectsSchema);
export const parseLabels = parser(LabelsSchema);
