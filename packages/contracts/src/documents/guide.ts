import { type Static, Type } from "../schema.ts";
import { ID_PATTERNS } from "../ids.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;

/** The longest summary of a guide or a skill, in UTF-16 code units. */
export const MAX_SUMMARY = 200;
/** The longest text of a toolset's guide, in bytes of UTF-8. */
export const MAX_GUIDE_BYTES = 32 * 1024;
/** The longest text of a skill, in UTF-16 code units. */
export const MAX_SKILL_CHARS = 16_000;
/** The number of skills that one tenant can have. */
export const MAX_SKILLS = 100;

/** The guide that a toolset publishes with its registration. Workers of the toolset write it to the family `registry.<toolset>`. */
export const Guide = Type.Object(
  {
    toolset: Type.String({ maxLength: 32 }),
    summary: Type.String({ minLength: 1, maxLength: MAX_SUMMARY }),
    markdown: Type.String(),
    /** The SHA-256 of the markdown. A worker that registers the same guide again writes nothing. */
    hash: Type.String({ pattern: "^sha256-[0-9a-f]{64}$" }),
    registeredAt: Type.Integer(),
  },
  closed,
);
export type Guide = Static<typeof Guide>;

/** For whom a skill is meant. A `confidential` skill is returned only to the person who saved it. */
export const CLASSIFICATIONS = ["public", "internal", "confidential"] as const;
export type Classification = (typeof CLASSIFICATIONS)[number];

/** The form of a skill's name. A name of this form can be shown without a look at who chose it. */
export const SKILL_NAME = "^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$";

/** A text that a run saved for later runs of its tenant. Workers of the toolset `guides` write it to the family `skill`. */
export const Skill = Type.Object(
  {
    tenant: Type.String({ minLength: 1, maxLength: 64 }),
    name: Type.String({ pattern: SKILL_NAME, maxLength: 64 }),
    summary: Type.String({ minLength: 1, maxLength: MAX_SUMMARY }),
    markdown: Type.String({ minLength: 1, maxLength: MAX_SKILL_CHARS }),
    classification: Type.Enum([...CLASSIFICATIONS]),
    /** The requester of the run that saved this revision, as the gateway signed it. */
    savedBy: Type.String({ maxLength: 200 }),
    runId: Type.String({ pattern: ID_PATTERNS.run }),
    savedAt: Type.Integer(),
    revision: Type.Integer({ minimum: 1 }),
  },
  closed,
);
export type Skill = Static<typeof Skill>;

/** The names of a tenant's skills. Every save writes it, so two saves at once cannot exceed the limit. It has the family `skill`. */
export const SkillNames = Type.Object({ names: Type.Array(Type.String({ maxLength: 64 }), { maxItems: MAX_SKILLS }) }, closed);
export type SkillNames = Static<typeof SkillNames>;

/** The outcome of one call of `save_skill`, so that a repeat of the call saves nothing again. It has the family `skill`. */
export const SkillSave = Type.Object({ name: Type.String({ maxLength: 64 }), revision: Type.Integer({ minimum: 1 }) }, closed);
export type SkillSave = Static<typeof SkillSave>;

export const parseGuide = parser(Guide);
export const parseSkill = parser(Skill);
export const parseSkillNames = parser(SkillNames);
export const parseSkillSave = parser(SkillSave);
