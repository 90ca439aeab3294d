import { Failure } from "../toolbus/failure.ts";
import { type Check, fail } from "./check.ts";

/** Runs a check that asks a service. If the service refuses the request or is unreachable, the finding says so. */
export async function findingOf(name: string, look: () => Promise<Check>): Promise<Check> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return fail(name, "This could not be found out.", error.message);
  }
}
