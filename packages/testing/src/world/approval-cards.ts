import type { JsonObject } from "@toolbus/contracts";

/** The ticket of a decision, if the write needs one. */
export interface Ticket {
  readonly ticket?: string;
}

/** The parts of a card that a decision needs. */
export interface Card {
  readonly token: string;
  readonly argumentsHash: string;
  /** Absent if the tool offers no plan, or while no worker has planned the write. */
  readonly planHash?: string;
  readonly arguments: JsonObject;
}
