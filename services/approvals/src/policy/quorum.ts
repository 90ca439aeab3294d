/** A person who approves, with the groups that count for the approval. */
export interface Voter {
  readonly approver: string;
  readonly groups?: readonly string[];
}

/** How many people of each group have to approve. */
export type GroupCounts = Readonly<Record<string, number>>;

/** Returns whether the people of every group have approved. One person counts for one group only, so a person of two groups fills one place. */
export function groupsFilled(voters: readonly Voter[], groups: GroupCounts = {}): boolean {
  return openGroups(voters, groups).length === 0;
}

/**
 * Returns whether one more approver brings the approval closer to its end. Some of the `need` places are for people of a group, and the others are
 * for anybody. A person of no missing group does not help if only places of groups are left.
 */
export function wouldHelp(voter: Voter, voters: readonly Voter[], need: number, groups: GroupCounts = {}): boolean {
  return placesFilled([...voters, voter], need, groups) > placesFilled(voters, need, groups);
}

/** Returns the groups that are still missing, once for each missing person. */
export function openGroups(voters: readonly Voter[], groups: GroupCounts = {}): readonly string[] {
  const places = placesOf(groups);
  const taken = seated(voters, places);
  return places.filter((_, n) => taken[n] === undefined);
}

function placesFilled(voters: readonly Voter[], need: number, groups: GroupCounts): number {
  const places = placesOf(groups);
  const inGroups = seated(voters, places).filter((voter) => voter !== undefined).length;
  const people = new Set(voters.map(({ approver }) => approver)).size;
  return inGroups + Math.min(Math.max(0, need - places.length), people - inGroups);
}

function placesOf(groups: GroupCounts): readonly string[] {
  return Object.entries(groups).flatMap(([group, count]) => Array.from({ length: count }, () => group));
}

/**
 * Assigns as many distinct voters as possible to places, each to a place of one of the voter's groups. This is bipartite matching with augmenting
 * paths.
 */
function seated(voters: readonly Voter[], places: readonly string[]): readonly (string | undefined)[] {
  const groupsOf = new Map<string, Set<string>>();
  for (const { approver, groups = [] } of voters) groupsOf.set(approver, new Set([...(groupsOf.get(approver) ?? []), ...groups]));
  const taken: (string | undefined)[] = places.map(() => undefined);
  for (const approver of groupsOf.keys()) seat(approver, new Set());
  return taken;

  function seat(approver: string, tried: Set<number>): boolean {
    for (const [n, group] of places.entries()) {
      if (tried.has(n) || groupsOf.get(approver)?.has(group) !== true) continue;
      tried.add(n);
      const before = taken[n];
      // Somebody else's place is free if that person can move to another place.
      if (before === undefined || seat(before, tried)) {
        taken[n] = approver;
        return true;
      }
    }
    return false;
  }
}
