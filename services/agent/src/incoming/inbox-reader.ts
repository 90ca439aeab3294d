import type { Message } from "@toolbus/contracts";
import type { Origins } from "../origins.ts";
import type { Stepper } from "../steps/advance.ts";
import type { ToolOffers } from "../tool-offers.ts";

/** What taking an inbox entry needs from its process. */
export interface InboxReader extends Stepper {
  readonly toolOffers: ToolOffers;
  readonly origins: Origins;
  /** Best effort, to every listener. */
  readonly announce: (message: Message) => Promise<void>;
  /** Has a webhook delivery that was given up sent again; false if there is none. */
  readonly sendDeliveryAgain: (deliveryId: string) => Promise<boolean>;
}
