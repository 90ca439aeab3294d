import { maskPersonalData, visible } from "@toolbus/contracts";
import { redactText } from "@toolbus/telemetry";

/** Returns a text without credentials and personal data, as on a card. */
export function safeText(text: string): string {
  return maskPersonalData(visible(redactText(text))).text;
}
