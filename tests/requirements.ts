import { requirementAreas } from "./requirement-rows.ts";
import { backToPlanned, met, metOnTheWire, type Proof } from "./requirements-met.ts";

/**
 * A requirement with its state. It is "met" if a test that can fail proves it with the real parts. It is "met (wire)" if one of our servers replaces
 * the outside world in the test.
 */
export interface Requirement {
  readonly id: string;
  readonly area: string;
  readonly from: string;
  readonly requirement: string;
  /** How a requirement from "first" is shown. Absent for all other requirements. */
  readonly shown?: string;
  readonly state: "met" | "met (wire)" | "planned";
  /** The environments in which the requirement's tests run, strongest first. Empty while the requirement is planned. */
  readonly restsOn: readonly Ground[];
  /** Why the requirement is planned again, if it was marked as met before. */
  readonly because?: string;
  /** The tests that prove the requirement. Empty while it is planned. */
  readonly tests: readonly { readonly file: string; readonly name: string }[];
}

/**
 * The environment in which a met requirement is proved. `real parts`: real brokers, stores or processes. `wire server`: one of our servers, which
 * speaks a vendor's protocol. `simulator`: the real services on virtual time, with faults. `in process`: the real code on the bus and the store in
 * memory, or only one of its functions.
 */
export type Ground = "real parts" | "wire server" | "simulator" | "in process";

/** Matches tests on real parts. `tests/servers` also runs the cases of the two conformance suites on every real server. */
const REAL = /^tests\/(?:servers|e2e|outside|redteam)\/|^packages\/(?:bus|state)\/src\/conformance\//;

/** The input of `composeRequirements`. The default is the content of this repository. */
export interface RequirementSources {
  readonly areas: typeof requirementAreas;
  readonly met: Readonly<Record<string, readonly Proof[]>>;
  readonly metOnTheWire: readonly string[];
  readonly backToPlanned?: Readonly<Record<string, string>>;
}

/** Combines the issued rows with the tests that prove them, in the order of the rows. */
export function composeRequirements(sources: RequirementSources): readonly Requirement[] {
  return sources.areas.flatMap(({ title, rows }) =>
    rows.map(([id, from, requirement, shown]) => {
      const proofs = sources.met[id] ?? [];
      return {
        id,
        area: title,
        from,
        requirement,
        ...(shown === undefined ? {} : { shown }),
        ...(sources.backToPlanned?.[id] === undefined ? {} : { because: sources.backToPlanned[id] }),
        state: stateOf(proofs, sources.metOnTheWire.includes(id)),
        restsOn: groundsOf(proofs, sources.metOnTheWire.includes(id)),
        tests: proofs.map(({ file, test }) => ({ file, name: test })),
      };
    }),
  );
}

/** Every requirement of the project, with its state and its tests. */
export const requirements: readonly Requirement[] = composeRequirements({ areas: requirementAreas, met, metOnTheWire, backToPlanned });

function stateOf(proofs: readonly Proof[], onTheWire: boolean): Requirement["state"] {
  if (proofs.length === 0) return "planned";
  return onTheWire ? "met (wire)" : "met";
}

function groundsOf(proofs: readonly Proof[], onTheWire: boolean): readonly Ground[] {
  const grounds = new Set(proofs.map(({ file }) => groundOf(file, onTheWire)));
  return (["real parts", "wire server", "simulator", "in process"] as const).filter((ground) => grounds.has(ground));
}

function groundOf(file: string, onTheWire: boolean): Ground {
  if (REAL.test(file)) return "real parts";
  if (file.startsWith("packages/testing/src/")) return "simulator";
  return onTheWire ? "wire server" : "in process";
}
