import { SEVERITIES } from "../report.ts";
import { type Static, Type } from "../schema.ts";

const closed = { additionalProperties: false } as const;
const OrNull = <const T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const SeverityOrNull = OrNull(Type.Enum([...SEVERITIES]));

/** One end of a release. */
const VerdictPoint = Type.Object({ ref: Type.String(), commit: OrNull(Type.String()) }, closed);
export type VerdictPoint = Readonly<Static<typeof VerdictPoint>>;

/** A place in a release that shows a finding. */
export const VerdictEvidence = Type.Union([
  Type.Object({ commit: Type.String(), subject: Type.String() }, closed),
  Type.Object(
    {
      file: Type.String(),
      /** The first and the last changed line of the new file. */
      lines: OrNull(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 })),
    },
    closed,
  ),
  Type.Object({ dependency: Type.String(), from: OrNull(Type.String()), to: OrNull(Type.String()) }, closed),
  /** The id of an advisory of which no commit of the release is known. */
  Type.Object({ advisory: Type.String() }, closed),
]);
export type VerdictEvidence = Readonly<Static<typeof VerdictEvidence>>;

/** One finding of a report, in its parts. A part that the finding's text does not name is null or empty. */
export const VerdictFinding = Type.Object(
  {
    severity: SeverityOrNull,
    kind: OrNull(Type.String()),
    rule: OrNull(Type.String()),
    text: Type.String(),
    evidence: Type.Array(VerdictEvidence),
    /** How many further places the investigation saw. */
    evidenceOmitted: Type.Integer({ minimum: 0 }),
    advice: OrNull(Type.String()),
  },
  closed,
);
export type VerdictFinding = Readonly<Static<typeof VerdictFinding>>;

/**
 * The findings of a report in their parts. The report's texts are the only source, so a person who changed the report before it was filed has changed
 * the verdict too.
 */
export const Verdict = Type.Object(
  {
    base: OrNull(VerdictPoint),
    head: OrNull(VerdictPoint),
    package: OrNull(Type.String()),
    /** How much of the evidence was known. It never changes the severity. */
    confidence: SeverityOrNull,
    /** Every rule that applied, also those that only set the lowest severity. */
    rules: Type.Array(Type.String()),
    /** The most serious one first. */
    findings: Type.Array(VerdictFinding),
    unknowns: Type.Array(Type.String()),
    /** What reviewers asked for. */
    comments: Type.Array(Type.String()),
  },
  closed,
);
export type Verdict = Readonly<Static<typeof Verdict>>;
