import { errors } from "@nats-io/transport-node";

/** The subject that a login has no right to, if an error is about that; the client wraps it in another error. */
export function refusedSubject(error: unknown): string | null {
  if (error instanceof errors.PermissionViolationError) return error.subject;
  return error instanceof Error && error.cause !== undefined ? refusedSubject(error.cause) : null;
}
