import type { Principal } from "@toolbus/runtime";
import type { Gateway } from "../gateway.ts";

/** What accepting needs: no HTTP. Whoever lets something in, a route or a simulator, calls the functions of this folder. */
export type Inbound = Pick<Gateway, "state" | "outbox" | "config" | "identity" | "random" | "clock">;

/** What starting a run needs: it takes a place of those that its principal may have under way. */
export type Starting = Inbound & Pick<Gateway, "underWay">;

/** Who asks, and how a repeat of the request is known. */
export interface Request {
  readonly principal: Principal;
  /** The `Idempotency-Key`. */
  readonly key?: string | undefined;
  /** W3C trace context of the request. */
  readonly traceparent?: string | undefined;
}

/** Tries of a commit that others keep coming before. */
export const TRIES = 20;

export function newRequestId({ random }: Pick<Inbound, "random">): string {
  return Buffer.from(random(12)).toString("base64url");
}
