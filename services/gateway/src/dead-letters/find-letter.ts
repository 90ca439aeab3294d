import {
  isDeadLetterId,
  keys,
  type KeptLetter,
  type LetterDismissal,
  parseKeptLetter,
  parseLetterDismissal,
  parseReplayRequest,
  type ReplayRequest,
} from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import type { StateStore, StoredDocument } from "@toolbus/state";
import { isShardOf } from "../own-shard.ts";
import { refused, type Refused } from "../refused.ts";

/** A dead letter, who asked for its replay, and who dismissed it. */
export interface FoundLetter {
  readonly kind: "found";
  readonly now: number;
  readonly letter: KeptLetter;
  readonly request: ReplayRequest | null;
  readonly dismissal: LetterDismissal | null;
}

/** Returns the dead letter with this id if this operator may see it. Everything else is "not found", so that nobody learns what exists. */
export async function findLetter(state: StateStore, letterId: string, operator: Principal): Promise<FoundLetter | Refused> {
  if (!isDeadLetterId(letterId) || !isShardOf(state, letterId)) return noLetter(letterId);
  const [found] = await readLetters(state, [letterId], operator);
  return found ?? noLetter(letterId);
}

/** Returns those of the dead letters that exist and that this operator may see, in the given order. */
export async function readLetters(state: StateStore, letterIds: readonly string[], operator: Principal): Promise<readonly FoundLetter[]> {
  const { now, documents } = await state.read(
    letterIds.flatMap((id) => [keys.deadLetter(id), keys.replayRequest(id), keys.letterDismissal(id)]),
  );
  return letterIds.flatMap((_, i) => {
    const found = foundIn(now, documents.slice(3 * i, 3 * i + 3));
    return found && mayShow(found.letter, operator) ? [found] : [];
  });
}

function foundIn(now: number, [letter, request, dismissal]: readonly (StoredDocument | null)[]): FoundLetter | null {
  const parsed = parseKeptLetter(letter?.value);
  if (!parsed.ok) return null;
  const asked = parseReplayRequest(request?.value);
  const dismissed = parseLetterDismissal(dismissal?.value);
  return {
    kind: "found",
    now,
    letter: parsed.value,
    request: asked.ok ? asked.value : null,
    dismissal: dismissed.ok ? dismissed.value : null,
  };
}

/** A dead letter that names no run belongs to no tenant, so every operator sees it. */
function mayShow({ tenant }: KeptLetter, operator: Principal): boolean {
  return tenant === null || tenant === operator.tenant;
}

function noLetter(letterId: string): Refused {
  return refused(
    "not_found",
    `There is no dead letter "${letterId.slice(0, 80)}" for this key.`,
    "Use an id that the list of dead letters shows.",
  );
}
