import { utcMinute } from "@toolbus/contracts";
import { type Markup, markup } from "./markup.ts";

/** Returns a time in UTC, to the minute. */
export function timeOf(ms: number): Markup {
  return markup`<time datetime="${new Date(ms).toISOString()}">${utcMinute(ms)}</time>`;
}
