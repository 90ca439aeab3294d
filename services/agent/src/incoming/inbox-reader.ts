import type { Message } from "@toolbus/contracts";
import type { Origins } from "../origins.ts";
import type { Stepper } from "../steps/advance.ts";
import type { ToolOffers } from "../tool-offers.ts";

/** What taking an entry of the inbox needs of its process. */
export interface InboxReader extends Stepper {
  readonly toolOffers: ToolOffers;
  readonly origins: Origins;
  /** Best effort, to whoever listens. */
  readonly announce: (message: Message) => Promise<void>;
  /** Has a delivery of a webhook that was given up sent again; false where there is none. */
  readonly tellAgain: (deliveryId: string) => Promise<boolean>;
}
