import { type Static, Type } from "../schema.ts";
import { parser } from "../parse.ts";

/** How much one caller has used of a minute that began with a first request. Family `rate.<service>`, written by that service; expires with the minute. */
export const RateMinute = Type.Object({ startedAt: Type.Integer(), count: Type.Integer({ minimum: 0 }) }, { additionalProperties: false });
export type RateMinute = Static<typeof RateMinute>;

export const parseRateMinute = parser(RateMinute);
