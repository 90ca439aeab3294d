import type { Message } from "@toolbus/contracts";
import type { Origins } from "../origins.ts";
import type { Stepper } from "../steps/advance.ts";
import type { ToolOffers } from "../tool-offers.ts";

/** The parts of the process that are needed to handle an inbox entry. */
export interface InboxReader extends Stepper {
  readonly toolOffers: ToolOffers;
  readonly origins: Origins;
  /** Sends a message to every listener, on a best-effort basis. */
  readonly announce: (message: Message) => Promise<void>;
  /** Returns whether this process makes the call itself just now. */
  readonly isHere: (callId: string) => boolean;
  /** Sends a webhook delivery again that was given up before. Resolves with false if there is no such delivery. */
  readonly sendDeliveryAgain: (deliveryId: string) => Promise<boolean>;
}
