import { errors } from "@nats-io/transport-node";

/** Returns the subject for which a login has no right, or null if the error has another cause. The client may wrap the error in another one. */
export function refusedSubject(error: unknown): string | null {
  if (error instanceof errors.PermissionViolationError) return error.subject;
  return error instanceof Error && error.cause !== undefined ? refusedSubject(error.cause) : null;
}
