import type { Principal } from "@toolbus/runtime";
import type { Gateway } from "../gateway.ts";

/**
 * The parts that the functions of this folder need to accept a request. They do not include HTTP. Every caller that accepts something, such as a
 * route or a simulator, calls these functions.
 */
export type Inbound = Pick<Gateway, "state" | "outbox" | "config" | "identity" | "random" | "clock">;

/** The parts that are needed to start a run. They include `underWay`, because a new run uses one of the principal's places for active runs. */
export type Starting = Inbound & Pick<Gateway, "underWay">;

/** Who asks, and the key by which a repeat is recognised. */
export interface Request {
  readonly principal: Principal;
  /** The `Idempotency-Key`. */
  readonly key?: string | undefined;
  /** W3C trace context of the request. */
  readonly traceparent?: string | undefined;
}

/** The number of attempts for a commit that loses against other commits each time. */
export const TRIES = 20;

export function newRequestId({ random }: Pick<Inbound, "random">): string {
  return Buffer.from(random(12)).toString("base64url");
}
