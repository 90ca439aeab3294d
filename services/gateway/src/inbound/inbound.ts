import type { Principal } from "@toolbus/runtime";
import type { Gateway } from "../gateway.ts";

/** What accepting needs: no HTTP. Every caller that accepts something, a route or a simulator, calls the functions of this folder. */
export type Inbound = Pick<Gateway, "state" | "outbox" | "config" | "identity" | "random" | "clock">;

/** What starting a run needs: it takes one of the principal's places for active runs. */
export type Starting = Inbound & Pick<Gateway, "underWay">;

/** Who asks, and how a repeat of the request is recognised. */
export interface Request {
  readonly principal: Principal;
  /** The `Idempotency-Key`. */
  readonly key?: string | undefined;
  /** W3C trace context of the request. */
  readonly traceparent?: string | undefined;
}

/** The number of tries of a commit that keeps losing against others. */
export const TRIES = 20;

export function newRequestId({ random }: Pick<Inbound, "random">): string {
  return Buffer.from(random(12)).toString("base64url");
}
