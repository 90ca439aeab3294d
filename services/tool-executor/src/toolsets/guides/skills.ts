import { hash } from "node:crypto";
import { HOME_SHARD, keys, MAX_SKILLS, parseSkill, parseSkillNames, parseSkillSave, type Skill } from "@toolbus/contracts";
import { commitRepeatedly, type StateStore } from "@toolbus/state";
import { toolError, ToolProblem } from "@toolbus/tool-kit";

/** Whose skills a call may see: those of the tenant, and of the confidential ones only the principal's own. */
export interface Reader {
  readonly tenant: string;
  readonly principal: string;
}

/** A text to save, with the requester and the run that saves it. */
export type SkillDraft = Omit<Skill, "savedAt" | "revision">;

/** The outcome of a save. The first revision of a name is 1. */
export type Saved = { readonly name: string; readonly revision: number };

/** The skills of tenants in the state store. Every method throws `StoreUnavailable`. */
export interface Skills {
  /** Returns the skills that the reader may see, in the order of their names. */
  list(reader: Reader): Promise<readonly Skill[]>;
  /** Returns a skill, or null if there is none that the reader may see. */
  find(reader: Reader, name: string): Promise<Skill | null>;
  /** Saves a skill, or a new revision of it. The same call saves once, however often it is repeated within a day. */
  save(draft: SkillDraft, callId: string): Promise<Saved | ToolProblem>;
  /** Deletes a skill that the reader may see. The same call deletes once. */
  remove(reader: Reader, name: string, callId: string): Promise<Saved | ToolProblem>;
}

/** How long the store remembers the outcome of a call that saved or deleted a skill. */
export const SAVE_KEPT_MS = 2 * 86_400_000;

export function skillStore(state: StateStore): Skills {
  return {
    async list(reader) {
      const names = await namesOf(reader.tenant);
      if (names.length === 0) return [];
      const { documents } = await state.read(names.map((name) => keys.skill(hashOf(reader.tenant), name)));
      return documents.flatMap((document) => (document ? visible(document.value, reader) : []));
    },
    async find(reader, name) {
      const { documents } = await state.read([keys.skill(hashOf(reader.tenant), name)]);
      return documents[0] ? (visible(documents[0].value, reader)[0] ?? null) : null;
    },
    save: (draft, callId) =>
      change({ tenant: draft.tenant, principal: draft.savedBy }, draft.name, callId, ({ names, current, now }) => {
        if (current === null && names.length >= MAX_SKILLS)
          return refusal(
            "skill_limit",
            `There are ${MAX_SKILLS} skills already. Delete one that nobody needs, or save under one of their names.`,
          );
        return { ...draft, savedAt: now, revision: (current?.revision ?? 0) + 1 };
      }),
    remove: (reader, name, callId) =>
      change(reader, name, callId, ({ current }) => (current ? null : refusal("skill_not_found", `There is no skill "${name}".`))),
  };

  async function namesOf(tenant: string): Promise<readonly string[]> {
    const { documents } = await state.read([keys.skillNames(hashOf(tenant))]);
    const parsed = documents[0] ? parseSkillNames(documents[0].value) : null;
    return parsed?.ok ? parsed.value.names : [];
  }

  /** Commits what `decide` returns: the skill to store, or null to delete the stored one. A repeat of the call gets the first outcome. */
  async function change(
    reader: Reader,
    name: string,
    callId: string,
    decide: (found: {
      readonly names: readonly string[];
      readonly current: Skill | null;
      readonly now: number;
    }) => Skill | ToolProblem | null,
  ): Promise<Saved | ToolProblem> {
    const tenant = hashOf(reader.tenant);
    const [saveKey, namesKey, skillKey] = [keys.skillSave(callId), keys.skillNames(tenant), keys.skill(tenant, name)];
    for (let tries = 1; tries <= TRIES; tries++) {
      const { now, documents } = await state.read([saveKey, namesKey, skillKey]);
      const [done, listed, stored] = documents;
      const before = done ? parseSkillSave(done.value) : null;
      if (before?.ok) return before.value;
      const list = listed ? parseSkillNames(listed.value) : null;
      const names = list?.ok ? list.value.names : [];
      const current = stored ? parseSkill(stored.value) : null;
      if (current?.ok && visible(current.value, reader).length === 0)
        return refusal("skill_name_taken", `Somebody else uses the name "${name}" for a confidential skill. Choose another name.`);
      const decided = decide({ names, current: current?.ok ? current.value : null, now });
      if (decided instanceof ToolProblem) return decided;
      const outcome: Saved = { name, revision: decided?.revision ?? (current?.ok ? current.value.revision : 1) };
      const others = names.filter((one) => one !== name);
      const reply = await commitRepeatedly(state, HOME_SHARD, {
        op: `skill:${callId}:${tries}`,
        guards: [
          { key: saveKey, version: 0 },
          { key: namesKey, version: listed?.version ?? 0 },
          { key: skillKey, version: stored?.version ?? 0 },
        ],
        put: [
          { key: saveKey, value: outcome, expiresAt: now + SAVE_KEPT_MS },
          { key: namesKey, value: { names: decided ? [...others, name].toSorted() : others } },
          ...(decided ? [{ key: skillKey, value: decided }] : []),
        ],
        ...(decided ? {} : { remove: [skillKey] }),
      });
      if (reply.outcome === "ok") return outcome;
    }
    return refusal("unavailable", "Other runs change the skills all the time. Try again later.");
  }
}

const TRIES = 8;

/** Returns a problem that says that nothing was changed. */
function refusal(code: string, message: string): ToolProblem {
  return toolError(code, message, { effect: "none" });
}

/** Returns the stored skill, or nothing if the reader may not see it. */
function visible(value: unknown, { tenant, principal }: Reader): readonly Skill[] {
  const parsed = parseSkill(value);
  if (!parsed.ok || parsed.value.tenant !== tenant) return [];
  return parsed.value.classification !== "confidential" || parsed.value.savedBy === principal ? [parsed.value] : [];
}

function hashOf(tenant: string): string {
  return hash("sha256", tenant).slice(0, 32);
}
